import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { backoff, RETRY_BUDGET_MS, StoreUnavailable, type Item, type Table } from './table';

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

/** Cancellations and errors that say nothing about the data: the same transaction may well succeed now. */
const TRANSIENT = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
  'InternalServerErrorException',
  'TimeoutError',
  'RequestTimeout',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
]);

/** True for a fault that may pass when the same call is made again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  (TRANSIENT.has(error.name) ||
    TRANSIENT.has((error as NodeJS.ErrnoException).code ?? '') ||
    '$fault' in error && (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 500);

/** What a cancelled transaction tells: a decision, or undefined where it only met another one. */
function verdict(error: TransactionCanceledException): Outcome | undefined {
  const reasons = error.CancellationReasons ?? [];
  if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) {
    return {
      committed: false,
      failed: reasons.map(({ Code, Item }) => (Code !== 'ConditionalCheckFailed' ? undefined : Item ? unmarshall(Item) : null)),
    };
  }
  if (reasons.every(({ Code }) => Code === undefined || Code === 'None' || TRANSIENT.has(Code))) return undefined;
  throw error;
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
 * Commits the actions together or not at all. Conflicts and throttling are retried with jitter until
 * `deadline` (epoch ms), always under one token, so that a commit whose answer was lost is recognised
 * and neither repeated nor reported as failed.
 *
 * @throws StoreUnavailable when the deadline passes
 */
export async function transact(
  table: Table,
  actions: readonly Action[],
  deadline: number = table.clock() + RETRY_BUDGET_MS,
): Promise<Outcome> {
  const input: TransactWriteCommandInput = {
    TransactItems: actions.map((action) => onTable(table.name, action)),
    ClientRequestToken: Buffer.from(table.random(16)).toString('hex'),
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      await table.client.send(new TransactWriteCommand(input));
      return { committed: true };
    } catch (error) {
      if (error instanceof TransactionCanceledException) {
        const outcome = verdict(error);
        if (outcome) return outcome;
      } else if (!isTransient(error)) {
        throw error;
      }
      if (table.clock() >= deadline) throw new StoreUnavailable('The transaction met only conflicts', { cause: error });
      await backoff(table, attempt);
    }
  }
}

/** Puts an item that must not exist yet. */
export const create = (item: Item): Action => ({ Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } });
