import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
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

/** How a run begins: what it looks since, and all pages that it is to read. */
export type Run = Pick<Reconciliation, 'started_at' | 'pages' | 'running_since'>;

/** Stores that a run begins; false when another was asked for since `state` was read, which the next round begins then. */
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

/** Stores how far a run got. A run that was asked for meanwhile stays asked for. */
export async function saveReconciliation(table: Table, connectionId: number, pages: readonly string[]): Promise<void> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: reconciliationKey(connectionId),
    UpdateExpression: 'SET pages = :pages',
    ExpressionAttributeValues: { ':pages': pages },
  });
  await retryTransient(table, (options) => table.client.send(command, options));
}

/** Stores that a run failed: the next one, within the hour, looks as far back. */
export async function abandonReconciliation(table: Table, connectionId: number, since: number): Promise<void> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: reconciliationKey(connectionId),
    UpdateExpression: 'SET pages = :none, since = if_not_exists(since, :since)',
    ExpressionAttributeValues: { ':none': [], ':since': since },
  });
  await retryTransient(table, (options) => table.client.send(command, options));
}

/** Asks for a run: it starts with the worker's next round. */
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

/** Every connection that was ever asked for, or has an API key. */
export async function listReconciliations(table: Table): Promise<Reconciliation[]> {
  const found: Reconciliation[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': CONNECTIONS_TO_RECONCILE },
  })) {
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
