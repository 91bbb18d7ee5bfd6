import * as z from 'zod/mini';
import { CONNECTIONS_TO_RECONCILE, reconciliationKey } from '../keys';
import { readRow } from '../row';
import { queryPages, updateItem } from '../items';
import type { Table } from '../table';
import { transact } from '../transaction';
import { list, number, orNull, string, type Stored } from '../../domain/stored';

/** The state of a connection's reconciliation with its processor: whether a run was requested, and the progress of the current run. */

const reconciliationSchema = z.object({
  connection_id: number,
  /** The next run reads changes after this time (epoch ms). If null, it reads the changes after the last run. */
  since: orNull(number),
  /** The time when a run was requested, epoch ms. If null, no run was requested, and the schedule alone starts the next run. */
  requested_at: orNull(number),
  /** The time when the current or last run began, epoch ms. */
  started_at: orNull(number),
  /** The pages that the current run must still read. If the list is empty, the run is finished. */
  pages: list(string),
  /** The current run reads changes after this time (epoch ms). */
  running_since: orNull(number),
});
export interface Reconciliation extends Stored<typeof reconciliationSchema> {}

/** The start of a run: the time when it begins, the earliest time of the changes that it reads, and the pages that it reads first. */
export type Run = Pick<Reconciliation, 'started_at' | 'pages' | 'running_since'>;

/**
 * Records the start of a run. Returns false if another run was requested since `state` was read; the worker's next round then starts that
 * run.
 */
export async function beginReconciliation(
  table: Table,
  { connection_id, requested_at }: Reconciliation,
  { started_at, pages, running_since }: Run,
): Promise<boolean> {
  const { committed } = await transact(table, [
    {
      Update: {
        Key: reconciliationKey(connection_id),
        UpdateExpression: 'SET started_at = :start, pages = :pages, running_since = :from REMOVE requested_at, since',
        ConditionExpression: requested_at === null ? 'attribute_not_exists(requested_at) OR requested_at = :read' : 'requested_at = :read',
        ExpressionAttributeValues: { ':start': started_at, ':pages': pages, ':from': running_since, ':read': requested_at },
      },
    },
  ]);
  return committed;
}

/**
 * Stores the progress of a run. A run that was requested in the meantime stays requested.
 *
 * @param pages the pages that the run must still read; empty if the run is finished or failed
 * @param since if it is given, the next run reads the changes after this time again, unless a request has set another time
 */
export async function saveReconciliation(table: Table, connectionId: number, pages: readonly string[], since?: number): Promise<void> {
  await updateItem(table, {
    Key: reconciliationKey(connectionId),
    UpdateExpression: `SET pages = :pages${since === undefined ? '' : ', since = if_not_exists(since, :since)'}`,
    ExpressionAttributeValues: { ':pages': pages, ...(since !== undefined && { ':since': since }) },
  });
}

/** Requests a run. The worker starts the run in its next round. */
export async function requestReconciliation(table: Table, connectionId: number, since: number | null, now: number): Promise<void> {
  await transact(table, [
    {
      Update: {
        Key: reconciliationKey(connectionId),
        UpdateExpression:
          since === null ? 'SET requested_at = :now, connection_id = :id' : 'SET requested_at = :now, since = :since, connection_id = :id',
        ExpressionAttributeValues: { ':now': now, ':id': connectionId, ...(since !== null && { ':since': since }) },
      },
    },
  ]);
}

/** Lists the reconciliation states of all connections. */
export async function listReconciliations(table: Table): Promise<Reconciliation[]> {
  const found: Reconciliation[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': CONNECTIONS_TO_RECONCILE },
  })) {
    found.push(...page.map((item) => readRow(reconciliationSchema, item)));
  }
  return found;
}
