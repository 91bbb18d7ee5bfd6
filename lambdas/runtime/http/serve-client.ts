import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { credentialHeaders, type Endpoint } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { DEVICE_TOKEN_HEADER, VERDICT_HEADER } from '../../contract/edge';
import { pathId } from '../../contract/resources';
import type { Device, License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import type { Refused } from '../../domain/refusal';
import { signVerdict, type VerdictStatus } from '../../domain/verdict';
import { acceptsApiKey, isPosted, type Product } from '../../domain/product';
import { readActivation } from '../../store/licenses/activation-state';
import { getProduct } from '../../store/products';
import type { App } from '../app';
import type { KnownProduct } from '../product-cache';
import { errorHandler } from './error-handler';
import { refuseCredential } from './refuse-credential';
import { reasonOf, recordRefusal } from './refusals';
import { originOf } from './request-origin';
import type { Page } from './paging';
import { header, parseRequest } from './request';
import { failureResponse, response, Reply } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/**
 * An endpoint that client apps call with an API key. Most of these requests contain a license key and a device fingerprint in the body or
 * the query.
 */
type ClientEndpoint = Endpoint & { readonly credential: 'product' };

/** The parameters of a client route, which come from its body or its query. */
type Claim<Row extends ClientEndpoint> = Row['body'] extends z.ZodMiniType
  ? z.output<Row['body']>
  : Row['query'] extends z.ZodMiniType
    ? z.output<Row['query']>
    : never;

export interface ClientCall<Row extends ClientEndpoint> {
  readonly claim: Claim<Row>;
  readonly query: Row['query'] extends z.ZodMiniType ? z.output<Row['query']> : unknown;
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
  /** The header {@link DEVICE_TOKEN_HEADER}, which is not verified yet. */
  readonly deviceToken: string | undefined;
  /** The license's device with the fingerprint of the request, if it exists. The device may belong to an earlier epoch of the license. */
  readonly device: Device | undefined;
  readonly app: App;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

type ClientResult<Row extends ClientEndpoint> =
  | z.input<Row['response']>
  | Failure
  | (z.input<Row['response']> extends readonly (infer Item)[] ? Page<Item> : never);
type ClientOperation<Row extends ClientEndpoint> = (call: ClientCall<Row>) => Promise<ClientResult<Row> | Reply<ClientResult<Row>>>;

/**
 * Returns the product whose API key a request contains, or a refusal (401). The product comes from the cache, or from the table if the
 * cache does not have a product with this key. A refusal is counted and does not reveal whether the product exists.
 */
export async function authenticateProduct(
  app: App,
  event: APIGatewayProxyEvent,
): Promise<Failure | { readonly apiKey: string; readonly known: KnownProduct }> {
  const apiKey = header(event, credentialHeaders.product);
  const id = pathId.safeParse(event.pathParameters?.['id']);
  if (apiKey === undefined || !id.success) return refuseKey(app, event, apiKey);
  const known = app.products.get(id.data);
  if (known && acceptsApiKey(known.product, apiKey, app.clock())) return { apiKey, known };
  const product = await getProduct(app.table, id.data);
  return acceptsApiKey(product, apiKey, app.clock()) ? { apiKey, known: app.products.put(product) } : refuseKey(app, event, apiKey);
}

/** Returns a refusal (401), which is counted and logged if the request contained an API key. */
const refuseKey = async (app: App, event: APIGatewayProxyEvent, apiKey: string | undefined): Promise<Failure> =>
  apiKey === undefined ? fail('unauthorized') : refuseCredential('refused.api_key', event.resource, await originOf(app, event));

/**
 * Creates the handler of a client route. Usually the product is cached, so that one BatchGet reads everything else; once a minute the
 * BatchGet also reads the product. Credentials are checked before everything else. An API key that does not match the cached product is
 * checked again with the current product, so that a new API key works at once. A caller without the product's API key learns nothing from
 * the refusal (401): neither the response nor its duration shows whether the product exists or the request was valid.
 */
export function serveClient<const Row extends ClientEndpoint>(row: Row, operation: ClientOperation<Row>): Handler {
  // The event that a successful request usually records; undefined if such a request, for example a validation, usually records no event.
  const [recorded] = row.method === 'POST' ? (row.emits ?? []) : [];
  const run: Handler = async (event, context) => {
    const app = appOf(context);
    const caller = await authenticateProduct(app, event);
    if (isFailure(caller)) return failureResponse(row, event, caller);
    const { apiKey, known } = caller;
    const productId = known.product.id;

    const input = parseRequest(row, event);
    if (isFailure(input)) return failureResponse(row, event, input);

    const claim = (row.body ? input.body : input.query) as Claim<Row>;
    const { key, fingerprint } = claim as { key: string; fingerprint?: string | null };
    const signs = row.secrets?.includes('signingKey') ?? false;
    const state = await readActivation(app.table, productId, lookupKey(key), fingerprint ?? undefined, {
      // If the cached product does not send this event to a webhook, the product is read again, because its webhook may have been set or
      // changed in the meantime.
      product: !known.isFresh || (recorded !== undefined && !isPosted(known.product, recorded)),
      seeds: signs && !(known.isFresh && known.hasSeeds),
    });
    // A fresh cached product is used for signing even if the product was read again because of its webhook. The cache contains the seed of
    // the cached product's signing key, but the product that was just read may have a newer signing key.
    const product = known.isFresh ? known.product : state.product;
    if (!acceptsApiKey(product, apiKey, app.clock())) return failureResponse(row, event, await refuseKey(app, event, apiKey));
    if (!known.isFresh || state.seeds) app.products.put(product, state.seeds);

    const { license, device, deadKeyOf } = state;
    const result = await operation({
      claim,
      query: input.query,
      product,
      readProduct: state.product,
      license,
      deadKeyOf,
      deviceToken: header(event, DEVICE_TOKEN_HEADER),
      device,
      app,
      now: app.clock(),
    });
    const reason = reasonOf(result, license !== undefined || deadKeyOf !== undefined);
    if (reason)
      await recordRefusal(app, {
        ...factsOf(claim, device),
        product_id: productId,
        license_id: license?.id ?? deadKeyOf ?? null,
        reason,
        key,
      });
    return response(row, event, result);
  };
  const pipeline = middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable));
  return pipeline.handler(run);
}

