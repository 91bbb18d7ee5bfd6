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

/** A row whose caller signs the bytes that it sends. */
type SignedEndpoint = Endpoint & { readonly credential: 'signature' };

export interface SignedCall {
  /** The body exactly as it came: nothing may parse it before its signature is verified. */
  readonly bytes: Uint8Array;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly origin: RequestOrigin;
  readonly app: App;
  /** Epoch ms. */
  readonly now: number;
}

/** Makes the handler of a route that takes raw bytes; the operation verifies them. */
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
