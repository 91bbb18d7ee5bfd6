import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint } from '../../contract/endpoint';
import { fail } from '../../contract/errors';
import { bodyHash, findStoredResponse, storeResponse, type IdempotentRequest } from '../../store/idempotency';
import type { Action } from '../../store/transaction';
import type { App } from '../app';
import type { Input } from './request';
import { failureResponse, rawResponse, successBody } from './response';

/** The `Idempotency-Key` header: one effect and one answer for a request that is sent again within 24 hours. */

/** Answers are sealed: they carry API keys and buyers' data. */
const additionalData = ({ scope, key }: IdempotentRequest): string => `idempotency/${scope}/${key}`;

/** The request's identity; undefined where the client gave no key or the row honours none. */
export function idempotentRequest<Row extends Endpoint>(row: Row, { params, body, idempotencyKey }: Input<Row>): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  const { id = '' } = params as { id?: number };
  return { scope: `${row.name}/${id}`, key: idempotencyKey, bodyHash: bodyHash(body) };
}

/** The first answer, where there is one; a refusal where it was to another body. */
export async function replay(
  app: App,
  row: Endpoint,
  event: APIGatewayProxyEvent,
  request: IdempotentRequest,
): Promise<APIGatewayProxyResult | undefined> {
  const first = await findStoredResponse(app.table, request);
  if (!first) return undefined;
  if (first.bodyHash !== request.bodyHash) return failureResponse(row, event, fail('idempotency_mismatch'));
  return rawResponse(row, event, (await app.secrets.open('stored_response', first.answer, additionalData(request))).toString());
}

/** Makes the action that keeps an answer; it gives none where there is nothing to keep it under. */
export async function responseStorer(
  app: App,
  row: Endpoint,
  request: IdempotentRequest | undefined,
): Promise<(answer: unknown) => Action | undefined> {
  if (!request) return () => undefined;
  const seal = await app.secrets.sealer('stored_response');
  return (answer) => storeResponse(app.table, request, seal('stored_response', successBody(row, answer), additionalData(request)));
}
