const { AsyncLocalStorage } = require('node:async_hooks');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// transform-packages.js uses this function to load packages with Node's own module system.
globalThis.requireNatively = createRequire(join(__dirname, '../../../package.json'));

// Jest compiles each module again for the context of each file's environment. Here all files have the same context, so V8 compiles each
// module once per worker, and later files also use the functions that V8 has compiled for earlier files.
const shared = new WeakSet();
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) =>
  shared.has(options.parsingContext)
    ? new vm.Script(`(function (${parameters.join()}) {${code}\n})`, { filename: options.filename }).runInThisContext()
    : compileFunction(code, parameters, options);

// Node 20 notifies every AsyncLocalStorage at each promise until it is disabled. If the instances of finished test files were not disabled,
// they would slow down all later files.
const { getStore, run } = AsyncLocalStorage.prototype;
const storages = new Set();
// Jest keeps the running test or hook in an AsyncLocalStorage. A worker runs one test at a time, so a map is enough and needs no
// notifications.
const running = new WeakMap();
AsyncLocalStorage.prototype.run = function (store, callback, ...args) {
  if (!Object.hasOwn(store ?? {}, 'test')) {
    storages.add(this);
    return run.call(this, store, callback, ...args);
  }
  const previous = running.get(this);
  running.set(this, store);
  return callback(...args).finally(() => running.set(this, previous));
};
AsyncLocalStorage.prototype.getStore = function () {
  return running.get(this) ?? getStore.call(this);
};

/**
 * Runs the test files of a worker one after another in Node's own context, with one copy of the packages. Jest would use a context and a
 * copy for each file. So the AWS SDK and the CDK are loaded and optimized once per worker, and the tests take a third less processor time.
 * The project's own modules are still loaded anew for every file.
 *
 * A file must restore its changes of `globalThis` and `process.env`.
 */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    shared.add(this.getVmContext());
    this.global = globalThis;
  }

  // The inherited method is not called, because it empties the global object.
  async teardown() {
    this.moduleMocker.restoreAllMocks();
    for (const storage of storages) storage.disable();
    storages.clear();
    // Jest stores a file's tests and listeners under these symbols of the global object. They are deleted, because the next file's tests
    // would be added to them.
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'].includes(key.description)) delete globalThis[key];
    }
  }
};
