import { fail, isFailure, type Failure } from '../../contract/errors';
import { comparableEmail } from '../../domain/email';
import type { Device } from '../../domain/license';
import { isSameAddress, type Member } from '../../domain/member';
import { moveMember } from '../../domain/members';
import { edit } from '../../domain/license-operations';
import { hold } from '../../domain/portal/buyer';
import { hashCode, isCode } from '../../domain/portal/code';
import { isOwn, noSuchLicense } from '../../domain/portal/license';
import { lastSessionEnd, type Session } from '../../domain/portal/session';
import { unchanged } from '../../domain/transition';
import type { App } from '../../runtime/app';
import { findLicensesByEmail } from '../../store/licenses/by-email';
import type { LicenseState } from '../../store/licenses/commit';
import { membershipsOf } from '../../store/licenses/of-member';
import { getLicense, getLicenseAt } from '../../store/licenses/read';
import { getOwnMember, readDevicesOf } from '../../store/members';
import { deleteSessions, endActions, getBuyer, putBuyer } from '../../store/portal/buyers';
import { countChangeAttempt, moveSession } from '../../store/portal/sessions';
import { retry, TRY_AGAIN } from '../../store/retry';
import { recordWrite, transact } from '../../store/transaction';
import { applyDecision, followLicense } from '../apply-decision';
import { chunks } from '../../store/chunks';

/** Number of licenses that are moved at the same time. */
const TOGETHER = 10;

/**
 * Changes the e-mail address of a buyer's licenses to a confirmed new address, and then changes the address of the session. The code stays
 * valid until the address of the session is changed, so that the same request can be repeated after an interruption.
 *
 * @param now epoch ms
 */
export async function confirmEmail(
  app: App,
  session: Session,
  address: string,
  code: string,
  now: number,
): Promise<Failure | { email: string }> {
  const { product_id } = session;
  const hash = hashCode(await app.secrets.portalKey(), code, { product_id, address, session: session.hash });
  const counted = await countChangeAttempt(app.table, session.hash, now);
  const change = counted?.change;
  const isRight = isCode(hash, change?.code) && change != null && comparableEmail(change.address) === comparableEmail(address);
  if (!isRight) return fail('unauthorized');

  // The audit entry is written before the licenses are changed. Otherwise each of the concurrent transactions would write the entry.
  await recordWrite(app.table);
  const keys = await findLicensesByEmail(app.table, product_id, session.address, { order: 'asc', past: 0 });
  for (const batch of chunks(keys, TOGETHER))
    await Promise.all(batch.map(({ key }) => moveLicense(app, session, key, change.address, now)));
  const memberships = await membershipsOf(app.table, session.address, product_id);
  for (const batch of chunks(memberships, TOGETHER))
    await Promise.all(batch.map(({ id }) => moveMembership(app, session, id, change.address, now)));
  await retry(app.table, 'The session', async () => {
    const [before, after] = [await getBuyer(app.table, product_id, session.address), await getBuyer(app.table, product_id, change.address)];
    const isSame = comparableEmail(session.address) === comparableEmail(change.address);
    const { held, ended } = hold(isSame ? [] : after.buyer.sessions, { hash: session.hash, until: lastSessionEnd(session) }, now);
    const transaction = await transact(app.table, [
      moveSession(session.hash, change.address),
      putBuyer(product_id, after, isSame ? { code: null, links: [], sessions: held } : { ...after.buyer, sessions: held }, now),
      ...(isSame ? [] : [putBuyer(product_id, before, { code: null, links: [], sessions: [] }, now)]),
      ...endActions(before.buyer, session.hash),
      ...deleteSessions(ended),
    ]);
    // If the session has ended in the meantime, the licenses still keep the new address.
    return transaction.committed || transaction.failed[0] !== undefined ? undefined : TRY_AGAIN;
  });
  return { email: change.address };
}

async function moveLicense(app: App, session: Session, key: string, address: string, now: number): Promise<void> {
  const read = await getLicenseAt(app.table, { productId: session.product_id, key });
  if (!read) return;
  const moved = await applyDecision(
    app,
    { license: read },
    ({ license }) => (isOwn(license, session) ? edit(license, { customer_email: address }, now) : unchanged(noSuchLicense())),
    { isOneOfMany: true, follow: followLicense(app, read.id) },
  );
  // The e-mail address can be changed in every status of a license. The only possible refusal is `not_found`: the license may have received
  // another buyer since it was read.
  if (moved && isFailure(moved) && moved.failure !== 'not_found') throw new Error(`License ${read.id} was not moved: ${moved.detail}`);
}

interface MovedState extends LicenseState {
  readonly from: Member | undefined;
  readonly to: Member | undefined;
  readonly devices: readonly Device[];
}

async function moveMembership(app: App, session: Session, id: number, address: string, now: number): Promise<void> {
  const { table } = app;
  const isSame = isSameAddress(session.address, address);
  const reread = async (): Promise<MovedState | undefined> => {
    const license = await getLicense(table, id);
    if (!license) return undefined;
    const [from, to] = await Promise.all([session.address, address].map((email) => getOwnMember(table, license, email)));
    const both = [from, isSame ? undefined : to].flatMap((member) => member ?? []);
    return { license, from, to: isSame ? undefined : to, devices: await readDevicesOf(table, license, both) };
  };
  const read = await reread();
  if (!read) return;
  const moved = await applyDecision(
    app,
    read,
    ({ license, from, to, devices }) => (from ? moveMember(license, from, to, devices, address, now) : unchanged(noSuchLicense())),
    { isOneOfMany: true, reread },
  );
  if (moved && isFailure(moved) && moved.failure !== 'not_found')
    throw new Error(`A member of license ${id} was not moved: ${moved.detail}`);
}
