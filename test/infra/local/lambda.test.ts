import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Functions } from '../../../infra/local/lambda';
import * as logs from '../../../infra/local/logs';
import { errorOf, functionResource, payloadOf, startFunctions, templateOf, temporaryFolder, until, type Resources } from './support';

let running: Functions | undefined;
afterEach(async () => {
  await running?.stop(0);
  running = undefined;
});

function run(resources: Resources, options?: Parameters<typeof startFunctions>[1]): Functions {
  running = startFunctions(templateOf(resources), options);
  return running;
}

/** A function that returns the number of invocations of its instance. */
const instanceCounter = `let n = 0; exports.handler = async () => ++n;`;

/** A function that creates the file `started-<id>` and then waits until the file `release` exists. */
const held = (folder: string) => `
  const fs = require('node:fs');
  let busy = 0;
  exports.handler = async ({ id }) => {
    busy += 1;
    const together = busy;
    fs.writeFileSync(${JSON.stringify(folder)} + '/started-' + id, '');
    while (!fs.existsSync(${JSON.stringify(folder)} + '/release')) await new Promise((go) => setTimeout(go, 5));
    busy -= 1;
    return { together, thread: require('node:worker_threads').threadId };
  };`;

test('a function gets the same environment, context and event as on Lambda', async () => {
  process.env['HOST_ONLY'] = 'must not be seen';
  const functions = run({
    Group: { Type: 'AWS::Logs::LogGroup' },
    One: functionResource(
      `exports.handler = async (event, context) => ({
        event, env: process.env, left: context.getRemainingTimeInMillis(), context: JSON.parse(JSON.stringify(context)),
        home: process.env.HOME, argv: process.execArgv, sourceMaps: process.sourceMapsEnabled });`,
      {
        FunctionName: 'first',
        Timeout: 7,
        MemorySize: 256,
        LoggingConfig: { LogGroup: { Ref: 'Group' } },
        Environment: { Variables: { TABLE: { Ref: 'AWS::Region' }, NUMBER: 5, NODE_OPTIONS: '--enable-source-maps' } },
      },
    ),
    Two: functionResource('exports.handler = async () => process.env;'),
  });
  delete process.env['HOST_ONLY'];
  const answer = payloadOf<Record<string, never>>(await functions.invoke('One', { a: [1, 'ü'] }));
  expect(answer['event']).toEqual({ a: [1, 'ü'] });
  const env: Record<string, string> = answer['env']!;
  expect(Object.keys(env).sort()).toEqual([...Object.keys(functions.env['One']!), '_X_AMZN_TRACE_ID'].sort());
  expect(env).toMatchObject({
    TABLE: 'us-east-1',
    NUMBER: '5',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'first',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_LOG_GROUP_NAME: 'Group',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    _HANDLER: 'index.handler',
    TZ: ':UTC',
    _X_AMZN_TRACE_ID: expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};/),
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:3',
  });
  expect(answer['left']).toBeGreaterThan(0);
  expect(answer['left']).toBeLessThanOrEqual(7000);
  expect(answer['context']).toEqual({
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'first',
    functionVersion: '$LATEST',
    memoryLimitInMB: '256',
    logGroupName: 'Group',
    logStreamName: 'local',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:first',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(answer['argv']).toEqual([]);

  const other = payloadOf<Record<string, string>>(await functions.invoke('Two', {}));
  expect(other['AWS_ACCESS_KEY_ID']).not.toBe(env['AWS_ACCESS_KEY_ID']);
  expect(other['AWS_ACCESS_KEY_ID']).toMatch(/^[A-Z0-9]{20}$/);
  expect(other).not.toHaveProperty('TABLE');
});

test('bundles may be ES modules, and a function that returns nothing responds with null', async () => {
  const functions = run({ Module: functionResource('export const handler = async () => undefined;', {}, 'index.mjs') });
  expect(payloadOf(await functions.invoke('Module', {}))).toBeNull();
});

test('an instance handles one event at a time, and no more instances start than allowed', async () => {
  const folder = temporaryFolder();
  const functions = run({ Held: functionResource(held(folder)) }, { maxInstances: 3 });
  const invocations = Array.from({ length: 8 }, (_, id) => functions.invoke('Held', { id }));
  const started = () => Array.from({ length: 8 }, (_, id) => id).filter((id) => existsIn(folder, `started-${id}`));
  await until(() => started().length === 3);
  // If a fourth invocation were allowed, it would have started by the next turn of the event loop.
  await new Promise((go) => setImmediate(go));
  expect(started()).toHaveLength(3);
  release(folder);
  const answers = (await Promise.all(invocations)).map((outcome) => payloadOf<{ together: number; thread: number }>(outcome));
  expect(answers.map(({ together }) => together)).toEqual(Array(8).fill(1));
  expect(new Set(answers.map(({ thread }) => thread)).size).toBe(3);
});

