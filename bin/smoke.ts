/**
 * `smoke --base-url <url>`: tests the life cycle of a license in any running service. The test uses its own product, revokes
 * the licenses that it issues, and removes its webhook. The product and its revoked licenses remain, because the API cannot delete them.
 */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { createAdminClient, type AdminClient } from '@license-key-service/admin';
import { addExamples, addServiceOptions, httpUrl, readServiceTarget, type ServiceTarget, type ServiceValues } from './command-line';
import { awsCommands } from './smoke/aws-commands';
import { print, printError, printErrorText, printText } from './terminal';

const SLUG = 'smoke-test';
const TYPE = 'Smoke test, one seat';
/** Maximum time from a change to the delivery of its event, in ms. */
const DELIVERY_LIMIT = 90_000;
/**
 * Maximum time from a change until its event gets the status `skipped`, in ms. The time is shorter than the interval of the sweeper, so
 * that the test fails if only the sweeper handles the event.
 */
const SKIP_LIMIT = 20_000;
const TIMEOUT_MS = 30_000;

/** The events that this test's changes must cause. A change may cause other events as well. */
const changes = ['created', 'activated', 'deactivated', 'renewed', 'reset', 'revoked'].map((name) => `license.${name}`);

/** The result of a client call. */
interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the data of a response.
 *
 * @throws if the status of the response is not `expected`
 */
async function dataOf<Data>(expected: number, call: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  const text = JSON.stringify(error ?? data);
  assert.equal(response.status, expected, `The service responded with ${response.status} ${text} instead of ${expected}`);
  return data as Data;
}

/** Requests a route that needs no credential, or a path that has no route. */
async function get(
  url: URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ response: Response; body: Readonly<Record<string, unknown>> }> {
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  try {
    return { response, body: JSON.parse(text) as Readonly<Record<string, unknown>> };
  } catch {
    throw new Error(`GET ${url.pathname} responded with status ${response.status} and a body that is not JSON: ${text.slice(0, 200)}`);
  }
}

/** Runs a check and reports how long it took. @throws Error whose message names the check */
type Step = <Outcome>(what: string, check: () => Promise<Outcome>) => Promise<Outcome>;

const steps =
  (passed: (what: string, milliseconds: number) => void): Step =>
  async (what, check) => {
    const begun = performance.now();
    const outcome = await check().catch((error: unknown) => {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      throw new Error(`${what}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`, { cause: error });
    });
    passed(what, Math.round(performance.now() - begun));
    return outcome;
  };

/** Verifies an offline token with the product's public key, as a client would, and returns the token's claims. */
function claimsOf(token: unknown, publicKey: string): Record<string, unknown> {
  const [head = '', claims = '', signature = ''] = String(token).split('.');
  assert.ok(
    verify(null, Buffer.from(`${head}.${claims}`), createPublicKey(publicKey), Buffer.from(signature, 'base64url')),
    'The signature of an offline token is wrong',
  );
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}

