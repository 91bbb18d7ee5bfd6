import { fail, isFailure, type Failure } from '../contract/errors';
import { activate, check, endedLeasesOf, mayHaveEndedLeases, type Activation, type BoundDevice, type CheckContext, type Checked, type DeviceClaim } from '../domain/activation';
import type { Device, License } from '../domain/license';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';
import type { ActivationState } from '../store/licenses/activation-state';
import { updateBoundDevice, type LicenseState } from '../store/licenses/change';
import { readDevices } from '../store/licenses/read';
import { change } from './change-license';

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

/** Maximum tries to renew a lease that others renew or take back at the same moment. */
const MAX_LEASE_RACES = 5;

/**
 * Repeats `run` on freshly read rows until its bound device, if any, is stored as it reports it: a seat whose lease
 * had ended may have been taken in between.
 */
async function untilStored<Result extends { readonly license: License; readonly bound: BoundDevice | undefined }>(
  call: CheckCall,
  run: (state: LicenseState) => Promise<Failure | Result | undefined>,
): Promise<Failure | Result | KeyDied> {
  let state: LicenseState = { license: call.license, device: call.device };
  for (let races = 0; races < MAX_LEASE_RACES; races += 1) {
    const result = await run(state);
    if (result === undefined) return KEY_DIED;
    if (isFailure(result) || !result.bound || isStored(result.bound)) return result;
    const { read, device } = result.bound;
    if (await updateBoundDevice(call.app.table, result.license, read, device)) return result;
    const { license, device: present } = await call.reread();
    if (!license) return KEY_DIED;
    state = { license, device: present };
  }
  return fail('unavailable');
}

/** A validation: nothing is written unless the expiry is noticed, its warning is due, or a lease needs renewing. */
export function checkLicense(call: CheckCall): Promise<Failure | Checked | KeyDied> {
  const context = contextOf(call);
  return untilStored(call, (read) => change(call.app, read, ({ license, device }) => check(license, device, context)));
}

interface ActivationRead extends LicenseState {
  readonly endedLeases?: readonly Device[];
}

/** An activation: takes a seat for the device, of a lease that has ended if need be. */
export function activateDevice(call: CheckCall, claim: DeviceClaim): Promise<Failure | Activation | KeyDied> {
  const { app, now } = call;
  const context = contextOf(call);

  const readAll = async (): Promise<ActivationRead | undefined> => {
    const { license, device } = await call.reread();
    if (!license) return undefined;
    const endedLeases = mayHaveEndedLeases(license) ? endedLeasesOf(license, await readDevices(app.table, license), now) : [];
    return { license, device, endedLeases };
  };
  const decide = ({ license, device, endedLeases }: ActivationRead, isFinal: boolean): ReturnType<typeof activate> =>
    activate(license, device, claim, { ...context, endedLeases, isFinal });

  return untilStored(call, async (state) => {
    const first = await change(app, state, (read) => decide(read, false));
    if (!isFailure(first) || first.failure !== 'no_seats') return first;
    // The device is read alongside its license, not at the same instant: the last seat may be its own, taken in
    // between. And a seat whose lease has ended is free to take.
    for (let rounds = 0; rounds < MAX_LEASE_RACES; rounds += 1) {
      const again = await readAll();
      if (!again) return undefined;
      const final = await change(app, again, (read) => decide(read, true), readAll);
      const tookAllItMay = isFailure(final) && final.failure === 'no_seats' && (again.endedLeases ?? []).length > 0;
      if (!tookAllItMay) {
        if (isFailure(final) && final.failure === 'no_seats') count('refused.no_seats');
        return final;
      }
    }
    return fail('unavailable');
  });
}
