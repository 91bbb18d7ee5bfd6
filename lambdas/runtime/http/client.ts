import { credentialHeaders } from '../../contract/endpoint';
import { DEVICE_TOKEN_HEADER } from '../../contract/edge';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { pathId } from '../../contract/resources';
import type { Device, License } from '../../domain/license';
import type { MeterState } from '../../domain/meters';
import { deviceKeyHash, isRecognized } from '../../domain/device-key';
import { lookupKey, normalizeDeviceKey } from '../../domain/license-key';
import type { Portal } from '../../domain/portal/settings';
import { acceptsApiKey, isPosted, type Product } from '../../domain/product';
import { readActivation } from '../../store/licenses/activation-state';
import { readByDeviceKey } from '../../store/licenses/device-keys';
import { getOpenPortal } from '../../store/portal/settings';
import { getProduct } from '../../store/products';
import type { KnownProduct } from '../product-cache';
import { factsOf, reasonOf, recordRefusal } from './refusals';
import { refuseCredential } from './refuse-credential';
import { header, type ApiRequest } from './request';
import { originOf } from './request-origin';
import type { Access } from './serve';

interface ClientApp {
  readonly apiKey: string;
  readonly known: KnownProduct;
}

/**
 * Returns the product whose API key a request contains, or a refusal (401). The product comes from the cache, or from the table if the
 * cache does not have a product with this key. A refusal is counted and does not reveal whether the product exists.
 */
async function authenticateProduct({ app, event }: ApiRequest): Promise<Failure | ClientApp> {
  const apiKey = header(event, credentialHeaders.product);
  const id = pathId.safeParse(event.pathParameters?.['id']);
  if (apiKey === undefined) return fail('unauthorized');
  if (!id.success) return refuseKey({ app, event });
  const known = app.products.get(id.data);
  if (known && acceptsApiKey(known.product, apiKey, app.clock())) return { apiKey, known };
  const product = await getProduct(app.table, id.data);
  return acceptsApiKey(product, apiKey, app.clock()) ? { apiKey, known: app.products.put(product) } : refuseKey({ app, event });
}

/** Returns the refusal (401) of an API key. */
const refuseKey = async ({ app, event }: Pick<ApiRequest, 'app' | 'event'>): Promise<Failure> =>
  refuseCredential('refused.api_key', event.resource, await originOf(app, event));

/** The access to an endpoint that client apps call with an API key, but without a license key. The product was read at most a minute ago. */
export const client: Access<'product', ClientApp, { readonly product: Product }> = {
  authenticate: authenticateProduct,
  load: async (request) => {
    const { app, apiKey, known } = request;
    const product = known.isFresh ? known.product : await getProduct(app.table, known.product.id);
    return acceptsApiKey(product, apiKey, app.clock()) ? { product } : refuseKey(request);
  },
};

const noSignIn = (): Failure => fail('not_found', 'This product offers no sign-in');

/**
 * The access to an endpoint with which an app lets its user sign in. Unless the product's portal is enabled and allows it, the response is
 * 404, before the request is parsed. The settings of the portal were read at most a minute ago.
 */
export const signingInClient: Access<'product', ClientApp & { readonly portal: Portal }, { readonly product: Product }> = {
  ...client,
  authenticate: async (request) => {
    const found = await authenticateProduct(request);
    if (isFailure(found)) return found;
    const { slug } = found.known.product;
    const portal = await request.app.portals.get(slug, () => getOpenPortal(request.app.table, slug));
    return portal?.allow.includes('sign_in') === true ? { ...found, portal } : noSignIn();
  },
};