/** The facts about the device and the app that a request contains. */
export const factsOf = (claim: unknown, device?: Device): Pick<Refused, 'fingerprint' | 'name' | 'platform' | 'version'> => {
  const { fingerprint, name, platform, version, release } = claim as {
    readonly [field in 'fingerprint' | 'name' | 'platform' | 'version']?: string | null;
  } & { readonly release?: { readonly version?: string | null } | null };
  return {
    fingerprint: fingerprint ?? null,
    name: name || device?.name || null,
    platform: platform || device?.platform || null,
    version: release?.version ?? version ?? null,
  };
};

export interface ProductCall<Row extends ClientEndpoint> {
  readonly claim: Claim<Row>;
  /** The product, which was read at most a minute ago. */
  readonly product: Product;
  readonly app: App;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

/** Creates the handler of a route that a client app calls without a license key. */
export function serveProduct<const Row extends ClientEndpoint>(
  row: Row,
  operation: (call: ProductCall<Row>) => Promise<ClientResult<Row> | Reply<ClientResult<Row>>>,
): Handler {
  const run: Handler = async (event, context) => {
    const app = appOf(context);
    const caller = await authenticateProduct(app, event);
    if (isFailure(caller)) return failureResponse(row, event, caller);
    const { apiKey, known } = caller;
    const input = parseRequest(row, event);
    if (isFailure(input)) return failureResponse(row, event, input);

    const product = known.isFresh ? known.product : await getProduct(app.table, known.product.id);
    if (!acceptsApiKey(product, apiKey, app.clock())) return failureResponse(row, event, await refuseKey(app, event, apiKey));
    const claim = (row.body ? input.body : input.query) as Claim<Row>;
    return response(row, event, await operation({ claim, product, app, now: app.clock() }));
  };
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);
}

/** The data for a signed verdict. */
type VerdictCall = Pick<ClientCall<ClientEndpoint>, 'app' | 'product' | 'now'> & { readonly claim: { readonly fingerprint: string } };

/** Adds a signed verdict about a license to a response. If `status` is undefined, the response needs no verdict and is returned unchanged. */
export async function withVerdict<Result>(
  { app, product, now, claim }: VerdictCall,
  licenseId: number,
  result: Result,
  status: VerdictStatus | undefined,
): Promise<Result | Reply<Result>> {
  if (status === undefined) return result;
  const verdict = signVerdict(await app.products.signer(product), { licenseId, slug: product.slug }, status, claim.fingerprint, now);
  return new Reply(result, { headers: { [VERDICT_HEADER]: verdict } });
}
