const { TestEnvironment } = require('jest-environment-jsdom');

/** A channel that does not keep the worker from ending. */
class Channel extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
  }
}

/** A DOM without a browser, with the parts of a browser that jsdom lacks and the admin page needs. Requests go to the stack of the test run. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, {
      fetch: (path, options) => fetch(new URL(path, process.env.LKS_BASE_URL), options),
      Headers,
      Response,
      AbortController,
      AbortSignal,
      BroadcastChannel: Channel,
      matchMedia: () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }),
    });
    this.global.Element.prototype.scrollIntoView = () => undefined;
  }
};
