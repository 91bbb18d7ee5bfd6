import { endpoints } from '../../lambdas/contract';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { accessOf } from '../../lambdas/contract/endpoint-access';
import { startHarness, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { updaterParams } from '../support/releases';
import { closeShops, openShop } from '../support/shop';

/**
 * Tests what is recorded about the source of requests. An operator must be able to find and block a client that guesses credentials, and no
 * client may pretend to have another IP address.
 */

const logged = captureLogs();
const running: Harness[] = [];
afterEach(closeShops);
afterEach(() => running.splice(0).forEach((harness) => harness.close()));

const refusals = (): unknown[] =>
  logged()
    .map((line) => JSON.parse(line) as { message: string })
    .filter(({ message }) => message === 'CREDENTIAL_REFUSED');

/**
 * The headers of a request through the distribution: the origin secret, and `X-Forwarded-For`, to which each server adds the address of its
 * caller.
 */
const SECRET = 'test-originSecret';
const HOPS = '198.51.100.1, 203.0.113.7, 130.176.0.1';
const behind = { 'X-Svc-Base-Path': '/', Referer: SECRET, 'X-Forwarded-For': HOPS };
/** The IP address that API Gateway reports. It is null, because the harness has no gateway. */
const GATEWAY = null;

test.each([
  ['getLicense', { 'X-Svc-Admin-Token': 'a-wrong-token' }, '/v1/licenses/{id}'],
  ['validate', { 'X-API-Key': 'a-wrong-key' }, '/v1/products/{id}/validate'],
])(
  "%s: the log line about a wrong credential has the client's IP address instead of the distribution's, and never the credential",
  async (name, headers, route) => {
    const service = await openShop();
    const { status } = await service.call(name, {
      params: { id: service.productId },
      query: { key: 'k', fingerprint: 'fingerprint-1' },
      headers: { ...headers, ...behind },
    });
    expect(status).toBe(401);
    expect(refusals()).toMatchObject([{ route, source_ip: '203.0.113.7', request_id: 'test-request' }]);
    for (const wrong of [...Object.values(headers), SECRET]) expect(logged().join()).not.toContain(wrong);
  },
);

test('a request without a credential writes no log line', async () => {
  const service = await openShop();
  await service.call('getLicense', { params: { id: 1 }, headers: { 'X-Svc-Admin-Token': undefined as unknown as string } });
  expect(refusals()).toEqual([]);
});

describe('a client that calls the API directly cannot claim another IP address', () => {
  const forgeries: readonly [string, Record<string, string>][] = [
    ['without the secret', { 'X-Svc-Base-Path': '/', 'X-Forwarded-For': HOPS }],
    ['with a wrong secret', { ...behind, Referer: `${SECRET}x` }],
    ['with an empty secret', { ...behind, Referer: '' }],
  ];

  test.each(forgeries)('%s: in the log of refused credentials, on every route with a credential', async (_case, headers) => {
    const service = await openShop();
    const credentials = {
      admin: { 'X-Svc-Admin-Token': 'wrong' },
      product: { 'X-API-Key': 'wrong' },
      license: { 'X-License-Key': 'wrong' },
      portal: { 'X-Portal-Session': 'wrong' },
      signature: {},
      none: {},
    };
    const { slug } = (await service.call('getProduct', { params: { id: service.productId } })).body as { slug?: string };
    expect(
      (await service.call('setPortal', { params: { id: service.productId }, body: { enabled: true, allow: portalActions } })).status,
    ).toBe(200);
    const rows = endpoints.filter(({ credential }) => credential !== 'none');
    for (const { name, credential } of rows) {
      await service.call(name, {
        params: {
          id: service.productId,
          license: 1,
          payment: 'wrong',
          fingerprint: 'f',
          ref: 'x',
          ...updaterParams({ path: '' }, slug ?? ''),
        },
        headers: { ...headers, ...credentials[credential] },
      });
    }
    expect(refusals()).toHaveLength(rows.length);
    for (const refusal of refusals()) expect(refusal).toMatchObject({ source_ip: GATEWAY });
  });

  test('in the audit log, which records the IP address of the client and not of the distribution', async () => {
    const service = await openShop();
    for (const headers of [behind, ...forgeries.map(([, forged]) => forged)]) {
      expect((await service.call('revokeLicense', { params: { id: (await service.newLicense()).id }, headers })).status).toBe(200);
    }
    const { body } = await service.call('listAudit', { query: { product_id: String(service.productId) } });
    const revoked = (body as unknown as { action: string; source_ip: string | null }[]).filter(({ action }) => action === 'revokeLicense');
    // Entries of the audit log with the same millisecond have no order.
    expect(revoked.map(({ source_ip }) => String(source_ip)).sort()).toEqual(
      ['203.0.113.7', ...forgeries.map(() => String(GATEWAY))].sort(),
    );
  });
});

test('the longest possible IP address is stored completely', async () => {
  const service = await openShop();
  await service.call('getLicense', {
    params: { id: 1 },
    headers: { ...behind, 'X-Svc-Admin-Token': 'wrong', 'X-Forwarded-For': `${'9'.repeat(8000)}, 130.176.0.1` },
  });
  expect(refusals()).toMatchObject([{ source_ip: '9'.repeat(45) }]);
});

test('if the origin secret cannot be read, the IP address is not recorded, but the request succeeds', async () => {
  const service = startHarness({
    fetchSecret: (name) => (name === 'originSecret' ? Promise.reject(new Error('AccessDenied')) : Promise.resolve(`test-${name}`)),
  });
  running.push(service);
  expect((await service.call('getLicense', { params: { id: 1 }, headers: { ...behind, 'X-Svc-Admin-Token': 'wrong' } })).status).toBe(401);
  expect(refusals()).toMatchObject([{ source_ip: GATEWAY }]);
  expect(logged().join()).toContain('ORIGIN_NOT_PROVEN');
});

test('only the functions that record IP addresses may read the origin secret', () => {
  for (const row of endpoints)
    expect([row.name, accessOf(row).secrets?.includes('originSecret') ?? false]).toEqual([
      row.name,
      row.credential !== 'none' || row.name === 'createPortalSession',
    ]);
});
