/** With the environment of environment.js, a package is the copy that Node has loaded for all test files. */
module.exports = {
  process: (source, path) => ({ code: globalThis.requireNatively ? `module.exports = requireNatively(${JSON.stringify(path)});` : source }),
  getCacheKey: (_source, path) => `${globalThis.requireNatively ? 'native' : 'unchanged'} ${path}`,
};
