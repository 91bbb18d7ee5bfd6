import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint } from '../../contract/endpoint';
import { fail } from '../../contract/errors';
import { license, type LicenseView } from '../../contract/resources';
import { findStoredResponse, hashBody, storeResponse, type IdempotentRequest } from '../../store/idempotency';
import type { Action } from '../../store/transaction';
import type { App } from '../app';
import type { Input } from './request';
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
export function idempotentRequest<Row extends Endpoint>(
  row: Row,
  { params, body, sentBody, idempotencyKey }: Input<Row>,
): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  const { id = '' } = params as { id?: number };
  return {
    scope: `${row.name}/${id}`,
    key: idempotencyKey,
    bodyHash: hashBody(canonical(sentBody, body)),
    ...(row.subject === 'license' && typeof id === 'number' && { licenseId: id }),
  };
}

/**
 * Returns the stored response if the request was already executed. Returns a refusal if the earlier request with the same idempotency key
 * had a different body.
 */
export async function replay(
  app: App,
  row: Endpoint,
  event: APIGatewayProxyEvent,
  request: IdempotentRequest,
): Promise<APIGatewayProxyResult | undefined> {
  const stored = await findStoredResponse(app.table, request);
  if (!stored) return undefined;
  if (stored.bodyHash !== request.bodyHash) return failureResponse(row, event, fail('idempotency_mismatch'));
  return rawResponse(row, event, (await app.secrets.open('stored_response', stored.sealedResponse, additionalData(request))).toString());
}

/** Returns a function that creates the action to store a response. The action is undefined if the client sent no idempotency key. */
export async function responseStorer(
  app: App,
  row: Endpoint,
  request: IdempotentRequest | undefined,
): Promise<(response: unknown) => Action | undefined> {
  if (!request) return () => undefined;
  const seal = await app.secrets.sealer('stored_response');
  return (response) => {
    // A response with data of a license's buyer is stored with the license's id, so that erasing the buyer also deletes the response.
    const licenseId = row.response === license ? (response as LicenseView).id : request.licenseId;
    return storeResponse(app.table, request, seal('stored_response', successBody(row, response, true), additionalData(request)), licenseId);
  };
}
