import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { CONNECTIONS_TO_RECONCILE, reconciliationKey } from '../keys';
import { RowReader } from '../row';
import { queryPages, retryTransient, type Table } from '../table';
import { transact } from '../transaction';

/** Reconciling: which connections are to be read from their processors, and how far that got. */

export interface Reconciliation {
  readonly connection_id: number;
  /** What happened from then on is looked for; null: since the last time. */
  readonly since: number | null;
  /** When it was asked for; null: by the clock. */
  readonly requested_at: number | null;
  /** When the present or last run began. */
  readonly started_at: number | null;
  /** Pages that are still to be read; empty: the run is over. */
  readonly pages: readonly string[];
  /** Since when the present run looks. */
  readonly running_since: number | null;
}

/** Stores how far a run got. */
export async function saveReconciliation(table: Table, { connection_id, ...fields }: Reconciliation): Promise<void> {
  const command = new PutCommand({ TableName: table.name, Item: { ...reconciliationKey(connection_id), connection_id, ...fields } });
  await retryTransient(table, (options) => table.client.send(command, options));
}

/** Asks for a run: it starts with the worker's next round. */
export async function requestReconciliation(table: Table, connectionId: number, since: number | null, now: number): Promise<void> {
  await transact(table, [
    {
      Update: {
        Key: reconciliationKey(connectionId),
        UpdateExpression: 'SET requested_at = :now, since = :since, connection_id = :id',
        ExpressionAttributeValues: { ':now': now, ':since': since, ':id': connectionId },
      },
    },
  ]);
}

/** Every connection that was ever asked for, or has an API key. */
export async function listReconciliations(table: Table): Promise<Reconciliation[]> {
  const found: Reconciliation[] = [];
  for await (const page of queryPages(table, { ConsistentRead: true, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': CONNECTIONS_TO_RECONCILE } })) {
    for (const item of page) {
      const row = new RowReader(item);
      found.push({
        connection_id: row.number('connection_id'),
        since: row.nullableNumber('since'),
        requested_at: row.nullableNumber('requested_at'),
        started_at: row.nullableNumber('started_at'),
        pages: row.nullableStrings('pages') ?? [],
        running_since: row.nullableNumber('running_since'),
      });
    }
  }
  return found;
}
