import { lapses } from '../support/plain-english';
import { textFiles } from '../support/repository';

/** Comments, messages and documents must be clear at the first reading, even to a reader who does not know the project. */

test('no phrase needs a second reading', () => {
  // These two files are left out, because they contain the phrases.
  const files = textFiles().filter(({ path }) => !/\bplain-english\b/.test(path));
  expect(files.flatMap(({ path, text }) => lapses(text).map((lapse) => `${path}: ${lapse}`))).toEqual([]);
});

describe('the check itself', () => {
  test.each([
    ['// It ends by itself.'],
    ['/** Whatever comes. */'],
    ['// Up to the one\n  // before.'],
    ['/**\n * a token that is\n * none\n */'],
    ['A sentence that goes\non in a document.'],
  ])('%j is found', (text) => expect(lapses(text)).toHaveLength(1));

  test.each([['// The text; undefined if there is none.'], ['if found is None:'], ['// It continues automatically.']])(
    '%j is fine',
    (text) => expect(lapses(text)).toEqual([]),
  );
});
