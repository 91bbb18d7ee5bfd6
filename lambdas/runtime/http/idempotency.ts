import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { REPLAYED_HEADER } from '../../contract/edge';
import type { Endpoint } from '../../contract/endpoint';
import { fail, isFailure } from '../../contract/errors';
import { license, type LicenseView } from '../../contract/resources';
import { findStoredResponse, hashBody, storeResponse, type IdempotentRequest } from '../../store/idempotency';
import { RESPONSE_EXISTS, type Action } from '../../store/transaction';
import type { ApiRequest, Input } from './request';
import { failureResponse, rawResponse, successBody } from './response';

/**
 * The `Idempotency-Key` header: if a client repeats a request with the same idempotency key within 24 hours, the request takes effect only
 * once, and the client gets the first response again.
 */

/**
 * The additional data with which a stored response is encrypted. This data binds the response to its request: if the response is copied to
 * the row of another request, it cannot be decrypted there. Otherwise the copy could reveal API keys and buyers' data.
 */
const additionalData = ({ scope, key }: IdempotentRequest): string => `idempotency/${scope}/${key}`;

/**
 * The canonical form of a body: its declared fields with their parsed values, sorted by name. The form contains only fields that the client
 * sent. If the form also contained default values, a new default in a later version of the service would make a retry look like a different
 * request.
 */
function canonical(sent: unknown, parsed: unknown): string {
  if (Array.isArray(sent) && Array.isArray(parsed)) return `[${parsed.map((item, index) => canonical(sent[index], item)).join()}]`;
  if (!isObject(sent) || !isObject(parsed)) return JSON.stringify(parsed) ?? 'null';
  const names = Object.keys(parsed).filter((name) => Object.hasOwn(sent, name));
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(sent[name], parsed[name])}`)
    .join()}}`;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The request's identity; undefined if the client sent no idempotency key or the endpoint does not support it. */
export function idempotentRequest({
  row,
  params,
  body,
  sentBody,
  idempotencyKey,
}: Pick<IdempotentCall, 'row' | keyof Input<Endpoint>>): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  const { id } = params as { id?: number };
  return {
    scope: `${row.name}/${Object.values(params).join('/')}`,
    key: idempotencyKey,
    bodyHash: hashBody(canonical(sentBody, body)),
    ...(row.subject === 'license' && typeof id === 'number' && { licenseId: id }),
  };
}

/**
 * Returns the stored response if the request was already executed. Returns a refusal if the earlier request with the same idempotency key
 * had a different body.
 */
async function replay({ app, row, event }: ApiRequest, request: IdempotentRequest): Promise<APIGatewayProxyResult | undefined> {
  const stored = await findStoredResponse(app.table, request);
  if (!stored) return undefined;
  if (stored.bodyHash !== request.bodyHash) return failureResponse(row, event, fail('idempotency_mismatch'));
  const body = (await app.secrets.open('stored_response', stored.sealedResponse, additionalData(request))).toString();
  const response = rawResponse(row, event, body);
  return { ...response, headers: { ...response.headers, [REPLAYED_HEADER]: 'true' } };
}

/** Returns a function that creates the action to store a response. The action is undefined if the client sent no idempotency key. */
async function responseStorer({ app, row }: ApiRequest, request: IdempotentRequest): Promise<(response: unknown) => Action | undefined> {
  const seal = await app.secrets.sealer('stored_response');
  return (response) => {
    // A response with data of a license's buyer is stored with the license's id, so that erasing the buyer also deletes the response.
    const licenseId = row.response === license ? (response as LicenseView).id : request.licenseId;
    return storeResponse(app.table, request, seal('stored_response', successBody(row, response, true), additionalData(request)), licenseId);
  };
}

type IdempotentCall = ApiRequest &
  Input<Endpoint> & { idempotentRequest?: IdempotentRequest; storeResponse?: (response: unknown) => Action | undefined };

/**
 * The step of the pipeline that responds to a repeated request with the stored response. The step also gives the operation a function that
 * creates the action to store its response.
 */
export const idempotency: MiddlewareObj<IdempotentCall> = {
  before: async ({ event: call }) => {
    const request = idempotentRequest(call);
    call.storeResponse = () => undefined;
    if (!request) return undefined;
    const repeated = await replay(call, request);
    if (repeated) return repeated;
    call.idempotentRequest = request;
    call.storeResponse = await responseStorer(call, request);
    return undefined;
  },
  after: async ({ event: call, response: result }) => {
    if (!call.idempotentRequest || (result !== RESPONSE_EXISTS && !isFailure(result))) return undefined;
    // The client may have sent the same request twice at the same time. If the other copy has committed since this request looked for a
    // stored response, the response of that copy is returned.
    const faster = await replay(call, call.idempotentRequest);
    return faster ?? (result === RESPONSE_EXISTS ? failureResponse(call.row, call.event, fail('unavailable')) : undefined);
  },
};
