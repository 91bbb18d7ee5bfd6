/**
 * The entry point of a worker thread that runs one instance of a function. It enforces the function's role, loads the bundle and then
 * handles one event at a time. It is bundled separately (see lambda-instance.ts).
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { holdToRole, type Caller } from './function-calls';

/** The data that a new instance receives. */
export interface InstanceData {
  readonly codeFolder: string;
  /** The handler in the template's format, `file.export`. */
  readonly handler: string;
  readonly caller: Caller;
}

/** The message that asks the instance to handle an event. */
export interface InvokeMessage {
  /** The event as JSON. */
  readonly event: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly invokedFunctionArn: string;
  /** The end of the function's timeout, in epoch milliseconds. */
  readonly deadline: number;
  /** The number of milliseconds by which the function's clock is ahead of the real time (see clock.ts). */
  readonly advancedMs: number;
}

/** An error in the format in which Lambda reports it to the caller. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stackTrace?: readonly string[];
}

/**
 * A message from an instance. `ready` and `broken` report the result of loading; `result` and `failure` report the result of an invocation.
 */
export type InstanceMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'failure'; readonly error: FunctionError };

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort!;

/*
 * The test clock replaces `Date.now`, which functions use for their decisions. `new Date()` and timers use the real time, so that measured
 * durations and timestamps for other systems, such as a webhook's timestamp, stay correct.
 */
const realNow = Date.now;
let advancedMs = 0;
Date.now = () => realNow() + advancedMs;

const send = (message: InstanceMessage): void => port.postMessage(message);

const describe = (error: unknown): FunctionError =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, stackTrace: (error.stack ?? '').split('\n') }
    : { errorType: typeof error, errorMessage: String(error), stackTrace: [] };

async function load({ codeFolder, handler }: InstanceData): Promise<Handler> {
  const dot = handler.lastIndexOf('.');
  const base = join(codeFolder, handler.slice(0, dot));
  const file = ['.js', '.mjs', '.cjs'].map((extension) => base + extension).find(existsSync);
  if (!file) throw Object.assign(new Error(`Cannot find module '${handler.slice(0, dot)}'`), { name: 'Runtime.ImportModuleError' });
  const loaded = (file.endsWith('.mjs') ? await import(pathToFileURL(file).href) : createRequire(file)(file)) as Record<string, unknown>;
  const found = loaded[handler.slice(dot + 1)];
  if (typeof found !== 'function') {
    throw Object.assign(new Error(`${handler} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  }
  return found as Handler;
}

function context({ requestId, invokedFunctionArn, deadline }: InvokeMessage): object {
  const { env } = process;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'],
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'],
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
    logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'],
    logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'],
    invokedFunctionArn,
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, deadline - realNow()),
  };
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<InstanceMessage> {
  process.env['_X_AMZN_TRACE_ID'] = message.traceId;
  // The clock is set only at the start of an event. An instance handles one event at a time, so the clock does not jump during an event.
  advancedMs = message.advancedMs;
  try {
    const result = await handler(JSON.parse(message.event), context(message));
    return { type: 'result', payload: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    return { type: 'failure', error: describe(error) };
  }
}

/**
 * Names the thread after its function, so that `top -H` and the benchmark show which function is running. Only Linux supports this; a name
 * has at most 15 bytes.
 */
function nameThread(functionName: string): void {
  const comm = '/proc/thread-self/comm';
  // The name omits the hash at the end of the logical id.
  if (existsSync(comm)) writeFileSync(comm, functionName.replace(/[0-9A-F]{8}$/, '').slice(0, 15));
}

const data = workerData as InstanceData;
nameThread(process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'function');
holdToRole(data.caller, (reason) => process.stderr.write(`WARN ${reason}\n`));
load(data).then(
  (handler) => {
    port.on('message', (message: InvokeMessage) => void invoke(handler, message).then(send));
    send({ type: 'ready' });
  },
  (error: unknown) => send({ type: 'broken', error: describe(error) }),
);
