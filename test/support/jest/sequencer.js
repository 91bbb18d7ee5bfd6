const { default: Sequencer } = require('@jest/test-sequencer');
const { sep } = require('node:path');

/** Folders in the order in which they begin. */
const folders = ['e2e', 'infra', 'events', 'api', 'store', 'model', 'fuzz', 'client', 'unit'];
const rank = ({ path }) => folders.findIndex((folder) => path.includes(`${sep}test${sep}${folder}${sep}`));

/**
 * Files that start processes and wait for them come first, those that take no time last: at the end, no worker waits
 * for the other. Jest itself goes by the size of a file where it has no earlier run to go by, as on a fresh checkout.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
