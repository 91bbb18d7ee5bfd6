const { File } = require('node:buffer');
const { TestEnvironment } = require('jest-environment-jsdom');

/** A channel that does not keep the worker from ending. */
class Channel extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
  }
}

/** Finds each element in view at once, and observes nothing else: jsdom has no layout. */
class Observer {
  constructor(found) {
    this.found = found;
  }
  observe() {
    this.found([{ isIntersecting: true }], this);
  }
  disconnect() {}
}

/** A DOM without a browser, with the parts of a browser that jsdom lacks and the admin page needs. Requests go to the stack of the test run. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, {
      fetch: (path, options) => fetch(new URL(path, process.env.LKS_BASE_URL), options),
      Blob,
      File,
      Headers,
      Response,
      AbortController,
      AbortSignal,
      BroadcastChannel: Channel,
      ResizeObserver: Observer,
      IntersectionObserver: Observer,
      TextDecoder,
      TextEncoder,
      matchMedia: () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }),
      scrollTo: () => undefined,
    });
    this.global.Element.prototype.scrollIntoView = () => undefined;
  }
};
