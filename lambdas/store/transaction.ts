import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isTransient, persistently, type Item, type Table } from './table';

type SdkAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type OnTable<Kind extends keyof SdkAction> = Omit<NonNullable<SdkAction[Kind]>, 'TableName'>;

/** One action of a transaction; {@link transact} adds the table. */
export type Action =
  | { readonly Put: OnTable<'Put'> }
  | { readonly Update: OnTable<'Update'> }
  | { readonly Delete: OnTable<'Delete'> };

/**
 * What became of a transaction. Where a condition failed, `failed` has an entry for every action, in
 * order: undefined where that action's condition held, else the item that stood in its way (null where
 * there was none).
 */
export type Outcome = { readonly committed: true } | { readonly committed: false; readonly failed: readonly (Item | null | undefined)[] };

/**
 * What a transaction's failed conditions tell; any other error is thrown on. Where an action met another
 * transaction as well, the failed conditions are not yet the whole truth.
 */
function verdict(error: unknown): Outcome {
  const reasons = (error instanceof TransactionCanceledException && error.CancellationReasons) || [];
  if (isTransient(error) || !reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
  return {
    committed: false,
    failed: reasons.map(({ Code, Item }) => (Code !== 'ConditionalCheckFailed' ? undefined : Item ? unmarshall(Item) : null)),
  };
}

/** Names the table, and asks for the item that makes a condition fail: it tells why without another read. */
function onTable(name: string, action: Action): SdkAction {
  const common = { TableName: name, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if ('Put' in action) return { Put: { ...action.Put, ...common } };
  if ('Update' in action) return { Update: { ...action.Update, ...common } };
  return { Delete: { ...action.Delete, ...common } };
}

/** The request was answered before, by the transaction of its first arrival: that answer holds. */
export const ANSWERED = 'answered';
export type Answered = typeof ANSWERED;

/**
 * {@link transact} for an idempotent request: `remember` (see `idempotency.ts`), where there is one, commits
 * with the actions, and `answered` tells that the same request was faster.
 */
export async function transactOnce(
  table: Table,
  actions: readonly Action[],
  remember: Action | undefined,
  deadline?: number,
): Promise<Outcome | Answered> {
  if (!remember) return transact(table, actions, deadline);
  const outcome = await transact(table, [remember, ...actions], deadline);
  if (outcome.committed) return outcome;
  const [answered, ...failed] = outcome.failed;
  return answered === undefined ? { committed: false, failed } : ANSWERED;
}

/**
 * Commits the actions together or not at all. Conflicts and throttling are retried until `deadline`
 * (epoch ms), always under one token, so that a commit whose answer was lost is recognised and neither
 * repeated nor reported as failed.
 *
 * @throws StoreUnavailable when the deadline passes
 */
export function transact(table: Table, actions: readonly Action[], deadline?: number): Promise<Outcome> {
  const command = new TransactWriteCommand({
    TransactItems: actions.map((action) => onTable(table.name, action)),
    ClientRequestToken: Buffer.from(table.random(16)).toString('hex'),
  });
  const commit = (): Promise<Outcome> => table.client.send(command).then(() => ({ committed: true }), verdict);
  return persistently(table, commit, deadline);
}

/** Puts an item that must not exist yet. */
export const create = (item: Item): Action => ({ Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } });
