import type * as z from 'zod/mini';
import type { startTrial as row } from '../contract/activations';
import { fail, isFailure, type Failure } from '../contract/errors';
import { TRIALS_PER_DAY } from '../contract/limits';
import { statusOfRefusal } from '../contract/statuses';
import type { DeviceClaim } from '../domain/activation';
import type { Device, License } from '../domain/license';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { issueActivated } from '../domain/license-operations';
import { termsOf, type LicenseType } from '../domain/license-type';
import { metadataOf } from '../domain/metadata';
import type { Product } from '../domain/product';
import type { VerdictStatus } from '../domain/verdict';
import type { App } from '../runtime/app';
import { factsOf, reasonOf, recordRefusal } from '../runtime/http/refusals';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { issueActions, nextLicenseId } from '../store/licenses/create';
import { countTrial, countTrialOfProduct } from '../store/limits';
import { transact } from '../store/transaction';
import { readTrial, recordTrial } from '../store/trials';
import { activateById } from './activation';
import { announce, readReceiver } from './announce';

interface TrialCall {
  readonly app: App;
  readonly product: Product;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

type TrialClaim = z.output<(typeof row)['body']> & Pick<DeviceClaim, 'country'>;

/** A license on the device of a trial. `isNew` is false if the device had already received the license. */
interface Trial {
  readonly license: License;
  readonly device: Device;
  readonly isNew: boolean;
}

/** A refusal of a license that the device received before, and the status of this license that the verdict states. */
interface RefusedTrial {
  readonly licenseId: number;
  readonly refusal: Failure;
  readonly status: VerdictStatus | undefined;
}

/**
 * Starts a trial on a device: issues a license without seats for other devices, and activates it. A device receives only one trial of a
 * product, so a repeated request activates the license of the first request again.
 */
export async function startTrial(call: TrialCall, claim: TrialClaim): Promise<Failure | Trial | RefusedTrial> {
  const { app, product } = call;
  const given = await readTrial(app.table, product.id, claim.fingerprint);
  if (given.licenseId !== undefined) return activateAgain(call, given.licenseId, claim);
  if (!given.type) return fail('not_found', 'The product offers no trial');
  const trial = await issueTrial(call, given.type, claim);
  if (trial) return trial;
  // Another request of the same device has started the trial first, so the license of that request is returned.
  const { licenseId } = await readTrial(app.table, product.id, claim.fingerprint);
  if (licenseId === undefined) throw new Error('The trial could not be recorded');
  return activateAgain(call, licenseId, claim);
}

/** Issues the license of a trial. The result is undefined if the device received a trial in the meantime. */
async function issueTrial({ app, product, now }: TrialCall, type: LicenseType, claim: TrialClaim): Promise<Failure | Trial | undefined> {
  if (!(await countTrialOfProduct(app.table, product.id, product.trials_per_hour, now))) {
    count('refused.trial');
    log.warn('TRIALS_LIMITED', { product_id: product.id, trials_per_hour: product.trials_per_hour });
    return fail('rate_limited', 'Too many trials of this product were started within an hour');
  }
  const address = claim.customer_email ?? null;
  const issued = issueActivated(
    {
      id: await nextLicenseId(app.table),
      product_id: product.id,
      product_slug: product.slug,
      key: generateKey(app.random(KEY_RANDOM_BYTES)),
      license_type: termsOf(type),
      customer_email: null,
      unverified_email: address,
      metadata: metadataOf('{}'),
    },
    claim,
    now,
  );
  if (isFailure(issued)) return issued;
  const { license, occurrences, devices } = issued;
  const { actions, events } = issueActions(app.table, issued, { readProduct: await readReceiver(app, license, occurrences) });
  const limits = address === null ? [] : [countTrial(product.id, address, now)];
  const transaction = await transact(app.table, [recordTrial(license, claim.fingerprint), ...limits, ...actions]);
  const [device] = devices;
  if (transaction.committed && device) {
    await announce(app, events);
    return { license, device: device.device, isNew: true };
  }
  const [recorded, ...others] = transaction.committed ? [] : transaction.failed;
  return recorded === undefined && others.slice(0, limits.length).some((limit) => limit !== undefined)
    ? fail('rate_limited', `Only ${TRIALS_PER_DAY} trials can be started with one address within 24 hours`)
    : undefined;
}

async function activateAgain({ app, product, now }: TrialCall, licenseId: number, claim: TrialClaim): Promise<Trial | RefusedTrial> {
  const activated = await activateById({ app, now }, licenseId, claim);
  // The license of a trial that nobody bought is removed some time after its end.
  if (!activated) return { licenseId, refusal: fail('license_expired', 'The trial of this device has ended'), status: 'expired' };
  const { license, result } = activated;
  if (!isFailure(result)) return { license: result.license, device: result.bound.device, isNew: false };
  const reason = reasonOf(result, true);
  if (reason) await recordRefusal(app, { ...factsOf(claim), product_id: product.id, license_id: license.id, reason, key: license.key });
  return { licenseId: license.id, refusal: result, status: statusOfRefusal(result.failure) };
}
