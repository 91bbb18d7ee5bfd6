/**
 * `npm run test:deploy`: in an emulator of AWS, launches the template of the last release, updates the stack with the launch archive of this
 * version and then with the npm package, and checks what was deployed. test/README.md says what this proves and what it does not prove.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { LAUNCHED_STACK as stack } from '../../infra/launch-stack';
import { credentialHeaders } from '../../lambdas/contract/endpoint';
import { version } from '../../package.json';
import { installPackage } from '../support/package';
import { ACCOUNT, REGION } from '../support/permissions';
import { until } from '../support/until';
import * as checks from './checks';
import { readDeployed } from './deployed';
import { pythonWithMoto, startEmulator } from './emulator';
import { startGateway } from './gateway';
import { startRoleCheck } from './role-check';

const root = resolve(__dirname, '../..');
const STAGE = 'production';
const execute = promisify(execFile);
/** The time limit of one command, in ms. */
const LIMIT = 600_000;

/** Runs a check and prints its name and duration. */
async function step<Result>(name: string, run: () => Promise<Result> | Result): Promise<Result> {
  const start = performance.now();
  try {
    const result = await run();
    console.log(`ok    ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${name}`);
    throw error;
  }
}

/** The environment of the CDK. It must neither read nor write the settings and the caches of this computer's user. */
const environment = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  CDK_HOME: join(folder, 'cdk-home'),
  CDK_DISABLE_VERSION_CHECK: 'true',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: REGION,
});

/** A function that only reports success to CloudFormation. The functions of the last release have this code, because they do not run. */
const STUB = `exports.handler = (event) => event.ResponseURL && new Promise((resolve, reject) => {
  const body = JSON.stringify({ ...event, Status: 'SUCCESS', PhysicalResourceId: event.ResourceProperties.Bucket });
  require('node:http').request(event.ResponseURL, { method: 'PUT' }, (response) => response.resume().on('end', resolve)).on('error', reject).end(body);
});`;

/** Writes the files of a launch archive. @returns the path of their folder */
function unpack(files: Readonly<Record<string, Uint8Array>>, target: string): string {
  mkdirSync(target, { recursive: true });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(target, basename(path)), content);
  return target;
}

/** The files of the last release's archive, with a stub as the code of all functions. The stub publishes no pages. */
function filesOfLastRelease(): Readonly<Record<string, Uint8Array>> {
  const template = gunzipSync(readFileSync(join(root, 'test/fixtures/release/template.json.gz'))).toString();
  const withStub = template.replace(/[0-9a-f]{64}\.zip/g, 'stub.zip').replace(/"Version":"[0-9a-f]{64}"/, '"Version":"no pages"');
  return { 'template.json': strToU8(withStub), 'stub.zip': zipSync({ 'index.js': strToU8(STUB) }) };
}