/** What is known about the license key of a request. */
interface KeyHolder {
  readonly product: Product;
  /** The product as this request has read it from the table; undefined if the request has used only the cached product. */
  readonly readProduct: Product | undefined;
  /** The license with the key of the request, if it exists. */
  readonly license: License | undefined;
  /**
   * If the key of the request is a previous key of a license: the id of this license. A previous key is refused like the key of a revoked
   * license.
   */
  readonly deadKeyOf: number | undefined;
  /** The license's device with the fingerprint of the request, if it exists. The device may belong to an earlier epoch of the license. */
  readonly device: Device | undefined;
  /** What was consumed from the meter that the request names, if anything was. */
  readonly meter: MeterState | undefined;
  /**
   * The device key of the request in its canonical form, and its hash. Undefined if the request has the key of a license, or an unknown key.
   * `device` is then the device for which the key was created. Whether the key still works is decided with the current rows, see `hasKey`.
   */
  readonly deviceKey: { readonly key: string; readonly hash: string } | undefined;
  /** The header {@link DEVICE_TOKEN_HEADER}, which is not verified yet. */
  readonly deviceToken: string | undefined;
  /** The parameters of the request, which contain its license key. */
  readonly claim: { readonly key: string; readonly fingerprint?: string | null; readonly meter?: string };
}

/**
 * The access to an endpoint that client apps call with an API key and a license key. Usually the product is cached, so that one BatchGet
 * reads everything else; once a minute the BatchGet also reads the product. Credentials are checked before everything else. An API key that
 * does not match the cached product is checked again with the current product, so that a new API key works at once. A caller without the
 * product's API key learns nothing from the refusal (401): neither the response nor its duration shows whether the product exists or the
 * request was valid.
 */
export const clientWithKey: Access<'product', ClientApp, KeyHolder> = {
  authenticate: authenticateProduct,
  load: async (request) => {
    const { row, app, event, apiKey, known } = request;
    const claim = (row.body ? request.body : request.query) as KeyHolder['claim'];
    const signs = row.secrets?.includes('signingKey') ?? false;
    const fingerprint = claim.fingerprint ?? undefined;
    const deviceKey = normalizeDeviceKey(claim.key);
    const hash = deviceKey === undefined ? undefined : deviceKeyHash(deviceKey);
    const state = await readActivation(app.table, known.product.id, lookupKey(claim.key), fingerprint, {
      deviceKeyHash: hash,
      product: !known.isFresh || (row.usuallyRecords !== undefined && !isPosted(known.product, row.usuallyRecords)),
      seeds: signs && !(known.isFresh && known.hasSeeds),
      meter: claim.meter,
    });
    // A fresh cached product is used for signing even if the product was read again because of its webhook. The cache contains the seed of
    // the cached product's signing key, but the product that was just read may have a newer signing key.
    const product = known.isFresh ? known.product : state.product;
    if (!acceptsApiKey(product, apiKey, app.clock())) return refuseKey(request);
    if (!known.isFresh || state.seeds) app.products.put(product, state.seeds);

    const always = { product, readProduct: state.product, deviceToken: header(event, DEVICE_TOKEN_HEADER), claim };
    const { license, device, deadKeyOf, meter } = state;
    if (!state.deviceKey || deviceKey === undefined || hash === undefined)
      return { ...always, license, deadKeyOf, device, meter, deviceKey: undefined };
    // A key of another device is treated as an unknown key.
    const found =
      isRecognized(state.deviceKey, product.id, fingerprint, app.clock()) &&
      (await readByDeviceKey(app.table, state.deviceKey, claim.meter));
    return found
      ? { ...always, ...found, deadKeyOf: undefined, deviceKey: { key: deviceKey, hash } }
      : { ...always, license: undefined, device: undefined, meter: undefined, deadKeyOf: undefined, deviceKey: undefined };
  },
  after: async ({ app, product, license, deadKeyOf, device, claim }, result) => {
    const reason = reasonOf(result, license !== undefined || deadKeyOf !== undefined);
    if (!reason) return;
    const license_id = license?.id ?? deadKeyOf ?? null;
    await recordRefusal(app, { ...factsOf(claim, device), product_id: product.id, license_id, reason, key: claim.key });
  },
};
