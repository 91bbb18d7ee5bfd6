import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { Endpoint } from '../../contract/endpoint';
import type { Failure } from '../../contract/errors';
import type { RequestOrigin } from '../../domain/audit';
import type { App } from '../app';
import { originOf } from './request-origin';
import { errorHandler } from './error-handler';
import { response } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/** A row whose caller signs the request body. */
type SignedEndpoint = Endpoint & { readonly credential: 'signature' };

export interface SignedCall {
  /** The unchanged body: it must not be parsed before its signature is verified. */
  readonly bytes: Uint8Array;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly origin: RequestOrigin;
  readonly app: App;
  /** Epoch ms. */
  readonly now: number;
}

/** Makes the handler of a route with a raw body, which the operation verifies. */
export function serveSigned<const Row extends SignedEndpoint>(
  row: Row,
  operation: (call: SignedCall) => Promise<z.input<Row['response']> | Failure>,
): Handler {
  const run: Handler = async (event, context) => {
    const app = appOf(context);
    const headers = Object.fromEntries(Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
    const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    return response(
      row,
      event,
      await operation({ bytes, headers, params: event.pathParameters ?? {}, origin: await originOf(app, event), app, now: app.clock() }),
    );
  };
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);
}
