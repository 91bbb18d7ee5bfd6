import { createHash } from 'node:crypto';
import { idempotencyKey } from './keys';
import { getItem, type Table } from './table';
import type { Action } from './transaction';

/** Idempotent requests: the first answer is kept for 24 hours, in the transaction of its effect. */

const KEPT_MS = 86_400_000;

/** What identifies a request that may come again: the operation on its resource, and the client's key. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly key: string;
  /** Hash of the body; another body under the same key is a mistake. */
  readonly bodyHash: string;
}

export const bodyHash = (body: unknown): string => createHash('sha256').update(JSON.stringify(body)).digest('base64url');

/** The answer that was given before, sealed, if this request was seen in the last 24 hours. */
export async function findStoredResponse(table: Table, { scope, key }: IdempotentRequest): Promise<{ bodyHash: string; answer: string } | undefined> {
  const item = await getItem(table, idempotencyKey(scope, key));
  if (!item || (item['expires_at'] as number) <= table.clock()) return undefined;
  return { bodyHash: item['body_hash'] as string, answer: item['answer'] as string };
}

/** The action that keeps an answer; it fails the whole transaction where the request was answered already. */
export const storeResponse = (table: Table, request: IdempotentRequest, sealedAnswer: string): Action => {
  const now = table.clock();
  return {
    Put: {
      Item: {
        ...idempotencyKey(request.scope, request.key),
        body_hash: request.bodyHash,
        answer: sealedAnswer,
        expires_at: now + KEPT_MS,
        ttl: Math.ceil((now + KEPT_MS) / 1000),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
      ExpressionAttributeValues: { ':now': now },
    },
  };
};
