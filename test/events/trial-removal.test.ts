import { maintain as worker } from '../../lambdas/contract/workers';
import { handler } from '../../lambdas/events/maintain';
import { asWorker } from '../support/declared-access';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import type { CallResult } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { everyRow, rowsBelow } from '../support/table';

/**
 * An app's API key is public, so anyone can start trials. Trials that nobody bought must therefore disappear some time after their end, and
 * trials that somebody bought must stay.
 */

captureLogs();
const DAY = 86_400_000;
let table: string;
let service: EventHarness;
let product: Product;

beforeEach(async () => {
  table = await ownTable();
  service = startEventHarness(table);
  product = await service.newProduct();
  await service.ok('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Trial', kind: 'trial', duration_days: 14, self_service: true },
  });
});
afterEach(() => service.close());

const maintain = (): Promise<void> => handler({}, { app: asWorker(worker, service.app) });
const start = (fingerprint: string): Promise<CallResult> =>
  service.call('startTrial', { params: { id: product.id }, apiKey: product.api_key, body: { fingerprint, name: 'Laptop' } });
const started = async (fingerprint = 'fingerprint-1'): Promise<{ id: number; key: string }> => {
  const { body } = await start(fingerprint);
  return body['license'] as unknown as { id: number; key: string };
};
const status = async (id: number): Promise<number> => (await service.call('getLicense', { params: { id } })).status;
const shown = async (): Promise<unknown> => ({
  ...(await service.ok<{ licenses: object[] }>('getOverview', { params: { id: product.id } })).licenses[0],
  deployment: (await service.ok<{ licenses: object }>('getDeploymentOverview')).licenses,
});

test('an unused trial disappears 90 days after its end, and its device still gets no second trial', async () => {
  const { id, key } = await started();
  const other = await started('fingerprint-2');
  const long = { note: 'x'.repeat(5000) };
  await service.ok('updateLicense', { params: { id }, body: { metadata: long, updates_until: '2999-01-01T00:00:00Z' } });
  await service.ok('createNote', { params: { id }, body: { text: 'Asked for a discount' } });
  await service.ok('updateLicense', { params: { id }, body: { max_seats: 1 }, headers: { 'Idempotency-Key': 'seats' } });
  service.advance(14 * DAY);
  await product.validate(key, 'fingerprint-1');
  await service.recover();
  expect(await shown()).toMatchObject({ active: 1, expired: 1, deployment: { active: 1, expired: 1 } });

  service.advance(90 * DAY - 1000 * 60 * 60);
  await maintain();
  expect(await status(id)).toBe(200);
  service.advance(1000 * 60 * 60);
  await service.ok('renewLicense', { params: { id: other.id }, body: { days: 30 } });
  await service.recover();
  await maintain();
  expect([await status(id), await status(other.id)]).toEqual([404, 200]);
  expect((await product.validate(key, 'fingerprint-1')).body).toEqual({ valid: false, status: 'invalid' });
  expect(await service.ok('listLicenses', { params: { id: product.id } })).toMatchObject([{ id: other.id }]);
  expect(await shown()).toMatchObject({ active: 1, expired: 0, deployment: { active: 1, expired: 0 } });
  const left = (await everyRow(table)).filter(({ pk }) =>
    /^(LICENSE|LICENSE_ID|NOTE|FREED_DEVICES|IDEMPOTENCY|REFUSAL#LICENSE)#/.test(String(pk)),
  );
  // The rows of the other trial: the license, its device and its id.
  expect(left.map(({ pk }) => String(pk).split('#')[0]).sort()).toEqual(['LICENSE', 'LICENSE', 'LICENSE_ID']);
  // Events may still refer to the long metadata, so it expires later.
  expect(await rowsBelow('METADATA#', table)).toMatchObject([{ ttl: Math.ceil(service.now() / 1000) + 40 * 86_400 }]);

  const again = await start('fingerprint-1');
  expect([again.status, again.headers['X-Svc-Error-Code'], again.headers['X-Svc-Verdict'] === undefined]).toEqual([
    403,
    'license_expired',
    false,
  ]);
});

test('a trial that was bought or prolonged in the meantime stays', async () => {
  const bought = await started('fingerprint-1');
  const prolonged = await started('fingerprint-2');
  await service.ok('updateLicense', { params: { id: bought.id }, body: { license_type_id: product.typeId } });
  await service.ok('renewLicense', { params: { id: prolonged.id }, body: { days: 30 } });
  service.advance(105 * DAY);
  await maintain();
  service.advance(20 * DAY);
  await maintain();
  expect([await status(bought.id), await status(prolonged.id)]).toEqual([200, 200]);
  service.advance(30 * DAY);
  await maintain();
  expect([await status(bought.id), await status(prolonged.id)]).toEqual([200, 404]);
});

test('a trial that is prolonged at the moment of its removal stays, and an interrupted removal is continued', async () => {
  const [prolonged, interrupted] = [await started('fingerprint-1'), await started('fingerprint-2')];
  await service.ok('createNote', { params: { id: interrupted.id }, body: { text: 'A note' } });
  service.advance(105 * DAY);
  const fresh = startEventHarness(table, { clock: service.now });
  let isProlonged = false;
  let isBroken = false;
  intercept(service.client, async ({ operation, input }, next) => {
    const text = JSON.stringify(input);
    if (operation === 'TransactWriteItems' && text.includes('"Delete"') && !isProlonged) {
      isProlonged = true;
      await fresh.ok('renewLicense', { params: { id: prolonged.id }, body: { days: 365 } });
    }
    if (operation === 'Query' && text.includes(`NOTE#${interrupted.id}`) && !isBroken) {
      isBroken = true;
      throw new Error('The function ends (injected by the test)');
    }
    return next();
  });
  await expect(maintain()).rejects.toThrow('The function ends');
  expect(await status(interrupted.id)).toBe(404);
  await maintain();
  fresh.close();
  expect([isProlonged, isBroken, await status(prolonged.id)]).toEqual([true, true, 200]);
  const notes = (await everyRow(table)).filter(({ pk }) => String(pk).startsWith('NOTE#'));
  expect(notes).toEqual([]);
});
