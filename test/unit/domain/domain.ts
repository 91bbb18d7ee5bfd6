import * as activation from '../../../lambdas/domain/activation';
import * as validation from '../../../lambdas/domain/validation';
import type { Failure } from '../../../lambdas/contract/errors';
import type { Device, License } from '../../../lambdas/domain/license';
import type { Decision } from '../../../lambdas/domain/transition';

/** Exports the domain of licenses as one module. `check` and `activate` use the settings that most tests of the domain share. */

export * from '../../../lambdas/domain/transition';
export * from '../../../lambdas/domain/license';
export * from '../../../lambdas/domain/license-operations';
export * from '../../../lambdas/domain/lifecycle';
export { deactivate } from '../../../lambdas/domain/activation';
export { mintingRefusal } from '../../../lambdas/domain/validation';

/** Warnings before an expiry are off here; other tests check them. */
const quiet = { expiringDays: 0 };

export const check = (license: License, device: Device | undefined, now: number): ReturnType<typeof validation.check> =>
  validation.check(license, device, { now, ...quiet }, { app_version: null, country: null });

/** No lease of another device has ended. */
export function activate(
  license: License,
  device: Device | undefined,
  claim: activation.DeviceClaim,
  now: number,
): Decision<Failure | activation.Activation> {
  const decision = activation.activate(license, device, claim, { now, ...quiet, endedLeases: [] });
  if ('needs' in decision) throw new Error('The activation asks for devices that it was given');
  return decision;
}
