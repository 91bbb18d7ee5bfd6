import { endpoints } from '../../lambdas/contract';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import { noteExample } from '../../lambdas/contract/notes';
import { timeLimits } from '../../lambdas/runtime/app';
import { sendMessages } from '../../lambdas/runtime/aws/queue';
import { parseConfig } from '../../lambdas/runtime/config';
import { tableClient } from '../../lambdas/store/client';
import { CALL_LIMIT_MS } from '../../lambdas/store/table';
import { unsubscribeToken } from '../../lambdas/use-cases/reminders/unsubscribe';
import { startHarness, type CallRequest, type CallResult } from '../support/harness';
import { intercept, throttled } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { startTcp } from '../support/receiver';
import { sampled } from '../support/sampled';
import { closeShops, openShop } from '../support/shop';

/**
 * Each request has a deadline for all of its calls. Even if the table hangs, the client must get a response before Lambda stops the
 * function.
 */

/** The time that a function has left: two seconds are for its response, and the rest for the table. */
const REMAINING_MS = 2300;
/** The clock is real, because a call that hangs ends only after a real time limit. */
const realTime = {
  callLimitMs: CALL_LIMIT_MS,
  clock: Date.now,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
const AWS = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

const usesTable = ({ store }: Endpoint): boolean => Object.keys(store).length > 0;

/**
 * A valid request that makes the endpoint read the table. The rows that the request names need not exist.
 *
 * @param token a token for the links with which buyers unsubscribe from reminders
 */
function wellFormed(row: Endpoint, token: string): CallRequest {
  const claim = { key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z', fingerprint: 'a'.repeat(64) };
  const values: Readonly<Record<string, string>> = {
    event_id: 'f'.repeat(32),
    fingerprint: claim.fingerprint,
    kid: 'A'.repeat(43),
    payment: 'f'.repeat(row.credential === 'signature' ? 43 : 32),
    note: noteExample.id,
    token,
  };
  return {
    params: Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, values[name] ?? 1])),
    ...(row.name === 'searchLicenses' && { query: { key: claim.key } }),
    ...(row.credential === 'product' && { apiKey: 'pk_test', ...(row.query && { query: claim }) }),
    ...(row.examples.request && { body: row.examples.request }),
    ...(row.idempotent && { headers: { 'Idempotency-Key': 'once' } }),
  };
}

/** Whether a response comes within the function's remaining time. A busy machine delays the timer as much as the request. */
async function withinLimit(request: () => Promise<CallResult>): Promise<{ readonly status: number | undefined; readonly inTime: boolean }> {
  let timer: NodeJS.Timeout | undefined;
  const cutOff = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), REMAINING_MS)));
  const response = await Promise.race([request(), cutOff]);
  clearTimeout(timer);
  return { status: response?.status, inTime: response !== undefined };
}

afterEach(closeShops);
const logs = captureLogs();

describe('a table that accepts calls and never responds', () => {
  test('makes every endpoint respond with 503 before its function is stopped; otherwise the gateway would respond with 504 after 20 s', async () => {
    const silent = await startTcp(() => undefined);
    const harness = startHarness({ ...realTime, client: tableClient({ ...AWS, endpoint: `http://127.0.0.1:${silent.port}` }) });
    const rows = sampled(endpoints.filter(usesTable));
    const token = await unsubscribeToken(harness.app, 1, 'ada@example.com');
    const request = (row: Endpoint): Promise<CallResult> =>
      harness.call(row.name, { ...wellFormed(row, token), remainingMs: REMAINING_MS });
    // These first requests load the handlers' code, so that the measured requests don't include the time for loading.
    await Promise.all(rows.map(request));
    const responses = [];
    for (let first = 0; first < rows.length; first += 8) {
      responses.push(
        ...(await Promise.all(
          rows.slice(first, first + 8).map(async (row) => ({ row: row.name, ...(await withinLimit(() => request(row))) })),
        )),
      );
    }
    expect(responses).toEqual(rows.map(({ name }) => ({ row: name, status: 503, inTime: true })));
    harness.close();
    await silent.close();
  });

  test.each([1, 2, 3])('makes an endpoint respond with 503 even if the table hangs only from call number %i on', async (healthy) => {
    const shop = await openShop({ kind: 'subscription', duration_days: 30 }, realTime);
    // The product has a webhook. Without one, the function reads the product again after the commit, and a failure of that read appears
    // only in the log.
    await shop.call('setWebhook', { params: { id: shop.productId }, body: { url: 'https://hooks.example.com/' } });
    const { id, key } = await shop.newLicense();
    const params = { id };
    const requests: readonly [string, CallRequest][] = [
      ['activate', { params: { id: shop.productId }, apiKey: shop.apiKey, body: { key, fingerprint: 'a'.repeat(64) } }],
      ['createLicense', { params: { id: shop.productId }, body: { license_type_id: shop.typeId } }],
      ['renewLicense', { params, headers: { 'Idempotency-Key': 'once' } }],
      ['revokeLicense', { params }],
      ['resetLicense', { params }],
    ];
    let calls = 0;
    intercept(shop.client, (_, next) => ((calls += 1) > healthy ? new Promise(() => undefined) : next()));
    for (const [name, request] of requests) {
      calls = 0;
      const { status, inTime } = await withinLimit(() => shop.call(name, { ...request, remainingMs: REMAINING_MS }));
      expect([name, inTime]).toEqual([name, true]);
      // An endpoint that makes at most `healthy` calls succeeds, because none of its calls hangs.
      if (calls > healthy) expect([name, status]).toEqual([name, 503]);
    }
  });
});

