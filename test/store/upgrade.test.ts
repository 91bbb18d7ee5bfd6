import { PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { handler as maintain } from '../../lambdas/events/maintain';
import { setAppForTests } from '../../lambdas/runtime/app';
import { upgradeRows } from '../../lambdas/store/upgrade';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { countCalls } from '../support/faults';
import { ownTable } from '../support/own-table';
import { captureLogs } from '../support/logs';
import { eventsOf, everyRow } from '../support/table';

/**
 * Rows that the first release has written serve today's operations, and are found by today's lists once the maintenance worker has upgraded
 * them.
 */

captureLogs();
const HOUR = 3_600_000;

let service: EventHarness;
beforeEach(async () => {
  service = startEventHarness(await ownTable());
});
afterEach(() => service.close());

const run = (): Promise<void> => {
  setAppForTests(service.app);
  return maintain();
};

/** Gives every row the shape that the first release wrote. */
async function asOfFirstRelease(): Promise<void> {
  const { client, name: TableName } = service.app.table;
  const rows = await everyRow(TableName);
  for (const row of rows) {
    const { pk, sk, version, lookup_pk, lookup_sk, metadata_ref, ...old } = row;
    const key = { pk, sk };
    const isLicensing = /^LICENSE#/.test(String(pk));
    if (/^(UNIQUE#TYPE_ID|METADATA|FREED_DEVICES|UPGRADE)#/.test(String(pk))) await client.send(new DeleteCommand({ TableName, Key: key }));
    if (!isLicensing) continue;
    const json = metadata_ref === undefined ? undefined : rows.find((long) => long['sk'] === metadata_ref)?.['json'];
    await client.send(new PutCommand({ TableName, Item: { ...key, ...old, ...(json !== undefined && { metadata: json }) } }));
  }
}

const ids = async (name: string, params: object, query: Readonly<Record<string, string>>): Promise<number[]> => {
  const { status, body } = await service.call(name, { params: params as never, query });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as unknown as { id: number }[]).map(({ id }) => id);
};

test('old rows are upgraded a part at a time, however often it is interrupted; nothing is reported as a change', async () => {
  const product = await service.newProduct();
  const note = 'x'.repeat(15_000);
  const timed = await product.license({ metadata: { note } });
  const reset = await product.license();
  await product.activate(timed.key, 'machine-1');
  await product.activate(reset.key, 'machine-1');
  await service.ok('resetLicense', { params: { id: reset.id } });
  await product.activate(reset.key, 'machine-2');
  const more = [await product.license(), await product.license()];
  await asOfFirstRelease();
  const before = await eventsOf(timed.id, service.app.table.name);

  // As the first release left them, rows serve every request, but the new lists don't find them yet.
  expect((await product.validate(timed.key, 'machine-1')).body).toMatchObject({ valid: true });
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-1' })).toEqual([]);
  await service.ok('updateLicense', {
    params: { id: more[0]!.id },
    body: { expires_at: new Date(service.now() + 24 * HOUR).toISOString() },
  });

  // One row of the list in each run.
  let runs = 0;
  for (; runs < 40; runs += 1) if ((await upgradeRows(service.app.table, 1)).rows === 0 && runs > 10) break;
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-1' })).toEqual([timed.id]);
  expect(await ids('listLicenses', { id: product.id }, { sort: 'expires_at' })).toEqual([more[0]!.id, timed.id, reset.id, more[1]!.id]);
  expect(await service.ok('getLicense', { params: { id: timed.id } })).toMatchObject({
    metadata: { note },
    activations: [{ fingerprint: 'machine-1' }],
  });
  const rows = await everyRow(service.app.table.name);
  expect(rows.find(({ sk, id }) => sk === 'LICENSE' && id === timed.id)).toMatchObject({
    version: 2,
    metadata_ref: expect.any(String) as unknown,
  });
  expect(rows.find(({ sk, id }) => sk === 'LICENSE' && id === timed.id)).not.toHaveProperty('metadata');
  expect(rows.filter(({ pk }) => String(pk).startsWith('UNIQUE#TYPE_ID#'))).toHaveLength(1);
  expect(await eventsOf(timed.id, service.app.table.name)).toEqual(before);

  // Devices that a reset had freed go, those that are bound stay.
  await run();
  const devices = (await everyRow(service.app.table.name)).filter(
    ({ pk, sk }) => String(pk).startsWith('LICENSE#') && String(sk).startsWith('DEVICE#'),
  );
  expect(devices.map(({ sk }) => sk).sort()).toEqual(['DEVICE#machine-1', 'DEVICE#machine-2']);
});

test('a license that changes while it is upgraded keeps its change', async () => {
  const product = await service.newProduct();
  const licenses = [];
  for (let place = 0; place < 8; place += 1) licenses.push(await product.license({ metadata: { note: 'x'.repeat(500) } }));
  await asOfFirstRelease();
  await Promise.all([
    upgradeRows(service.app.table, 1000),
    upgradeRows(service.app.table, 1000),
    ...licenses.flatMap(({ id, key }) => [
      product.activate(key, 'machine-1'),
      service.ok('renewLicense', { params: { id }, body: { days: 10 } }),
      product.activate(key, 'machine-2'),
    ]),
  ]);
  for (const { id, expires_at } of licenses) {
    expect(await service.ok('getLicense', { params: { id } })).toMatchObject({
      expires_at: new Date(Date.parse(String(expires_at)) + 10 * 24 * HOUR).toISOString(),
      metadata: { note: 'x'.repeat(500) },
      activations: [{ fingerprint: 'machine-1' }, { fingerprint: 'machine-2' }],
    });
  }
  expect(
    await ids('listLicenses', { id: product.id }, { sort: 'expires_at', expires_after: new Date(service.now()).toISOString() }),
  ).toEqual(licenses.map(({ id }) => id));
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-2' })).toEqual(licenses.map(({ id }) => id));
});

test('when all is upgraded, a run costs two queries; what an old function wrote during the roll-out is found by the second walk', async () => {
  const product = await service.newProduct();
  await run();
  const late = await product.license();
  await asOfFirstRelease();
  // The progress was removed with the old shape: the first walk begins anew.
  await run();
  service.advance(HOUR);
  for (let runs = 0; runs < 3; runs += 1) await run();
  expect(
    await ids('listLicenses', { id: product.id }, { sort: 'expires_at', expires_after: new Date(service.now()).toISOString() }),
  ).toEqual([late.id]);
  const calls = countCalls(service.client);
  await run();
  // One for rows of devices that were freed, one for buyers whose data is to be erased.
  expect(calls).toEqual({ QueryCommand: 2 });
});
