import { join } from 'node:path';
import { standardSignature } from '../../../lambdas/domain/webhook-signature';
import { send, type Answer, type Fields } from '../../support/http';
import { startReceiver, type Receiver } from '../../support/receiver';
import { startStackChild, type StackChild } from '../../support/stack-child';
import { until } from '../../support/until';
import { stopBeforeRemoval, temporaryFolder } from './support';

/**
 * With the test clock, a vendor sees within a second what the service does within a year. Only the service's decisions depend on the test
 * clock.
 */

const DAY = 86_400_000;
const YEAR = 366 * DAY;
const dataDir = join(temporaryFolder(), 'data');

let stack: StackChild;
let receiver: Receiver;

const startStack = () => startStackChild(dataDir);
const call = <Body = Fields>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> =>
  send<Body>(path, { method, body, baseUrl: stack.baseUrl, headers: { 'X-Svc-Admin-Token': stack.adminToken, ...headers } });
const advance = (advance_ms: unknown) => call<{ now: string; advanced_ms: number }>('POST', '/_local/clock', { advance_ms });
const clock = async () => (await call<{ now: string; advanced_ms: number }>('GET', '/_local/clock')).body;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startStack(), startReceiver()]);
});
stopBeforeRemoval(async () => {
  await stack?.stop();
  await receiver?.close();
});

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iat: number; exp: number };

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly status: string;
  readonly created_at: string;
  readonly history: readonly { readonly at: string }[];
}

test('the test clock requires the admin token, starts at the real time, and refuses invalid steps', async () => {
  const path = '/_local/clock';
  for (const method of ['GET', 'POST']) expect((await call(method, path, undefined, { 'X-Svc-Admin-Token': 'guessed' })).status).toBe(401);
  expect(await clock()).toEqual({ now: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string, advanced_ms: 0 });
  const refused = [
    {},
    { advance_ms: -1 },
    { advance_ms: 0.5 },
    { advance_ms: '5' },
    { advance_ms: null },
    { advance_ms: 1e15 },
    [],
    '{',
    'x'.repeat(5000),
  ];
  for (const body of refused) {
    const { status, headers, body: shown } = await call('POST', path, body);
    expect([status, headers['x-svc-error-code'], Object.keys(shown)]).toEqual([422, 'invalid_request', ['detail']]);
  }
  expect((await advance(0)).body.advanced_ms).toBe(0);
  expect((await call('DELETE', path)).status).toBe(404);
});

