import { pollActivationRequest } from '../contract/activation-requests';
import { fail } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { pollInterval, requestHash } from '../domain/activation-request';
import { covers, limitsOf } from '../domain/coverage';
import { deviceKeyHash, deviceKeyOf } from '../domain/device-key';
import { boundDevice, hasKey, leaseEnd } from '../domain/license';
import { mintingRefusal } from '../domain/validation';
import { signingInClient, serve } from '../runtime/http';
import { withVerdict } from '../runtime/http/verdict';
import { getRequest } from '../store/activation-requests';
import { readActivation } from '../store/licenses/activation-state';
import { activationView } from '../use-cases/offline-token';

export const handler = serve(pollActivationRequest, signingInClient, async ({ app, body, product: cached, now }) => {
  const { fingerprint } = body;
  const expired = { status: 'expired' } as const;
  const request = await getRequest(app.table, cached.id, fingerprint);
  if (request?.hash !== requestHash(body.request) || now >= request.expires_at) return expired;
  const { decision } = request;
  if (!decision) return { status: 'pending' as const, interval: pollInterval(request, now) };
  if (decision.status === 'denied') return { status: 'denied' as const };

  const known = app.products.get(cached.id);
  const isReady = known?.isFresh === true && known.hasSeeds;
  const state = await readActivation(app.table, cached.id, decision.license_key, fingerprint, { product: !isReady, seeds: !isReady });
  const product = state.product ?? known?.product ?? cached;
  if (!isReady) app.products.put(product, state.seeds);
  const { license } = state;
  // The license has received another key, so its devices were freed.
  if (!license) return expired;
  const call = { app, product, now };
  const refused = mintingRefusal(license, now);
  if (refused) return withVerdict(call, { licenseId: license.id, fingerprint }, refused, statusOfRefusal(refused.failure));
  if (request.release && !covers(limitsOf(license, now), request.release)) return fail('release_not_covered');

  const key = deviceKeyOf(await app.secrets.portalKey(), product.id, body.request);
  const device = boundDevice(license, state.device);
  const isLive = device !== undefined && hasKey(device, request.key_hash) && (leaseEnd(license, device) ?? Number.POSITIVE_INFINITY) > now;
  // The key differs from the stored key only if the deployment's secret was replaced since the request was created.
  if (!isLive || deviceKeyHash(key) !== request.key_hash) return expired;
  return { status: 'approved' as const, activation: await activationView(call, license, device, key) };
});
