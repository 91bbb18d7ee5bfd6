import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { LicenseView } from '../../lambdas/contract/resources';
import { parseConfig } from '../../lambdas/runtime/config';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { everyRow } from '../support/table';

/**
 * A buyer's address may have an internationalized domain. The buyer and the vendor may write the domain in Unicode or in ASCII (Punycode),
 * and both spellings name the same mailbox everywhere.
 */

captureLogs();
const READABLE = 'info@müller.example';
const ASCII = 'info@xn--mller-kva.example';
const SPELLINGS = [READABLE, ASCII, 'INFO@XN--MLLER-KVA.EXAMPLE', 'info@MÜLLER.Example', 'info@mu\u0308ller.example'];

let table: string;
let service: EventHarness;
let server: MailServer;
let product: Product;
beforeEach(async () => {
  table = await ownTable();
  server = await startMailServer();
  service = startEventHarness(table, {
    config: {
      ...parseConfig({}),
      tableName: table,
      publicUrl: 'https://x.example',
      mail: { transport: 'smtp', from: 'licenses@example.com' },
    },
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? server.url : `test-${name}`),
  });
  product = await service.newProduct();
  await service.ok('setMailSettings', { params: { id: product.id }, body: { send_keys: true } });
});
afterEach(async () => {
  service.close();
  await server.close();
});

/** The ids of the licenses that each search, filter and export finds by an address. */
async function found(address: string): Promise<number[][]> {
  const params = { id: product.id };
  const lists = [
    await service.ok<LicenseView[]>('searchLicenses', { query: { customer_email: address } }),
    await service.ok<LicenseView[]>('searchLicenses', { query: { q: address } }),
    await service.ok<LicenseView[]>('searchLicenses', { query: { q: `Müller <${address.slice(0, -2)}>` } }),
    await service.ok<LicenseView[]>('listLicenses', { params, query: { customer_email: address } }),
    await service.ok<LicenseView[]>('listLicenses', { params, query: { customer_email: address, sort: 'expires_at' } }),
    (await service.ok<{ licenses: LicenseView[] }>('exportCustomer', { body: { customer_email: address } })).licenses,
  ];
  return lists.map((list) => list.map(({ id }) => id).sort((a, b) => a - b));
}

test.each(SPELLINGS)('%s is stored and shown in one readable spelling, and found in every spelling', async (typed) => {
  const license = await product.license({ customer_email: typed });
  expect(license.customer_email).toBe(typed.startsWith('INFO') ? READABLE.replace('info', 'INFO') : READABLE);
  for (const address of SPELLINGS) {
    expect(await found(address)).toEqual(Array.from({ length: 6 }, () => [license.id]));
    const ofDomain = await service.ok<LicenseView[]>('searchLicenses', { query: { q: address.slice(address.indexOf('@')) } });
    expect([address, ofDomain.map(({ id }) => id)]).toEqual([address, [license.id]]);
  }
});

test('the two spellings are one buyer: in limits, in the portal, and when the data is erased', async () => {
  const { id } = await product.license({ customer_email: READABLE, mail: false });
  const mail = async (): Promise<number> => (await service.call('mailLicense', { params: { id } })).status;
  expect([await mail(), await mail()]).toEqual([202, 202]);
  await service.ok('updateLicense', { params: { id }, body: { customer_email: ASCII } });
  expect([await mail(), await mail()]).toEqual([202, 429]);
  await service.run();
  server.inbox.length = 0;

  await service.ok('setPortal', { params: { id: product.id }, body: { enabled: true } });
  await service.call('requestPortalCode', { params: { slug: product.slug }, body: { email: ASCII } });
  await service.run();
  const code = /\b\d{8}\b/.exec(server.inbox[0]?.mail.text ?? '')?.[0];
  const { session } = await service.ok<{ session: string }>('createPortalSession', {
    params: { slug: product.slug },
    body: { email: READABLE, code },
  });
  const headers = { 'X-Portal-Session': session };
  const licenses = await service.ok<{ id: number }[]>('listPortalLicenses', { params: { slug: product.slug }, headers });
  expect(licenses.map((license) => license.id)).toEqual([id]);

  expect(await service.ok('eraseCustomer', { body: { customer_email: ASCII } })).toMatchObject({ licenses: 1, complete: true });
  expect(JSON.stringify(await everyRow(table))).not.toMatch(/m.{1,3}ller/);
});

test('a license that an earlier version stored with an ASCII domain is found and erased in both spellings', async () => {
  const placeholder = 'info@mueller-gmbh.example';
  const { id } = await product.license({ customer_email: placeholder, mail: false });
  // Earlier versions stored an address as it was given.
  for (const row of await everyRow(table)) {
    const text = JSON.stringify(row);
    if (text.includes(placeholder) && !(row['body'] instanceof Uint8Array))
      await service.client.send(new PutCommand({ TableName: table, Item: JSON.parse(text.replaceAll(placeholder, ASCII)) as typeof row }));
  }
  for (const address of [READABLE, ASCII]) expect(await found(address)).toEqual(Array.from({ length: 6 }, () => [id]));
  expect((await service.ok<LicenseView>('getLicense', { params: { id } })).customer_email).toBe(READABLE);
  expect(await service.ok('eraseCustomer', { body: { customer_email: READABLE } })).toMatchObject({ licenses: 1 });
  expect(JSON.stringify(await everyRow(table))).not.toContain(ASCII);
});
