import { CODE_ATTEMPTS } from '../../contract/limits';
import type { CodeHash } from '../../domain/portal/code';
import { lastSessionEnd, linkSchema, sessionSchema, type Link, type Session } from '../../domain/portal/session';
import type { Portal } from '../../domain/portal/settings';
import { licenseIdKey, portalKey, portalLinkKey, portalSessionKey } from '../keys';
import { toAddress, type LicenseAddress } from '../licenses/read';
import { readRow } from '../row';
import { deleteItem, getItem, getItems, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, type Action } from '../transaction';
import { openPortal } from './settings';

/** Sessions and sign-in links of portals. Each session and each link is stored under the hash of its token. */

const seconds = (ms: number): number => Math.ceil(ms / 1000);

export const createSession = ({ hash, ...session }: Session): Action =>
  create({ ...portalSessionKey(hash), version: 1, ...session, ttl: seconds(lastSessionEnd(session)) });

const toSession = (hash: string, item: Item): Session => ({ hash, ...readRow(sessionSchema, item) });

/** The data that is read at the start of every request to a portal. */
export interface PortalState {
  /** The portal; undefined if it does not exist or is turned off. */
  readonly portal: Portal | undefined;
  /** The session with the token's hash. The session may have ended, or may belong to another product. */
  readonly session: Session | undefined;
  /** The product and key of the license that the path names. */
  readonly license: LicenseAddress | undefined;
}

/** Reads a portal, a session, and the product and key of a license in one round trip. */
export async function readPortal(table: Table, slug: string, sessionHash: string, licenseId?: number): Promise<PortalState> {
  const [portal, session, pointer] = await getItems(table, [
    portalKey(slug),
    portalSessionKey(sessionHash),
    ...(licenseId === undefined ? [] : [licenseIdKey(licenseId)]),
  ]);
  return { portal: openPortal(portal), session: session && toSession(sessionHash, session), license: pointer && toAddress(pointer) };
}

/**
 * Updates a session on a condition.
 *
 * @returns the updated session; undefined if the condition failed
 */
async function updateSession(
  table: Table,
  hash: string,
  update: { readonly set: string; readonly condition: string; readonly values: Item; readonly names?: Record<string, string> },
): Promise<Session | undefined> {
  const { isWritten, item } = await updateItem(
    table,
    {
      Key: portalSessionKey(hash),
      UpdateExpression: update.set,
      ConditionExpression: update.condition,
      ExpressionAttributeValues: update.values,
      ExpressionAttributeNames: update.names,
    },
    'ALL_NEW',
  );
  return isWritten && item ? toSession(hash, item) : undefined;
}

/** Records a use of a session, unless the session has ended in the meantime. */
export async function recordUse(table: Table, hash: string, now: number): Promise<void> {
  await updateSession(table, hash, { set: 'SET used_at = :now', condition: 'attribute_exists(pk)', values: { ':now': now } });
}

/**
 * Ends a session.
 *
 * @returns false if the session had already ended
 */
export async function endSession(table: Table, hash: string): Promise<boolean> {
  const { isWritten } = await deleteItem(table, { Key: portalSessionKey(hash), ConditionExpression: 'attribute_exists(pk)' });
  return isWritten;
}

/**
 * The action that stores a new e-mail address and its confirmation code in the session that requested the change. The action fails if the
 * session has ended.
 */
export const setChange = (hash: string, address: string, code: CodeHash): Action => ({
  Update: {
    Key: portalSessionKey(hash),
    UpdateExpression: 'SET change = :change',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':change': { address, code } },
  },
});

/**
 * Counts an attempt to confirm a new e-mail address, in one conditional write.
 *
 * @returns the session with the code that the attempt must match; undefined if there is no valid code
 */
export const countChangeAttempt = (table: Table, hash: string, now: number): Promise<Session | undefined> =>
  updateSession(table, hash, {
    set: 'SET change.code.tries = change.code.tries + :one',
    condition: 'change.code.tries < :max AND change.code.#until > :now',
    names: { '#until': 'until' },
    values: { ':one': 1, ':max': CODE_ATTEMPTS, ':now': now },
  });

/** The action that replaces the e-mail address of a session with the buyer's new address. */
export const moveSession = (hash: string, address: string): Action => ({
  Update: {
    Key: portalSessionKey(hash),
    UpdateExpression: 'SET address = :address REMOVE change',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':address': address },
  },
});

export const createLink = ({ hash, ...link }: Link): Action =>
  create({ ...portalLinkKey(hash), version: 1, ...link, ttl: seconds(link.until) });

/** The action that deletes a sign-in link when it is used. The action fails if the link was used in the meantime. */
export const useLink = (hash: string): Action => ({ Delete: { Key: portalLinkKey(hash), ConditionExpression: 'attribute_exists(pk)' } });

export async function getLink(table: Table, hash: string): Promise<Link | undefined> {
  const item = await getItem(table, portalLinkKey(hash));
  return item && { hash, ...readRow(linkSchema, item) };
}
