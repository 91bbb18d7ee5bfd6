import { keyHint } from '../../admin-site/key-hint';
import { platformName } from '../../lambdas/contract/platform-name';
import { axisTop } from '../../admin-site/src/ui/axis';
import { boughtOf } from '../../admin-site/portal/bought';
import { fileSize } from '../../admin-site/portal/file-size';
import { kindsFound, prefixesOf } from '../../lambdas/domain/search-term';

/** How the admin page and the portal name keys, platforms, files, orders and the numbers of charts. */

const KEY = '7ZQ4K-M8V2T-B0XNA-93YHD-FR6R9';
const license = (id: number, name: string, key: string | null = KEY) => ({
  id,
  key,
  license_type: { name, kind: 'lifetime' as const },
});
const keyName = (part: string): string => `Key ${part}`;

test('the search finds the part of a key by which the pages name a license, as a buyer reads it out or copies it', () => {
  const imported = 'PIXEL2024A1B2C3';
  for (const [key, hint, spoken] of [
    [KEY, '7ZQ4K…', '7zq4k'],
    [imported, 'PIXEL…1B2C3', 'pixel'],
  ] as const) {
    expect(keyHint(key)).toBe(hint);
    const found = { key, email: null, order: null, metadata: {}, devices: [] };
    for (const q of [hint, spoken, hint.replace('…', '...')]) expect(kindsFound(found, prefixesOf(q))).toEqual(['key']);
  }
});

test('platforms that apps report by several names have one name; others stay as they are', () => {
  expect(['darwin', 'macos', 'Mac OS X', 'win32', 'windows', 'linux'].map(platformName)).toEqual([
    'macOS',
    'macOS',
    'macOS',
    'Windows',
    'Windows',
    'Linux',
  ]);
  expect(['', 'web', 'Windows 11', 'darwin-next'].map(platformName)).toEqual(['', 'web', 'Windows 11', 'darwin-next']);
});

test('the middle of a chart’s axis is a whole number, and the axis is at most twice as high as the largest value', () => {
  expect([1, 3, 6, 7, 15, 17, 110].map(axisTop)).toEqual([2, 4, 6, 8, 16, 20, 120]);
  for (let value = 1; value <= 3000; value += 1) {
    const top = axisTop(value);
    expect({ value, whole: top % 2 === 0, fits: top >= value && top <= 2 * value }).toEqual({ value, whole: true, fits: true });
  }
});

test('no file has a size of 0', () => {
  expect([1, 999, 49_000, 999_999, 1e6, 104_857_600].map((size) => fileSize(size, 'en'))).toEqual([
    '1 kB',
    '1 kB',
    '49 kB',
    '1,000 kB',
    '1 MB',
    '104.9 MB',
  ]);
});

test('an order says what it bought, as far as the page knows its licenses', () => {
  const licenses = [license(1, 'Pro'), license(2, 'Pro'), license(3, 'Basic'), license(4, 'Team', null)];
  expect(boughtOf([1], licenses, keyName)).toEqual(['Pro', 'Key 7ZQ4K…']);
  expect(boughtOf([4], licenses, keyName)).toEqual(['Team']);
  expect(boughtOf([1, 2, 3], licenses, keyName)).toEqual(['Pro × 2', 'Basic']);
  expect(boughtOf([9], licenses, keyName)).toEqual([]);
});
