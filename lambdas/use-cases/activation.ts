import { isFailure, type Failure } from '../contract/errors';
import {
  activate,
  deviceOfRef,
  endedLeasesOf,
  mayHaveEndedLeases,
  type Activation,
  type ActivationContext,
  type DeviceClaim,
} from '../domain/activation';
import { hasMembers, type Device, type DeviceUse, type License } from '../domain/license';
import type { Member } from '../domain/member';
import { activateForMember } from '../domain/member-activation';
import { verifyToken } from '../domain/offline-token';
import type { Product } from '../domain/product';
import { unchanged } from '../domain/transition';
import { check, type BoundDevice, type Checked, type CheckContext } from '../domain/validation';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';
import { readWithDevice } from '../store/licenses/activation-state';
import { updateBoundDevice } from '../store/licenses/bound-device';
import { readState, type CommitOptions, type LicenseState } from '../store/licenses/commit';
import { findLicense, readDevices } from '../store/licenses/read';
import { withPeople, type PeopleState } from '../store/licenses/people';
import { readDevicesOf } from '../store/members';
import { applyDecision, followLicense } from './apply-decision';

/** Validates licenses and activates them on devices. */

/** A license and a device as they were read, for a request that arrived at `now` (epoch ms). */
export interface CheckCall extends LicenseState {
  readonly app: App;
  readonly now: number;
  /** The license's product, if this request has read it from the table. */
  readonly readProduct?: Product | undefined;
}

const contextOf = ({ app, now }: Pick<CheckCall, 'app' | 'now'>): CheckContext => ({ now, expiringDays: app.config.expiringDays });

/**
 * Stores the bound device of the result, if the decision has changed the device. Returns false if the device was freed or another request
 * renewed its lease since the device was read.
 */
async function storeDevice(
  { table }: App,
  result: Failure | { readonly license: License; readonly bound: BoundDevice | undefined },
): Promise<boolean> {
  if (isFailure(result) || !result.bound || result.bound.read === result.bound.device) return true;
  return updateBoundDevice(table, result.license, result.bound.read, result.bound.device);
}

/**
 * Validates a license. A validation writes only if the license has just expired, a warning of its expiry or of the end of its updates is
 * due, the device's lease must be renewed, or this is the first validation of the device on this day.
 *
 * @param use what the request tells about the device
 * @param keyHash the hash of the request's device key; undefined if the request has the license's key
 * @returns undefined if the license received another key while this request ran
 */
export function validateLicense(
  call: CheckCall,
  fingerprint: string,
  use: DeviceUse,
  keyHash?: string,
): Promise<Failure | Checked | undefined> {
  const { app, license, device, readProduct } = call;
  return applyDecision(app, { license, device }, (state) => check(state.license, state.device, contextOf(call), use, keyHash), {
    fingerprint,
    readProduct,
    ...(keyHash !== undefined && { follow: followLicense(app, license.id) }),
    afterwards: (result) => storeDevice(app, result),
  });
}

/**
 * The id of the license for which a device holds a token, if this license no longer exists, for example after the table was restored from a
 * backup. Reads the table only if the product has signed the token for this device; the token may have expired. Therefore a caller without
 * such a token learns nothing.
 */
export async function lostLicense(
  { app, product, deviceToken }: { readonly app: App; readonly product: Product; readonly deviceToken: string | undefined },
  fingerprint: string,
): Promise<number | undefined> {
  const claims = deviceToken === undefined ? undefined : verifyToken(deviceToken, product, 0);
  if (!claims || (claims.fingerprint ?? fingerprint) !== fingerprint) return undefined;
  return (await findLicense(app.table, claims.license_id)) ? undefined : claims.license_id;
}

interface ActivationRead extends PeopleState {
  readonly endedLeases?: readonly Device[];
  readonly replaced?: Device | undefined;
}

interface ActivateOptions {
  /** Finds the license if it was moved to a new key. */
  readonly follow?: () => Promise<LicenseState | undefined>;
  /** The address of the person who has signed in. Only such a person binds devices to a license with members. */
  readonly person?: string;
  /**
   * Returns a refusal if the caller may not activate the license; otherwise undefined. The refusal and the activation are decided on the
   * same state of the license. `own` is the membership of the person, if the license has members.
   */
  readonly refusal?: ((license: License, own: Member | undefined) => Failure | undefined) | undefined;
  /** Reads what `refusal` and `alongside` depend on again, before the activation is decided again. */
  readonly refresh?: () => Promise<void>;
  readonly countFree?: ActivationContext['countFree'];
  readonly alongside?: CommitOptions<unknown>['alongside'];
}

