import { fail, isFailure, type Failure } from '../../contract/errors';
import { hold, without, type PortalBuyer } from '../../domain/portal/buyer';
import { hashCode, isCode } from '../../domain/portal/code';
import {
  isLiveLink,
  lastSessionEnd,
  newSession,
  portalTokenHash,
  portalTokenOf,
  PORTAL_TOKEN_BYTES,
  sessionEnd,
  type Session,
} from '../../domain/portal/session';
import type { Portal } from '../../domain/portal/settings';
import { timestampOf } from '../../domain/time';
import type { App } from '../../runtime/app';
import { countAttempt, deleteLinks, deleteSessions, getBuyer, putBuyer, type KnownBuyer } from '../../store/portal/buyers';
import { createSession, getLink, useLink } from '../../store/portal/sessions';
import { retry, TRY_AGAIN } from '../../store/retry';
import { transact, type Action } from '../../store/transaction';

/** Signing in to a portal (docs/spec/portal.md, Signing in). All refusals are identical, so that they reveal nothing. */

export interface SignIn {
  readonly app: App;
  readonly portal: Portal;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

interface SignedIn {
  readonly session: string;
  readonly expires_at: string;
}

const refused = (): Failure => fail('unauthorized');

/** The actions that begin a session of a buyer who has proven ownership of the e-mail address. */
function begin(portal: Portal, read: KnownBuyer, buyer: PortalBuyer, session: Session, now: number): Action[] {
  const { held, ended } = hold(buyer.sessions, { hash: session.hash, until: lastSessionEnd(session) }, now);
  return [putBuyer(portal.product_id, read, { ...buyer, sessions: held }, now), createSession(session), ...deleteSessions(ended)];
}

function newToken(
  { app, portal, now }: SignIn,
  address: string,
): { readonly token: string; readonly session: Session; readonly result: SignedIn } {
  const token = portalTokenOf(app.random(PORTAL_TOKEN_BYTES));
  const session = newSession(portal, address, token, now);
  return { token, session, result: { session: token, expires_at: timestampOf(sessionEnd(session)) } };
}

/** Signs in a buyer who has entered a code. Afterwards, neither the code nor the link in the same mail is valid. */
export async function signInByCode(call: SignIn, address: string, code: string): Promise<Failure | SignedIn> {
  const { app, portal, now } = call;
  const hash = hashCode(await app.secrets.portalKey(), code, { product_id: portal.product_id, address });
  const counted = await countAttempt(app.table, portal, address, now);
  if (!isCode(hash, counted?.buyer.code) || !counted) return refused();

  const { session, result } = newToken(call, address);
  let read: KnownBuyer | undefined = counted;
  return retry(app.table, 'The code', async () => {
    const known = read ?? (await getBuyer(app.table, portal.product_id, address));
    read = undefined;
    // The code was used or replaced in the meantime.
    if (!known.buyer.code || !isCode(hash, known.buyer.code)) return refused();
    const { committed } = await transact(app.table, [
      ...begin(portal, known, { ...known.buyer, code: null }, session, now),
      ...deleteLinks([known.buyer.code.link]),
    ]);
    return committed ? result : TRY_AGAIN;
  });
}

/**
 * Signs in a buyer who has opened a link. The link contains the token. Afterwards the link is no longer valid. If the same mail contained a
 * code, the code is no longer valid either.
 */
export async function signInByLink(call: SignIn, token: string): Promise<Failure | SignedIn> {
  const { app, portal, now } = call;
  const hash = portalTokenHash(token);
  const link = await getLink(app.table, hash);
  if (!link || !isLiveLink(portal, link, now)) return refused();

  const { session, result } = newToken(call, link.address);
  const done = await retry(app.table, 'The link', async () => {
    const known = await getBuyer(app.table, portal.product_id, link.address);
    const { buyer } = known;
    const code = buyer.code?.link === hash ? null : buyer.code;
    const transaction = await transact(app.table, [
      useLink(hash),
      ...begin(portal, known, { ...buyer, code, links: without(buyer.links, hash) }, session, now),
    ]);
    if (transaction.committed) return result;
    return transaction.failed[0] === undefined ? TRY_AGAIN : refused();
  });
  return isFailure(done) ? done : result;
}
