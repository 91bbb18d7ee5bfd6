const { default: Sequencer } = require('@jest/test-sequencer');
const { statSync } = require('node:fs');
const { join, sep } = require('node:path');

/** The folders whose tests mostly wait, for a browser or for processes that they start. All other tests mostly compute. */
const waiting = ['e2e', join('infra', 'local')];
const isWaiting = ({ path }) => waiting.some((folder) => path.includes(`${sep}test${sep}${folder}${sep}`));

/**
 * Gives each test a place between 0 and 1: the share of the work before it. The size of a file is the estimate of its work, because on a
 * fresh checkout the durations are not known.
 */
function withPlaces(tests) {
  const sizes = tests.map(({ path }) => statSync(path).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  return tests.map((test, index) => {
    const place = before / total;
    before += sizes[index];
    return { test, place };
  });
}

/**
 * Mixes tests that wait with tests that compute, so that the processors are used during the whole run. Long files run first, so that at the
 * end no worker waits long for another.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = [...super.sort(tests)];
    const groups = [sorted.filter(isWaiting), sorted.filter((test) => !isWaiting(test))];
    return groups
      .flatMap(withPlaces)
      .sort((a, b) => a.place - b.place)
      .map(({ test }) => test);
  }
};