/**
 * Activates a license on a device. The device takes a free seat, or a seat whose lease has ended.
 *
 * What is written:
 *
 * | case | rows | condition |
 * |---|---|---|
 * | a new device: one transaction | license: `seats_used`, `sequence`, `new_devices` if the type limits them; the first activation also starts the term (`term`, `expires_at`, `updates_until`, `term_starts`) | `sequence` is as it was read |
 * | | device: the whole row | no row, or a row from before a reset (`epoch`) |
 * | | one row for each event | the row does not exist |
 * | and if devices lose their seats (a replaced device, ended leases) | their rows are deleted; one event for each | they are as they were read |
 * | and if a person has signed in | the hash of the device key; for a license with members the rows of the members | the members are as they were read |
 * | and if a warning of the expiry or of the end of updates is due | license: the time of the warning; its event | |
 * | a bound device: one update outside a transaction | device: name (with its search keys), platform, app version, lease, and with the day of the last use the country; nothing if none of them changes | same `epoch` and `activated_at`; a lease that changes is as it was read; a day alone is later than the stored day |
 * | a refusal | license and event if it has just expired, or if its seats are exhausted for the first time in a day; `runtime/http/client.ts` then records the refusal | |
 *
 * A due warning or a new sign-in of a bound device needs the transaction, too. `lambdas/store/licenses/commit.ts` builds its actions from the
 * fields that the domain has changed (`rows.ts` maps them to attributes). An app's request has no entry in the audit log.
 *
 * @returns undefined if the license received another key while this request ran, and `follow` does not find it
 */
export async function activateDevice(
  call: CheckCall,
  claim: DeviceClaim,
  { follow, person, refusal, refresh, countFree, alongside }: ActivateOptions = {},
): Promise<Failure | Activation | undefined> {
  const { app, now, license, device, readProduct } = call;
  const forPerson = async (state: ActivationRead | undefined): Promise<ActivationRead | undefined> =>
    state && person !== undefined ? readPerson(app, state, person, claim) : state;
  const result = await applyDecision<ActivationRead, Failure | Activation>(
    app,
    (await forPerson({ license, device })) ?? { license, device },
    (state) => {
      const refused = refusal?.(state.license, state.own);
      if (refused) return unchanged(refused);
      const { endedLeases, replaced, own, holder } = state;
      return person !== undefined && hasMembers(state.license)
        ? activateForMember(state.license, state.device, claim, { ...contextOf(call), address: person, own, holder, replaced, countFree })
        : activate(state.license, state.device, claim, { ...contextOf(call), endedLeases, replaced, countFree });
    },
    {
      fingerprint: claim.fingerprint,
      readProduct,
      reread: async ({ license: known }, needsDevices) => {
        await refresh?.();
        return forPerson(
          needsDevices ? await readWithDevices(app, known, claim, now) : await readState(app.table, known, claim.fingerprint),
        );
      },
      ...(follow && { follow: async () => forPerson(await follow()) }),
      ...(alongside && { alongside }),
      afterwards: (activated) => storeDevice(app, activated),
    },
  );
  if (result && isFailure(result) && result.failure === 'no_seats') count('refused.no_seats');
  return result;
}

/**
 * Reads the license, the device of the request and, if the decision needs them, all devices of the license. All devices are read before the
 * license, so a seat that is freed between the two reads counts as free. If another device takes the seat of an ended lease between the two
 * reads, or the lease is renewed, the condition of the commit fails. The device of the request is read again together with the license,
 * because that device may have taken the last seat between the two reads.
 */
async function readWithDevices(app: App, known: License, claim: DeviceClaim, now: number): Promise<ActivationRead | undefined> {
  const isLookedAt = (license: License): boolean => claim.replace != null || mayHaveEndedLeases(license);
  const devices = isLookedAt(known) ? await readDevices(app.table, known) : undefined;
  const state = await readState(app.table, known, claim.fingerprint);
  if (!state) return undefined;
  if (!devices && isLookedAt(state.license)) return readWithDevices(app, state.license, claim, now);
  const replaced =
    claim.replace == null ? undefined : deviceOfRef(await app.secrets.portalKey(), state.license, devices ?? [], claim.replace);
  return { ...state, endedLeases: endedLeasesOf(state.license, devices ?? [], now), replaced };
}

/**
 * Adds to a license with members the membership of the person who has signed in, the member who uses the device, and the device to be
 * replaced.
 */
async function readPerson(app: App, state: LicenseState, person: string, claim: DeviceClaim): Promise<ActivationRead> {
  const people = await withPeople(app.table, state, person);
  if (!people.own || claim.replace == null) return people;
  const devices = await readDevicesOf(app.table, state.license, [people.own]);
  return { ...people, replaced: deviceOfRef(await app.secrets.portalKey(), state.license, devices, claim.replace) };
}

/**
 * Finds a license by its id and activates it, as if the caller had sent the current license key.
 *
 * @returns the result, and the license as it was read; undefined if there is no license with that id
 */
export async function activateById(
  { app, now }: Pick<CheckCall, 'app' | 'now'>,
  id: number,
  claim: DeviceClaim,
  options: Omit<ActivateOptions, 'follow'> = {},
): Promise<{ readonly license: License; readonly result: Failure | Activation } | undefined> {
  const find = (): Promise<LicenseState | undefined> => readWithDevice(app.table, id, claim.fingerprint);
  const found = await find();
  const result = found && (await activateDevice({ app, now, ...found }, claim, { ...options, follow: find }));
  return result && { license: found.license, result };
}
