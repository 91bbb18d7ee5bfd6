/**
 * Runs inside a worker thread: one instance of a function. Loads the bundle, then handles one event
 * at a time. Compiled on its own (see lambda-instance.ts), so it imports nothing of this folder but types.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** What an instance is started with. */
export interface InstanceData {
  readonly codeFolder: string;
  /** `file.export`, as in the template. */
  readonly handler: string;
}

/** An event to handle. */
export interface InvokeMessage {
  /** The event as JSON. */
  readonly event: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly invokedFunctionArn: string;
  /** Epoch milliseconds at which the function's time is up. */
  readonly deadline: number;
}

/** An error as Lambda reports it to the caller. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stackTrace?: readonly string[];
}

/** `ready` and `broken` tell of the load, the others end an invocation. */
export type InstanceMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'failure'; readonly error: FunctionError };

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort!;
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
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<InstanceMessage> {
  process.env['_X_AMZN_TRACE_ID'] = message.traceId;
  try {
    const result = await handler(JSON.parse(message.event), context(message));
    return { type: 'result', payload: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    return { type: 'failure', error: describe(error) };
  }
}

load(workerData as InstanceData).then(
  (handler) => {
    port.on('message', (message: InvokeMessage) => void invoke(handler, message).then(send));
    send({ type: 'ready' });
  },
  (error: unknown) => send({ type: 'broken', error: describe(error) }),
);