test('quick requests share one instance, although more instances are allowed', async () => {
  const functions = run({ Counter: functionResource(instanceCounter) }, { maxInstances: 3, usualInstances: 1, slowAfter: 60_000 });
  const counts = await Promise.all(Array.from({ length: 8 }, async () => payloadOf(await functions.invoke('Counter', {}))));
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a request is served while earlier requests hang in all other instances', async () => {
  const folder = temporaryFolder();
  const functions = run(
    {
      Mixed: functionResource(`
        const { handler } = (() => { ${held(folder)} return exports; })();
        let n = 0;
        exports.handler = async (event) => (event.id === undefined ? ++n : handler(event));`),
    },
    { maxInstances: 3, usualInstances: 1, slowAfter: 20 },
  );
  const hanging = [functions.invoke('Mixed', { id: 1 }), functions.invoke('Mixed', { id: 2 })];
  expect(payloadOf(await functions.invoke('Mixed', {}))).toBe(1);
  expect(payloadOf(await functions.invoke('Mixed', {}))).toBe(2);
  release(folder);
  await Promise.all(hanging);
});

test('a request without a free instance is refused after its waiting time, or at once if too many requests wait', async () => {
  const folder = temporaryFolder();
  const functions = run({ Held: functionResource(held(folder)) }, { maxInstances: 1, maxWaiting: 1 });
  const first = functions.invoke('Held', { id: 1 });
  await until(() => existsIn(folder, 'started-1'));
  const waits = functions.invoke('Held', { id: 2 }, 50);
  expect(errorOf(await functions.invoke('Held', { id: 3 })).errorType).toBe('TooManyRequestsException');
  expect(errorOf(await waits).errorType).toBe('TooManyRequestsException');
  release(folder);
  payloadOf(await first);
});

test('one idle instance is kept for later requests, and other idle instances end', async () => {
  const folder = temporaryFolder();
  const functions = run(
    { Held: functionResource(held(folder)), Counter: functionResource(instanceCounter) },
    { idleLimit: 20, maxInstances: 2 },
  );
  expect(payloadOf(await functions.invoke('Counter', {}))).toBe(1);
  expect(payloadOf(await functions.invoke('Counter', {}))).toBe(2);
  const both = [functions.invoke('Held', { id: 1 }), functions.invoke('Held', { id: 2 })];
  await until(() => existsIn(folder, 'started-1') && existsIn(folder, 'started-2'));
  release(folder);
  await Promise.all(both);
  const threads = async () => payloadOf<{ thread: number }>(await functions.invoke('Held', { id: 3 })).thread;
  const used = await threads();
  await until(async () => (await threads()) === used);
  expect(payloadOf(await functions.invoke('Counter', {}))).toBe(3);
});

