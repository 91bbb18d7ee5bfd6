import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Endpoint } from '../../contract/endpoint';
import type { Failure } from '../../contract/errors';
import type { RequestOrigin } from '../../domain/audit';
import type { App } from '../app';
import { originOf } from './request-origin';
import { errorHandler } from './error-handler';
import { response, type PlainText } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/** An endpoint whose caller signs the request body. */
type SignedEndpoint = Endpoint & { readonly credential: 'signature' };

export interface SignedCall {
  /** The unchanged bytes of the body. The bytes must not be parsed before the signature is verified. */
  readonly bytes: Uint8Array;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly origin: RequestOrigin;
  readonly app: App;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

/** Creates the handler of a route with a raw body. The operation verifies the body's signature. */
export function serveSigned<const Row extends SignedEndpoint>(
  row: Row,
  operation: (call: SignedCall) => Promise<z.input<Row['response']> | PlainText | Failure>,
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
