import { startTrial } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { TRIALS_PER_DAY } from '../contract/limits';
import { effectiveFeatures, type Device, type License } from '../domain/license';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { issueActivated } from '../domain/license-operations';
import { termsOf } from '../domain/license-type';
import { metadataOf } from '../domain/metadata';
import { statusOfRefusal } from '../contract/statuses';
import { clientLicenseView, deviceView, seatsView, updatesView } from '../domain/views';
import { Reply } from '../runtime/http/response';
import { reasonOf, recordRefusal } from '../runtime/http/refusals';
import { factsOf, serveProduct, withVerdict } from '../runtime/http/serve-client';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { issueActions, nextLicenseId } from '../store/licenses/create';
import { countTrial, countTrialOfProduct } from '../store/limits';
import { transact } from '../store/transaction';
import { readTrial, recordTrial } from '../store/trials';
import { announce, readReceiver } from '../use-cases/announce';
import { activateById } from '../use-cases/activation';
import { deviceToken } from '../use-cases/offline-token';
import { getSigningProduct } from '../use-cases/product-secrets';

export const handler = serveProduct(startTrial, async (call) => {
  const { claim, app, now } = call;
  const product = await getSigningProduct(app, call.product.id);
  if (!product) return fail('unauthorized');
  const responseOf = async (license: License, device: Device) => ({
    status: license.status,
    license: clientLicenseView(license),
    device: deviceView(license, device),
    seats: seatsView(license),
    features: [...effectiveFeatures(license)],
    updates: updatesView(license),
    offline_token: await deviceToken({ app, product, now }, license, device),
  });

  const address = claim.customer_email ?? null;
  let { type, licenseId } = await readTrial(app.table, product.id, claim.fingerprint);
  if (licenseId === undefined) {
    if (!type) return fail('not_found', 'The product offers no trial');
    if (!(await countTrialOfProduct(app.table, product.id, product.trials_per_hour, now))) {
      count('refused.trial');
      log.warn('TRIALS_LIMITED', { product_id: product.id, trials_per_hour: product.trials_per_hour });
      return fail('rate_limited', 'Too many trials of this product were started within an hour');
    }
    const id = await nextLicenseId(app.table);
    const issued = issueActivated(
      {
        id,
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
    const readProduct = await readReceiver(app, issued.license, issued.occurrences);
    const { actions, events } = issueActions(app.table, issued, { readProduct });
    const limits = address === null ? [] : [countTrial(product.id, address, now)];
    const transaction = await transact(app.table, [recordTrial(issued.license, claim.fingerprint), ...limits, ...actions]);
    const [device] = issued.devices;
    if (transaction.committed && device) {
      await announce(app, events);
      return responseOf(issued.license, device.device);
    }
    const [given, ...others] = transaction.committed ? [] : transaction.failed;
    if (given === undefined && others.slice(0, limits.length).some((limit) => limit !== undefined)) {
      return fail('rate_limited', `Only ${TRIALS_PER_DAY} trials can be started with one address within 24 hours`);
    }
    // Another request of the same device has started the trial first, so the license of that request is returned.
    ({ type, licenseId } = await readTrial(app.table, product.id, claim.fingerprint));
    if (licenseId === undefined) throw new Error('The trial could not be recorded');
  }

  const activated = await activateById({ app, now }, licenseId, claim);
  if (!activated) {
    // The license of a trial that nobody bought is removed some time after its end.
    const ended = fail('license_expired', 'The trial of this device has ended');
    return withVerdict({ app, product, now, claim }, licenseId, ended, 'expired');
  }
  const { license, result } = activated;
  const reason = reasonOf(result, true);
  if (reason) await recordRefusal(app, { ...factsOf(claim), product_id: product.id, license_id: license.id, reason, key: license.key });
  if (isFailure(result)) return withVerdict({ app, product, now, claim }, license.id, result, statusOfRefusal(result.failure));
  return new Reply(await responseOf(result.license, result.bound.device), { status: 200 });
});