describe('failures of functions', () => {
  const misbehaving = `
    let n = 0;
    exports.handler = async ({ action }) => {
      n += 1;
      switch (action) {
        case 'throw': throw Object.assign(new TypeError('no good'), {});
        case 'throw text': throw 'just text';
        case 'exit': process.exit(3);
        case 'reject': Promise.reject(new RangeError('nobody listens')); await new Promise(() => {});
        case 'uncaught': setTimeout(() => { throw new Error('later'); }, 0); await new Promise(() => {});
        case 'memory': { const all = []; for (;;) all.push(new Array(1000).fill({}).map((_, i) => ({ i }))); }
        case 'spin': for (;;);
        case 'hang': await new Promise(() => {});
        case 'circular': { const o = {}; o.o = o; return o; }
        case 'large': return 'x'.repeat(6 * 1024 * 1024);
        case 'event': return 1;
      }
      return n;
    };`;

  test.each<[string, Partial<{ errorType: string; errorMessage: unknown; stackTrace: unknown }>]>([
    ['throw', { errorType: 'TypeError', errorMessage: 'no good', stackTrace: expect.arrayContaining(['TypeError: no good']) }],
    ['throw text', { errorType: 'string', errorMessage: 'just text' }],
    ['exit', { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 3') }],
    ['reject', { errorType: 'RangeError', errorMessage: 'nobody listens' }],
    ['uncaught', { errorType: 'Error', errorMessage: 'later' }],
    ['memory', { errorType: 'Runtime.OutOfMemory' }],
    ['spin', { errorType: 'Sandbox.Timedout', errorMessage: expect.stringContaining('Task timed out after 1.00 seconds') }],
    ['hang', { errorType: 'Sandbox.Timedout' }],
    ['circular', { errorType: 'TypeError' }],
    ['large', { errorType: 'Function.ResponseSizeTooLarge' }],
  ])('a failure affects only its own invocation: %s', async (action, expected) => {
    const functions = run({
      Bad: functionResource(misbehaving, { Timeout: ['spin', 'hang'].includes(action) ? 1 : 20, MemorySize: 64 }),
      Good: functionResource(instanceCounter),
    });
    expect(errorOf(await functions.invoke('Bad', { action }))).toMatchObject(expected);
    // The function can be invoked again, in a new instance if the previous instance ended. Other functions are not affected.
    expect(payloadOf(await functions.invoke('Bad', {}))).toBe(['throw', 'throw text', 'circular', 'large'].includes(action) ? 2 : 1);
    expect(payloadOf(await functions.invoke('Good', {}))).toBe(1);
  });

  test("if a bundle can't be loaded, every request to it fails", async () => {
    const functions = run({
      Throws: functionResource(`throw new SyntaxError('at load');`),
      Exits: functionResource('process.exit(9);'),
      Missing: functionResource('exports.other = 1;'),
      Absent: functionResource('', { Handler: 'elsewhere.handler' }),
    });
    const types = async (id: string) =>
      (await Promise.all([functions.invoke(id, {}), functions.invoke(id, {})])).map((outcome) => errorOf(outcome).errorType);
    expect(await types('Throws')).toEqual(['SyntaxError', 'SyntaxError']);
    expect(await types('Exits')).toEqual(['Runtime.ExitError', 'Runtime.ExitError']);
    expect(await types('Missing')).toEqual(['Runtime.HandlerNotFound', 'Runtime.HandlerNotFound']);
    expect(await types('Absent')).toEqual(['Runtime.ImportModuleError', 'Runtime.ImportModuleError']);
  });

  test('a bundle whose loading never ends is stopped after a time limit', async () => {
    const functions = run({ Endless: functionResource('for (;;);') }, { initLimit: 200 });
    expect(errorOf(await functions.invoke('Endless', {}))).toMatchObject({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringContaining('Loading'),
    });
  });

  test('an event larger than 6 MB is refused', async () => {
    const functions = run({ Counter: functionResource(instanceCounter) });
    expect(errorOf(await functions.invoke('Counter', 'x'.repeat(6 * 1024 * 1024))).errorType).toBe('RequestTooLargeException');
  });
});

test('stop waits for invocations in progress, and a stopped function refuses invocations', async () => {
  const folder = temporaryFolder();
  const functions = run({ Held: functionResource(held(folder)) });
  const invocation = functions.invoke('Held', { id: 1 });
  await until(() => existsIn(folder, 'started-1'));
  const stopped = functions.stop();
  release(folder);
  await stopped;
  expect(payloadOf<{ together: number }>(await invocation).together).toBe(1);
  expect(errorOf(await functions.invoke('Held', {})).errorType).toBe('ServiceException');
});

test('the output of each function is appended to its own file, and warnings and errors are printed', async () => {
  const folder = temporaryFolder();
  const shown: string[] = [];
  const sink = logs.start({ folder, print: (line) => shown.push(line) });
  const functions = run(
    {
      Talker: functionResource(
        `exports.handler = async () => { console.log('plain'); console.log(JSON.stringify({ level: 'INFO' })); console.error(JSON.stringify({ level: 'ERROR', m: 1 })); };`,
      ),
    },
    { logs: sink },
  );
  await functions.invoke('Talker', {});
  await until(() => shown.length > 0);
  sink.stop();
  expect(shown).toEqual(['[Talker] {"level":"ERROR","m":1}']);
  await until(() => {
    sink.stop();
    return readFileSync(join(folder, 'Talker.log'), 'utf8').split('\n').length === 4;
  });
  expect(readFileSync(join(folder, 'Talker.log'), 'utf8')).toContain('plain\n');
});

test('repeated warnings about a webhook that does not respond are printed once, so that other warnings remain visible', () => {
  const shown: string[] = [];
  const write = logs.start({ print: (line) => shown.push(line) }).of('deliver');
  const warning = (fields: object): string => JSON.stringify({ level: 'WARN', message: 'ATTEMPT_FAILED', ...fields });
  const lines = [
    ...Array.from({ length: 500 }, (_, n) => warning({ event_id: String(n), product_id: 1, reason: 'connect ECONNREFUSED' })),
    warning({ event_id: 'x', product_id: 1, reason: 'HTTP 500' }),
    warning({ event_id: 'y', product_id: 2, reason: 'HTTP 500' }),
    ...Array.from({ length: 2 }, () => JSON.stringify({ level: 'ERROR', message: 'DELIVERY_FAULT', product_id: 1 })),
  ];
  write(lines.map((line) => `${line}\n`).join(''));
  expect(shown).toEqual([lines[0], ...lines.slice(500)].map((line) => `[deliver] ${line}`));
});

function existsIn(folder: string, name: string): boolean {
  return readdirSync(folder).includes(name);
}

const release = (folder: string): void => writeFileSync(join(folder, 'release'), '');
