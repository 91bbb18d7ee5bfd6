import { credentialHeaders } from '../../contract/endpoint';
import { DEVICE_TOKEN_HEADER } from '../../contract/edge';
import { fail, type Failure } from '../../contract/errors';
import { pathId } from '../../contract/resources';
import type { Device, License } from '../../domain/license';
import type { MeterState } from '../../domain/meters';
import { lookupKey } from '../../domain/license-key';
import { acceptsApiKey, isPosted, type Product } from '../../domain/product';
import { readActivation } from '../../store/licenses/activation-state';
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
    // The event that a successful request usually records; undefined if such a request, for example a validation, usually records no event.
    const [recorded] = row.method === 'POST' ? (row.emits ?? []) : [];
    const signs = row.secrets?.includes('signingKey') ?? false;
    const state = await readActivation(app.table, known.product.id, lookupKey(claim.key), claim.fingerprint ?? undefined, {
      // If the cached product does not send this event to a webhook, the product is read again, because its webhook may have been set or
      // changed in the meantime.
      product: !known.isFresh || (recorded !== undefined && !isPosted(known.product, recorded)),
      seeds: signs && !(known.isFresh && known.hasSeeds),
      meter: claim.meter,
    });
    // A fresh cached product is used for signing even if the product was read again because of its webhook. The cache contains the seed of
    // the cached product's signing key, but the product that was just read may have a newer signing key.
    const product = known.isFresh ? known.product : state.product;
    if (!acceptsApiKey(product, apiKey, app.clock())) return refuseKey(request);
    if (!known.isFresh || state.seeds) app.products.put(product, state.seeds);

    const { license, device, deadKeyOf, meter } = state;
    const deviceToken = header(event, DEVICE_TOKEN_HEADER);
    return { product, readProduct: state.product, license, deadKeyOf, device, meter, deviceToken, claim };
  },
  after: async ({ app, product, license, deadKeyOf, device, claim }, result) => {
    const reason = reasonOf(result, license !== undefined || deadKeyOf !== undefined);
    if (!reason) return;
    const license_id = license?.id ?? deadKeyOf ?? null;
    await recordRefusal(app, { ...factsOf(claim, device), product_id: product.id, license_id, reason, key: claim.key });
  },
};
