import { isFailure, type Failure } from '../contract/errors';
import {
  activate,
  check,
  endedLeasesOf,
  MAX_RECLAIMED,
  mayHaveEndedLeases,
  type Activation,
  type BoundDevice,
  type CheckContext,
  type Checked,
  type DeviceClaim,
} from '../domain/activation';
import type { Device, License } from '../domain/license';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';
import { readActivation, type ActivationState } from '../store/licenses/activation-state';
import { updateBoundDevice, type LicenseState } from '../store/licenses/commit';
import { readById, readDevices } from '../store/licenses/read';
import { retry, TRY_AGAIN } from '../store/retry';
import { applyDecision } from './apply-decision';

/** Validating a license and activating it on a device: decided in the domain, committed here, with leases kept. */

export interface CheckCall {
  readonly app: App;
  /** Epoch ms. */
  readonly now: number;
  readonly license: License;
  readonly device: Device | undefined;
  /** Reads the license and the device again. */
  readonly reread: () => Promise<ActivationState>;
}

/** The license's key leads nowhere: it was replaced while this request ran. */
export const KEY_DIED = 'key died';
export type KeyDied = typeof KEY_DIED;

const contextOf = ({ app, now }: CheckCall): CheckContext => ({ now, expiringDays: app.config.expiringDays });

const isStored = ({ read, device }: BoundDevice): boolean => read === device;

/**
 * Repeats `run` on freshly read rows until its bound device, if any, is stored as it reports it: a seat whose lease
 * had ended may have been taken in between.
 */
function untilStored<Result extends { readonly license: License; readonly bound: BoundDevice | undefined }>(
  call: CheckCall,
  run: (state: LicenseState) => Promise<Failure | Result | undefined>,
): Promise<Failure | Result | KeyDied> {
  return retry(call.app.table, 'The device', async ({ tries }) => {
    const { license, device: present } = tries === 0 ? call : await call.reread();
    const result = license && (await run({ license, device: present }));
    if (result === undefined) return KEY_DIED;
    if (isFailure(result) || !result.bound || isStored(result.bound)) return result;
    const { read, device } = result.bound;
    return (await updateBoundDevice(call.app.table, result.license, read, device)) ? result : TRY_AGAIN;
  });
}

/** A validation: nothing is written unless the expiry is noticed, its warning is due, or a lease needs renewing. */
export function validateLicense(call: CheckCall): Promise<Failure | Checked | KeyDied> {
  const context = contextOf(call);
  return untilStored(call, (read) => applyDecision(call.app, read, ({ license, device }) => check(license, device, context)));
}

interface ActivationRead extends LicenseState {
  readonly endedLeases?: readonly Device[];
}

/** An activation: takes a seat for the device, of a lease that has ended if need be. */
export function activateDevice(call: CheckCall, claim: DeviceClaim): Promise<Failure | Activation | KeyDied> {
  const { app, now } = call;
  const context = contextOf(call);

  // The devices before the license: then a seat that was freed in between is seen to be free, and of the leases that
  // have ended none is missed. What was taken or renewed in between fails its condition.
  const readAll = async (known: License = call.license): Promise<ActivationRead | undefined> => {
    const devices = mayHaveEndedLeases(known) ? await readDevices(app.table, known) : undefined;
    const { license, device } = await call.reread();
    if (!license) return undefined;
    if (!devices && mayHaveEndedLeases(license)) return readAll(license);
    return { license, device, endedLeases: endedLeasesOf(license, devices ?? [], now) };
  };
  const decide = ({ license, device, endedLeases }: ActivationRead, isFinal: boolean): ReturnType<typeof activate> =>
    activate(license, device, claim, { ...context, endedLeases, isFinal });

  return untilStored(call, async (state) => {
    const first = await applyDecision(app, state, (read) => decide(read, false));
    if (!isFailure(first) || first.failure !== 'no_seats') return first;
    // The device is read alongside its license, not at the same instant: the last seat may be its own, taken in
    // between. And a seat whose lease has ended is free to take.
    return retry(app.table, 'The seats of the license', async () => {
      const again = await readAll();
      if (!again) return undefined;
      let tookAllItMay = false;
      const final = await applyDecision(
        app,
        again,
        (read) => {
          tookAllItMay = (read.endedLeases ?? []).length > MAX_RECLAIMED;
          return decide(read, true);
        },
        readAll,
      );
      const isFull = isFailure(final) && final.failure === 'no_seats';
      if (isFull && tookAllItMay) return TRY_AGAIN;
      if (isFull) count('refused.no_seats');
      return final;
    });
  });
}

/**
 * Activates a license that is found by its id, under the key that it has by then.
 *
 * @returns the result, and the license as it was read; undefined if there is no license of that id
 */
export function activateById(
  { app, now }: Pick<CheckCall, 'app' | 'now'>,
  id: number,
  claim: DeviceClaim,
): Promise<{ readonly license: License; readonly result: Failure | Activation } | undefined> {
  return retry(app.table, 'The key of the license', async () => {
    const found = await readById(app.table, id, async ({ productId, key }) => {
      const reread = (): Promise<ActivationState> =>
        readActivation(app.table, productId, key, claim.fingerprint, { product: false, seeds: false });
      const { license, device } = await reread();
      return license && { license, device, reread };
    });
    if (!found) return undefined;
    const result = await activateDevice({ app, now, ...found }, claim);
    return result === KEY_DIED ? TRY_AGAIN : { license: found.license, result };
  });
}
