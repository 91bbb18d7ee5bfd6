import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Intercepts the calls of a table's client, to count them and to inject faults. A call is intercepted once, even if the SDK retries it. */

/** A call to the table that an interceptor sees. */
export interface Call {
  /** `GetItem`, `BatchGetItem`, `TransactWriteItems` … */
  readonly operation: string;
  readonly input: Record<string, unknown>;
  /** The call's number, starting with 0 for the first call of the client. */
  readonly place: number;
}
type Next = () => Promise<unknown>;

/** Calls the interceptor for every call of the store. `next` executes the call, and the interceptor's result becomes the response. */
export function intercept(client: DynamoDBDocumentClient, interceptor: (call: Call, next: Next) => Promise<unknown>): void {
  let place = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context['commandName'] ?? '').replace(/Command$/, '');
      let result: { output?: unknown } | undefined;
      const output = await interceptor({ operation, input: args.input as Record<string, unknown>, place: place++ }, async () => {
        result = await next(args);
        return result.output;
      });
      return { ...(result ?? { response: undefined }), output } as Awaited<ReturnType<typeof next>>;
    },
    { step: 'serialize', name: `intercept-${Math.random()}`, priority: 'high' },
  );
}

const fault = (name: string, httpStatusCode: number): Error =>
  Object.assign(new Error(`${name} (injected by the test)`), {
    name,
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode },
  });

export const throttled = (): Error => fault('ThrottlingException', 400);
export const overloaded = (): Error => fault('ProvisionedThroughputExceededException', 400);
export const serverError = (): Error => fault('InternalServerError', 500);
export const unavailable = (): Error => fault('ServiceUnavailable', 503);
export const timedOut = (): Error => Object.assign(new Error('socket hang up (injected by the test)'), { name: 'TimeoutError' });
export const reset = (): Error => Object.assign(new Error('read ECONNRESET (injected by the test)'), { code: 'ECONNRESET' });
export const conflicted = (): Error => fault('TransactionConflictException', 400);

type Cancellation = 'TransactionConflict' | 'ThrottlingError' | 'ProvisionedThroughputExceeded' | 'ConditionalCheckFailed' | 'None';

/** The error of a transaction that DynamoDB cancelled, with a reason for each action. */
export const cancelledFor = (codes: readonly Cancellation[]): Error =>
  new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}] (injected by the test)`,
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code): CancellationReason => ({ Code })),
  });

/** The error of a transaction that DynamoDB cancelled because of one action: a conflict with another transaction, or throttling. */
export const cancelled = (code: Cancellation, actions: number, at = 0): Error =>
  cancelledFor(Array.from({ length: actions }, (_, place) => (place === at ? code : 'None')));

export const actionsOf = ({ input }: Call): number => (input['TransactItems'] as unknown[]).length;

/** Repeatable random numbers below 1: the same seed gives the same numbers. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The key of an item, in the form in which requests and responses contain it. */
interface Located {
  readonly pk: { readonly S: string };
  readonly sk: { readonly S: string };
}

/** Executes a BatchGetItem call, but returns some of its keys as unprocessed. */
export async function leaveUnprocessed({ input }: Call, next: Next, leaves: () => boolean): Promise<unknown> {
  const requested = input['RequestItems'] as Record<string, { Keys: Located[] }>;
  const [[table, { Keys, ...options }]] = Object.entries(requested) as [[string, { Keys: Located[] }]];
  const left = Keys.filter(leaves);
  const isLeft = ({ pk, sk }: Located): boolean => left.some((key) => key.pk.S === pk.S && key.sk.S === sk.S);
  const output = (await next()) as { Responses: Record<string, Located[]> };
  return {
    ...output,
    Responses: { [table]: (output.Responses[table] ?? []).filter((item) => !isLeft(item)) },
    UnprocessedKeys: left.length > 0 ? { [table]: { ...options, Keys: left } } : {},
  };
}

/**
 * Injects all kinds of faults between the store and the table at random, while `active` is set.
 *
 * @param torn whether a BatchGetItem call may return keys as unprocessed, so that the store reads rows at different times
 */
export function randomFaults(client: DynamoDBDocumentClient, seed: number, rate: number, torn = true): { count: number; active: boolean } {
  const chance = chances(seed);
  const faults = { count: 0, active: true };
  const pick = (errors: readonly (() => Error)[]): Error => {
    faults.count += 1;
    return errors[Math.floor(chance() * errors.length)]!();
  };
  intercept(client, async (call, next) => {
    if (!faults.active) return next();
    if (chance() < rate) {
      const before = [throttled, overloaded, serverError, unavailable, timedOut, reset];
      if (call.operation === 'TransactWriteItems') {
        const size = actionsOf(call);
        before.push(
          () => cancelled('TransactionConflict', size, size - 1),
          () => cancelled('ThrottlingError', size),
        );
      }
      throw pick(before);
    }
    if (torn && call.operation === 'BatchGetItem' && chance() < rate) {
      faults.count += 1;
      return leaveUnprocessed(call, next, () => chance() < 0.5);
    }
    const output = await next();
    // The call was executed, but its response is lost.
    if (chance() < rate) throw pick([timedOut, reset, serverError]);
    return output;
  });
  return faults;
}
