import lock from '../../package-lock.json';

/** The licenses that a dependency may have. None of them requires publishing the source of the service. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];
/** Tools that no vendor gets, with licenses that are acceptable only for tools. */
const tools: Readonly<Record<string, string>> = { 'node_modules/axe-core': 'MPL-2.0', 'node_modules/caniuse-lite': 'CC-BY-4.0' };

/** Whether a license expression (SPDX) permits the use: all parts of an AND, or one part of an OR, must be allowed. */
const permits = (expression: string): boolean => {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some(permits);
  return text.split(' AND ').every((license) => allowed.includes(license));
};

// A license such as the GPL would oblige vendors to publish their changes.
test('every dependency has a license of the allowed list', () => {
  const refused = Object.entries(lock.packages as Readonly<Record<string, { license?: string; link?: boolean }>>)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
    .filter(([path, { license = 'none' }]) => !permits(license) && tools[path] !== license);
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test.each([
  ['GPL-3.0-or-later', false],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['Apache-2.0 AND MIT', true],
  ['MIT AND GPL-2.0-only', false],
])('the license %s is permitted: %p', (expression, expected) => expect(permits(expression)).toBe(expected));
