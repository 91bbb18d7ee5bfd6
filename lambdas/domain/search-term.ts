import { addressInBrackets, comparableEmail, storedForms } from './email';
import { lookupKey, withoutSeparators } from './license-key';

/** The terms by which an operator finds a license. The operator types the beginning of a term (docs/spec/operator.md, Finding). */

export const termKinds = ['key', 'email', 'domain', 'name', 'company', 'order', 'device'] as const;
export type TermKind = (typeof termKinds)[number];

/**
 * Minimum length of a search text, in characters. It is also the length of the beginning that all terms of a group have in common (see
 * {@link termStart}).
 */
export const MIN_TERM = 3;
/** Maximum length of a term, in characters. It is also the maximum length of a search text. */
const MAX_TERM = 200;
/** Maximum length of the term of a device's name, in characters. The term is stored in the row of the device, which must stay small. */
const MAX_DEVICE_TERM = 60;
/** Maximum number of words of a name, and of a company, at which a search can begin. Shorter words than a search text do not count. */
export const MAX_WORDS = 4;

const cut = (text: string, length: number): string => Array.from(text).slice(0, length).join('');
const isLongEnough = (text: string): boolean => Array.from(text).length >= MIN_TERM;
/** The first characters of a term, which determine the group in which the term is stored. */
export const termStart = (term: string): string => cut(term, MIN_TERM);

/** Converts a key's, an address's or an order's text to the form of a term, in lower case. Null if the text is too short for a search. */
function comparable(text: string | null | undefined): string | null {
  const term = cut(comparableEmail(text?.trim() ?? ''), MAX_TERM);
  return isLongEnough(term) ? term : null;
}

