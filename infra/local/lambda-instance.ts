import { Worker } from 'node:worker_threads';
import { bundled } from './bundled';
import type { FunctionError, InstanceData, InstanceMessage, InvokeMessage } from './lambda-worker';

/** The function's settings that an instance needs. */
export interface InstanceOptions extends InstanceData {
  readonly env: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  /** Maximum milliseconds for loading the bundle. */
  readonly initLimit: number;
  /** Receives the function's output. */
  readonly log: (text: string) => void;
}

/** The result of an invocation: the payload as JSON, or an error. */
export type InvokeResult = { readonly payload: string } | { readonly error: FunctionError };

const failure = (errorType: string, errorMessage: string): InvokeResult => ({ error: { errorType, errorMessage } });

/**
 * One instance of a function: a worker thread that has loaded the bundle and handles one event at a time. The thread ends when the function
 * crashes or exceeds its timeout.
 */
export class Instance {
  private readonly worker: Worker;
  private settle: ((result: InvokeResult) => void) | undefined;
  private crash: InvokeResult | undefined;
  private readonly initTimer: NodeJS.Timeout;
  /** The monotonic time in milliseconds at which the instance became idle. */
  idleSince = 0;

  /**
   * @param events.onReady called when the bundle is loaded
   * @param events.onEnd called when the thread has ended; `initFailure` is the reason if the thread ended before the bundle was loaded
   */
  constructor(
    options: InstanceOptions,
    private readonly events: { readonly onReady: () => void; readonly onEnd: (initFailure?: InvokeResult) => void },
  ) {
    let ready = false;
    this.worker = new Worker(bundled('lambda-worker.ts'), {
      eval: true,
      workerData: { codeFolder: options.codeFolder, handler: options.handler, caller: options.caller } satisfies InstanceData,
      env: { ...options.env },
      // The thread must not inherit the loaders of the main process.
      execArgv: [],
      argv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    });
    for (const stream of [this.worker.stdout, this.worker.stderr]) stream.setEncoding('utf8').on('data', options.log);
    this.initTimer = setTimeout(() => {
      void this.end(failure('Sandbox.Timedout', `Error: Loading the function timed out after ${options.initLimit / 1000} seconds`));
    }, options.initLimit);

    this.worker.on('message', (message: InstanceMessage) => {
      switch (message.type) {
        case 'ready':
          ready = true;
          clearTimeout(this.initTimer);
          return this.events.onReady();
        case 'broken':
          return void this.end({ error: message.error });
        case 'result':
          return this.finish({ payload: message.payload });
        case 'failure':
          return this.finish({ error: message.error });
      }
    });
    this.worker.on('error', (error: Error & { code?: string }) => {
      this.crash ??=
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? failure('Runtime.OutOfMemory', 'Error: Runtime exited with error: out of memory')
          : {
              error: {
                errorType: error.name ?? 'Error',
                errorMessage: String(error.message ?? error),
                stackTrace: (error.stack ?? '').split('\n'),
              },
            };
      options.log(`ERROR The instance crashed: ${error.stack ?? String(error)}\n`);
    });
    this.worker.on('exit', (code) => {
      clearTimeout(this.initTimer);
      this.crash ??= failure('Runtime.ExitError', `Error: Runtime exited with error: exit status ${code}`);
      this.finish(this.crash);
      this.events.onEnd(ready ? undefined : this.crash);
    });
  }

  /** Handles an event. The promise always resolves, at the latest shortly after the timeout. */
  invoke(message: InvokeMessage, timeoutSeconds: number): Promise<InvokeResult> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        void this.end(
          failure('Sandbox.Timedout', `RequestId: ${message.requestId} Error: Task timed out after ${timeoutSeconds.toFixed(2)} seconds`),
        );
      }, message.deadline - Date.now());
      this.settle = (result) => {
        clearTimeout(timer);
        resolve(result);
      };
      this.worker.postMessage(message);
    });
  }

  /** Whether the instance can handle another event. False if the instance is ending. */
  get usable(): boolean {
    return this.crash === undefined;
  }

  /** Ends the thread. The invocation in progress fails with the given result. */
  async end(result: InvokeResult = failure('Runtime.ExitError', 'Error: The instance was ended')): Promise<void> {
    this.crash ??= result;
    await this.worker.terminate();
  }

  private finish(result: InvokeResult): void {
    this.settle?.(result);
    this.settle = undefined;
  }
}
