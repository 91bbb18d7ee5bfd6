import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { CODE_ATTEMPTS } from '../../contract/limits';
import { addressHash } from '../../domain/audit';
import { buyerEnd, NO_BUYER, type Held, type PortalBuyer } from '../../domain/portal/buyer';
import type { CodeHash } from '../../domain/portal/code';
import type { Portal } from '../../domain/portal/settings';
import { portalBuyerKey, portalLinkKey, portalSessionKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { RowReader } from '../row';
import { getItem, retryTransient, type Item, type Table } from '../table';
import { transact, type Action } from '../transaction';

/** Buyers of a product as its portal knows them: one row, under the hash of the address. */

const toHeld = (row: RowReader): Held => ({ hash: row.string('hash'), until: row.number('until') });

export const toCode = (row: RowReader): CodeHash => ({ hash: row.string('hash'), until: row.number('until'), tries: row.number('tries') });

/** @throws UnreadableRow */
function toBuyer(item: Item | undefined): PortalBuyer {
  if (!item) return NO_BUYER;
  const row = new RowReader(item);
  const code = row.nullableMap('code');
  return {
    code: code && { ...toCode(code), link: code.string('link'), epoch: code.number('epoch') },
    links: row.maps('links').map(toHeld),
    sessions: row.maps('sessions').map(toHeld),
  };
}

/** A buyer as read, with what a later write is conditional on. */
export interface KnownBuyer {
  readonly buyer: PortalBuyer;
  readonly address: string;
  /** 0: there is no row. */
  readonly revision: number;
}

const known = (address: string, item: Item | undefined): KnownBuyer => ({
  buyer: toBuyer(item),
  address,
  revision: item ? new RowReader(item).number('revision') : 0,
});

export async function getBuyer(table: Table, productId: number, address: string): Promise<KnownBuyer> {
  return known(address, await getItem(table, portalBuyerKey(productId, addressHash(address))));
}

/**
 * The action that replaces a buyer's row; it fails if the row has changed since it was read. A row that was deleted and
 * made again has a later time as its revision, so that nobody takes it for the earlier one.
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
 * Counts an attempt to enter a sign-in code, in one conditional write.
 *
 * @param now epoch ms
 * @returns the buyer with the code that the attempt is compared with; undefined if there is no live code
 */
export async function countAttempt(
  table: Table,
  { product_id, epoch }: Pick<Portal, 'product_id' | 'epoch'>,
  address: string,
  now: number,
): Promise<KnownBuyer | undefined> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: portalBuyerKey(product_id, addressHash(address)),
    UpdateExpression: 'SET #code.tries = #code.tries + :one, revision = revision + :one',
    ConditionExpression: '#code.tries < :max AND #code.#until > :now AND #code.epoch = :epoch',
    ExpressionAttributeNames: { '#code': 'code', '#until': 'until' },
    ExpressionAttributeValues: { ':one': 1, ':max': CODE_ATTEMPTS, ':now': now, ':epoch': epoch },
    ReturnValues: 'ALL_NEW',
  });
  try {
    const { Attributes } = await retryTransient(table, (options) => table.client.send(command, options));
    return known(address, Attributes);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return undefined;
  }
}

export const deleteLinks = (hashes: readonly string[]): Action[] => hashes.map((hash) => ({ Delete: { Key: portalLinkKey(hash) } }));
export const deleteSessions = (hashes: readonly string[]): Action[] => hashes.map((hash) => ({ Delete: { Key: portalSessionKey(hash) } }));

const hashesOf = (held: readonly Held[]): string[] => held.map(({ hash }) => hash);

/** The actions that end everything live of a buyer, except one session. */
export const endActions = ({ code, links, sessions }: PortalBuyer, except?: string): Action[] => [
  ...deleteLinks([...hashesOf(links), ...(code ? [code.link] : [])]),
  ...deleteSessions(hashesOf(sessions).filter((hash) => hash !== except)),
];

/** Ends codes, links and sessions of an address. */
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
