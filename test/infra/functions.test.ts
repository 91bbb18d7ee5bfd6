import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../../infra/bundle';
import { functionSources } from '../../infra/service-stack';
import { publisherFile } from '../../infra/site-bucket';
import { workerFile } from '../../infra/workers';
import { handlerFile } from '../../infra/api';
import { endpoints } from '../../lambdas/contract';
import { workers } from '../../lambdas/contract/workers';
import { fileStore } from '../../lambdas/runtime/aws/files';
import { sendMessages } from '../../lambdas/runtime/aws/queue';
import { secretsManager } from '../../lambdas/runtime/aws/secrets';
import { parseConfig } from '../../lambdas/runtime/config';
import { startFunctionPeers, type FunctionPeers } from '../support/function-environment';
import { ownTable } from '../support/own-table';
import { adminToken } from '../support/http';
import { synthesizedStage } from '../support/stages';
import { at, ofType, type Resource } from '../support/template';

/**
 * The local run and most tests run the handlers from their sources. These tests run what a deployment runs: the bundles, and the code that
 * calls AWS, against emulators of DynamoDB, SQS and S3.
 */

let peers: FunctionPeers;
let functions: readonly Resource[];
beforeAll(async () => {
  peers = await startFunctionPeers({
    dynamodb: process.env['LKS_DYNAMODB'] ?? '',
    table: await ownTable(),
    secrets: { adminToken: adminToken() },
  });
  functions = ofType((await synthesizedStage('plain')).template, 'AWS::Lambda::Function').map(([, one]) => one);
});
afterAll(() => peers.stop());

/** The program of a separate process. It loads a bundle like Lambda does, and handles one event. */
const CHILD = `
Promise.resolve(require(process.argv[1]).handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 20_000 })).then(
  (result) => process.stdout.write('\\n' + JSON.stringify(result ?? null), () => process.exit(0)),
);`;

/** The variables that the template gives to a function. Names and addresses of resources are those of the emulators. */
function environmentOf(description: string): Record<string, string> {
  const fn = functions.find(({ Properties }) => Properties['Description'] === description);
  if (!fn) throw new Error(`The template has no function "${description}"`);
  const variables = Object.entries((at(fn, 'Properties', 'Environment', 'Variables') ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    variables.map(([name, value]) => [name, typeof value === 'string' ? value : (peers.env[name] ?? 'https://example.com')]),
  );
}

async function run(folder: string, description: string, event: object): Promise<unknown> {
  const aws = Object.fromEntries(Object.entries(peers.env).filter(([name]) => name.startsWith('AWS_')));
  const env = {
    ...aws,
    ...environmentOf(description),
    AWS_LAMBDA_FUNCTION_NAME: 'any',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', CHILD, join(folder, 'index.js'), JSON.stringify(event)], {
    env,
    maxBuffer: 16_000_000,
  });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as unknown;
}

test('every function loads its bundle and handles an event with the environment that the template gives it', async () => {
  const folders = bundle(
    functionSources.filter((source) => source !== publisherFile),
    { sourceMaps: false },
  );
  const requests = endpoints.map((row) => async () => {
    const event = {
      resource: row.path,
      path: row.path,
      httpMethod: row.method,
      headers: {},
      pathParameters: Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '1'])),
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      requestContext: { requestId: 'smoke', path: row.path, identity: { sourceIp: '192.0.2.1' } },
      body: null,
      isBase64Encoded: false,
    };
    const result = await run(folders.get(handlerFile(row)) ?? '', `${row.method} ${row.path}: ${row.summary}`, event);
    const status = at(result, 'statusCode') as number;
    return [row.name, status < 500 && status !== 403 ? 'handled' : result];
  });
  // Only a stage that sends mail through Amazon SES has the worker for bounces.
  const deployed = workers.filter(({ trigger }) => trigger !== 'bounces');
  const others = deployed.map((worker) => async () => {
    const event = worker.trigger === 'queue' ? { Records: [{ messageId: '1', body: JSON.stringify({ event_id: 'f'.repeat(32) }) }] } : {};
    const result = await run(folders.get(workerFile(worker)) ?? '', worker.description, event);
    return [worker.name, worker.trigger === 'queue' ? at(result, 'batchItemFailures') : result];
  });
  const waiting = [...requests, ...others];
  const results: unknown[] = [];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) results.push(await one());
  };
  await Promise.all([next(), next()]);
  const handled = (name: string): unknown => (name === 'deliver' ? [] : deployed.some((one) => one.name === name) ? null : 'handled');
  expect(new Map(results as [string, unknown][])).toEqual(new Map([...endpoints, ...deployed].map(({ name }) => [name, handled(name)])));
});

describe('the code that calls AWS', () => {
  const environment = { ...process.env };
  beforeAll(() => void Object.assign(process.env, peers.env));
  afterAll(() => {
    process.env = environment;
  });

  test('messages arrive in the queue with their delay and group, also more than fit into one call', async () => {
    const { SQSClient, ReceiveMessageCommand } = await import('@aws-sdk/client-sqs');
    const messages = Array.from({ length: 25 }, (_, place) => ({
      body: `message ${place}`,
      delaySeconds: place === 24 ? 900 : 0,
      group: '1',
    }));
    await sendMessages(parseConfig(process.env))(messages);
    const client = new SQSClient({ useQueueUrlAsEndpoint: false });
    const received: string[] = [];
    for (;;) {
      const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: peers.queueUrl, MaxNumberOfMessages: 10 }));
      if (Messages.length === 0) break;
      received.push(...Messages.map(({ Body = '' }) => Body));
    }
    client.destroy();
    expect(received.sort()).toEqual(
      messages
        .slice(0, 24)
        .map(({ body }) => body)
        .sort(),
    );
  });

  test('a signed address uploads and downloads a file of the bucket', async () => {
    const bytes = randomBytes(1000);
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { key: 'releases/1/app.zip', size: bytes.length, sha256, contentType: 'application/zip' };
    // The emulator has no host names for buckets.
    const store = fileStore({ fileBucket: 'releases' }, { forcePathStyle: true });
    expect(await store.isUploaded(file)).toBe(false);
    const { url, headers } = await store.signUpload(file, 3600, Date.now());
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;x-amz-checksum-sha256');
    expect((await fetch(url, { method: 'PUT', headers, body: Uint8Array.from(bytes) })).status).toBe(200);
    const signed = await store.signDownload(file, 300, Date.now());
    expect(new URL(signed).searchParams.get('X-Amz-Expires')).toBe('300');
    const download = await fetch(signed);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Buffer.from((await store.read(file.key)) ?? []).equals(bytes)).toBe(true);
    await store.remove(file.key);
    await store.remove(file.key);
    expect(await store.read(file.key)).toBeUndefined();
    expect((await fetch(await store.signDownload(file, 300, Date.now()))).status).toBe(404);
  });

  test('a logo is stored with its type', async () => {
    const store = fileStore({ fileBucket: 'releases' }, { forcePathStyle: true });
    const logo = { key: 'logos/aurora/1.png', contentType: 'image/png' };
    await store.publish(logo, Buffer.from('an image'));
    const stored = await fetch(await store.signDownload(logo, 300, Date.now()));
    expect([stored.headers.get('content-type'), await stored.text()]).toEqual(['image/png', 'an image']);
  });

  test('secrets are read by the ARNs in the environment', async () =>
    expect(await secretsManager(parseConfig(process.env))('adminToken')).toBe(adminToken()));
});
