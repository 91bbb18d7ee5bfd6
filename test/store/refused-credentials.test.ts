import { captureLogs } from '../support/logs';
import { closeShops, openShop } from '../support/shop';

/** What the log keeps of refused credentials: an operator can find and block who is guessing. */

const logged = captureLogs();
afterEach(closeShops);

const refusals = (): unknown[] => logged().map((line) => JSON.parse(line) as { message: string }).filter(({ message }) => message === 'CREDENTIAL_REFUSED');

test.each([
  ['getLicense', { 'X-Svc-Admin-Token': 'a-wrong-token' }, '/v1/licenses/{id}'],
  ['validate', { 'X-API-Key': 'a-wrong-key' }, '/v1/products/{id}/validate'],
])('%s: a wrong credential is logged with the address behind the distribution, and never itself', async (name, headers, route) => {
  const service = await openShop();
  const behind = { 'X-Svc-Base-Path': '/', 'X-Forwarded-For': '198.51.100.1, 203.0.113.7, 130.176.0.1' };
  const { status } = await service.call(name, { params: { id: service.productId }, query: { key: 'k', fingerprint: 'fingerprint-1' }, headers: { ...headers, ...behind } });
  expect(status).toBe(401);
  expect(refusals()).toMatchObject([{ route, source_ip: '203.0.113.7', request_id: 'test-request' }]);
  for (const wrong of Object.values(headers)) expect(logged().join()).not.toContain(wrong);
});

test('a request without a credential leaves no line', async () => {
  const service = await openShop();
  await service.call('getLicense', { params: { id: 1 }, headers: { 'X-Svc-Admin-Token': undefined as unknown as string } });
  expect(refusals()).toEqual([]);
});
