import { addressInBrackets, comparableEmail } from './email';
import type { License } from './license';
import { lookupKey } from './license-key';

/** What a license is found by when an operator types its beginning (docs/spec/operator.md, Finding). */

export const termKinds = ['key', 'email', 'name', 'order'] as const;
export type TermKind = (typeof termKinds)[number];

/** Number of characters that a search has at least: terms are stored by this many. */
export const MIN_TERM = 3;
/** Number of characters by which a term is found: as many as a search can have. */
const MAX_TERM = 200;

const cut = (text: string, length: number): string => Array.from(text).slice(0, length).join('');
/** The first characters of a term, by which terms are stored together. */
export const termStart = (term: string): string => cut(term, MIN_TERM);

/** A text as a term: in one case, and null if it is too short to be found. */
function comparable(text: string | null | undefined): string | null {
  const term = cut(comparableEmail(text?.trim() ?? ''), MAX_TERM);
  return Array.from(term).length < MIN_TERM ? null : term;
}

const compactKey = (key: string): string => key.replace(/[\s\u2010-\u2015\u2212-]/g, '').toUpperCase();

/** The name in the metadata. Undefined: the metadata was not loaded. */
function nameIn({ json }: License['metadata']): string | null | undefined {
  if (json === undefined) return undefined;
  const { name } = JSON.parse(json) as { readonly name?: unknown };
  return typeof name === 'string' ? name : null;
}

/** What a license is found by; null: nothing. The name is undefined if the metadata was not loaded. */
export type Terms = Readonly<Record<Exclude<TermKind, 'name'>, string | null>> & { readonly name: string | null | undefined };

export function termsOf(license: Pick<License, 'key' | 'customer_email' | 'metadata' | 'order'>): Terms {
  const name = nameIn(license.metadata);
  return {
    key: compactKey(lookupKey(license.key) ?? license.key),
    email: comparable(license.customer_email),
    name: name === undefined ? undefined : comparable(name),
    order: comparable(license.order?.order_id),
  };
}

/** The beginning of a term that a search asks for. */
export interface TermPrefix {
  readonly kind: TermKind;
  readonly prefix: string;
}

/** The beginnings that a search text stands for. `Name <address>`, as mail programs copy it, is read as the address. */
export function prefixesOf(q: string): TermPrefix[] {
  const typed = addressInBrackets(q) ?? q;
  const text = comparable(typed);
  const key = compactKey(typed);
  // In our own keys `O` is read as `0`, and `I` and `L` as `1`; other systems' keys may contain them.
  const keys = new Set([key, key.replace(/O/g, '0').replace(/[IL]/g, '1')].filter((prefix) => /^[A-Z0-9]{3,64}$/.test(prefix)));
  return [
    ...[...keys].map((prefix) => ({ kind: 'key' as const, prefix })),
    ...(text === null ? [] : (['email', 'name', 'order'] as const).map((kind) => ({ kind, prefix: text }))),
  ];
}

/** Whether a license, with its metadata, has a term with one of the beginnings. */
export function matches(license: License, prefixes: readonly TermPrefix[]): boolean {
  const terms = termsOf(license);
  return prefixes.some(({ kind, prefix }) => terms[kind]?.startsWith(prefix) === true);
}