/** The parameters of the launched stack. Every condition of the template is true, so every resource exists. */
const PARAMETERS = {
  AlarmEmail: 'operator@example.com',
  MonthlyBudgetUsd: '50',
  RetainData: 'true',
  DomainName: 'licenses.example.com',
  CertificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/01234567-89ab-cdef-0123-456789abcdef`,
  MailFrom: 'licenses@example.com',
};

interface Product {
  readonly id: number;
  readonly name: string;
  readonly api_key: string;
}

async function main(folder: string, cleanUp: (stop: () => void) => void): Promise<void> {
  const python = await step('moto is installed', pythonWithMoto);
  if (python === undefined) {
    const message = 'This check needs Python 3.11 or later with venv (Debian: python3-venv).';
    if (process.env['CI'] !== undefined) throw new Error(message);
    return console.log(`skip  everything: ${message}`);
  }
  const roles = await startRoleCheck();
  cleanUp(roles.stop);
  const emulator = await startEmulator(python, { folder, functionsEndpoint: roles.endpoint });
  cleanUp(emulator.stop);
  roles.forwardTo(emulator.endpoint);
  const aws = { endpoint: emulator.endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const secrets = new SecretsManagerClient(aws);

  /** Serves the API of what `run` deploys. */
  const deploy = async (run: () => Promise<unknown>) => {
    await run();
    const deployed = await readDeployed(emulator, stack);
    const gateway = await startGateway(emulator.endpoint, deployed);
    cleanUp(gateway.stop);
    const { SecretString: token = '' } = await secrets.send(new GetSecretValueCommand({ SecretId: deployed.outputs['AdminTokenSecret'] }));
    return { deployed, token, baseUrl: gateway.baseUrl };
  };
  const call = async <Result>({ baseUrl, token }: { baseUrl: string; token: string }, method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', [credentialHeaders.admin]: token };
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Result;
  };

  const launch = (name: string, files: Readonly<Record<string, Uint8Array>>) => {
    const args = [join(__dirname, 'launch.py'), emulator.endpoint, REGION, stack, `files-of-${name}`, unpack(files, join(folder, name))];
    return execute(python, [...args, JSON.stringify(PARAMETERS)], { timeout: LIMIT });
  };
  /** Runs a command of the installed package. @throws an error with the end of its messages */
  const run = async (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> => {
    const env = { ...environment(folder), AWS_ENDPOINT_URL: emulator.endpoint, ...variables };
    const options = { cwd: folder, env, timeout: LIMIT, maxBuffer: 2 ** 28 };
    return execute(process.execPath, [command, ...args], options).catch((error: unknown) => {
      const { stderr = '' } = error as { stderr?: string };
      const lines = stderr.split('\n').filter((line) => !/: (start|success): /.test(line));
      throw new Error(`license-key-service ${args.join(' ')} failed:\n${lines.slice(-30).join('\n')}`);
    });
  };

  await step('launch of the last release', () => launch('last-release', filesOfLastRelease()));
  const released = await readDeployed(emulator, stack);
  await step('the launch archive is written', () =>
    execute(process.execPath, ['--require', 'tsx/cjs', 'infra/launch.ts', folder], { cwd: root, timeout: LIMIT }),
  );
  const archive = unzipSync(readFileSync(join(folder, `license-key-service-${version}-aws.zip`)));
  const launched = await step('launch of this version as an update', () => deploy(() => launch('this-version', archive)));
  await step('the update keeps the table and the secrets', () => checks.checkUpdate(released, launched.deployed));
  await step('every resource of the launched stack exists, and the pages are in their bucket', () => {
    checks.checkResources(launched.deployed);
    checks.checkPages(launched.deployed);
  });
  const product = await call<Product>(launched, 'POST', '/v1/products', { name: 'Launched', slug: 'launched' });

  const command = await step('npm pack, and installation in an empty folder', () => installPackage(join(folder, 'package')));
  const after = await step('the first deploy with only the package prepares the account and updates the stack', () =>
    deploy(async () => {
      const { stdout } = await run(['deploy', '--stage', STAGE, '--yes', '--json']);
      assert.match((JSON.parse(stdout) as { Url: string }).Url, /^https:.*cloudfront/);
    }),
  );
  const { deployed } = after;
  await step('the update keeps the data and the secrets', async () => {
    checks.checkUpdate(launched.deployed, deployed);
    assert.equal(after.token, launched.token);
    const kept = await call<Product>(after, 'GET', `/v1/products/${product.id}`);
    assert.deepEqual([kept.name, kept.api_key], [product.name, product.api_key]);
  });

  await step('every resource exists', () => checks.checkResources(deployed));
  await step('the table has its key and its indexes', () => checks.checkTable(deployed));
  await step('the API has the routes of the contract, and may invoke their functions', () => checks.checkRoutes(deployed));
  await step('the schedules and the queue start their workers', () => checks.checkWorkers(deployed));
  await step('the pages are in their bucket', () => checks.checkPages(deployed));
  await step('the smoke test passes', () => run(['smoke', '--base-url', after.baseUrl], { SVC_ADMIN_TOKEN: after.token }));
  await step('the queue starts the delivery of an event', async () => {
    const { id } = (await call<Product[]>(after, 'GET', '/v1/products'))[0]!;
    await call(after, 'POST', `/v1/products/${id}/webhook`, { url: 'https://receiver.invalid/' });
    const event = await call<{ id: string }>(after, 'POST', `/v1/products/${id}/webhook/test`);
    await until(
      'an attempt to deliver the event',
      async () => (await call<{ attempts: number }>(after, 'GET', `/v1/deliveries/${event.id}`)).attempts > 0,
    );
  });
  await step(`all ${deployed.functions.length} functions load and handle an event`, () =>
    checks.checkFunctions(deployed, emulator.endpoint, after.baseUrl, after.token),
  );
  await step(`the roles allow every call that ${roles.callers.size} functions made`, () => assert.deepEqual(roles.refusals, []));

  await step('the signing keys of a product move to another product', async () => {
    const other = await call<Product>(after, 'POST', '/v1/products', { name: 'Other', slug: 'other' });
    const { TableName, EncryptionKeySecret, SigningKeySecret } = deployed.outputs;
    const access = {
      TABLE_NAME: TableName,
      ENCRYPTION_KEY_SECRET_ARN: EncryptionKeySecret,
      SIGNING_KEY_SECRET_ARN: SigningKeySecret,
      SVC_KEYS_PASSPHRASE: 'a passphrase of the test',
    };
    const keys = async (action: 'export' | 'import', { id }: Product): Promise<readonly { kid: string; status: string }[]> => {
      const { stdout } = await run(['keys', action, join(folder, 'keys.pem'), '--product', String(id), '--json'], access);
      return (JSON.parse(stdout) as { keys: readonly { kid: string; status: string }[] }).keys;
    };
    const [exported] = await keys('export', product);
    const current = (await keys('import', other)).find(({ status }) => status === exported?.status);
    assert.equal(current?.kid, exported?.kid);
  });
  await step('diff shows no change right after a deployment', async () => {
    // The CDK prints the differences to standard error.
    const { stderr } = await run(['diff', '--stage', STAGE]);
    assert.match(stderr, /Number of stacks with differences: 0/);
    assert.doesNotMatch(stderr, /Fetching/);
  });
  await step('destroy refuses a production stack until its protection is off, and keeps its data', async () => {
    const destroy = ['destroy', '--stage', STAGE, '--yes'];
    await assert.rejects(run(destroy), /protection/i);
    const parameters = { Action: 'UpdateTerminationProtection', StackName: stack, EnableTerminationProtection: 'false' };
    await fetch(emulator.endpoint, {
      method: 'POST',
      headers: { authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/cloudformation/aws4_request` },
      body: new URLSearchParams(parameters),
    });
    await run(destroy);
    await assert.rejects(readDeployed(emulator, stack), /does not exist/);
    const { Table } = await new DynamoDBClient(aws).send(new DescribeTableCommand({ TableName: deployed.outputs['TableName'] }));
    assert.ok((Table?.ItemCount ?? 0) > 0);
  });
}

const folder = mkdtempSync(join(tmpdir(), 'lks-deploy-'));
const stops: (() => void)[] = [];
process.on('exit', () => {
  for (const stop of stops.reverse()) stop();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main(folder, (stop) => stops.push(stop)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    const log = join(folder, 'functions/log');
    if (existsSync(log)) console.error(`The last lines of the functions' log:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    process.exit(1);
  },
);