test('after a year on the test clock, licenses have expired, while webhooks, credentials and delays still use the real time', async () => {
  const product = (await call<{ id: number; api_key: string }>('POST', '/v1/products', { name: 'Clock', slug: 'clock' })).body;
  const at = `/v1/products/${product.id}`;
  await call('POST', `${at}/webhook`, { url: receiver.url });
  const type = (await call<{ id: number }>('POST', `${at}/license-types`, { name: 'Monthly', kind: 'subscription', duration_days: 30 }))
    .body;
  const create = () =>
    call<{ id: number; key: string; expires_at: string }>(
      'POST',
      `${at}/licenses`,
      { license_type_id: type.id },
      { 'Idempotency-Key': 'same' },
    );
  const license = (await create()).body;
  expect((await create()).body.id).toBe(license.id);
  const fingerprint = 'f'.repeat(64);
  const client = (operation: string) =>
    call<{ offline_token: string }>('POST', `${at}/${operation}`, { key: license.key, fingerprint }, { 'X-API-Key': product.api_key });
  const validate = async () =>
    (await call('GET', `${at}/validate?key=${license.key}&fingerprint=${fingerprint}`, undefined, { 'X-API-Key': product.api_key })).body;
  expect((await client('activate')).status).toBe(200);
  expect(await validate()).toMatchObject({ valid: true, status: 'active' });
  await until('both events have come', () => receiver.received.length === 2);

  const moved = (await advance(YEAR)).body;
  expect(moved.advanced_ms).toBe(YEAR);
  const ahead = Date.parse(moved.now) - Date.now();
  expect(Math.abs(ahead - YEAR)).toBeLessThan(60_000);

  // All functions use the moved clock, even if they had an instance before the clock was moved.
  expect(await validate()).toEqual({ valid: false, status: 'expired' });
  expect((await client('activate')).status).toBe(403);
  expect((await call('GET', '/v1/products')).status).toBe(200);
  // An idempotency key lasts 24 hours, so the same key now creates another license.
  const another = (await create()).body;
  expect(another.id).not.toBe(license.id);
  expect(Math.abs(Date.parse(another.expires_at) - Date.now() - YEAR - 30 * DAY)).toBeLessThan(60_000);
  const { token } = (await call<{ token: string }>('POST', `/v1/licenses/${another.id}/offline`)).body;
  expect(claimsOf(token).iat * 1000).toBeGreaterThan(Date.now() + YEAR - 60_000);

  // Events arrive immediately. The timestamps in their signatures are the real time, which receivers compare with their own clocks.
  const expired = await until('the expiry has come', () => receiver.received.find(({ event }) => event === 'license.expired'));
  expect(Math.abs(Number(expired.headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(60_000);
  const deliveries = async () => (await call<Delivery[]>('GET', `${at}/deliveries`)).body;
  expect((await deliveries()).map(({ event }) => event)).toEqual([
    'license.created',
    'license.expired',
    'license.activated',
    'license.created',
  ]);

  // A redelivery of an event that is a year old arrives immediately, too.
  const oldest = (await deliveries()).at(-1)!;
  const before = receiver.received.length;
  await call('POST', `/v1/deliveries/${oldest.id}/redeliver`);
  await until('it has come again', () => receiver.received.slice(before).some(({ id }) => id === oldest.id));

  // The retries wait 1 s and 5 s of real time, even if the clock moves in the meantime and the sweeper runs.
  const times: number[] = [];
  receiver.answer = ({ event, at: when }) => {
    if (event !== 'license.revoked') return 200;
    times.push(when);
    return times.length < 3 ? 500 : 200;
  };
  await call('POST', `/v1/licenses/${another.id}/revoke`);
  await until('the first attempt has failed', () => times.length === 1);
  await advance(DAY);
  await until('the third attempt has come', () => times.length === 3);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(999);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(4999);
  const revoked = await until('it is delivered', async () =>
    (await deliveries()).find(({ event, status }) => event === 'license.revoked' && status === 'delivered'),
  );
  expect(revoked.history).toHaveLength(3);
});

test('the overlap of a rotated webhook secret ends by the test clock, while signatures contain the real time', async () => {
  const { id } = (await call<{ id: number }>('POST', '/v1/products', { name: 'Rotated', slug: 'rotated' })).body;
  const at = `/v1/products/${id}/webhook`;
  const old = (await call<{ secret: string }>('POST', at, { url: receiver.url })).body.secret;
  const { secret, previous_until } = (await call<{ secret: string; previous_until: string }>('POST', `${at}/rotate`, { overlap_hours: 24 }))
    .body;
  /** The secrets that signed a delivery. The delivery's timestamp must be the real time. */
  const signers = async (): Promise<string[]> => {
    const before = receiver.received.length;
    await call('POST', `${at}/test`);
    const { headers, raw } = await until('the test event has come', () => receiver.received[before]);
    const [event, seconds] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    expect(Math.abs(seconds * 1000 - Date.now())).toBeLessThan(60_000);
    const signatures = String(headers['webhook-signature']).split(' ');
    return signatures.map(
      (signature) => [secret, old].find((one) => standardSignature(one, event, seconds, raw.toString()) === signature) ?? 'unknown',
    );
  };
  expect(await signers()).toEqual([secret, old]);
  const { now } = (await advance(23 * 3_600_000)).body;
  expect(await signers()).toEqual([secret, old]);
  await advance(Date.parse(previous_until) - Date.parse(now));
  expect(await signers()).toEqual([secret]);
});

test('the test clock keeps its position after a restart, and never moves back', async () => {
  const { now, advanced_ms } = await clock();
  expect(advanced_ms).toBeGreaterThan(YEAR + DAY);
  await stack.stop();
  stack = await startStack();
  const again = await clock();
  expect(again.advanced_ms).toBe(advanced_ms);
  expect(Date.parse(again.now)).toBeGreaterThan(Date.parse(now));
  expect(Date.parse((await advance(1)).body.now)).toBeGreaterThan(Date.parse(again.now));
});
