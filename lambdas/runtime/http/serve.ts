import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Credential, Endpoint } from '../../contract/endpoint';
import { isFailure, type Failure } from '../../contract/errors';
import type { Action, ResponseExists } from '../../store/transaction';
import { isTransient, StoreUnavailable } from '../../store/table';
import { getApp, timeLimits, type App, type Invocation } from '../app';
import { faultResponse } from './fault-response';
import type { Page } from './paging';
import { parseRequest, type ApiRequest, type Input } from './request';
import { failureResponse, response, type NOTHING, type PlainText, type Redirect, type Reply } from './response';

/** Who may call an endpoint, and what the pipeline reads for the caller before the operation runs. The call contains the results of both. */
export interface Access<C extends Credential, Caller = unknown, Loaded = unknown> {
  /** Checks the credential. It runs before the request is parsed, so that a caller without a credential learns nothing about the format. */
  readonly authenticate?: (request: ApiRequest<C>) => Promise<Failure | Caller>;
  /** Reads what the operation needs, and checks whether the caller may use the resource in the path. */
  readonly load?: (request: ApiRequest<C> & Input<Endpoint> & Caller) => Promise<Failure | Loaded>;
  /** Responds to a repeated request with the stored response. It is part of the access, because only bundles that need it contain it. */
  readonly idempotency?: MiddlewareObj<ApiRequest & Input<Endpoint>>;
  /** Runs after the operation. */
  readonly after?: (call: ApiRequest<C> & Caller & Loaded, result: unknown) => Promise<void>;
}

/** The access to an endpoint without a credential. */
export const anyone: Access<'none'> = {};

/**
 * The access to an endpoint whose operation checks the credential, because the check needs the whole request or reads the same rows as the
 * operation. The operation also parses the request.
 */
export const checkedByOperation: Access<'license' | 'signature'> = {};

/** The parsed request. An operation that checks the credential itself also parses the request itself. */
type ParsedBefore<Row extends Endpoint> = Row['credential'] extends 'license' | 'signature' ? unknown : Input<Row>;

/** The argument of an operation. It also contains what the access has found. */
export type Call<Row extends Endpoint> = ParsedBefore<Row> & {
  readonly app: App;
  readonly event: APIGatewayProxyEvent;
  /** The time of the request, in epoch ms. It stays the same during the whole operation. */
  readonly now: number;
} & (Row['credential'] extends 'admin' ? ResponseStorer<Row> : unknown);

interface ResponseStorer<Row extends Endpoint> {
  /**
   * Creates the action that stores the response in the same transaction as the operation's effect. The action is undefined if the client
   * sent no `Idempotency-Key` or the endpoint does not support it.
   */
  readonly storeResponse: (response: z.input<Row['response']>) => Action | undefined;
}

type Success<Row extends Endpoint> = z.input<Row['response']> | Redirect | PlainText | typeof NOTHING;

type Result<Row extends Endpoint> =
  | Success<Row>
  | Failure
  | Reply<Success<Row> | Failure>
  | ResponseExists
  | (z.input<Row['response']> extends readonly (infer Item)[] ? Page<Item> : never);

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** What the steps of the pipeline know about a request. Each step may use only what the steps before it have added. */
type State = ApiRequest & Input<Endpoint> & { readonly now: number; readonly seesSecrets?: boolean };
type Step = MiddlewareObj<State>;

/** An access and an operation without the types of their endpoint, as the steps use them. */
interface Untyped {
  readonly authenticate?: (state: State) => unknown;
  readonly load?: (state: State) => unknown;
  readonly after?: (state: State, result: unknown) => Promise<void>;
  readonly operation: (state: State) => unknown;
}

/** A step that adds the result of a function to the call. If the result is a refusal, the request ends with it. */
const add = (find: (state: State, context: Invocation) => unknown): Step => ({
  before: async ({ event: state, context }) => {
    const found = await find(state, context);
    if (isFailure(found)) return failureResponse(state.row, state.event, found);
    Object.assign(state, found);
    return undefined;
  },
});

/** Returns the app for one request. The app's time limits are computed from the remaining time of the function. */
function appOf(context: Invocation): App {
  const app = getApp(context);
  return app.within(timeLimits(app.realClock(), context));
}

/** Turns a fault into a response: 503 if a fault of the table is temporary, otherwise 500. */
const faults: Step = {
  onError: ({ error, event: { row, event } }) => faultResponse(row, event, error, error instanceof StoreUnavailable || isTransient(error)),
};

/** Turns the result into a response. The response contains only the fields that the row declares and that the caller may see. */
const rendering: Step = {
  after: (request) => {
    const { row, event, seesSecrets } = request.event;
    request.response = response(row, event, request.response, seesSecrets);
  },
};

/**
 * Creates an endpoint's Lambda handler. The handler runs the steps in their order, then the operation, and then the parts of the steps that
 * handle the result, in the opposite order.
 *
 * @param operation the function that implements the endpoint. It returns refusals as values and throws exceptions for
 * faults.
 */
export function serve<const Row extends Endpoint, Caller, Loaded>(
  row: Row,
  access: Access<Row['credential'], Caller, Loaded>,
  operation: (call: Call<Row> & Caller & Loaded) => Promise<Result<Row>> | Result<Row>,
): Handler {
  const isParsed = row.credential !== 'license' && row.credential !== 'signature';
  const { authenticate, load, after, operation: operate } = { ...access, operation } as unknown as Untyped;
  const steps: readonly Step[] = [
    faults,
    rendering,
    add((_, context) => ({ app: appOf(context) })),
    add((state) => authenticate?.(state)), // refuses with 401, 403, or 404 if the portal does not exist
    add((state) => isParsed && parseRequest(row, state.event)), // refuses with 422, or 404 if the path can name no resource
    add((state) => load?.(state)), // refuses with 404, or 401 if the API key has been replaced
    ...(access.idempotency ? [access.idempotency] : []),
    add(({ app }) => ({ now: app.clock() })),
    { after: ({ event, response: result }) => after?.(event, result) },
  ];
  const pipeline = middy(operate).use([...steps]);
  return (event, context) => pipeline({ row, event } as State, context) as Promise<APIGatewayProxyResult>;
}
