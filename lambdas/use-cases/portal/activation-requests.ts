import { MAX_OFFERED, type OfferedLicenseView } from '../../contract/activation-requests';
import { fail, isFailure, type Failure } from '../../contract/errors';
import type { Language } from '../../contract/languages';
import { deviceRef, devicesWithRefs } from '../../domain/activation';
import { isPending, normalizeUserCode, type ActivationRequest, type RequestDecision } from '../../domain/activation-request';
import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import { hasMembers, type Device, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { isSameAddress, type Member } from '../../domain/member';
import { countFree, noSuchLicense } from '../../domain/portal/license';
import { portalAccessOf } from '../../domain/portal/access';
import { deviceAddedMail } from '../../domain/portal/mail';
import type { Session } from '../../domain/portal/session';
import type { Portal } from '../../domain/portal/settings';
import { seatsView } from '../../domain/views';
import { mintingRefusal } from '../../domain/validation';
import type { App } from '../../runtime/app';
import { factsOf, reasonOf, recordRefusal } from '../../runtime/http/refusals';
import { mailFrom } from '../../runtime/mail/from';
import { notify } from '../../runtime/queue';
import { decideRequest, findRequest, getRequest } from '../../store/activation-requests';
import { chunks } from '../../store/chunks';
import { recordEvent } from '../../store/events/record';
import { listOfPerson } from '../../store/licenses/of-person';
import { withDetails } from '../../store/licenses/details';
import { readBoundDevices, readDevices } from '../../store/licenses/read';
import { readDevicesOf } from '../../store/members';
import { countDeviceMail, mayMailDevice } from '../../store/limits';
import type { Table } from '../../store/table';
import { transact, type Action } from '../../store/transaction';
import { activateById } from '../activation';
import { checkMembership } from '../members';

/** Activation requests in the portal: a buyer looks at a request and decides it (docs/spec/sign-in.md). */

export const noSuchRequest = (): Failure => fail('not_found', 'There is no such request; the app can start a new one');

/**
 * The request with the code that a buyer has entered, which may have expired or been decided. The refusal is 429 if the buyer has entered too
 * many unknown codes.
 */
export async function findEnteredRequest(
  app: App,
  session: Session,
  code: string,
  now: number,
): Promise<Failure | ActivationRequest | undefined> {
  const found = await findRequest(app.table, session, normalizeUserCode(code), now);
  return found === 'locked' ? fail('rate_limited', 'Too many unknown codes were entered; try again in an hour') : found;
}

/**
 * Whether a session repeats the decision that it has already made.
 *
 * @param licenseId the id of the license; undefined if the decision is a denial
 */
export const isRepeated = (
  request: ActivationRequest | undefined,
  session: Session,
  licenseId: number | undefined,
  now: number,
): request is ActivationRequest & { readonly decision: RequestDecision } =>
  request?.decision?.session === session.hash &&
  now < request.expires_at &&
  (request.decision.status === 'approved' ? request.decision.license_id : undefined) === licenseId;

/** Maximum number of a buyer's licenses that are considered for a request. */
const MAX_CONSIDERED = 10_000;
/** Number of licenses whose devices are read at the same time. */
const TOGETHER = 10;

/** The licenses that a buyer can choose for a request, the best choices first. */
export async function offeredLicenses(
  app: App,
  session: Session,
  { fingerprint }: ActivationRequest,
  now: number,
): Promise<OfferedLicenseView[]> {
  const { table } = app;
  const { licenses } = await listOfPerson(table, session, { order: 'desc', past: 0 }, MAX_CONSIDERED, 'licenses');
  const own = licenses.map(({ license }) => license);
  const accesses = new Map(licenses.map(({ license, access }) => [license.id, access]));
  const bound = await readBoundDevices(table, own, fingerprint);
  const rank = (license: License): number => (mintingRefusal(license, now) ? 2 : 0) + (bound.has(license.id) ? 0 : 1);
  const shown = await withDetails(table, [...own].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_OFFERED));
  const key = await app.secrets.portalKey();
  const offered: OfferedLicenseView[] = [];
  for (const batch of chunks(shown, TOGETHER)) {
    const devices = await Promise.all(batch.map((license) => replaceable(table, license, accesses.get(license.id)?.member)));
    offered.push(
      ...batch.map((license, place) => ({
        id: license.id,
        license_type: { name: license.license_type.name, kind: license.license_type.kind },
        status: license.status,
        seats: seatsView(license),
        bound: bound.has(license.id),
        full: isFull(license, devices[place] ?? [], fingerprint),
        devices: devicesWithRefs(key, license, devices[place] ?? [])
          .sort((a, b) => ((a.last_seen_on ?? '') < (b.last_seen_on ?? '') ? -1 : 1))
          .slice(0, MAX_OFFERED)
          .map(({ ref, name, platform, last_seen_on }) => ({ ref, name, platform, last_seen_on })),
      })),
    );
  }
  return offered;
}

