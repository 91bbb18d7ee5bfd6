import { fail, isFailure, type Failure } from '../../contract/errors';
import { credentialHeaders, licenseHeaders } from '../../contract/endpoint';
import { pathId, slug as slugSchema } from '../../contract/resources/common';
import { isRecognized, type DeviceKey } from '../../domain/device-key';
import { boundDevice, hasKey, type License } from '../../domain/license';
import { licenseOfToken, verifyToken } from '../../domain/offline-token';
import { acceptsApiKey, type Product } from '../../domain/product';
import type { Catalogue } from '../../domain/releases/catalogue';
import { PUBLIC_RIGHTS, rightsOf, type Rights } from '../../domain/releases/offer';
import type { Release } from '../../domain/releases/release';
import type { App } from '../../runtime/app';
import { refuseCredential } from '../../runtime/http/refuse-credential';
import { header, type RequestEvent } from '../../runtime/http/request';
import { originOf } from '../../runtime/http/request-origin';
import { readByDeviceKey } from '../../store/licenses/device-keys';
import { findProductId, readDownloadState, type DownloadState, type LicenseName } from '../../store/releases/download-state';

/** Identifies the caller who requests a release or a file, and determines the caller's rights (docs/spec/releases.md, Who asks). */

/** The rows of releases that a route needs. */
export interface Wish {
  readonly channels?: readonly string[];
  readonly versions?: readonly string[];
}

export interface Caller {
  readonly product: Product;
  /** The rights that the license gives; a refusal if the license permits no downloads now. */
  readonly rights: Failure | Rights;
  readonly catalogues: readonly Catalogue[];
  readonly releases: ReadonlyMap<string, Release | undefined>;
}

/**
 * The credential of a request. If the request has both a license key and a token, the license key is used, because the statements of a
 * token may be out of date.
 */
function presentedBy(event: RequestEvent): { readonly key?: string | undefined; readonly token?: string | undefined } {
  const key = header(event, licenseHeaders.key);
  return key === undefined ? { token: header(event, licenseHeaders.token) } : { key };
}

/**
 * The product id that is used if the product does not exist. With this id, the same kinds of rows are read as for an existing product, so
 * that the duration of the refusal does not reveal whether the product exists.
 */
const NO_PRODUCT = 0;

async function productIdOf(app: App, event: RequestEvent): Promise<number> {
  const { id, slug: text } = event.pathParameters ?? {};
  if (text === undefined) return pathId.safeParse(id).data ?? NO_PRODUCT;
  // A text that cannot be a slug is not looked up, because it may be too long for the key of a row.
  const slug = slugSchema.safeParse(text).data;
  if (slug === undefined) return NO_PRODUCT;
  const found = app.releases.productId(slug) ?? (await findProductId(app.table, slug));
  if (found !== undefined) app.releases.putProductId(slug, found);
  return found ?? NO_PRODUCT;
}

/**
 * Returns the caller of a route with the credential `license`, or a refusal (401), which does not reveal whether the product exists.
 *
 * The releases in `wish` are read only for a caller who may read them, so a refused request costs no read of a catalogue.
 */
export async function identifyCaller(app: App, event: RequestEvent, wish: Wish): Promise<Failure | Caller> {
  const productId = await productIdOf(app, event);
  const presented = presentedBy(event);
  const known = app.products.get(productId);
  const cached = known?.isFresh ? known.product : undefined;
  const readReleases = (): Promise<DownloadState> => readDownloadState(app.table, productId, wish);
  if (cached?.downloads === 'public') return { ...(await readReleases()), product: cached, rights: PUBLIC_RIGHTS };

  const state = await readDownloadState(app.table, productId, { product: !cached, license: nameIn(presented) });
  if (state.product) app.products.put(state.product);
  const product = cached ?? state.product;
  if (!product) return refuse(app, event, presented);

  if (product.downloads === 'public') return { ...(await readReleases()), product, rights: PUBLIC_RIGHTS };
  if (presented.token !== undefined) {
    if (!state.address || !verifyToken(presented.token, product, app.clock())) return refuse(app, event, presented);
    const next = await readDownloadState(app.table, productId, { ...wish, license: { address: state.address } });
    return { ...next, product, rights: rightsUnder(next, app.clock()) };
  }
  const isByKey = presented.key !== undefined && (await hasApiKey(app, event, product));
  if (isByKey && state.isDeadKey) return { ...state, product, rights: fail('license_revoked') };
  const signedIn = isByKey && state.deviceKey ? await readSignedIn(app, state.deviceKey, productId) : undefined;
  const license = signedIn?.license ?? state.license;
  if (!isByKey || !license) return refuse(app, event, presented);
  const granted = rightsOf(license, app.clock());
  const rights = isFailure(granted) || signedIn?.isLive !== false ? granted : fail('sign_in_required');
  return { ...(isFailure(rights) ? state : await readReleases()), product, rights };
}

/** The license of a device key, and whether the key still works; undefined if the key is unknown. */
async function readSignedIn(
  app: App,
  key: DeviceKey,
  productId: number,
): Promise<{ readonly license: License; readonly isLive: boolean } | undefined> {
  const found = isRecognized(key, productId, undefined, app.clock()) ? await readByDeviceKey(app.table, key) : undefined;
  return found && { license: found.license, isLive: hasKey(boundDevice(found.license, found.device), key.hash) };
}

function nameIn({ key, token }: ReturnType<typeof presentedBy>): LicenseName | undefined {
  if (key !== undefined) return { key };
  const id = token === undefined ? undefined : licenseOfToken(token);
  return id === undefined ? undefined : { id };
}

/**
 * Whether the request has the product's API key. A request whose path contains the product's slug needs no API key, so the result is then
 * always true. A cached product may have an older API key, so the current product is read before an API key is refused.
 */
async function hasApiKey(app: App, event: RequestEvent, product: Product): Promise<boolean> {
  if (event.pathParameters?.['slug'] !== undefined) return true;
  const apiKey = header(event, credentialHeaders.product);
  if (apiKey === undefined) return false;
  const { id } = product;
  if (acceptsApiKey(product, apiKey, app.clock())) return true;
  const { product: current } = await readDownloadState(app.table, id, { product: true });
  if (current) app.products.put(current);
  return acceptsApiKey(current, apiKey, app.clock());
}

/**
 * If `license` is undefined, the license received another key between the two reads. The refusal is then temporary: the next request finds
 * the license under its new key.
 */
const rightsUnder = ({ license }: { readonly license: License | undefined }, now: number): Failure | Rights =>
  license ? rightsOf(license, now) : fail('unavailable');

/** Returns a refusal (401), which is counted and logged if the request contained a credential. */
const refuse = async (app: App, event: RequestEvent, { key, token }: ReturnType<typeof presentedBy>): Promise<Failure> =>
  key === undefined && token === undefined
    ? fail('unauthorized')
    : refuseCredential('refused.license', event.resource, await originOf(app, event));
