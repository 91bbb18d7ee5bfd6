import { fail, isFailure, type Failure } from '../../contract/errors';
import { credentialHeaders, licenseHeaders } from '../../contract/endpoint';
import { pathId, slug as slugSchema } from '../../contract/resources/common';
import type { License } from '../../domain/license';
import { licenseOfToken, verifyToken, type TokenClaims } from '../../domain/offline-token';
import { acceptsApiKey, type Product } from '../../domain/product';
import type { Catalogue } from '../../domain/releases/catalogue';
import { PUBLIC_RIGHTS, rightsOf, type Rights } from '../../domain/releases/offer';
import type { Release } from '../../domain/releases/release';
import type { App } from '../../runtime/app';
import { refuseCredential } from '../../runtime/http/refuse-credential';
import { header, type RequestEvent } from '../../runtime/http/request';
import { originOf } from '../../runtime/http/request-origin';
import { findProductId, readDownloadState, type DownloadState, type LicenseName } from '../../store/releases/download-state';

/** Identifies the caller who requests a release or a file, and determines the caller's rights (docs/spec/releases.md, Who asks). */

/** The rows that a route reads in the same round trip as its caller's license. */
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

export interface CallerOptions {
  readonly wish: Wish;
  /**
   * Returns the versions of the releases that the request will probably need, according to the rights in the token. These releases are read
   * together with the token's license.
   */
  readonly guess?: (catalogues: readonly Catalogue[], rights: Rights) => readonly string[];
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
 * The credential is checked before the releases are read, so a request with a wrong credential costs no read of the catalogue. A request
 * to public downloads needs no credential, so it reads everything in one round trip.
 */
export async function identifyCaller(app: App, event: RequestEvent, { wish, guess }: CallerOptions): Promise<Failure | Caller> {
  const productId = await productIdOf(app, event);
  const presented = presentedBy(event);
  const license = nameIn(presented);
  const known = app.products.get(productId);
  const fresh = known?.isFresh ? known.product : undefined;
  // Without a credential, the downloads of a product that is not cached are probably public.
  const early = fresh ? mayRead(fresh, presented, app.clock()) : license === undefined;
  const state = await readDownloadState(app.table, productId, { ...(early && wish), product: !fresh, license });
  if (state.product) app.products.put(state.product);
  const product = fresh ?? state.product;
  if (!product) return refuse(app, event, presented);

  const later = early ? {} : wish;
  if (product.downloads === 'public') return { ...(await withReleases(app, productId, state, later)), product, rights: PUBLIC_RIGHTS };
  if (presented.token !== undefined) return tokenCaller(app, event, { product, token: presented.token, state, later, guess });
  const isByKey = presented.key !== undefined && (await hasApiKey(app, event, product));
  if (isByKey && state.isDeadKey) return { ...state, product, rights: fail('license_revoked') };
  if (!isByKey || !state.license) return refuse(app, event, presented);
  const rights = rightsOf(state.license, app.clock());
  return isFailure(rights) ? { ...state, product, rights } : { ...(await withReleases(app, productId, state, later)), product, rights };
}

/** Whether a caller may read the releases of a cached product, as far as the product alone can decide it. */
const mayRead = (product: Product, { token }: ReturnType<typeof presentedBy>, now: number): boolean =>
  product.downloads === 'public' || (token !== undefined && verifyToken(token, product, now) !== undefined);

/** Adds the rows that were not read yet. */
async function withReleases(
  app: App,
  productId: number,
  state: DownloadState,
  later: Wish,
): Promise<Pick<DownloadState, 'catalogues' | 'releases'>> {
  const { channels = [], versions = [] } = later;
  return channels.length + versions.length === 0 ? state : readDownloadState(app.table, productId, later);
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

/** @param request `later` names the rows that are read only now, because the token had to be checked first */
async function tokenCaller(
  app: App,
  event: RequestEvent,
  request: {
    readonly product: Product;
    readonly token: string;
    readonly state: DownloadState;
    readonly later: Wish;
    readonly guess: CallerOptions['guess'];
  },
): Promise<Failure | Caller> {
  const { product, token, state, later, guess } = request;
  const claims = verifyToken(token, product, app.clock());
  if (!claims || !state.address) return refuse(app, event, { token });
  const guessed = guess?.(state.catalogues, rightsInToken(claims)).filter((version) => !app.releases.get(product.id, version)) ?? [];
  const versions = [...new Set([...guessed, ...(later.versions ?? [])])];
  const next = await readDownloadState(app.table, product.id, { ...later, license: { address: state.address }, versions });
  return {
    product,
    rights: rightsUnder(next, app.clock()),
    catalogues: [...state.catalogues, ...next.catalogues],
    releases: new Map([...state.releases, ...next.releases]),
  };
}

/**
 * If `license` is undefined, the license received another key between the two reads. The refusal is then temporary: the next request finds
 * the license under its new key.
 */
const rightsUnder = ({ license }: { readonly license: License | undefined }, now: number): Failure | Rights =>
  license ? rightsOf(license, now) : fail('unavailable');

const rightsInToken = ({ limits, features }: TokenClaims): Rights => ({ limits, features, releasedBefore: null });

/** Returns a refusal (401), which is counted and logged if the request contained a credential. */
const refuse = async (app: App, event: RequestEvent, { key, token }: ReturnType<typeof presentedBy>): Promise<Failure> =>
  key === undefined && token === undefined
    ? fail('unauthorized')
    : refuseCredential('refused.license', event.resource, await originOf(app, event));
