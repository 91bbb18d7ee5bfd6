/**
 * `npm run smoke -- --base-url <url>`: runs the life of a license against any running service. It uses one product of its own, revokes the
 * licenses that it issues and removes its webhook. The product and its revoked licenses stay, because the API cannot delete them.
 */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ADMIN_TOKEN_USAGE, adminTokenOptions, readAdminToken } from './admin-token';
import { awsCommands } from './smoke/aws-commands';

const SLUG = 'smoke-test';
const TYPE = 'Smoke test, one seat';
/** Maximum time from a change to the delivery of its event, in ms. */
const DELIVERY_LIMIT = 90_000;

/** The events of the changes that this test makes. Other events may follow from a change. */
const changes = ['created', 'activated', 'deactivated', 'renewed', 'reset', 'revoked'].map((name) => `license.${name}`);

/** The fields of responses that this test uses. */
interface Fields {
  readonly [name: string]: unknown;
  readonly id: number;
}
interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields;
}

class Service {
  constructor(
    private readonly baseUrl: string,
    private readonly adminToken: string,
  ) {}

  async send(
    method: 'GET' | 'POST',
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<ServiceResponse> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    try {
      return { status: response.status, headers: response.headers, body: JSON.parse(text) as Fields };
    } catch {
      throw new Error(`${method} ${path} responded with ${response.status}, which is not JSON: ${text.slice(0, 200)}`);
    }
  }

  /** A call by the operator. */
  async admin(
    method: 'GET' | 'POST',
    path: string,
    expected: number,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Fields> {
    const response = await this.send(method, path, { body, headers: { 'X-Svc-Admin-Token': this.adminToken, ...headers } });
    assert.equal(
      response.status,
      expected,
      `${method} ${path} responded with ${response.status} ${JSON.stringify(response.body)} instead of ${expected}`,
    );
    return response.body;
  }
}

const step = async <Result>(what: string, check: () => Promise<Result>): Promise<Result> => {
  const begun = performance.now();
  const result = await check();
  console.log(`ok    ${what} (${Math.round(performance.now() - begun)} ms)`);
  return result;
};

/** The claims of an offline token, checked with the product's public key as a client would. */
function claimsOf(token: unknown, publicKey: unknown): Record<string, unknown> {
  const [head = '', claims = '', signature = ''] = String(token).split('.');
  assert.ok(
    verify(null, Buffer.from(`${head}.${claims}`), createPublicKey(String(publicKey)), Buffer.from(signature, 'base64url')),
    'The signature of an offline token is wrong',
  );
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}

async function run(service: Service, baseUrl: string, webhookUrl: string | undefined): Promise<void> {
  await step('the service is alive, describes itself and links to its pages', async () => {
    assert.deepEqual((await service.send('GET', '/healthz')).body, { status: 'ok', service: 'license-key-service' });
    assert.match(String((await service.send('GET', '/openapi.json')).body['openapi']), /^3\.1/);
    const { body } = await service.send('GET', '/');
    for (const name of ['docs', 'admin', 'healthz']) {
      const response = await fetch(new URL(String(body[name]), baseUrl), { signal: AbortSignal.timeout(30_000) });
      assert.equal(response.status, 200, `The link to ${name} (${String(body[name])}) responds with ${response.status}`);
    }
  });

  await step('a caller without a credential is refused', async () => {
    assert.equal((await service.send('GET', '/v1/products')).status, 401);
    assert.equal((await service.send('GET', '/v1/products', { headers: { 'X-Svc-Admin-Token': 'wrong' } })).status, 401);
    const unknown = await service.send('GET', '/v1/nothing-here');
    assert.deepEqual([unknown.status, Object.keys(unknown.body)], [404, ['detail']]);
  });

  const product = await step('the product of this test exists', async () => {
    const products = (await service.admin('GET', '/v1/products', 200)) as unknown as Fields[];
    const found =
      products.find(({ slug }) => slug === SLUG) ?? (await service.admin('POST', '/v1/products', 201, { name: 'Smoke test', slug: SLUG }));
    await service.admin('POST', '/v1/products', 409, { name: 'Smoke test, again', slug: SLUG });
    return found;
  });
  const inProduct = `/v1/products/${product.id}`;
  const client = (method: 'GET' | 'POST', operation: string, body?: unknown): Promise<ServiceResponse> =>
    service.send(method, `${inProduct}/${operation}`, { body, headers: { 'X-API-Key': String(product['api_key']) } });

  const type = await step('the product has a license type with one seat', async () => {
    const types = (await service.admin('GET', `${inProduct}/license-types`, 200)) as unknown as Fields[];
    return (
      types.find(({ name }) => name === TYPE) ??
      (await service.admin('POST', `${inProduct}/license-types`, 201, {
        name: TYPE,
        kind: 'subscription',
        max_seats: 1,
        duration_days: 30,
      }))
    );
  });

  if (webhookUrl !== undefined)
    await step('its webhook is set', () => service.admin('POST', `${inProduct}/webhook`, 200, { url: webhookUrl }));

  const license = await step('a license is issued once, however often the request arrives', async () => {
    const issue = { license_type_id: type.id, customer_email: 'smoke@example.com', metadata: { smoke: true } };
    const again = { 'Idempotency-Key': `smoke-${randomBytes(8).toString('hex')}` };
    const first = await service.admin('POST', `${inProduct}/licenses`, 201, issue, again);
    assert.equal((await service.admin('POST', `${inProduct}/licenses`, 201, issue, again)).id, first.id);
    return first;
  });
  const key = String(license['key']);
  const fingerprintOf = (device: string): string => createHash('sha256').update(`${device} ${key}`).digest('hex');
  const [mine, another] = [fingerprintOf('mine'), fingerprintOf('another')];
  const validate = (fingerprint: string): Promise<ServiceResponse> =>
    client('GET', `validate?${new URLSearchParams({ key, fingerprint }).toString()}`);

  try {
    await step('a device takes the seat and gets a token that verifies without the service', async () => {
      const { status, body } = await client('POST', 'activate', { key, fingerprint: mine, name: 'Smoke test', platform: 'none' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body['seats'], { used: 1, max: 1 });
      assert.equal(claimsOf(body['offline_token'], product['public_key'])['fingerprint'], mine);
      assert.deepEqual(Object.keys(body['license'] as object).sort(), ['expires_at', 'id', 'key', 'license_type', 'status']);
    });
    await step('a second device gets no seat', async () => {
      const { status, headers } = await client('POST', 'activate', { key, fingerprint: another });
      assert.deepEqual([status, headers.get('x-svc-error-code')], [429, 'no_seats']);
    });
    await step('the license is valid on both, and only the bound one gets a token', async () => {
      const [bound, unbound] = [(await validate(mine)).body, (await validate(another)).body];
      assert.deepEqual(
        [bound['valid'], typeof bound['offline_token'], unbound['valid'], typeof unbound['offline_token']],
        [true, 'string', true, 'undefined'],
      );
    });
    await step('the seat is freed once', async () => {
      const freed = async (): Promise<unknown> => (await client('POST', 'deactivate', { key, fingerprint: mine })).body['freed'];
      assert.deepEqual([await freed(), await freed()], [true, false]);
    });
    await step('the operator renews, mints a token and resets', async () => {
      const renewed = await service.admin('POST', `/v1/licenses/${license.id}/renew`, 200, { days: 30 });
      assert.ok(Date.parse(String(renewed['expires_at'])) > Date.parse(String(license['expires_at'])));
      const { token } = await service.admin('POST', `/v1/licenses/${license.id}/offline`, 200, { ttl_days: 1 });
      assert.equal(claimsOf(token, product['public_key'])['sub'], String(license.id));
      assert.equal((await client('POST', 'activate', { key, fingerprint: another })).status, 200);
      assert.deepEqual(await service.admin('POST', `/v1/licenses/${license.id}/reset`, 200), { status: 'reset', freed: 1 });
    });
  } finally {
    await step('the license is revoked', () => service.admin('POST', `/v1/licenses/${license.id}/revoke`, 200));
  }
  await step('a revoked license is refused', async () => {
    assert.deepEqual((await validate(mine)).body, { valid: false, status: 'revoked' });
    assert.equal((await client('POST', 'activate', { key, fingerprint: mine })).status, 403);
  });

  await step(
    `every change's event went through the queue and was ${webhookUrl === undefined ? 'skipped because there is no webhook' : 'delivered'}`,
    async () => {
      const expected = webhookUrl === undefined ? 'skipped' : 'delivered';
      for (const deadline = Date.now() + DELIVERY_LIMIT; ; await sleep(500)) {
        const log = (await service.admin('GET', `${inProduct}/deliveries?limit=100`, 200)) as unknown as Fields[];
        const mineOnly = log.filter(({ license_id }) => license_id === license.id);
        const settled = mineOnly.filter(({ status }) => status === expected);
        if (settled.length === mineOnly.length && changes.every((event) => settled.some((one) => one['event'] === event))) break;
        const states = mineOnly
          .map(({ event, status, last_error }) => `${String(event)} ${String(status)} ${JSON.stringify(last_error)}`)
          .join(', ');
        assert.ok(Date.now() < deadline, `After ${DELIVERY_LIMIT / 1000} s not all events are ${expected}: ${states}`);
      }
    },
  );
  await step('the mail status says whether mail is configured', async () =>
    assert.equal(typeof (await service.admin('GET', '/v1/mail/status', 200))['configured'], 'boolean'),
  );
  if (webhookUrl !== undefined) await step('the webhook is cleared', () => service.admin('POST', `${inProduct}/webhook`, 200, { url: '' }));
}

/** Checks that only a deployment can pass (docs/operations.md, The first deployment). */
async function runOnAws(service: Service, baseUrl: string): Promise<void> {
  const products = (await service.admin('GET', '/v1/products', 200)) as unknown as Fields[];
  const product = products.find(({ slug }) => slug === SLUG);
  assert.ok(product, 'The product of the smoke test does not exist');
  const inProduct = `/v1/products/${product.id}`;

  await step('an event that its receiver refuses is tried four times, by a function that sends to its own queue', async () => {
    // An address of the service itself that has no route.
    await service.admin('POST', `${inProduct}/webhook`, 200, { url: new URL('v1/smoke-refuses-events', baseUrl).href });
    try {
      const { id } = await service.admin('POST', `${inProduct}/webhook/test`, 202);
      for (const deadline = Date.now() + DELIVERY_LIMIT; ; await sleep(1000)) {
        const { status, attempts } = await service.admin('GET', `/v1/deliveries/${id}`, 200);
        if (status === 'failed') return assert.equal(attempts, 4);
        assert.ok(
          Date.now() < deadline,
          `After ${DELIVERY_LIMIT / 1000} s the event is ${String(status)} after ${String(attempts)} attempts`,
        );
      }
    } finally {
      await service.admin('POST', `${inProduct}/webhook`, 200, { url: '' });
    }
  });

  await step('a route refuses requests over its limit, with an error of the service', async () => {
    // This route has the lowest limit. Without an address it sends no mail.
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => service.send('POST', '/v1/mail/test', { body: {}, headers: { 'X-Svc-Admin-Token': 'wrong' } })),
    );
    const throttled = responses.filter(({ status }) => status === 429);
    assert.ok(throttled.length > 0, `None of ${responses.length} simultaneous requests was throttled`);
    for (const { headers, body } of throttled)
      assert.deepEqual([headers.get('x-svc-error-code'), Object.keys(body)], ['rate_limited', ['detail']]);
  });

