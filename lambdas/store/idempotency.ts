import { createHash } from 'node:crypto';
import { DAY_MS } from '../domain/time';
import { idempotencyKey, licenseResponses } from './keys';
import { deleteItem, getItem, keyOf, queryPages } from './items';
import type { Table } from './table';
import type { Action } from './transaction';

/** Idempotent requests: the response to the first request is stored for 24 hours, in the same transaction as the effect of the request. */

const STORED_MS = DAY_MS;

/** The identity of a request that may be repeated: the operation and its resource (`scope`), and the client's idempotency key. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly key: string;
  /** Hash of the body. A different body with the same key is an error of the client. */
  readonly bodyHash: string;
  /** The license in the path, if there is one. Erasing the buyer's data of that license also deletes the stored response. */
  readonly licenseId?: number;
}

/** @param canonicalBody the body in a canonical form */
export const hashBody = (canonicalBody: string): string => createHash('sha256').update(canonicalBody).digest('base64url');

export interface StoredResponse {
  readonly bodyHash: string;
  readonly sealedResponse: string;
}

/** The stored response to a request that was made in the last 24 hours. */
export async function findStoredResponse(table: Table, { scope, key }: IdempotentRequest): Promise<StoredResponse | undefined> {
  const item = await getItem(table, idempotencyKey(scope, key));
  if (!item || (item['expires_at'] as number) <= table.clock()) return undefined;
  return { bodyHash: item['body_hash'] as string, sealedResponse: item['response'] as string };
}

/**
 * The action that stores a response. The whole transaction fails if a response to the request is already stored.
 *
 * @param licenseId the license in the response; if the data of this license's buyer is erased, the response is deleted too
 */
export const storeResponse = (table: Table, request: IdempotentRequest, sealedResponse: string, licenseId?: number): Action => {
  const now = table.clock();
  return {
    Put: {
      Item: {
        ...idempotencyKey(request.scope, request.key),
        body_hash: request.bodyHash,
        response: sealedResponse,
        ...(licenseId !== undefined && {
          lookup_pk: licenseResponses(licenseId),
          lookup_sk: idempotencyKey(request.scope, request.key).pk,
        }),
        expires_at: now + STORED_MS,
        ttl: Math.ceil((now + STORED_MS) / 1000),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
      ExpressionAttributeValues: { ':now': now },
    },
  };
};

/** Deletes the stored responses about a license. A request whose response was deleted is executed again if it is repeated. */
export async function deleteResponses(table: Table, licenseId: number): Promise<void> {
  const pages = queryPages(table, {
    IndexName: 'lookup',
    KeyConditionExpression: 'lookup_pk = :pk',
    ExpressionAttributeValues: { ':pk': licenseResponses(licenseId) },
  });
  for await (const page of pages) await Promise.all(page.map((item) => deleteItem(table, { Key: keyOf(item) })));
}
