import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism, devNull } from 'node:os';
import * as z from 'zod/mini';
import { arn, REGION, RUN_TOKEN } from './aws';
import { accessKeyOf, FUNCTION_TOKEN, secretKeyOf } from './credentials';
import { Instance, type InstanceOptions, type InvokeResult } from './lambda-instance';
import type { FunctionError } from './lambda-worker';
import type { Logs } from './logs';
import { functionStatements, type Statements } from './roles';
import { TemplateError, type Resource, type Template } from './template';

/** Maximum size of a function's event and of its response, in bytes of JSON. */
const PAYLOAD_LIMIT = 6 * 1024 * 1024;
/**
 * The default of `usualInstances`. A request that is not slow needs mostly processor time, so more instances than processors would not be
 * faster.
 */
const USUAL_INSTANCES = availableParallelism();

const functionProperties = z.object({
  FunctionName: z.optional(z.string()),
  Handler: z.string(),
  Runtime: z.string().check(z.startsWith('nodejs', { error: 'only Node.js functions run locally' })),
  Timeout: z._default(z.coerce.number(), 3),
  MemorySize: z._default(z.coerce.number(), 128),
});
const environment = z.object({ Environment: z.optional(z.object({ Variables: z.record(z.string(), z.coerce.string()) })) });
const logging = z.object({ LoggingConfig: z.optional(z.object({ LogGroup: z.optional(z.string()) })) });

/** The base URLs of the local AWS services. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly secretsManager: string;
  readonly s3?: string;
  readonly ses?: string;
}

export interface FunctionOptions {
  readonly endpoints: Endpoints;
  /** The result of {@link functionStatements}, by default computed from the template. */
  readonly statements?: Statements;
  readonly logs: Logs;
  /** Returns the number of milliseconds by which the functions' clock is ahead of the real time. Called for every event. */
  readonly advancedMs?: () => number;
  /** Maximum number of instances of one function. */
  readonly maxInstances?: number;
  /**
   * Maximum number of instances of one function that handle requests at the same time, not counting the instances that handle slow
   * requests. By default it is the number of processors.
   */
  readonly usualInstances?: number;
  /** Milliseconds after which a request counts as slow. */
  readonly slowAfter?: number;
  /**
   * For some functions, by logical id: the minimum of `maxInstances` and of `usualInstances`. A lower limit is raised to this minimum.
   */
  readonly instances?: ReadonlyMap<string, number>;
  /** Maximum number of requests that wait for an instance of one function. */
  readonly maxWaiting?: number;
  /** Milliseconds after which an idle instance ends. One idle instance of each function is kept. */
  readonly idleLimit?: number;
  /** Maximum milliseconds for loading a bundle. */
  readonly initLimit?: number;
}

/** The error of a request that found no free instance in time, or for which too many other requests were waiting. */
export const THROTTLED = 'TooManyRequestsException';
/** The error of an event that exceeds Lambda's maximum size. */
export const TOO_LARGE = 'RequestTooLargeException';

const refusal = (errorType: string, errorMessage: string): InvokeResult => ({ error: { errorType, errorMessage } });
const tooLarge = (json: string): boolean => json.length > PAYLOAD_LIMIT / 4 && Buffer.byteLength(json) > PAYLOAD_LIMIT;

interface Waiting {
  readonly event: string;
  readonly resolve: (result: InvokeResult) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A function of the template. It starts instances as needed and gives each instance one event at a time.
 *
 * The function uses few instances, because each instance compiles and optimizes the function's code for itself, and instances that compute
 * at the same time compete for the processors and their caches. If a request is slow, for example because it waits for another server, the
 * function uses an additional instance, so that slow requests do not block others.
 */
class LambdaFunction {
  private readonly instances = new Set<Instance>();
  private readonly idle: Instance[] = [];
  private readonly waiting: Waiting[] = [];
  /** The instances that handle a request, with the monotonic times in milliseconds at which their requests started. */
  private readonly running = new Map<Instance, number>();
  private starting = 0;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    readonly arn: string,
    readonly env: Readonly<Record<string, string>>,
    private readonly timeoutSeconds: number,
    private readonly instanceOptions: InstanceOptions,
    private readonly limits: Required<Pick<FunctionOptions, 'maxInstances' | 'usualInstances' | 'slowAfter' | 'maxWaiting'>>,
    private readonly advancedMs: () => number,
  ) {}