  await step('a body that is too large is refused, by the firewall or by the service', async () => {
    const { status, headers, body } = await service.send('POST', `${inProduct}/activate`, {
      body: { key: 'k'.repeat(70_000) },
      headers: { 'X-API-Key': String(product['api_key']) },
    });
    const byFirewall = headers.get('x-request-id') === 'blocked-by-firewall';
    assert.deepEqual([status, headers.get('x-svc-error-code'), Object.keys(body)], [byFirewall ? 413 : 422, 'invalid_request', ['detail']]);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    console.log(`      by the ${byFirewall ? 'firewall' : 'service: there is no firewall in front of it'}`);
  });

  await step('CloudFront caches and compresses public responses', async () => {
    const { headers: first } = await service.send('GET', '/openapi.json');
    assert.equal(first.get('cache-control'), 'public, max-age=300');
    if (first.get('x-amz-cf-id') === null) return console.log('      not checked: this is not an address of CloudFront');
    const { headers } = await service.send('GET', '/openapi.json');
    assert.match(headers.get('x-cache') ?? '', /^(Hit|RefreshHit)/, 'The second request reached the API again');
    assert.match(headers.get('content-encoding') ?? '', /^(br|gzip)$/);
  });
}

/** Prints the checks that no request can make, for somebody with the account's credentials to run. */
function printAwsCommands(stage: string): void {
  console.log("\nNo request can check the following. Run these with the account's credentials, one after the other:");
  for (const { shows, command } of awsCommands(stage)) console.log(`\n# ${shows}.\n${command}`);
}

const usage = `npm run smoke -- --base-url <url> [--webhook-url <url of a receiver that accepts everything>] [--aws <stage>, for what only a deployment can show]

${ADMIN_TOKEN_USAGE}`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      ...adminTokenOptions,
      help: { type: 'boolean' },
      'webhook-url': { type: 'string' },
      aws: { type: 'string' },
    },
  });
  if (values.help) return console.log(`Usage: ${usage}`);
  const { 'base-url': base, 'webhook-url': webhookUrl } = values;
  const adminToken = readAdminToken(values, process.env);
  if (base === undefined || adminToken === undefined || !URL.canParse(base)) throw new Error(`Usage: ${usage}`);
  const baseUrl = base.replace(/(?<!\/)\/+$/, '');
  const service = new Service(baseUrl, adminToken);
  await run(service, `${baseUrl}/`, webhookUrl);
  if (values.aws !== undefined) {
    await runOnAws(service, `${baseUrl}/`);
    printAwsCommands(values.aws);
  }
  console.log('\nAll checks passed.');
}

main().catch((error: unknown) => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  console.error(`FAILED ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`);
  process.exitCode = 1;
});
