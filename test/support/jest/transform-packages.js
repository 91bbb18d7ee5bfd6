/** Replaces the code of each package with the copy that Node has loaded for all test files (see environment.js). */
module.exports = {
  process: (source, path) => ({ code: globalThis.requireNatively ? `module.exports = requireNatively(${JSON.stringify(path)});` : source }),
  getCacheKey: (_source, path) => `${globalThis.requireNatively ? 'native' : 'unchanged'} ${path}`,
};
