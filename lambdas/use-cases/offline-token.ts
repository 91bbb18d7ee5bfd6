import { isFailure, type Failure } from '../contract/errors';
import type { DeviceClaim } from '../domain/activation';
import { leaseEnd, type Device, type License } from '../domain/license';
import { mintToken } from '../domain/offline-token';
import type { Product } from '../domain/product';
import { deviceView, grantedView } from '../domain/views';
import type { App } from '../runtime/app';
import { activateById } from './activation';

/** Creates offline tokens. */

interface MintCall {
  readonly app: App;
  /** The product with its signing keys; see `getSigningProduct`. */
  readonly product: Product;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

/** Creates an offline token that is valid for `ttlDays`. If a device is given, the token works only on that device. */
export async function newToken({ app, product, now }: MintCall, license: License, ttlDays: number, device?: Device): Promise<string> {
  return mintToken(await app.products.signer(product), license, {
    id: Buffer.from(app.random(16)).toString('base64url'),
    ...(device && { fingerprint: device.fingerprint, leaseEnd: leaseEnd(license, device) }),
    ttlDays,
    now,
  });
}

/** Creates an offline token for a bound device. Apps receive such a token with every validation and activation. */
export const deviceToken = (call: MintCall, license: License, device: Device): Promise<string> =>
  newToken(call, license, call.app.config.deviceTokenDays, device);

/**
 * What an app receives when its device holds a seat of a license.
 *
 * @param key the key with which the app makes its requests: the license's key, or a device key
 */
export const activationView = async (call: MintCall, license: License, device: Device, key?: string) => ({
  ...grantedView(license, key),
  device: deviceView(license, device),
  offline_token: await deviceToken(call, license, device),
});

/**
 * Activates a license on a device, and creates an offline token for the device. If the device was already bound, no transaction has written
 * the audit entry of the request, so the caller must write it.
 *
 * @param options see {@link activateDevice}
 * @returns undefined if there is no license with that id
 */
export async function mintForDevice(
  call: MintCall,
  licenseId: number,
  claim: DeviceClaim,
  ttlDays: number,
  options?: Parameters<typeof activateById>[3],
): Promise<Failure | string | undefined> {
  const activation = (await activateById(call, licenseId, claim, options))?.result;
  if (!activation || isFailure(activation)) return activation;
  return newToken(call, activation.license, ttlDays, activation.bound.device);
}
