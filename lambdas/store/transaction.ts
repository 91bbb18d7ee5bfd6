import { TransactionCanceledException, TransactWriteItemsCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Action } from './action';
import { recordAudit } from './audit';
import { decode, encode, type Item } from './codec';
import { conditionOn } from './items';
import { isTransient, retryTransient, type Table } from './table';

export { create, type Action } from './action';

/**
 * The result of a transaction. If a condition failed, `failed` has an entry for each action, in the order of the actions. The entry is
 * undefined if the condition of that action was true. Otherwise the entry is the conflicting item, or null if there was no item.
 */
export type TransactionResult =
  | { readonly committed: true }
  | { readonly committed: false; readonly failed: readonly (Item | null | undefined)[] };

/**
 * Returns the failed conditions of a transaction, and throws every other error again. If an action also conflicted with another
 * transaction, the result of the conditions is not reliable, and the error is thrown as well.
 */
function failedConditions(error: unknown): TransactionResult {
  const reasons = (error instanceof TransactionCanceledException && error.CancellationReasons) || [];
  if (isTransient(error) || !reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
  return {
    committed: false,
    failed: reasons.map(({ Code, Item }) => (Code !== 'ConditionalCheckFailed' ? undefined : Item ? decode(Item) : null)),
  };
}

/** Converts an action into the format of the SDK's low-level client. */
function onTable(table: Table, action: Action): TransactWriteItem {
  if ('Put' in action) return { Put: { ...conditionOn(table, action.Put), Item: encode(action.Put.Item) } };
  if ('Update' in action) {
    const { Key, UpdateExpression } = action.Update;
    return { Update: { ...conditionOn(table, action.Update), Key: encode(Key), UpdateExpression } };
  }
  if ('Check' in action) {
    const condition = conditionOn(table, action.Check);
    return { ConditionCheck: { ...condition, Key: encode(action.Check.Key), ConditionExpression: condition.ConditionExpression ?? '' } };
  }
  return { Delete: { ...conditionOn(table, action.Delete), Key: encode(action.Delete.Key) } };
}

/**
 * The result if an earlier transaction has already stored a response for the same request. The caller must then return the stored response.
 */
export const RESPONSE_EXISTS = 'response_exists';
export type ResponseExists = typeof RESPONSE_EXISTS;

/** Whether a transaction was cancelled because another transaction was changing one of its rows at that moment. */
const isConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException && (error.CancellationReasons ?? []).some(({ Code }) => Code === 'TransactionConflict');

/**
 * What follows a conflict with another transaction. `repeat`: the same transaction is sent again. `fail`: the result is the same as for a
 * failed condition, without the positions. A caller whose condition the other transaction makes false chooses `fail`, and then reads again.
 */
export type OnConflict = 'repeat' | 'fail';

/**
 * Commits like {@link transact}. If `storeResponse` (see `idempotency.ts`) is given, the same transaction stores the response of an
 * idempotent request. The result {@link RESPONSE_EXISTS} means that the same request was processed before.
 */
export async function transactOnce(
  table: Table,
  actions: readonly Action[],
  storeResponse: Action | undefined,
  retryUntil?: number,
  onConflict?: OnConflict,
): Promise<TransactionResult | ResponseExists> {
  if (!storeResponse) return transact(table, actions, retryUntil, onConflict);
  const result = await transact(table, [storeResponse, ...actions], retryUntil, onConflict);
  if (result.committed) return result;
  const [stored, ...failed] = result.failed;
  return stored === undefined ? { committed: false, failed } : RESPONSE_EXISTS;
}

/** DynamoDB's maximum number of actions in one transaction. */
export const MAX_ACTIONS = 100;

/**
 * Commits the actions together or not at all. The request's entry in the audit log commits with the actions, if the entry was not written
 * yet. Conflicts and throttling are retried until `retryUntil` (epoch ms), always with the same token: a commit whose response was lost is
 * recognized, and is neither repeated nor reported as failed.
 *
 * @throws StoreUnavailable if the time for retries has ended
 */
export async function transact(
  table: Table,
  actions: readonly Action[],
  retryUntil?: number,
  onConflict: OnConflict = 'repeat',
): Promise<TransactionResult> {
  const facts = table.audit?.entry();
  const entry = facts && recordAudit(table, facts);
  const command = new TransactWriteItemsCommand({
    // The audit entry is the last action, so that the positions of failed conditions match the caller's actions.
    TransactItems: [...actions, ...(entry ? [entry] : [])].map((action) => onTable(table, action)),
    ClientRequestToken: Buffer.from(table.random(16)).toString('hex'),
  });
  // After an error other than a conflict, the transaction may have been committed, so the same transaction must be repeated.
  let failsOnConflict = onConflict === 'fail';
  const failed = (error: unknown): TransactionResult => {
    if (failsOnConflict && isConflict(error)) return { committed: false, failed: [] };
    failsOnConflict = false;
    return failedConditions(error);
  };
  const result = await retryTransient(
    table,
    (): Promise<TransactionResult> => table.client.send(command).then(() => ({ committed: true }), failed),
    retryUntil,
  );
  if (!entry) return result;
  if (!result.committed) return { committed: false, failed: result.failed.slice(0, actions.length) };
  table.audit?.recorded();
  return result;
}

/**
 * Records the audit entry of a write that changes no row of the table, such as sending a mail. The function does nothing if the entry is
 * already recorded.
 */
export async function recordWrite(table: Table): Promise<void> {
  if (table.audit?.entry()) await transact(table, []);
}