async function run(step: Step, client: AdminClient, baseUrl: string, webhookUrl: string | undefined): Promise<void> {
  await step('the service is alive, describes itself and links to its pages', async () => {
    assert.deepEqual((await get(new URL('healthz', baseUrl))).body, { status: 'ok', service: 'license-key-service' });
    assert.match(String((await get(new URL('openapi.json', baseUrl))).body['openapi']), /^3\.1/);
    const { body } = await get(new URL(baseUrl));
    for (const name of ['docs', 'admin', 'healthz']) {
      const { status } = await fetch(new URL(String(body[name]), baseUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
      assert.equal(status, 200, `The link to ${name} (${String(body[name])}) responds with ${status}`);
    }
  });

  await step('a caller without a credential is refused', async () => {
    const products = new URL('v1/products', baseUrl);
    assert.equal((await get(products)).response.status, 401);
    assert.equal((await get(products, { 'X-Svc-Admin-Token': 'wrong' })).response.status, 401);
    const unknown = await get(new URL('v1/nothing-here', baseUrl));
    assert.deepEqual([unknown.response.status, Object.keys(unknown.body)], [404, ['detail']]);
  });

  const product = await step('the product of this test exists', async () => {
    const products = await dataOf(200, client.GET('/v1/products'));
    const again = { name: 'Smoke test', slug: SLUG };
    const found = products.find(({ slug }) => slug === SLUG) ?? (await dataOf(201, client.POST('/v1/products', { body: again })));
    await dataOf(409, client.POST('/v1/products', { body: again }));
    return found;
  });
  const inProduct = { path: { id: product.id } };
  /** The headers that an app sends: the product's API key instead of the operator's token. */
  const headers = { 'X-API-Key': product.api_key, 'X-Svc-Admin-Token': null };

  const type = await step('the product has a license type with one seat', async () => {
    const types = await dataOf(200, client.GET('/v1/products/{id}/license-types', { params: inProduct }));
    const body = { name: TYPE, kind: 'subscription', max_seats: 1, duration_days: 30 } as const;
    return (
      types.find(({ name }) => name === TYPE) ??
      (await dataOf(201, client.POST('/v1/products/{id}/license-types', { params: inProduct, body })))
    );
  });

  const setWebhook = (url: string) => dataOf(200, client.POST('/v1/products/{id}/webhook', { params: inProduct, body: { url } }));
  if (webhookUrl !== undefined) await step('the webhook of the product is set', () => setWebhook(webhookUrl));

  const license = await step('a license is issued once, however often the request arrives', async () => {
    const issue = {
      params: { ...inProduct, header: { 'Idempotency-Key': `smoke-${randomBytes(8).toString('hex')}` } },
      body: { license_type_id: type.id, customer_email: 'smoke@example.com', metadata: { smoke: true } },
    };
    const first = await dataOf(201, client.POST('/v1/products/{id}/licenses', issue));
    assert.equal((await dataOf(201, client.POST('/v1/products/{id}/licenses', issue))).id, first.id);
    return first;
  });
  const { key } = license;
  const ofLicense = { path: { id: license.id } };
  const fingerprintOf = (device: string): string => createHash('sha256').update(`${device} ${key}`).digest('hex');
  const [mine, another] = [fingerprintOf('mine'), fingerprintOf('another')];
  const activate = (fingerprint: string) =>
    client.POST('/v1/products/{id}/activate', {
      params: inProduct,
      headers,
      body: { key, fingerprint, name: 'Smoke test', platform: 'none' },
    });
  const validate = (fingerprint: string) =>
    dataOf(200, client.GET('/v1/products/{id}/validate', { params: { ...inProduct, query: { key, fingerprint } }, headers }));

  try {
    await step('a device takes the seat and gets a token that verifies without the service', async () => {
      const activation = await dataOf(200, activate(mine));
      assert.deepEqual(activation.seats, { used: 1, max: 1 });
      assert.equal(claimsOf(activation.offline_token, product.public_key)['fingerprint'], mine);
      assert.deepEqual(Object.keys(activation.license).sort(), ['expires_at', 'id', 'key', 'license_type', 'status']);
    });
    await step('a second device gets no seat', async () => {
      const { response } = await activate(another);
      assert.deepEqual([response.status, response.headers.get('x-svc-error-code')], [429, 'no_seats']);
    });
    await step('the license is valid on both, and only the bound one gets a token', async () => {
      const [bound, unbound] = [await validate(mine), await validate(another)].map((validation) => ({
        offline_token: undefined,
        ...validation,
      }));
      assert.deepEqual(
        [bound?.valid, typeof bound?.offline_token, unbound?.valid, typeof unbound?.offline_token],
        [true, 'string', true, 'undefined'],
      );
    });
    await step('the seat is freed once', async () => {
      const freed = async () =>
        (await dataOf(200, client.POST('/v1/products/{id}/deactivate', { params: inProduct, headers, body: { key, fingerprint: mine } })))
          .freed;
      assert.deepEqual([await freed(), await freed()], [true, false]);
    });
    await step('the operator renews, mints a token and resets', async () => {
      const renewed = await dataOf(200, client.POST('/v1/licenses/{id}/renew', { params: ofLicense, body: { days: 30 } }));
      assert.ok(Date.parse(String(renewed.expires_at)) > Date.parse(String(license.expires_at)));
      const { token } = await dataOf(200, client.POST('/v1/licenses/{id}/offline', { params: ofLicense, body: { ttl_days: 1 } }));
      assert.equal(claimsOf(token, product.public_key)['sub'], String(license.id));
      await dataOf(200, activate(another));
      const reset = await dataOf(200, client.POST('/v1/licenses/{id}/reset', { params: ofLicense }));
      assert.deepEqual(reset, { status: 'reset', freed: 1 });
    });
  } finally {
    await step('the license is revoked', () => dataOf(200, client.POST('/v1/licenses/{id}/revoke', { params: ofLicense })));
  }
  await step('a revoked license is refused', async () => {
    assert.deepEqual(await validate(mine), { valid: false, status: 'revoked' });
    await dataOf(403, activate(mine));
  });

  const [expected, limit] = webhookUrl === undefined ? (['skipped', SKIP_LIMIT] as const) : (['delivered', DELIVERY_LIMIT] as const);
  await step(
    `every change's event was ${webhookUrl === undefined ? 'skipped within seconds, because there is no webhook' : 'delivered'}`,
    async () => {
      for (const deadline = Date.now() + limit; ; await sleep(500)) {
        const log = await dataOf(200, client.GET('/v1/products/{id}/deliveries', { params: { ...inProduct, query: { limit: 100 } } }));
        const mineOnly = log.filter(({ license_id }) => license_id === license.id);
        const settled = mineOnly.filter(({ status }) => status === expected);
        if (settled.length === mineOnly.length && changes.every((event) => settled.some((one) => one.event === event))) break;
        const states = mineOnly.map(({ event, status, last_error }) => `${event} ${status} ${JSON.stringify(last_error)}`).join(', ');
        assert.ok(Date.now() < deadline, `After ${limit / 1000} s not all events are ${expected}: ${states}`);
      }
    },
  );
  await step('the mail status says whether mail is configured', async () =>
    assert.equal(typeof (await dataOf(200, client.GET('/v1/mail/status'))).configured, 'boolean'),
  );
  if (webhookUrl !== undefined) await step('the webhook is cleared', () => setWebhook(''));
}

/** Runs the checks that only a deployment can pass (docs/operations.md, The first deployment). */
async function runOnAws(step: Step, client: AdminClient, baseUrl: string): Promise<void> {
  const products = await dataOf(200, client.GET('/v1/products'));
  const product = products.find(({ slug }) => slug === SLUG);
  assert.ok(product, 'The product of the smoke test does not exist');
  const inProduct = { path: { id: product.id } };
  const setWebhook = (url: string) => dataOf(200, client.POST('/v1/products/{id}/webhook', { params: inProduct, body: { url } }));

  await step('a refused event is attempted four times: the delivery function may send messages to its own queue', async () => {
    // This URL belongs to the service itself but has no route, so every delivery of an event fails.
    await setWebhook(new URL('v1/smoke-refuses-events', baseUrl).href);
    try {
      const { id } = await dataOf(202, client.POST('/v1/products/{id}/webhook/test', { params: inProduct }));
      for (const deadline = Date.now() + DELIVERY_LIMIT; ; await sleep(1000)) {
        const { status, attempts } = await dataOf(200, client.GET('/v1/deliveries/{event_id}', { params: { path: { event_id: id } } }));
        if (status === 'failed') return assert.equal(attempts, 4);
        assert.ok(Date.now() < deadline, `After ${DELIVERY_LIMIT / 1000} s and ${attempts} attempts the event is still ${status}`);
      }
    } finally {
      await setWebhook('');
    }
  });

  await step('a route refuses requests over its limit, with an error of the service', async () => {
    // This route has the lowest request limit. A request without an e-mail address sends no mail.
    const wrong = { headers: { 'X-Svc-Admin-Token': 'wrong' }, body: { to: '' } };
    const responses = await Promise.all(Array.from({ length: 60 }, () => client.POST('/v1/mail/test', wrong)));
    const throttled = responses.filter(({ response }) => response.status === 429);
    assert.ok(throttled.length > 0, `None of ${responses.length} simultaneous requests was throttled`);
    for (const { response, error } of throttled)
      assert.deepEqual([response.headers.get('x-svc-error-code'), Object.keys(error ?? {})], ['rate_limited', ['detail']]);
  });

  await step('a body that is too large is refused, by the firewall or by the service', async () => {
    const { response, error } = await client.POST('/v1/products/{id}/activate', {
      params: inProduct,
      headers: { 'X-API-Key': product.api_key, 'X-Svc-Admin-Token': null },
      body: { key: 'k'.repeat(70_000), fingerprint: 'too large' },
    });
    const byFirewall = response.headers.get('x-request-id') === 'blocked-by-firewall';
    assert.deepEqual(
      [response.status, response.headers.get('x-svc-error-code'), Object.keys(error ?? {})],
      [byFirewall ? 413 : 422, 'invalid_request', ['detail']],
    );
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    printError(`      by the ${byFirewall ? 'firewall' : 'service: there is no firewall in front of it'}`);
  });

  await step('CloudFront caches and compresses public responses', async () => {
    const document = new URL('openapi.json', baseUrl);
    const { headers: first } = (await get(document)).response;
    assert.equal(first.get('cache-control'), 'public, max-age=300');
    if (first.get('x-amz-cf-id') === null) return printError('      not checked: this is not an address of CloudFront');
    const { headers } = (await get(document)).response;
    assert.match(headers.get('x-cache') ?? '', /^(Hit|RefreshHit)/, 'CloudFront did not respond to the second request from its cache');
    assert.match(headers.get('content-encoding') ?? '', /^(br|gzip)$/);
  });
}

interface SmokeValues extends ServiceValues {
  readonly webhookUrl?: string;
  readonly aws?: string;
  readonly json: boolean;
}

export function define(command: Command): void {
  addServiceOptions(command)
    .option('--webhook-url <url>', 'the address of a receiver that accepts everything; without it, the test has no webhook', httpUrl)
    .option('--aws <stage>', 'also runs the checks that only a deployment can pass')
    .option('--json', 'prints the result as JSON: the passed checks, the failure, and with --aws the commands for further checks', false)
    .action((values: SmokeValues) => smoke(readServiceTarget(values), values));
  addExamples(command, 'license-key-service smoke --base-url https://licenses.example.com');
}

async function smoke({ baseUrl, adminToken }: ServiceTarget, { webhookUrl, aws: stage, json }: SmokeValues): Promise<void> {
  const passed: { check: string; ms: number }[] = [];
  const step = steps((check, ms) => {
    passed.push({ check, ms });
    if (!json) print(`ok    ${check} (${ms} ms)`);
  });
  // The test must show every failure, so the client repeats no request.
  const client = createAdminClient({ baseUrl, token: adminToken, timeoutMs: TIMEOUT_MS, retryForMs: 0 });
  let failure: string | undefined;
  try {
    await run(step, client, `${baseUrl}/`, webhookUrl);
    if (stage !== undefined) await runOnAws(step, client, `${baseUrl}/`);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    process.exitCode = 1;
  }
  // No request can check what these commands show. A person with the account's credentials must run them.
  const commands = stage === undefined || failure !== undefined ? [] : awsCommands(stage);
  if (json) return print(JSON.stringify({ passed, failure: failure ?? null, commands }));
  if (failure !== undefined) return printErrorText(`FAILED ${failure}`);
  if (commands.length > 0)
    printText("\nNo request can check the following. Run these with the account's credentials, one after the other:");
  for (const { shows, command } of commands) printText(`\n# ${shows}.\n${command}`);
  printText('\nAll checks passed.');
}
