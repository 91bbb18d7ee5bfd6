import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { isAudited, type Endpoint } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { seesSecrets } from '../../contract/secret';
import type { Actor } from '../../domain/actor';
import { RESPONSE_EXISTS, type Action, type ResponseExists } from '../../store/transaction';
import { isTransient, StoreUnavailable } from '../../store/table';
import { getApp, timeLimits, type App, type Invocation } from '../app';
import { auditTrailOf } from './audit-trail';
import { authenticateAdmin } from './authenticate-admin';
import { refuseOtherProduct, refuseScope } from './authorize';
import { errorHandler } from './error-handler';
import { idempotentRequest, replay, responseStorer } from './idempotency';
import type { Page } from './paging';
import { parseRequest, type Input } from './request';
import { failureResponse, response, type Reply } from './response';

/** The argument of an operation: its parsed input, the app and the time of the request. */
export interface Call<Row extends Endpoint> extends Input<Row> {
  readonly app: App;
  /** Who makes the request; undefined if the endpoint needs no credential. */
  readonly actor: Row['credential'] extends 'admin' ? Actor : undefined;
  /** The time of the request, in epoch ms. It stays the same during the whole request. */
  readonly now: number;
  readonly event: APIGatewayProxyEvent;
  /**
   * Creates the action that stores the response in the same transaction as the operation's effect. The action is undefined if the client
   * sent no `Idempotency-Key` or the endpoint does not support it.
   */
  readonly storeResponse: (response: z.input<Row['response']>) => Action | undefined;
}

type ResultOf<Row extends Endpoint> =
  | z.input<Row['response']>
  | Reply<z.input<Row['response']>>
  | Failure
  | ResponseExists
  | (z.input<Row['response']> extends readonly (infer Item)[] ? Page<Item> : never);

/**
 * The function that implements an endpoint. Each file in `lambdas/api` contains one operation of 10 to 40 lines. An operation returns
 * refusals as values and throws exceptions for faults.
 */
export type Operation<Row extends Endpoint> = (call: Call<Row>) => Promise<ResultOf<Row>> | ResultOf<Row>;

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Returns the app for one request. The app's time limits are computed from the remaining time of the function. */
export function appOf(context: Invocation): App {
  const app = getApp(context);
  return app.within(timeLimits(app.clock(), context));
}

/** Whether an error of the table is temporary. */
export const isRetryable = (error: unknown): boolean => error instanceof StoreUnavailable || isTransient(error);

/**
 * Creates an endpoint's Lambda handler. The handler checks in this order: the credentials (401), the admin token's permissions (403), the
 * format of the request (422), and whether the path identifies a resource that the token may access (404). After these checks, a request
 * that repeats an earlier request with the same `Idempotency-Key` gets the stored response, or a refusal if the two bodies differ.
 * Otherwise the handler runs the operation. The response contains only the fields that the endpoint's schema declares and that the caller
 * may see.
 */
export function serve<const Row extends Endpoint>(row: Row, operation: Operation<Row>): Handler {
  const run: Handler = async (event, context) => {
    const app = appOf(context);
    const actor = row.credential === 'admin' ? await authenticateAdmin(app, event) : undefined;
    if (isFailure(actor)) return failureResponse(row, event, actor);
    const forbidden = actor && refuseScope(row, actor);
    if (forbidden) return failureResponse(row, event, forbidden);

    const input = parseRequest(row, event);
    if (isFailure(input)) return failureResponse(row, event, input);
    const hidden = actor && (await refuseOtherProduct(app, row, input.params, actor));
    if (hidden) return failureResponse(row, event, hidden);

    const request = idempotentRequest(row, input);
    const repeated = request && (await replay(app, row, event, request));
    if (repeated) return repeated;

    const storeResponse = await responseStorer(app, row, request);
    // From here on, the first transaction of an admin write also writes its entry in the audit log.
    const recording = actor && isAudited(row) ? app.recording(await auditTrailOf(app, row, input, actor, event)) : app;
    const result = await operation({
      ...input,
      app: recording,
      actor: actor as Call<Row>['actor'],
      event,
      now: app.clock(),
      storeResponse,
    });
    // The client may have sent the same request twice at the same time. If the other copy has committed since this request looked for a
    // stored response, the response of that copy is returned.
    const faster = request && (result === RESPONSE_EXISTS || isFailure(result)) ? await replay(app, row, event, request) : undefined;
    if (faster) return faster;
    return response(row, event, result === RESPONSE_EXISTS ? fail('unavailable') : result, !actor || seesSecrets(actor.scopes));
  };

  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);
}
