/**
 * `npm run test:deploy`: deploys the stage production with the npm package to an emulator of AWS, as an update of the last release, and checks
 * what was deployed. test/README.md says what this proves and what it does not prove.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { stackName } from '../../infra/names';
import { credentialHeaders } from '../../lambdas/contract/endpoint';
import { installPackage } from '../support/package';
import { indexProblems } from '../support/index-changes';
import { ACCOUNT, REGION } from '../support/permissions';
import { readTemplate, type Template } from '../support/template';
import { until } from '../support/until';
import * as checks from './checks';
import { readDeployed } from './deployed';
import { pythonWithMoto, startEmulator } from './emulator';
import { startGateway } from './gateway';
import { startRoleCheck } from './role-check';

const root = resolve(__dirname, '../..');
const STAGE = 'production';
const stack = stackName(STAGE);
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

/** Runs a command of the CDK. */
async function cdk(folder: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<void> {
  const env = { ...environment(folder), ...options.env };
  const cwd = options.cwd ?? root;
  const entry = join(cwd, 'node_modules/aws-cdk/bin/cdk');
  await execute(process.execPath, [entry, '--no-notices', ...args], { cwd, env, timeout: LIMIT, maxBuffer: 2 ** 28 }).catch(
    (error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => !/: (start|success): /.test(line));
      throw new Error(`cdk ${args.join(' ')} failed:\n${lines.slice(-30).join('\n')}`);
    },
  );
}

/** Extracts the last release from the history. @returns its folder, or undefined if the history does not contain it */
async function checkoutRelease(folder: string): Promise<string | undefined> {
  const { release } = JSON.parse(readFileSync(join(root, 'infra/release.json'), 'utf8')) as { release: string };
  const [archive, checkout] = [join(folder, 'release.tar'), join(folder, 'release')];
  try {
    execFileSync('git', ['archive', '--output', archive, release], { cwd: root, stdio: 'pipe' });
  } catch (error) {
    console.log(`skip  the update from ${release}, because this clone does not contain it: ${String(error)}`);
    return undefined;
  }
  mkdirSync(checkout);
  execFileSync('tar', ['-xf', archive, '-C', checkout]);
  const lock = (of: string): string => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(checkout) === lock(root)) symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  else await execute('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: checkout, timeout: LIMIT });
  return checkout;
}

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
  const toEmulator = { env: { AWS_ENDPOINT_URL: emulator.endpoint } };

  const synthesize = async (cwd: string, name: string, env: NodeJS.ProcessEnv = {}): Promise<Template> => {
    // Only the CDK's command line would add the resource AWS::CDK::Metadata, for its statistics.
    await cdk(folder, ['synth', '--quiet', '--version-reporting=false', '-c', `stage=${STAGE}`, '--output', join(folder, name)], {
      cwd,
      env,
    });
    return readTemplate(join(folder, name));
  };
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

  const release = await checkoutRelease(folder);
  const before = release && {
    // The release has passed the checks of the template.
    template: await step('cdk synth of the last release', () => synthesize(release, 'before', { CDK_VALIDATION: 'false' })),
    ...(await step('cdk deploy of the last release', () =>
      deploy(async () => {
        await cdk(folder, ['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', ''], toEmulator);
        await cdk(folder, ['deploy', '--app', join(folder, 'before'), '--require-approval', 'never'], toEmulator);
      }),
    )),
  };
  const product = before && (await call<Product>(before, 'POST', '/v1/products', { name: 'Of the last release', slug: 'last-release' }));

  const template = await step('cdk synth', () => synthesize(root, 'after'));
  if (before)
    await step('one update can change the indexes', () =>
      assert.deepEqual(indexProblems(checks.indexesOf(before.template), checks.indexesOf(template)), []),
    );
  const command = await step('npm pack, and installation in an empty folder', () => installPackage(join(folder, 'package')));
  const after = await step(`deploy${before ? ' as an update' : ''}, with only the package`, () =>
    deploy(async () => {
      const args = [command, 'deploy', '--stage', STAGE, '--yes', '--json'];
      const env = { ...environment(folder), ...toEmulator.env };
      const { stdout } = await execute(process.execPath, args, { cwd: folder, env, timeout: LIMIT, maxBuffer: 2 ** 28 });
      assert.match((JSON.parse(stdout) as { Url: string }).Url, /^https:/);
    }),
  );
  const { deployed } = after;
  if (before && product) {
    await step('the update keeps the data and the secrets', async () => {
      checks.checkUpdate(before, { deployed, template });
      assert.equal(after.token, before.token);
      const kept = await call<Product>(after, 'GET', `/v1/products/${product.id}`);
      assert.deepEqual([kept.name, kept.api_key], [product.name, product.api_key]);
    });
  }

  await step('every resource exists', () => checks.checkResources(deployed, template));
  await step('the table has its key and its indexes', () => checks.checkTable(deployed, template));
  await step('the API has the routes of the contract, and may invoke their functions', () => checks.checkRoutes(deployed));
  await step('the schedules and the queue start their workers', () => checks.checkWorkers(deployed));
  await step('the pages are in their bucket', () => checks.checkPages(deployed));
  await step('the smoke test passes', async () => {
    const args = ['--require', 'tsx/cjs', 'bin/cli.ts', 'smoke', '--base-url', after.baseUrl];
    await execute(process.execPath, args, { cwd: root, env: { ...process.env, SVC_ADMIN_TOKEN: after.token }, timeout: LIMIT });
  });
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
