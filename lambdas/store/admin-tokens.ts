import { adminTokenSchema, listedAdminTokenSchema, type AdminToken, type ListedAdminToken } from '../domain/admin-token';
import { ADMIN_TOKENS, adminTokenKey, counterKey, listedAdminTokenKey, listPosition } from './keys';
import { readRow, readRows, stringIn } from './row';
import { getItem, nextId, updateItem } from './items';
import type { Item } from './codec';
import type { Table } from './table';
import { create, transact } from './transaction';
import { scanPage } from './scan';

/**
 * Admin tokens. Each token has two rows, and both contain the fields of the token. The first row is stored under the token's hash. Requests
 * are authenticated with this row, and revoking the token deletes the row. The second row is in the list of tokens. In addition, it
 * contains the hash, the day of the last use and the time of revocation.
 */

/** Number of days for which the row of a revoked token is kept. */
const REVOKED_DAYS = 400;

export const nextAdminTokenId = (table: Table): Promise<number> => nextId(table, counterKey('admin_token'));

const fields = (token: AdminToken): Item => ({ version: 1, ...token });

/** Records a new token, which is valid at once. */
export async function createAdminToken(table: Table, token: AdminToken, hash: string): Promise<void> {
  const { committed } = await transact(table, [
    create({ ...adminTokenKey(hash), ...fields(token) }),
    create({ ...listedAdminTokenKey(token.id), ...fields(token), hash }),
  ]);
  if (!committed) throw new Error(`Admin token ${token.id} already exists`);
}

/** Finds an admin token by its hash; undefined if the token does not exist or was revoked. */
export async function findAdminToken(table: Table, hash: string): Promise<AdminToken | undefined> {
  const item = await getItem(table, adminTokenKey(hash));
  return item && readRow(adminTokenSchema, item);
}

/**
 * Lists up to `limit` tokens that were not revoked and whose ids are above `after`, in ascending order. `next` is the id of the last listed
 * row if there are more tokens.
 */
export async function listAdminTokens(
  table: Table,
  after: number,
  limit: number,
): Promise<{ tokens: readonly ListedAdminToken[]; unreadable: number; next?: number }> {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    FilterExpression: 'attribute_not_exists(revoked_at)',
    ExpressionAttributeValues: { ':pk': ADMIN_TOKENS, ':after': listPosition(after) },
  };
  const { entries, last } = await scanPage(table, query, { keep: (item) => item, limit });
  const { entities: tokens, unreadable } = readRows(entries, (item) => readRow(listedAdminTokenSchema, item));
  return { tokens, unreadable, ...(last && { next: Number(last['sk']) }) };
}

/**
 * Revokes a token permanently.
 *
 * @returns false if the token was already revoked, undefined if it never existed
 */
export async function revokeAdminToken(table: Table, id: number): Promise<boolean | undefined> {
  const item = await getItem(table, listedAdminTokenKey(id));
  if (!item) return undefined;
  if (item['revoked_at'] !== undefined) return false;
  const now = table.clock();
  const { committed } = await transact(table, [
    { Delete: { Key: adminTokenKey(stringIn(item, 'hash')) } },
    {
      Update: {
        Key: listedAdminTokenKey(id),
        UpdateExpression: 'SET revoked_at = :now, #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(revoked_at)',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': now, ':ttl': Math.ceil(now / 1000) + REVOKED_DAYS * 86_400 },
      },
    },
  ]);
  return committed;
}

/** Records the day on which a token was last used, such as `2026-11-20`. */
export async function recordTokenUse(table: Table, id: number, day: string): Promise<void> {
  await updateItem(table, {
    Key: listedAdminTokenKey(id),
    UpdateExpression: 'SET last_used_on = :day',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':day': day },
  });
}
