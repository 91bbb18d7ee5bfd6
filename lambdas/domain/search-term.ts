import { addressInBrackets, comparableEmail, storedForms } from './email';
import type { License } from './license';
import { lookupKey, withoutSeparators } from './license-key';

/** The terms by which an operator finds a license. The operator types the beginning of a term (docs/spec/operator.md, Finding). */

export const termKinds = ['key', 'email', 'name', 'order'] as const;
export type TermKind = (typeof termKinds)[number];

/**
 * Minimum length of a search text, in characters. It is also the length of the beginning that all terms of a group have in common (see
 * {@link termStart}).
 */
export const MIN_TERM = 3;
/** Maximum length of a term, in characters. It is also the maximum length of a search text. */
const MAX_TERM = 200;

const cut = (text: string, length: number): string => Array.from(text).slice(0, length).join('');
/** The first characters of a term, which determine the group in which the term is stored. */
export const termStart = (term: string): string => cut(term, MIN_TERM);

/** Converts a text to the form of a term, in lower case. Null if the text is too short for a search. */
function comparable(text: string | null | undefined): string | null {
  const term = cut(comparableEmail(text?.trim() ?? ''), MAX_TERM);
  return Array.from(term).length < MIN_TERM ? null : term;
}

/** The term of an e-mail address. A very long address is cut, as all terms are. */
export const emailTerm = (email: string): string => comparable(email) ?? '';

const compactKey = (key: string): string => withoutSeparators(key).toUpperCase();

/** The name in a license's metadata. Undefined if the metadata was not loaded. */
function nameIn({ json }: License['metadata']): string | null | undefined {
  if (json === undefined) return undefined;
  const { name } = JSON.parse(json) as { readonly name?: unknown };
  return typeof name === 'string' ? name : null;
}

/**
 * The terms by which a license is found. A term is null if the license has no such value or the value is too short. The name is undefined
 * if the metadata was not loaded.
 */
export type SearchTerms = Readonly<Record<Exclude<TermKind, 'name'>, string | null>> & { readonly name: string | null | undefined };

export function searchTermsOf(license: Pick<License, 'key' | 'customer_email' | 'metadata' | 'order'>): SearchTerms {
  const name = nameIn(license.metadata);
  return {
    key: compactKey(lookupKey(license.key) ?? license.key),
    email: comparable(license.customer_email),
    name: name === undefined ? undefined : comparable(name),
    order: comparable(license.order?.order_id),
  };
}

/** The beginning of a term of one kind. A search finds the licenses with a term that begins with `prefix`. */
export interface TermPrefix {
  readonly kind: TermKind;
  readonly prefix: string;
}

/**
 * Converts a search text to the beginnings of the terms that the search must find. If the text contains a name and then an address in angle
 * brackets, as mail programs copy it, only the address is used.
 */
export function prefixesOf(q: string): TermPrefix[] {
  const typed = addressInBrackets(q) ?? q;
  // An address may be stored with a readable domain or, by an earlier version, with an ASCII domain.
  const text = comparable(typed);
  const emails = text === null ? [] : storedForms(text).map((form) => cut(form, MAX_TERM));
  const key = compactKey(typed);
  // In keys of this service, `O` is read as `0`, and `I` and `L` as `1`. Keys of other systems may contain these letters, so both forms are
  // searched.
  const keys = new Set([key, key.replace(/O/g, '0').replace(/[IL]/g, '1')].filter((prefix) => /^[A-Z0-9]{3,64}$/.test(prefix)));
  return [
    ...[...keys].map((prefix) => ({ kind: 'key' as const, prefix })),
    ...emails.map((prefix) => ({ kind: 'email' as const, prefix })),
    ...(text === null ? [] : (['name', 'order'] as const).map((kind) => ({ kind, prefix: text }))),
  ];
}

/** Whether one of the beginnings matches a term of the license. The license's metadata must be loaded. */
export function matches(license: License, prefixes: readonly TermPrefix[]): boolean {
  const terms = searchTermsOf(license);
  return prefixes.some(({ kind, prefix }) => terms[kind]?.startsWith(prefix) === true);
}
