import type { License } from '../../domain/license';
import { deleteResponses } from '../idempotency';
import { licenseStatsKey, STATS_SHARDS, typeStatsKey, updatesEndKey } from '../keys';
import { retireMetadata } from '../metadata';
import { deleteNotesUntil } from '../notes';
import { deleteRefusals } from '../refusals';
import { removeMeters } from '../meters';
import { add } from '../stats/count';
import type { Table } from '../table';
import { transact } from '../transaction';
import { freedDevices } from './freed-devices';
import { termRowKeys } from './pointer';
import { licenseRowKey } from './rows';

/** Removes licenses. Their events stay in the delivery log until they expire, with the long metadata to which the events
 * refer. Their previous keys stay dead. */

/**
 * Removes a license, and subtracts it from the statistics. The rows of its devices are removed later, like the rows of devices that a reset
 * has freed. The caller must then call {@link removeRowsAbout}.
 *
 * @returns false if another request has changed the license since it was read
 */
export async function removeLicense(table: Table, license: License): Promise<boolean> {
  const shard = license.id % STATS_SHARDS;
  const counts = { [license.status]: -1 };
  const { committed } = await transact(table, [
    {
      Delete: {
        Key: licenseRowKey(license),
        ConditionExpression: '#sequence = :sequence',
        ExpressionAttributeNames: { '#sequence': 'sequence' },
        ExpressionAttributeValues: { ':sequence': license.sequence },
      },
    },
    ...termRowKeys(license.id).map((Key) => ({ Delete: { Key } })),
    { Delete: { Key: updatesEndKey(license.id) } },
    ...freedDevices({ before: license, at: table.clock() }),
    ...removeMeters(license),
    ...retireMetadata(license, table.clock()),
    ...add({ key: typeStatsKey(license.product_id, shard, license.license_type.id), counts }),
    ...add({ key: licenseStatsKey(shard), counts }),
  ]);
  return committed;
}

/** Removes the other rows about a license that no longer exists. If the call is interrupted, it must be repeated. */
export async function removeRowsAbout(table: Table, licenseId: number): Promise<void> {
  await deleteResponses(table, licenseId);
  await deleteRefusals(table, licenseId);
  await deleteNotesUntil(table, licenseId, table.clock());
}