  /**
   * Invokes the function.
   *
   * @param waitLimit milliseconds to wait for a free instance
   */
  async invoke(event: unknown, waitLimit: number): Promise<InvokeResult> {
    const json = JSON.stringify(event) ?? 'null';
    if (tooLarge(json)) return refusal(TOO_LARGE, `Request must be smaller than ${PAYLOAD_LIMIT} bytes for the InvokeFunction operation`);
    if (this.stopped) return refusal('ServiceException', 'The local run is stopping');
    const result = await new Promise<InvokeResult>((resolve) => {
      if (this.waiting.length >= this.limits.maxWaiting) return resolve(refusal(THROTTLED, 'Rate Exceeded.'));
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        resolve(refusal(THROTTLED, 'Rate Exceeded.'));
      }, waitLimit);
      const entry = { event: json, resolve, timer };
      this.waiting.push(entry);
      this.dispatch();
    });
    if ('error' in result) this.instanceOptions.log(`ERROR ${JSON.stringify(result.error)}\n`);
    else if (tooLarge(result.payload)) {
      return refusal(
        'Function.ResponseSizeTooLarge',
        `Response payload size exceeded maximum allowed payload size (${PAYLOAD_LIMIT} bytes).`,
      );
    }
    return result;
  }

  get busy(): boolean {
    return this.running.size > 0 || this.waiting.length > 0;
  }

  /** Ends the instances that became idle earlier than the time `before`, except the instance that became idle last. */
  reap(before: number): void {
    while (this.idle.length > 1 && this.idle[0]!.idleSince < before) void this.idle.shift()!.end();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all([...this.instances].map((instance) => instance.end()));
  }

  private dispatch(): void {
    const { maxInstances, usualInstances, slowAfter } = this.limits;
    const slowBefore = performance.now() - slowAfter;
    const slow = [...this.running.values()].filter((since) => since < slowBefore).length;
    const free = () => usualInstances - (this.running.size - slow);
    while (this.waiting.length > 0 && this.idle.length > 0 && free() > 0) this.run(this.idle.pop()!, this.take()!);
    const wanted = () => Math.min(this.waiting.length, free()) > this.starting;
    while (!this.stopped && wanted() && this.instances.size < maxInstances) this.launch();
    // A request in progress that becomes slow no longer counts towards `usualInstances`. Therefore the function checks again after
    // `slowAfter` whether it can handle a waiting request.
    if (this.waiting.length > 0) this.retry ??= setTimeout(() => this.dispatchAgain(), slowAfter).unref();
  }

  private dispatchAgain(): void {
    this.retry = undefined;
    this.dispatch();
  }

  private take(): Waiting | undefined {
    const next = this.waiting.shift();
    clearTimeout(next?.timer);
    return next;
  }

  private launch(): void {
    this.starting += 1;
    const instance = new Instance(this.instanceOptions, {
      onReady: () => {
        this.starting -= 1;
        this.release(instance);
      },
      onEnd: (initFailure) => {
        this.instances.delete(instance);
        const at = this.idle.indexOf(instance);
        if (at >= 0) this.idle.splice(at, 1);
        if (initFailure) {
          this.starting -= 1;
          this.take()?.resolve(initFailure);
        }
        if (this.stopped) while (this.waiting.length > 0) this.take()!.resolve(refusal('ServiceException', 'The local run is stopping'));
        this.dispatch();
      },
    });
    this.instances.add(instance);
  }

  private run(instance: Instance, { event, resolve }: Waiting): void {
    this.running.set(instance, performance.now());
    const message = {
      event,
      requestId: randomUUID(),
      traceId: `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')};Sampled=0`,
      invokedFunctionArn: this.arn,
      deadline: Date.now() + this.timeoutSeconds * 1000,
      advancedMs: this.advancedMs(),
    };
    void instance.invoke(message, this.timeoutSeconds).then((result) => {
      this.running.delete(instance);
      this.release(instance);
      resolve(result);
    });
  }

  private release(instance: Instance): void {
    if (!instance.usable) return;
    instance.idleSince = performance.now();
    this.idle.push(instance);
    this.dispatch();
  }
}

/** The template's functions, which can be invoked. */
export interface Functions {
  /**
   * Invokes a function and waits for its result. The promise always resolves; a failure, a timeout and the lack of a free instance are
   * results.
   *
   * @param id logical id or ARN
   * @param waitLimit milliseconds to wait for a free instance, 29,000 by default
   */
  invoke(id: string, event: unknown, waitLimit?: number): Promise<InvokeResult>;
  /** Whether a function is handling an event, or an event is waiting for an instance. */
  readonly busy: boolean;
  /** The environment of each function by its logical id. */
  readonly env: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Waits up to `limit` milliseconds for invocations in progress, then ends every instance. */
  stop(limit?: number): Promise<void>;
}

export type { FunctionError, InvokeResult };

/** Defines the names of the functions and of their log groups, so that other resources can refer to them. */
export function defineFunctions(template: Template): void {
  for (const group of template.resources('AWS::Logs::LogGroup')) {
    const { LogGroupName } = template.read(group, z.object({ LogGroupName: z.optional(z.string()) }));
    template.define(group.id, { Ref: LogGroupName ?? group.id, Arn: arn('logs', `log-group:${LogGroupName ?? group.id}:*`) });
  }
  for (const resource of template.resources('AWS::Lambda::Function')) {
    const name = functionName(template, resource);
    template.define(resource.id, { Ref: name, Arn: arn('lambda', `function:${name}`) });
  }
}

