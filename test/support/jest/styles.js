/** Stands for each CSS module: every class has its own name. */
const classes = new Proxy({}, { get: (_target, name) => name });

module.exports = { __esModule: true, default: classes };
