import { fail, isFailure, type Failure } from '../../contract/errors';
import { MAX_RELEASES } from '../../contract/resources/release';
import type { Event } from '../../domain/event';
import { changedFields } from '../../domain/audit';
import { catalogueEntry, withRelease } from '../../domain/releases/catalogue';
import type { Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { recordEvent } from '../events/record';
import { catalogueKey, counterKey, releaseCountKey, releaseIdKey, releaseKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { getItem, nextId } from '../items';
import type { Table } from '../table';
import { create, RESPONSE_EXISTS, transact, transactOnce, type Action, type ResponseExists } from '../transaction';
import { MAX_CATALOGUE_BYTES, packCatalogue, putCatalogue, toCatalogue } from './catalogue';
import { findRelease } from './read';
import { toItem, type StoredRelease } from './rows';

export const nextReleaseId = (table: Table): Promise<number> => nextId(table, counterKey('release'));

/** The action that adds 1 or -1 to the number of a product's releases. The action fails if the number would exceed the maximum. */
const countRelease = (productId: number, change: 1 | -1): Action => ({
  Update: {
    Key: releaseCountKey(productId),
    UpdateExpression: 'ADD releases :change',
    ...(change > 0 && { ConditionExpression: 'attribute_not_exists(releases) OR releases < :most' }),
    ExpressionAttributeValues: { ':change': change, ...(change > 0 && { ':most': MAX_RELEASES }) },
  },
});

/**
 * Records a draft release. The release is refused if its product already has a release with the same version, or already has the maximum
 * number of releases.
 */
export async function createRelease(table: Table, release: Release, storeResponse?: Action): Promise<Failure | ResponseExists | undefined> {
  const { id, product_id, version } = release;
  table.audit?.describe({ target: `release/${id}` });
  const outcome = await transactOnce(
    table,
    [
      create(toItem({ release, revision: 1 })),
      countRelease(product_id, 1),
      create({ ...releaseIdKey(id), version: 1, product_id, position: versionPosition(version) }),
    ],
    storeResponse,
  );
  if (outcome === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (outcome.committed) return undefined;
  return outcome.failed[0] === undefined
    ? fail('invalid_request', `The product has ${MAX_RELEASES} releases, the maximum`)
    : fail('version_taken');
}

/** The condition of every change: the release has not changed since it was read. */
const unchanged = ({ revision }: StoredRelease) => ({
  ConditionExpression: 'revision = :revision',
  ExpressionAttributeValues: { ':revision': revision },
});

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The actions that change the catalogue of the release's channel; empty if the catalogue stays the same. At most one catalogue changes,
 * because only drafts can move to another channel, and catalogues contain no drafts.
 */
async function changeCatalogue(table: Table, before: Release, after: Release): Promise<readonly Action[] | Failure> {
  if (isSame(catalogueEntry(before), catalogueEntry(after))) return [];
  const { product_id, channel } = after;
  const { catalogue, revision } = toCatalogue(await getItem(table, catalogueKey(product_id, channel)));
  const entries = packCatalogue(withRelease(catalogue, after));
  if (entries.length > MAX_CATALOGUE_BYTES)
    return fail('invalid_request', 'The releases of this channel have too many different features, or their versions are too long');
  return [putCatalogue(product_id, channel, entries, revision)];
}

/** A release after a change. The event, if there is one, was committed together with the change. */
export interface ReleaseChange {
  readonly before: Release;
  readonly release: Release;
  readonly event?: Event;
}

/**
 * Calls `decide` with the current state of a release and commits the result, with its event and the new catalogue. If another request
 * changed the release in the meantime, `decide` is called again. A result without changes is not committed.
 *
 * @param eventOf creates the event about the result; not called if nothing changes
 * @throws StoreUnavailable if other requests keep changing the release until the time for retries ends
 */
export function changeRelease(
  table: Table,
  id: number,
  decide: (release: Release) => Failure | Release | Promise<Failure | Release>,
  eventOf?: (after: Release) => Promise<Event>,
): Promise<Failure | ReleaseChange> {
  return retry(table, 'The release', async ({ retryUntil }) => {
    const read = await findRelease(table, id);
    if (!read) return fail('not_found', 'There is no such release');
    const before = read.release;
    const release = await decide(before);
    if (isFailure(release)) return release;
    const details = changedFields(before, release);
    if (details.length === 0) return { before, release };

    const event = await eventOf?.(release);
    const catalogue = await changeCatalogue(table, before, release);
    if (isFailure(catalogue)) return catalogue;
    // The field `artifacts` is left out of the audit log, because the name of the operation already says that files changed.
    table.audit?.describe({ product_id: release.product_id, details: details.filter((name) => name !== 'artifacts') });
    const outcome = await transact(
      table,
      [
        { Put: { Item: toItem({ release, revision: read.revision + 1 }), ...unchanged(read) } },
        ...catalogue,
        ...(event ? [recordEvent(event)] : []),
      ],
      retryUntil,
    );
    return outcome.committed ? { before, release, ...(event && { event }) } : TRY_AGAIN;
  });
}

/**
 * Deletes a release, unless `refuse` returns a refusal.
 *
 * @returns the deleted release, or the refusal
 */
export function deleteRelease(table: Table, id: number, refuse: (release: Release) => Failure | undefined): Promise<Failure | Release> {
  return retry(table, 'The release', async ({ retryUntil }) => {
    const read = await findRelease(table, id);
    if (!read) return fail('not_found', 'There is no such release');
    const { release } = read;
    const refusal = refuse(release);
    if (refusal) return refusal;
    table.audit?.describe({ product_id: release.product_id });
    const outcome = await transact(
      table,
      [
        { Delete: { Key: releaseKey(release.product_id, versionPosition(release.version)), ...unchanged(read) } },
        { Delete: { Key: releaseIdKey(id) } },
        countRelease(release.product_id, -1),
      ],
      retryUntil,
    );
    return outcome.committed ? release : TRY_AGAIN;
  });
}
