import * as z from 'zod/mini';
import { addressHash } from '../domain/audit';
import { activationRequestSchema, isLocked, withGuess, type ActivationRequest, type RequestDecision } from '../domain/activation-request';
import { HOUR_MS } from '../domain/time';
import { activationRequestKey, limitKey, userCodeKey } from './keys';
import { retry, TRY_AGAIN } from './retry';
import { readRow, stringIn } from './row';
import { getItem, getItems, putItem } from './items';
import type { Item } from './codec';
import type { Table } from './table';
import { transact, type Action } from './transaction';

/**
 * Activation requests. Each device of a product has at most one row. A second row leads from the code to the device; it is out of date if the
 * device has a newer request. Both rows are kept for an hour after the end of the request, so that an expired code is not counted as a guess.
 */

const ttlOf = ({ expires_at }: ActivationRequest): number => Math.ceil((expires_at + HOUR_MS) / 1000);

const toItem = (request: ActivationRequest): Item => ({
  ...activationRequestKey(request.product_id, request.fingerprint),
  version: 1,
  ...request,
  ttl: ttlOf(request),
});

/**
 * Stores a request. It replaces the previous request of the device.
 *
 * @returns false if another request that has not expired has the same code
 */
export async function createRequest(table: Table, request: ActivationRequest): Promise<boolean> {
  const { product_id, user_code, fingerprint, created_at, expires_at } = request;
  const { committed } = await transact(table, [
    { Put: { Item: toItem(request) } },
    {
      Put: {
        Item: { ...userCodeKey(product_id, user_code), version: 1, fingerprint, expires_at, ttl: ttlOf(request) },
        ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
        ExpressionAttributeValues: { ':now': created_at },
      },
    },
  ]);
  return committed;
}

/** The latest request of a device. */
export async function getRequest(table: Table, productId: number, fingerprint: string): Promise<ActivationRequest | undefined> {
  const item = await getItem(table, activationRequestKey(productId, fingerprint));
  return item && readRow(activationRequestSchema, item);
}

/** The buyer who enters a code. */
export interface CodeReader {
  readonly product_id: number;
  readonly address: string;
}

/** The times of a buyer's guesses, in epoch ms. */
const guessesSchema = z.object({ times: z.array(z.number()) });
const guessesKey = ({ product_id, address }: CodeReader) => limitKey('USER_CODE', `${product_id}#${addressHash(address)}`);

/**
 * Finds the request with a code that a buyer has entered. The request may have expired or been decided.
 *
 * @param code as returned by `normalizeUserCode`; undefined if the text cannot be a code
 * @returns `locked` if the buyer has entered too many unknown codes; undefined if there is no such request
 */
export function findRequest(
  table: Table,
  reader: CodeReader,
  code: string | undefined,
  now: number,
): Promise<ActivationRequest | 'locked' | undefined> {
  return retry(table, 'The code', async () => {
    const [counted, found] = await getItems(table, [
      guessesKey(reader),
      ...(code === undefined ? [] : [userCodeKey(reader.product_id, code)]),
    ]);
    const times = counted ? readRow(guessesSchema, counted).times : [];
    if (isLocked(times, now)) return 'locked';
    if (found) {
      const request = await getRequest(table, reader.product_id, stringIn(found, 'fingerprint'));
      return request?.user_code === code ? request : undefined;
    }
    const after = withGuess(times, now);
    const { isWritten } = await putItem(table, {
      Item: { ...guessesKey(reader), times: after, ttl: Math.ceil((now + 2 * HOUR_MS) / 1000) },
      ...(counted
        ? { ConditionExpression: 'times = :read', ExpressionAttributeValues: { ':read': times } }
        : { ConditionExpression: 'attribute_not_exists(pk)' }),
    });
    return isWritten ? undefined : TRY_AGAIN;
  });
}

/** The action that records the decision about a request. It fails if the request was decided or replaced in the meantime. */
export const decideRequest = ({ product_id, fingerprint, hash }: ActivationRequest, decision: RequestDecision): Action => ({
  Update: {
    Key: activationRequestKey(product_id, fingerprint),
    UpdateExpression: 'SET decision = :decision',
    ConditionExpression: '#hash = :hash AND (attribute_not_exists(decision) OR decision = :none)',
    ExpressionAttributeNames: { '#hash': 'hash' },
    ExpressionAttributeValues: { ':decision': decision, ':hash': hash, ':none': null },
  },
});
