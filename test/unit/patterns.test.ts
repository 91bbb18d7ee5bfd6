import { join } from 'node:path';
import { sourceFiles } from '../support/sources';
import { computedPatterns, patternsOf, slowestAttack } from '../support/patterns';

/**
 * If the time of a pattern grows with the square of a text's length, one request can occupy a function for seconds. Therefore every pattern
 * of the code is tried with texts of up to 100 KB that repeat a part of the pattern.
 */

const files = sourceFiles(join(__dirname, '../..'), ['lambdas', 'infra', 'bin', 'client/src', 'admin-site']);

describe('regular expressions', () => {
  test.each([
    ['blanks that two parts may take', '/\\{\\{\\s*([^{}]*?)\\s*\\}\\}/g'],
    ['a repeated part that does not reach the end', '/\\/+$/'],
    ['a beginning that comes again within the match', '/\\/functions\\/(.+)\\/invocations$/'],
    ['a quote that is never closed', '/"(?:[^"\\\\]|\\\\.)*"/g'],
    ['a repetition of a repetition', '/^(a+)+$/'],
    ['what follows is looked for again and again', '/\\n{2,}(?![^`]*```\\n)/'],
  ])('the check recognizes a slow pattern: %s', (_, literal) => {
    // The short limit saves time: these patterns exceed any limit.
    expect(slowestAttack(literal, 100)).toBeDefined();
  });

  test('all patterns take time in proportion to the text: no request can occupy a function', () => {
    const slow = patternsOf(files).flatMap(({ literal, paths }) => {
      const attack = slowestAttack(literal);
      return attack ? [{ literal, paths, attack }] : [];
    });
    expect(slow).toEqual([]);
  });

  test('no pattern is created from text at run time, because it could not be tested in advance', () => {
    expect(files.flatMap(computedPatterns)).toEqual([]);
  });
});