/** Whether a device must replace another one. @param devices those that the signed-in person may replace */
function isFull(license: License, devices: readonly Device[], fingerprint: string): boolean {
  if (devices.some((device) => device.fingerprint === fingerprint)) return false;
  const { used, max } = hasMembers(license)
    ? { used: devices.length, max: license.license_type.devices_per_user ?? 0 }
    : seatsView(license);
  return max !== 0 && used >= max;
}

/** The devices of a license that the signed-in person may replace: of a license of named people, only the person's own. */
const replaceable = (table: Table, license: License, member: Member | undefined): Promise<readonly Device[]> =>
  hasMembers(license) ? readDevicesOf(table, license, member ? [member] : []) : readDevices(table, license);

interface DecisionCall {
  readonly app: App;
  readonly portal: Portal;
  readonly session: Session;
  /** The language of the buyer's page. */
  readonly language: Language;
  readonly now: number;
}

/** The result of a decision; `decided` if the request was decided or replaced in the meantime. */
type Decided = { readonly status: 'approved' | 'denied' } | 'decided';

export async function denyRequest({ app, session }: DecisionCall, request: ActivationRequest): Promise<Decided> {
  const { committed } = await transact(app.table, [decideRequest(request, { status: 'denied', session: session.hash })]);
  return committed ? { status: 'denied' } : 'decided';
}

/**
 * Activates a license on the device of a request, as if the app had sent the license's key. The activation and the decision are committed
 * in one transaction. If the activation is refused, the request stays pending.
 *
 * @param replace the ref of a device that the new device replaces if the license is full
 */
export async function approveRequest(
  call: DecisionCall,
  request: ActivationRequest,
  licenseId: number,
  replace: string | null | undefined,
): Promise<Failure | Decided> {
  const { app, portal, session, now } = call;
  const { product_id, fingerprint, name, platform, release, country, key_hash } = request;
  const claim = { fingerprint, name, platform, release, country, replace, signIn: { key_hash, at: now } };
  let current: ActivationRequest | undefined = request;
  let mayMail = await mayMailDevice(app.table, licenseId, now);
  let mails: readonly Event[] = [];
  let member: Member | undefined;
  const key = await app.secrets.portalKey();

  const activated = await activateById({ app, now }, licenseId, claim, {
    person: session.address,
    refusal: (license, own) => {
      member = own;
      if (!isPending(current, now) || current.hash !== request.hash) return noSuchRequest();
      return portalAccessOf(license, own, session) ? undefined : noSuchLicense();
    },
    refresh: async () => {
      [current, mayMail] = await Promise.all([getRequest(app.table, product_id, fingerprint), mayMailDevice(app.table, licenseId, now)]);
    },
    countFree: (frees) => countFree(frees, portal, now),
    alongside: (transition): Action[] => {
      const { after, devices } = transition;
      // A refused approval may change the license, too: it may have expired.
      const isApproved = devices.some(({ action, device }) => action !== 'free' && device.sign_in?.key_hash === key_hash);
      if (!isApproved) return [];
      mails = mayMail ? mailsAbout(call, after, deviceRef(key, after, request)) : [];
      return [
        decideRequest(request, {
          status: 'approved',
          session: session.hash,
          license_id: after.id,
          license_key: lookupKey(after.key) ?? after.key,
        }),
        ...checkMembership(member, transition),
        ...mails.map(recordEvent),
        ...(mails.length > 0 ? [countDeviceMail(after.id, now)] : []),
      ];
    },
  });
  if (!isPending(current, now)) return 'decided';
  if (!activated) return noSuchLicense();
  const { license, result } = activated;
  if (isFailure(result)) {
    const reason = reasonOf(result, true);
    if (reason) await recordRefusal(app, { ...factsOf(claim), product_id, license_id: license.id, reason, key: license.key });
    return result;
  }
  await notify(app, mails);
  return { status: 'approved' };
}

/** The mails about the sign-in, to the person who has signed in and to the buyer; none if the deployment sends no mails. */
function mailsAbout({ app, portal, session, language, now }: DecisionCall, license: License, ref: string): Event[] {
  if (mailFrom(app) === null) return [];
  const product = { id: portal.product_id, slug: portal.slug };
  const buyer = license.customer_email;
  const isBuyer = buyer !== null && isSameAddress(buyer, session.address);
  return [...(isBuyer ? [] : [session.address]), ...(buyer === null ? [] : [buyer])].map((to) =>
    deviceAddedMail({ product, to, language, at: now, random: app.random(EVENT_RANDOM_BYTES) }, license, ref),
  );
}
