import { indexes, type Index } from '../../contract/access';
import type { License } from '../../domain/license';
import { termKinds, searchTermsOf, type TermKind, type SearchTerms } from '../../domain/search-term';
import type { Transition } from '../../domain/transition';
import { licenseIdKey, termList, termPosition } from '../keys';
import type { Item } from '../codec';
import type { Action } from '../transaction';

/**
 * The row that leads from a license's id to the license's row. This row also contains the terms by which a search finds the license. An
 * activation writes the license's row, but never this row. An activation therefore changes no index entries of search terms. Each changed
 * entry would cost one write unit. (docs/decisions.md 97)
 */

/** The index for each kind of search term. The indexes differ, because a row has at most one entry in each index. */
export const termIndexes = { key: 'pending', email: 'email', name: 'list', order: 'lookup' } as const satisfies Record<TermKind, Index>;

/** The index keys of a search term; the values are undefined if there is no term of this kind. */
function termFields(license: License, kind: TermKind, term: string | null | undefined): Item {
  const { partitionKey, sortKey } = indexes[termIndexes[kind]];
  return term == null
    ? { [partitionKey]: undefined, [sortKey]: undefined }
    : { [partitionKey]: termList(term), [sortKey]: termPosition(term, license) };
}

const allTerms = (license: License, terms: SearchTerms): Item =>
  Object.assign({}, ...termKinds.map((kind) => termFields(license, kind, terms[kind]))) as Item;

/** The pointer row of a new license. */
export const licensePointer = (license: License): Item => ({
  ...licenseIdKey(license.id),
  product_id: license.product_id,
  key: license.key,
  ...allTerms(license, searchTermsOf(license)),
});

/** An update that sets each field that has a value, and removes each field whose value is undefined. */
function updateOf(
  fields: Item,
): Pick<Extract<Action, { Update: unknown }>['Update'], 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  const removed = Object.keys(fields).filter((name) => fields[name] === undefined);
  return {
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
    ].join(' '),
    ExpressionAttributeNames: Object.fromEntries(Object.keys(fields).map((name) => [`#${name}`, name])),
    ...(set.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]): [string, Item[string]] => [`:${name}`, value])),
    }),
  };
}

/**
 * The action that updates the pointer row after a transition that changes the license key or a search term. There is no action if the
 * transition changes neither the key nor a search term.
 */
export function updatePointer({ before, after }: Transition): Action[] {
  const [old, present] = [searchTermsOf(before), searchTermsOf(after)];
  const isSameMetadata = before.metadata.json === after.metadata.json && before.metadata.ref === after.metadata.ref;
  const changed = termKinds.filter((kind) => (kind === 'name' && isSameMetadata ? false : old[kind] !== present[kind]));
  const isMoved = before.key !== after.key;
  if (changed.length === 0 && !isMoved) return [];
  const fields = Object.assign({}, ...changed.map((kind) => termFields(after, kind, present[kind])), isMoved && { key: after.key }) as Item;
  return [{ Update: { Key: licenseIdKey(after.id), ...updateOf(fields), ConditionExpression: 'attribute_exists(pk)' } }];
}
