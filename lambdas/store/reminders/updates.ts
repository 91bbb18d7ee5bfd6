import type { License } from '../../domain/license';
import type { Issue } from '../../domain/license-operations';
import { earliestUpdatesEnd } from '../../domain/reminders';
import type { Transition } from '../../domain/transition';
import { expiryPosition, updatesEndKey, updatesList } from '../keys';
import { putItem, updateItem } from '../items';
import type { Table } from '../table';
import { create, type Action } from '../transaction';

/**
 * Lists licenses by the end of their updates. Each license with an end of updates has a row in the index `lookup`. The date in the row may
 * be earlier than the end of the updates, but is never later: a renewal or a first activation can make the end of the updates later, but
 * does not change the row. The worker that sends reminders corrects the date when it finds the row.
 */

const keysAt = ({ product_id, id }: Pick<License, 'product_id' | 'id'>, end: number): { lookup_pk: string; lookup_sk: string } => ({
  lookup_pk: updatesList(product_id),
  lookup_sk: expiryPosition(end, id),
});

/** The action that creates the row of a new license. There is no action if the updates of the license do not end. */
export function recordUpdatesEnd({ license, at }: Pick<Issue, 'license' | 'at'>): Action[] {
  const end = earliestUpdatesEnd(license, at);
  return end === null ? [] : [create({ ...updatesEndKey(license.id), ...keysAt(license, end) })];
}

/** Creates the row of a license outside of a transaction, unless the row already exists. */
export async function addUpdatesEnd(table: Table, license: License, now: number): Promise<void> {
  const [action] = recordUpdatesEnd({ license, at: now });
  if (!action || !('Put' in action)) return;
  await putItem(table, action.Put);
}

/** The action that moves the row of a license if the end of updates becomes earlier or is set for the first time. */
export function moveUpdates({ before, after, at }: Transition): Action[] {
  const [old, end] = [earliestUpdatesEnd(before, at), earliestUpdatesEnd(after, at)];
  if (end === null || (old !== null && end >= old)) return [];
  const { lookup_pk, lookup_sk } = keysAt(after, end);
  return [
    {
      Update: {
        Key: updatesEndKey(after.id),
        UpdateExpression: 'SET lookup_pk = :list, lookup_sk = :position',
        ExpressionAttributeValues: { ':list': lookup_pk, ':position': lookup_sk },
      },
    },
  ];
}

/** Whether the position of a license's row differs from the current end of its updates. */
export function isTooEarly(license: License, position: string, now: number): boolean {
  const end = earliestUpdatesEnd(license, now);
  return end === null || expiryPosition(end, license.id) !== position;
}

/**
 * Moves the row of a license to the current end of its updates. Returns false if the row was moved since it was found.
 *
 * @param position the position at which the row was found
 */
export async function settleUpdates(table: Table, license: License, position: string, now: number): Promise<boolean> {
  const end = earliestUpdatesEnd(license, now);
  const { isWritten } = await updateItem(table, {
    Key: updatesEndKey(license.id),
    UpdateExpression: end === null ? 'REMOVE lookup_pk, lookup_sk' : 'SET lookup_sk = :position',
    ConditionExpression: 'lookup_sk = :found',
    ExpressionAttributeValues: { ':found': position, ...(end !== null && { ':position': expiryPosition(end, license.id) }) },
  });
  return isWritten;
}
