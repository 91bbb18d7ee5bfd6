import { resolve } from 'node:path';
import { plural, setLanguage, t, type Catalogue } from '../../admin-site/src/texts';
import { de } from '../../admin-site/src/texts/de';
import { NOT_LITERAL, placeholders, untranslated, usedTexts } from '../support/admin-texts';
import { sourceFiles } from '../support/sources';

/** Checks that every catalogue of translations contains every text of the admin page, so that no page is only partly translated. */

/**
 * The source files of the admin page. Three kinds of files are left out, because their texts are not translated: the catalogues, the file
 * with code samples (`snippets`), and the file with the names of columns as they are stored (`preferences`).
 */
const files = sourceFiles(resolve(__dirname, '../..'), ['admin-site/src']).filter(
  ({ path }) => !/\/(?:texts\/.*|snippets|preferences)\.tsx?$/.test(path),
);
const used = files.flatMap(usedTexts);
const catalogues: Readonly<Record<string, Catalogue>> = { de };

describe.each(Object.entries(catalogues))('the catalogue %s', (_, catalogue) => {
  test('has an entry for every text, with its placeholders', () => {
    const wrong = used.flatMap(({ text, one, place }) => {
      const entry = catalogue[text];
      if (entry === undefined) return [`${place}: no entry for ${text}`];
      if ((one === undefined) !== (typeof entry === 'string')) return [`${place}: plural forms of ${text}`];
      const forms = typeof entry === 'string' ? [entry] : Object.values(entry);
      // The singular form of a translation need not contain the number.
      const allowed = (form: string): readonly string[] => placeholders(one !== undefined ? `${form} {count}` : form);
      const wanted = String(allowed(text));
      return forms.filter((form) => String(allowed(form)) !== wanted).map((form) => `${place}: placeholders of ${form}`);
    });
    expect(wrong).toEqual([]);
  });

  test('has no entry that the page does not use', () => {
    const texts = new Set(used.map(({ text }) => text));
    expect(Object.keys(catalogue).filter((text) => !texts.has(text))).toEqual([]);
  });
});

test('no quotation mark is outside of a text, because languages have different ones', () => {
  expect(files.filter(({ path, text }) => path.endsWith('.tsx') && />\s*“/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('every text is a literal without blanks around it, and has the same form for 1 everywhere', () => {
  expect(
    used.filter(({ text, one = '' }) => text === NOT_LITERAL || one === NOT_LITERAL || text !== text.trim() || one !== one.trim()),
  ).toEqual([]);
  const ones = new Map<string, Set<string | undefined>>();
  for (const { text, one } of used) ones.set(text, (ones.get(text) ?? new Set()).add(one));
  expect([...ones].filter(([, forms]) => forms.size > 1)).toEqual([]);
});

/** Values that look like texts, but are the same in every language or are never shown. */
const SAME: ReadonlySet<string> = new Set([
  // Names of products and companies.
  ...[
    'Cryptlex',
    'Gumroad',
    'Keygen',
    'Lemon Squeezy',
    'License Manager for WooCommerce',
    'Linux',
    'Paddle',
    'Polar',
    'SHA-256',
    'Stripe',
    'Windows',
  ],
  // Example values of input fields.
  ...['help@example.com', 'you@example.com', 'ada@example.com, A-1001\ngrace@example.com, A-1002', '{"order": "A-1001"}'],
  ...['https://example.com/hooks/licenses', 'https://example.com/renew?license={{key}}'],
  ...['LKS1-REQUEST.…', 'whsec_… or polar_whs_…'],
  // Commands, HTTP headers, names of columns, and CSS selectors.
  'npm run sell -- --processor … --url <…>… --ref ……',
  "-H 'Content-Type: application/json'",
  'order id',
  'main input[data-search]',
  'a, button, input, label, select, summary',
  // Texts of deliveries that the page recognizes, a sentence that the page builds from the service's message about a field, and an internal
  // error.
  ...['the receiver responded with …', 'This ….', 'The page has no #root'],
]);

test('no page shows a text without translating it', () => {
  expect(
    files
      .flatMap(untranslated)
      .filter(({ text }) => !SAME.has(text))
      .map(({ place, text }) => `${place}: ${text}`),
  ).toEqual([]);
});

test('every exception is needed', () => {
  const texts = new Set(files.flatMap(untranslated).map(({ text }) => text));
  expect([...SAME].filter((text) => !texts.has(text))).toEqual([]);
});

describe('a text', () => {
  afterEach(() => setLanguage('en'));

  test('is English without a catalogue', () => {
    expect(t('Signed in with {name}', { name: 'CI' })).toBe('Signed in with CI');
    expect([0, 1, 2000].map((count) => plural(count, '{count} seat', '{count} seats'))).toEqual(['0 seats', '1 seat', '2,000 seats']);
  });

  test('is the translation, with the plural forms and the numbers of the language', () => {
    setLanguage('de', de);
    expect(t('Signed in with {name}', { name: 'CI' })).toBe('Angemeldet mit CI');
    expect([0, 1, 2000].map((count) => plural(count, '{count} seat', '{count} seats'))).toEqual(['0 Plätze', '1 Platz', '2.000 Plätze']);
  });

  test('is English if the catalogue has no entry for it', () => {
    setLanguage('de', {});
    expect(t('Not found')).toBe('Not found');
    expect(plural(1, '{count} seat', '{count} seats')).toBe('1 seat');
  });
});
