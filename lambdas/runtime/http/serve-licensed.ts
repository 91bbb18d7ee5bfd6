import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { Endpoint } from '../../contract/endpoint';
import type { Failure } from '../../contract/errors';
import type { App } from '../app';
import { errorHandler } from './error-handler';
import { parseRequest, type Input } from './request';
import { response, type NOTHING, type Redirect } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/** A row whose caller is a license, or anybody if the downloads of the product are public. */
type LicensedEndpoint = Endpoint & { readonly credential: 'license' };

export interface LicensedCall<Row extends LicensedEndpoint> {
  readonly app: App;
  readonly event: APIGatewayProxyEvent;
  /** The parsed request. A refusal is returned after the check of the credential, which comes first. */
  readonly input: Failure | Input<Row>;
}

/** Makes the handler of a row whose operation identifies the caller itself, in the round trip that reads what is asked for. */
export function serveLicensed<const Row extends LicensedEndpoint>(
  row: Row,
  operation: (call: LicensedCall<Row>) => Promise<z.input<Row['response']> | Failure | Redirect | typeof NOTHING>,
): Handler {
  const run: Handler = async (event, context) =>
    response(row, event, await operation({ app: appOf(context), event, input: parseRequest(row, event) }));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);
}