/**
 * Returns a function that finds the Lambda function which another resource invokes. Functions must be defined first.
 *
 * @returns finds a function by its name or ARN, and returns its logical id; throws {@link TemplateError} if there is no such function
 */
export function functionFinder(template: Template): (invoker: Resource, nameOrArn: string) => string {
  const ids = new Map(
    template
      .resources('AWS::Lambda::Function')
      .flatMap(({ id }) => [{ Ref: id }, { 'Fn::GetAtt': [id, 'Arn'] }].map((value) => [template.resolve(value, id), id] as const)),
  );
  return ({ id: invoker, Type }, nameOrArn) => {
    const id = ids.get(nameOrArn);
    if (id === undefined) throw new TemplateError(`${invoker} (${Type}) invokes ${nameOrArn}, which is not a function of the template.`);
    return id;
  };
}

const functionName = (template: Template, resource: Resource): string =>
  template.read(resource, z.pick(functionProperties, { FunctionName: true })).FunctionName ?? resource.id;

/** Prepares the template's functions for invocations. An instance starts with the first event. */
export function start(template: Template, options: FunctionOptions): Functions {
  const { logs, advancedMs = () => 0, maxInstances = 4, usualInstances = USUAL_INSTANCES, slowAfter = 100 } = options;
  const { maxWaiting = 10_000, idleLimit = 300_000, initLimit = 10_000 } = options;
  const { statements = functionStatements(template) } = options;
  // The local S3 itself checks signatures and roles, so the function's thread does not check requests to S3.
  const { s3: _, ...services } = options.endpoints;
  const functions = new Map<string, LambdaFunction>();
  const env: Record<string, Readonly<Record<string, string>>> = {};
  for (const resource of template.resources('AWS::Lambda::Function')) {
    const properties = template.read(resource, functionProperties);
    const name = functionName(template, resource);
    const codeFolder = template.codeFolder(resource);
    const variables = runtimeEnvironment(template, resource, name, properties, codeFolder, options.endpoints);
    const own = options.instances?.get(resource.id) ?? 0;
    const one = new LambdaFunction(
      arn('lambda', `function:${name}`),
      variables,
      properties.Timeout,
      {
        codeFolder,
        handler: properties.Handler,
        env: variables,
        memoryMb: properties.MemorySize,
        initLimit,
        log: logs.of(name),
        caller: { name: resource.id, statements: statements.get(resource.id) ?? [], services, token: RUN_TOKEN },
      },
      { maxInstances: Math.max(maxInstances, own), usualInstances: Math.max(usualInstances, own), slowAfter, maxWaiting },
      advancedMs,
    );
    functions.set(resource.id, one).set(one.arn, one);
    env[resource.id] = variables;
  }

  const reaper = setInterval(
    () => {
      for (const one of functions.values()) one.reap(performance.now() - idleLimit);
    },
    Math.min(idleLimit, 5000),
  ).unref();

  const isBusy = () => [...functions.values()].some(({ busy }) => busy);
  return {
    env,
    get busy() {
      return isBusy();
    },
    invoke: (id, event, waitLimit = 29_000) => {
      const one = functions.get(id);
      if (!one) throw new TemplateError(`There is no function ${id} in the template.`);
      return one.invoke(event, waitLimit);
    },
    stop: async (limit = 5000) => {
      clearInterval(reaper);
      for (const deadline = Date.now() + limit; Date.now() < deadline && isBusy(); ) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await Promise.all([...new Set(functions.values())].map((one) => one.stop()));
    },
  };
}

const credentialsOf = (id: string) => ({
  AWS_ACCESS_KEY_ID: accessKeyOf(id),
  AWS_SECRET_ACCESS_KEY: secretKeyOf(accessKeyOf(id)),
  AWS_SESSION_TOKEN: FUNCTION_TOKEN,
});

/**
 * The environment of a function: its own variables and the variables of the Lambda runtime. It contains no variables of the main process.
 */
function runtimeEnvironment(
  template: Template,
  resource: Resource,
  name: string,
  { Handler, Runtime, MemorySize }: z.infer<typeof functionProperties>,
  codeFolder: string,
  endpoints: Endpoints,
): Record<string, string> {
  const logGroup = template.read(resource, logging).LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    ...credentialsOf(resource.id),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_EXECUTION_ENV: `AWS_Lambda_${Runtime}`,
    _HANDLER: Handler,
    LAMBDA_TASK_ROOT: codeFolder,
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    ...(endpoints.s3 !== undefined && { AWS_ENDPOINT_URL_S3: endpoints.s3 }),
    ...(endpoints.ses !== undefined && { AWS_ENDPOINT_URL_SES: endpoints.ses }),
    // With these settings, the SDK does not read the user's AWS configuration.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...template.read(resource, environment).Environment?.Variables,
  };
}