/** The accents of Latin, Greek and Cyrillic letters, when they are separate characters. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Apostrophes, as keyboards and word processors write them. */
const APOSTROPHES = /['\u2018\u2019\u02bc]/g;
/** A word: letters and digits, with the marks that belong to letters of other scripts. */
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The words of a name, without accents, apostrophes and differences of case: `García-López` and `GARCIA LOPEZ` have the same words, and so
 * have `O’Brien` and `obrien`. Characters that Unicode considers compatible are the same, for example full-width letters. Other characters
 * separate words.
 */
function wordsOf(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const folded = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
  return folded.match(WORDS) ?? [];
}

/** A text from each of its first words to its end, so that a search finds it by the beginning of any of these words. */
function phrasesOf(text: unknown): readonly string[] {
  const words = wordsOf(text);
  const places = words.flatMap((word, place) => (place === 0 || isLongEnough(word) ? [place] : []));
  return places
    .slice(0, MAX_WORDS)
    .map((place) => cut(words.slice(place, place + MAX_TERM).join(' '), MAX_TERM))
    .filter(isLongEnough);
}

/** The term of an e-mail address. A very long address is cut, as all terms are. */
export const emailTerm = (email: string): string => comparable(email) ?? '';

/** The term of an address's domain: `@northwind.example`. */
export function domainTerm(email: string): string {
  const address = comparableEmail(email);
  return cut(address.slice(address.lastIndexOf('@')), MAX_TERM);
}

/** The term of a device's name; null if the name is too short. */
export function deviceTerm(name: string): string | null {
  const term = cut(wordsOf(name).join(' '), MAX_DEVICE_TERM);
  return isLongEnough(term) ? term : null;
}

const compactKey = (key: string): string => withoutSeparators(key).toUpperCase();

/** What a search finds a license by. */
export interface Findable {
  readonly key: string;
  readonly email: string | null;
  /** The id of the order. */
  readonly order: string | null;
  /** The license's metadata; undefined if it was not loaded. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The names of the devices that have a seat. */
  readonly devices: readonly string[];
}

/** The part of a license that a search compares. Only types of this file are used, because the admin page loads it, too. */
interface Searched {
  readonly key: string;
  readonly customer_email: string | null;
  readonly order: { readonly order_id: string } | null;
  readonly metadata: { readonly json?: string | undefined };
}

export const findableOf = (
  { key, customer_email: email, order, metadata: { json } }: Searched,
  devices: readonly { readonly name: string }[],
): Findable => ({
  key,
  email,
  order: order?.order_id ?? null,
  metadata: json === undefined ? undefined : (JSON.parse(json) as Findable['metadata']),
  devices: devices.map(({ name }) => name),
});

/** The terms of each kind by which a license is found. It has no terms of a name and a company if the metadata was not loaded. */
export type SearchTerms = Readonly<Record<TermKind, readonly string[]>>;

const present = (term: string | null): readonly string[] => (term === null ? [] : [term]);

export const searchTermsOf = ({ key, email, order, metadata, devices }: Findable): SearchTerms => ({
  key: [compactKey(lookupKey(key) ?? key)],
  email: present(comparable(email)),
  domain: email === null ? [] : [domainTerm(email)],
  name: phrasesOf(metadata?.['name']),
  company: phrasesOf(metadata?.['company']),
  order: present(comparable(order)),
  device: devices.flatMap((name) => present(deviceTerm(name))),
});

/** The beginning of a term of one kind. A search finds the licenses with a term that begins with `prefix`. */
export interface TermPrefix {
  readonly kind: TermKind;
  readonly prefix: string;
}

/**
 * Converts a search text to the beginnings of the terms that the search must find. If the text contains a name and then an address in angle
 * brackets, as mail programs copy it, only the address is used. A text that begins with `@` is the beginning of a domain, and any other text
 * with `@` the beginning of an address or a device's name.
 */
export function prefixesOf(q: string): TermPrefix[] {
  const typed = addressInBrackets(q) ?? q;
  // An address may be stored with a readable domain or, by an earlier version, with an ASCII domain.
  const text = comparable(typed);
  const addresses = text === null ? [] : storedForms(text).map((form) => cut(form, MAX_TERM));
  if (text?.startsWith('@')) return addresses.map((prefix) => ({ kind: 'domain', prefix }));
  // Where a license is named by a part of its key, such as `7ZQ4K…`, dots stand for the rest.
  const key = compactKey(typed.replace(/(?:…|\.\.\.).*$/s, ''));
  // In keys of this service, `O` is read as `0`, and `I` and `L` as `1`. Keys of other systems may contain these letters, so both forms are
  // searched.
  const keys = new Set([key, key.replace(/O/g, '0').replace(/[IL]/g, '1')].filter((prefix) => /^[A-Z0-9]{3,64}$/.test(prefix)));
  const words = cut(wordsOf(typed).join(' '), MAX_TERM);
  const isAddress = typed.includes('@');
  return [
    ...[...keys].map((prefix) => ({ kind: 'key' as const, prefix })),
    ...addresses.map((prefix) => ({ kind: 'email' as const, prefix })),
    ...(text === null ? [] : [{ kind: 'order' as const, prefix: text }]),
    ...(isLongEnough(words)
      ? [
          ...(isAddress ? [] : (['name', 'company'] as const).map((kind) => ({ kind, prefix: words }))),
          // Some systems name a device `user@host`.
          { kind: 'device' as const, prefix: cut(words, MAX_DEVICE_TERM) },
        ]
      : []),
  ];
}

/** The kinds of terms by which a license is found. */
export function kindsFound(findable: Findable, prefixes: readonly TermPrefix[]): readonly TermKind[] {
  const terms = searchTermsOf(findable);
  return termKinds.filter((kind) => prefixes.some((one) => one.kind === kind && terms[kind].some((term) => term.startsWith(one.prefix))));
}

/** Whether an e-mail address or its domain begins with the search text. */
export const isAddressFound = (email: string, prefixes: readonly TermPrefix[]): boolean =>
  prefixes.some(
    ({ kind, prefix }) =>
      (kind === 'email' && emailTerm(email).startsWith(prefix)) || (kind === 'domain' && domainTerm(email).startsWith(prefix)),
  );
