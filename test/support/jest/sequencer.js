const { default: Sequencer } = require('@jest/test-sequencer');
const { sep } = require('node:path');

/** Folders in the order in which their tests start. */
const folders = ['e2e', 'infra', 'events', 'api', 'store', 'model', 'fuzz', 'client', 'unit'];
const rank = ({ path }) => folders.findIndex((folder) => path.includes(`${sep}test${sep}${folder}${sep}`));

/**
 * Files that start processes and wait for them run first, and fast files last, so that at the end no worker waits long for another. Without
 * an earlier run, as on a fresh checkout, jest itself would sort by file size.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
