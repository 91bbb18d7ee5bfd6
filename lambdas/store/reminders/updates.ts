import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { License } from '../../domain/license';
import { earliestUpdatesEnd } from '../../domain/reminders';
import type { Transition } from '../../domain/transition';
import { expiryPosition, licenseIdKey, updatesList } from '../keys';
import { conditionHeld, retryTransient, type Item, type Table } from '../table';
import type { Action } from '../transaction';

/**
 * Licenses by the end of their updates. The row that leads from a license's id to its key is in the index `lookup`, at a
 * position that is never later than the end of updates. Therefore a renewal or an activation need not move it: the
 * worker that sends reminders moves the row when it gets there.
 */

/** @param end epoch ms; null: the license has no end of updates */
const keysAt = ({ product_id, id }: Pick<License, 'product_id' | 'id'>, end: number | null): Item =>
  end === null ? {} : { lookup_pk: updatesList(product_id), lookup_sk: expiryPosition(end, id) };

/** The keys of a new license's row in the index. */
export const updatesKeys = (license: License, now: number): Item => keysAt(license, earliestUpdatesEnd(license, now));

/** The action that moves the row when the end of updates becomes earlier, or is set for the first time. */
export function moveUpdates({ before, after, at }: Transition): Action[] {
  const [old, end] = [earliestUpdatesEnd(before, at), earliestUpdatesEnd(after, at)];
  if (end === null || (old !== null && end >= old)) return [];
  const { lookup_pk, lookup_sk } = keysAt(after, end);
  return [
    {
      Update: {
        Key: licenseIdKey(after.id),
        UpdateExpression: 'SET lookup_pk = :list, lookup_sk = :position',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':list': lookup_pk as string, ':position': lookup_sk as string },
      },
    },
  ];
}

/** Whether the row of a license is not at the present end of its updates. */
export const isTooEarly = (license: License, position: string, now: number): boolean => updatesKeys(license, now)['lookup_sk'] !== position;

/**
 * Moves the row of a license to the present end of its updates. False if it was moved since it was found.
 *
 * @param position where the row was found
 */
export function settleUpdates(table: Table, license: License, position: string, now: number): Promise<boolean> {
  const end = earliestUpdatesEnd(license, now);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: licenseIdKey(license.id),
    UpdateExpression: end === null ? 'REMOVE lookup_pk, lookup_sk' : 'SET lookup_sk = :position',
    ConditionExpression: 'lookup_sk = :found',
    ExpressionAttributeValues: { ':found': position, ...(end !== null && { ':position': expiryPosition(end, license.id) }) },
  });
  return conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
