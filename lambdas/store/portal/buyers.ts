import { CODE_ATTEMPTS } from '../../contract/limits';
import { addressHash } from '../../domain/audit';
import { buyerEnd, buyerSchema, NO_BUYER, type Held, type PortalBuyer } from '../../domain/portal/buyer';
import { CODE_MS } from '../../domain/portal/code';
import type { Portal } from '../../domain/portal/settings';
import { portalBuyerKey, portalLinkKey, portalSessionKey, portalTriesKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { numberIn, readRow } from '../row';
import { getItem, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { transact, type Action } from '../transaction';

/**
 * Buyers who use a product's portal. Each buyer has one row, whose key contains the hash of the e-mail address. Other rows count attempts.
 */

/** A buyer as read from the table. A later write succeeds only if the revision has not changed. */
export interface KnownBuyer {
  readonly buyer: PortalBuyer;
  readonly address: string;
  /** The revision of the row, which increases with every change; 0 if there is no row. */
  readonly revision: number;
}

const known = (address: string, item: Item | undefined): KnownBuyer => ({
  buyer: item ? readRow(buyerSchema, item) : NO_BUYER,
  address,
  revision: item ? numberIn(item, 'revision') : 0,
});

export async function getBuyer(table: Table, productId: number, address: string): Promise<KnownBuyer> {
  return known(address, await getItem(table, portalBuyerKey(productId, addressHash(address))));
}

/**
 * The action that replaces a buyer's row. The action fails if the row has changed since it was read. The new revision is at least the
 * current time in ms. If a row is deleted and created again, its revision therefore differs from every revision of the deleted row.
 */
export function putBuyer(productId: number, { address, revision }: KnownBuyer, after: PortalBuyer, now: number): Action {
  const key = portalBuyerKey(productId, addressHash(address));
  const condition =
    revision === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'revision = :read', ExpressionAttributeValues: { ':read': revision } };
  return {
    Put: {
      Item: { ...key, version: 1, revision: Math.max(revision + 1, now), ...after, ttl: Math.ceil(Math.max(now, buyerEnd(after)) / 1000) },
      ...condition,
    },
  };
}

/**
 * Counts an attempt to enter a sign-in code. For every address, also one without a code, this is one read and one write without a condition,
 * and the written row is small. Therefore neither the duration nor the cost of a wrong attempt reveals who is a customer. Attempts at
 * different codes count separately; all attempts for an address without a code count in one row, which expires like a code.
 *
 * @param now epoch ms
 * @returns the buyer with the code that the attempt must match; undefined if there is no valid code
 */
export async function countAttempt(
  table: Table,
  { product_id, epoch }: Pick<Portal, 'product_id' | 'epoch'>,
  address: string,
  now: number,
): Promise<KnownBuyer | undefined> {
  const read = await getBuyer(table, product_id, address);
  const { code } = read.buyer;
  const { item } = await updateItem(
    table,
    {
      Key: portalTriesKey(product_id, addressHash(address), code?.link),
      UpdateExpression: 'SET #ttl = :ttl ADD tries :one',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':ttl': Math.ceil((now + CODE_MS) / 1000) },
    },
    'UPDATED_NEW',
  );
  const tries = item ? numberIn(item, 'tries') : Number.POSITIVE_INFINITY;
  return code && tries <= CODE_ATTEMPTS && code.until > now && code.epoch === epoch ? read : undefined;
}

export const deleteLinks = (hashes: readonly string[]): Action[] => hashes.map((hash) => ({ Delete: { Key: portalLinkKey(hash) } }));
export const deleteSessions = (hashes: readonly string[]): Action[] => hashes.map((hash) => ({ Delete: { Key: portalSessionKey(hash) } }));

const hashesOf = (held: readonly Held[]): string[] => held.map(({ hash }) => hash);

/** The actions that end a buyer's code, links and sessions, except one session. */
export const endActions = ({ code, links, sessions }: PortalBuyer, except?: string): Action[] => [
  ...deleteLinks([...hashesOf(links), ...(code ? [code.link] : [])]),
  ...deleteSessions(hashesOf(sessions).filter((hash) => hash !== except)),
];

/** Ends the code, links and sessions of the buyer with an e-mail address. */
export function endBuyer(table: Table, productId: number, address: string): Promise<void> {
  return retry(table, 'The buyer', async () => {
    const read = await getBuyer(table, productId, address);
    if (read.revision === 0) return undefined;
    const { committed } = await transact(table, [
      {
        Delete: {
          Key: portalBuyerKey(productId, addressHash(address)),
          ConditionExpression: 'revision = :read',
          ExpressionAttributeValues: { ':read': read.revision },
        },
      },
      ...endActions(read.buyer),
    ]);
    return committed ? undefined : TRY_AGAIN;
  });
}