describe('the retry budget', () => {
  test('applies to the whole request: several calls, each with faults for less than the limit, do not take longer than the limit together', async () => {
    const shop = await openShop({ kind: 'subscription', duration_days: 30 });
    const { id } = await shop.newLicense();
    const begun = shop.now();
    const faulty = new Map<string, number>();
    intercept(shop.client, (call, next) => {
      const what = JSON.stringify([call.operation, call.input['TransactItems'] ? '' : call.input]);
      if (!faulty.has(what)) faulty.set(what, shop.now());
      // Each call of the request fails until three seconds after its first try, and then succeeds.
      return shop.now() - (faulty.get(what) ?? 0) < 3000 ? Promise.reject(throttled()) : next();
    });
    expect((await shop.call('renewLicense', { params: { id } })).status).toBe(503);
    expect(shop.now() - begun).toBeGreaterThanOrEqual(5000);
    expect(shop.now() - begun).toBeLessThan(5400);
  });

  test('counts real time: moving the test clock of a local run ends no request that is in progress', async () => {
    let moved = 0;
    const shop = await openShop({ kind: 'subscription', duration_days: 30 }, { clock: () => Date.now() + moved, realClock: Date.now });
    const { id } = await shop.newLicense();
    let calls = 0;
    intercept(shop.client, (_, next) => {
      moved += 60_000;
      return (calls += 1) % 2 === 1 ? Promise.reject(throttled()) : next();
    });
    expect((await shop.call('renewLicense', { params: { id }, remainingMs: 20_000 })).status).toBe(200);
  });

  test("is the function's remaining time if that is shorter, minus two seconds for the response", () => {
    const remaining = (ms: number) => ({ getRemainingTimeInMillis: () => ms });
    expect(timeLimits(1_000_000, remaining(20_000))).toEqual({ retryUntil: 1_005_000, deadline: 1_018_000 });
    expect(timeLimits(1_000_000, remaining(4500))).toEqual({ retryUntil: 1_002_500, deadline: 1_002_500 });
  });
});

test('a queue that never responds delays the response by a second, not by its own time limits', async () => {
  const silent = await startTcp(() => undefined);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${silent.port}`,
    AWS_REGION: AWS.region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const send = sendMessages({ ...parseConfig({}), eventQueueUrl: 'http://queue/1/events' });
  const limits: (number | undefined)[] = [];
  const shop = await openShop(undefined, {
    send: (messages, timeoutMs) => {
      limits.push(timeoutMs);
      return send(messages, 50);
    },
  });
  await shop.call('setWebhook', { params: { id: shop.productId }, body: { url: 'https://8.8.8.8/' } });
  const { key } = await shop.newLicense();
  expect((await shop.activate(key, 'a'.repeat(64))).status).toBe(200);
  expect(limits).toEqual([1000, 1000]);
  await silent.close();
});

test('a function without a table name fails with its first request and says why, instead of calling a table without a name', async () => {
  const harness = startHarness({ config: parseConfig({}) });
  const calls: string[] = [];
  intercept(harness.client, ({ operation }, next) => {
    calls.push(operation);
    return next();
  });
  expect((await harness.call('getProduct', { params: { id: 1 } })).status).toBe(500);
  expect(calls).toEqual([]);
  expect(logs().join()).toContain('TABLE_NAME is not set');
  harness.close();
});
