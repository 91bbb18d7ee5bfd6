import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Endpoint } from '../../contract/endpoint';
import type { Failure } from '../../contract/errors';
import type { App } from '../app';
import { errorHandler } from './error-handler';
import { parseRequest, type Input } from './request';
import { response, type NOTHING, type Redirect } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/** An endpoint that requires a license key or an offline token, unless the downloads of the product are public. */
type LicensedEndpoint = Endpoint & { readonly credential: 'license' };

export interface LicensedCall<Row extends LicensedEndpoint> {
  readonly app: App;
  readonly event: APIGatewayProxyEvent;
  /** The parsed request, or a refusal of its format. The operation must check the credential before it returns this refusal. */
  readonly input: Failure | Input<Row>;
}

/**
 * Creates the handler of an endpoint whose operation identifies the caller. The operation reads the caller's license in the same round trip
 * as the requested data.
 */
export function serveLicensed<const Row extends LicensedEndpoint>(
  row: Row,
  operation: (call: LicensedCall<Row>) => Promise<z.input<Row['response']> | Failure | Redirect | typeof NOTHING>,
): Handler {
  const run: Handler = async (event, context) =>
    response(row, event, await operation({ app: appOf(context), event, input: parseRequest(row, event) }));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);
}
