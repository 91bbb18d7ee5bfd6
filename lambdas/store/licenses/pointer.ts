import { indexes, type Index } from '../../contract/access';
import type { License } from '../../domain/license';
import { deviceTerm, findableOf, searchTermsOf, type TermKind } from '../../domain/search-term';
import type { Transition } from '../../domain/transition';
import { LICENSE_ID, licenseRowsKey, termList, termPosition, type Key } from '../keys';
import type { Item } from '../codec';
import { assign, create, type Action } from '../action';

/**
 * The rows with the terms by which a search finds a license. The first of them also leads from a license's id to the license's row. An
 * activation writes the license's row, but never these rows. An activation therefore changes no index entries of search terms. Each changed
 * entry would cost one write unit. (docs/decisions.md 97)
 */

/** The indexes that can contain a term of each kind. */
export const termIndexes = {
  key: ['pending'],
  email: ['email'],
  domain: ['list'],
  name: ['list', 'email', 'lookup', 'pending'],
  company: ['list', 'email', 'lookup', 'pending'],
  order: ['lookup'],
  device: ['email'],
} as const satisfies Record<TermKind, readonly Index[]>;

/** The further rows of a license with search terms. They exist only if the license has such terms. */
const TERM_ROWS = ['TERMS#1', 'TERMS#2'] as const;
const termRows = [LICENSE_ID, ...TERM_ROWS] as const;
/** The keys of all rows with search terms of a license. */
export const termRowKeys = (licenseId: number): Key[] => termRows.map((sk) => licenseRowsKey(licenseId, sk));

/**
 * The places of the terms from the license's metadata: of the name and the company, from each of their words (`MAX_WORDS`). A row has at
 * most one entry in each index, so four terms share a row.
 */
const metadataPlaces: readonly Pick<Entry, 'sk' | 'index'>[] = TERM_ROWS.flatMap((sk) =>
  (['list', 'email', 'lookup', 'pending'] as const).map((index) => ({ sk, index })),
);

/** A search term at its place: the row's sort key, and the index that contains the term. */
interface Entry {
  readonly sk: (typeof termRows)[number];
  readonly index: Index;
  /** Undefined if the license has no such term. */
  readonly term: string | undefined;
  /** Whether the term is part of the license's metadata. */
  readonly isMetadata?: boolean;
}

/** All places of search terms with the terms of a license, in an order that is the same for all licenses. */
function entriesOf(license: License): readonly Entry[] {
  const { key, email, domain, order, name, company } = searchTermsOf(findableOf(license, []));
  const fromMetadata = [...name, ...company];
  return [
    { sk: LICENSE_ID, index: 'pending', term: key[0] },
    { sk: LICENSE_ID, index: 'email', term: email[0] },
    { sk: LICENSE_ID, index: 'list', term: domain[0] },
    { sk: LICENSE_ID, index: 'lookup', term: order[0] },
    ...metadataPlaces.map((place, number) => ({ ...place, term: fromMetadata[number], isMetadata: true })),
  ];
}

/** The index keys of search terms; the values are undefined at places without a term. */
const fieldsOf = (license: License, entries: readonly Entry[]): Item =>
  Object.assign(
    {},
    ...entries.map(({ index, term }): Item => {
      const { partitionKey, sortKey } = indexes[index];
      return term === undefined
        ? { [partitionKey]: undefined, [sortKey]: undefined }
        : { [partitionKey]: termList(term), [sortKey]: termPosition(term, license) };
    }),
  ) as Item;

const inRow = (entries: readonly Entry[], sk: Entry['sk']): readonly Entry[] => entries.filter((entry) => entry.sk === sk);

/** The actions that write the rows with search terms of a new license. */
export function createPointer(license: License): Action[] {
  const entries = entriesOf(license);
  const rows = TERM_ROWS.map((sk) => ({ sk, row: inRow(entries, sk) })).filter(({ row }) => row.some(({ term }) => term !== undefined));
  return [
    create({
      ...licenseRowsKey(license.id, LICENSE_ID),
      product_id: license.product_id,
      key: license.key,
      ...fieldsOf(license, inRow(entries, LICENSE_ID)),
    }),
    ...rows.map(({ sk, row }) => create({ ...licenseRowsKey(license.id, sk), ...fieldsOf(license, row) })),
  ];
}

/**
 * The actions that update the rows with search terms after a transition that changes the license key or a search term. Only changed entries
 * are written. There is no action if the transition changes neither the key nor a search term.
 */
export function updatePointer({ before, after }: Transition): Action[] {
  const isSameMetadata = before.metadata.json === after.metadata.json && before.metadata.ref === after.metadata.ref;
  const isSameBuyer = before.customer_email === after.customer_email && before.order?.order_id === after.order?.order_id;
  // Computing the terms of every activated license would take time for nothing.
  if (isSameMetadata && isSameBuyer && before.key === after.key) return [];
  const old = entriesOf(before);
  const entries = entriesOf(after);
  const changed = entries.filter(({ term, isMetadata }, place) =>
    // The terms of metadata that was not loaded are unknown, so all terms of the new metadata are written.
    isMetadata ? !isSameMetadata && (before.metadata.json === undefined || term !== old[place]?.term) : term !== old[place]?.term,
  );
  const moved = before.key === after.key ? {} : { key: after.key };
  return termRows.flatMap((sk): Action[] => {
    const fields = { ...fieldsOf(after, inRow(changed, sk)), ...(sk === LICENSE_ID && moved) };
    if (Object.keys(fields).length === 0) return [];
    const Key = licenseRowsKey(after.id, sk);
    // The further rows are created when they get their first term, and removed with their last one.
    if (sk !== LICENSE_ID && inRow(entries, sk).every(({ term }) => term === undefined)) return [{ Delete: { Key } }];
    return [{ Update: { Key, ...assign(fields), ...(sk === LICENSE_ID && { ConditionExpression: 'attribute_exists(pk)' }) } }];
  });
}

/**
 * The index keys by which a device is found by its name. They are in the row of the device, so that they disappear with it. An activation
 * does not write them: a worker adds them afterwards (see `indexDevices`).
 */
export function deviceTermFields(license: Pick<License, 'id' | 'created_at' | 'product_id'>, name: string): Item {
  const { partitionKey, sortKey } = indexes[termIndexes.device[0]];
  const term = deviceTerm(name);
  return term === null
    ? { [partitionKey]: undefined, [sortKey]: undefined }
    : { [partitionKey]: termList(term), [sortKey]: `${termPosition(term, license)}#${license.id}` };
}
