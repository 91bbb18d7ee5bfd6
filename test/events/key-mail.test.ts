import type { LicenseView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { MAIL_RETRY_DELAYS_MS } from '../../lambdas/domain/delivery';
import { EVENT_RANDOM_BYTES } from '../../lambdas/domain/event';
import { keyMailFor } from '../../lambdas/domain/key-mail';
import { parseConfig } from '../../lambdas/runtime/config';
import { recordEvent } from '../../lambdas/store/events/record';
import { getLicense } from '../../lambdas/store/licenses/read';
import { getProduct } from '../../lambdas/store/products';
import { transact } from '../../lambdas/store/transaction';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs, writtenBy } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { startReceiver } from '../support/receiver';

/**
 * Buyers get their keys by mail, through a real mail server. Each mail is sent at least once, even if a function dies, and no unwanted mail
 * is sent.
 */

const logged = captureLogs();
const BUYER = 'ada@example.com';
let server: MailServer;
let inbox: MailServer['inbox'];
let table: string;
let service: EventHarness;
let product: Product;

beforeAll(async () => {
  table = await ownTable();
  server = await startMailServer();
  ({ inbox } = server);
});
afterAll(() => server.close());

const start = (from: string | undefined = 'licenses@example.com'): EventHarness =>
  startEventHarness(table, {
    config: {
      ...parseConfig({}),
      tableName: table,
      webhookAllowPrivate: true,
      mail: from === '' ? { transport: 'none' } : { transport: 'smtp', from },
    },
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? server.url : `test-${name}`),
  });
beforeEach(async () => {
  inbox.length = 0;
  server.refusal = 0;
  service = start();
  product = await service.newProduct();
  await settings({ send_keys: true });
});
afterEach(() => service.close());

const settings = (body: object): Promise<Record<string, unknown>> => service.ok('setMailSettings', { params: { id: product.id }, body });
const sell = (fields: object = {}): Promise<LicenseView> => product.license({ customer_email: BUYER, ...fields });
const mails = (): Promise<DeliveryView[]> => product.deliveries({ channel: 'mail' });

test('a new license is mailed to its buyer: text and HTML, with all that the buyer needs, and the log shows no key', async () => {
  await settings({
    reply_to: 'help@example.com',
    text: 'Key of {{product}} ({{license_type}}): {{keys}}\n\n{{seats}} seats until {{expires_at}}, order "{{ order }}" <&>',
  });
  const license = await sell({ expires_at: '2027-11-20T12:00:00Z', max_seats: 3 });
  expect(await mails()).toMatchObject([
    { status: 'pending', attempts: 0, url: `mailto:${BUYER}`, license_id: license.id, channel: 'mail', event: 'license.key_mailed' },
  ]);
  await service.run();
  const [{ to, mail }] = inbox as [(typeof inbox)[number]];
  expect([inbox.length, to, mail.subject, mail.replyTo?.text]).toEqual([
    1,
    [BUYER],
    `Your license for ${product.name}`,
    'help@example.com',
  ]);
  expect(mail.text?.trim()).toBe(`Key of ${product.name} (Yearly): ${license.key}\n\n3 seats until 20 November 2027, order "" <&>`);
  expect(mail.html).toContain(`${license.key}</code>`);
  expect(mail.html).toContain('&#60;&#38;&#62;');
  const [entry] = await mails();
  expect(entry).toMatchObject({
    status: 'delivered',
    attempts: 1,
    last_error: null,
    payload: { event: 'license.key_mailed', data: { product: product.slug, license_ids: [license.id] } },
  });
  expect(JSON.stringify(entry)).not.toContain(license.key);
  for (const secret of [license.key, BUYER]) expect(logged().join()).not.toContain(secret);
  expect((await product.deliveries({ channel: 'webhook' })).map(({ event }) => event)).toEqual(['license.created']);
});

test('a mail comes from the product, and looks like its portal', async () => {
  await service.ok('setPortal', { params: { id: product.id }, body: { title: 'Licenses <of> Ada', color: '#ffe600' } });
  await settings({ text: 'Your key: {{keys}}\n\n{{portal}}' });
  const license = await sell();
  await service.run();
  const [{ mail }] = inbox as [(typeof inbox)[number]];
  expect(mail.from?.value).toEqual([{ name: product.name, address: 'licenses@example.com' }]);
  expect(mail.html).toContain('>Licenses &#60;of&#62; Ada</td>');
  expect(mail.html).toContain('border-top:4px solid #ffe600');
  // A text of the product stays as it is.
  expect(mail.text?.trim()).toBe(`Your key: ${license.key}`);
});

test('the default text names product, key, type, seats and expiry', async () => {
  const license = await sell();
  await service.run();
  const text = inbox[0]?.mail.text ?? '';
  for (const part of [product.name, license.key, 'Yearly', 'Devices: unlimited', /Expires: \d{1,2} [A-Z][a-z]+ \d{4}/])
    expect(text).toMatch(part);
  expect(text).not.toMatch(/[{}]/);
});

test('no mail is sent without an address, with `mail: false`, for a trial, for a repeated sale, or if the product does not mail keys', async () => {
  await product.license();
  await sell({ mail: false });
  const trial = await service.ok<{ id: number }>('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Trial', kind: 'trial', duration_days: 14 },
  });
  await sell({ license_type_id: trial.id });
  const sale = {
    params: { id: product.id },
    body: { license_type_id: product.typeId, customer_email: BUYER },
    headers: { 'Idempotency-Key': 'order-1' },
  };
  await service.ok('createLicense', sale);
  await service.ok('createLicense', sale);
  await settings({ send_keys: false });
  await sell();
  await service.recover();
  expect(inbox).toHaveLength(1);
});

test('licenses that were bought together are in one mail, recorded with the events that it contains', async () => {
  const ids = [(await sell({ mail: false })).id, (await sell({ mail: false })).id];
  const licenses = await Promise.all(ids.map(async (id) => (await getLicense(service.app.table, id))!));
  const mail = keyMailFor(
    (await getProduct(service.app.table, product.id))!,
    licenses,
    service.now(),
    service.app.random(EVENT_RANDOM_BYTES),
  )!;
  await transact(service.app.table, [recordEvent(mail)]);
  // The queue message for the mail is lost, and the sweeper finds the mail.
  await service.recover();
  expect(inbox).toHaveLength(1);
  for (const { key } of licenses) expect(inbox[0]?.mail.text).toContain(key);
  expect(await mails()).toMatchObject([{ license_id: ids[0], payload: { data: { license_ids: ids } } }]);
});

test('a mail shows only licenses that still belong to its address: never a key of another buyer, also if it is sent again', async () => {
  const OTHER = 'grace@example.com';
  const move = (id: number): Promise<unknown> => service.ok('updateLicense', { params: { id }, body: { customer_email: OTHER } });
  const [kept, moved] = [await sell({ mail: false }), await sell({ mail: false })];
  const licenses = await Promise.all([kept.id, moved.id].map(async (id) => (await getLicense(service.app.table, id))!));
  const stored = (await getProduct(service.app.table, product.id))!;
  const order = keyMailFor(stored, licenses, service.now(), service.app.random(EVENT_RANDOM_BYTES))!;
  await transact(service.app.table, [recordEvent(order)]);
  // Upper and lower case of the address do not matter.
  await service.ok('updateLicense', { params: { id: kept.id }, body: { customer_email: BUYER.toUpperCase() } });
  await move(moved.id);
  await service.recover();
  expect(inbox.map(({ to }) => to)).toEqual([[BUYER]]);
  expect(inbox[0]?.mail.text).toContain(kept.key);
  expect(inbox[0]?.mail.text).not.toContain(moved.key);

  // The mail server refuses the first attempt, and the address is corrected before the second.
  server.refusal = 451;
  const sold = await sell();
  const [{ id: event_id } = { id: '' }] = await mails();
  await service.deliver({ body: JSON.stringify({ event_id }), at: 0 });
  server.refusal = 0;
  inbox.length = 0;
  await move(sold.id);
  await service.ok('reissueLicense', { params: { id: sold.id } });
  await service.recover();
  expect(inbox.map(({ to }) => to)).toEqual([[OTHER]]);
  const ended = { status: 'failed', last_error: 'The licenses have another buyer now' };
  expect(await service.ok('getDelivery', { params: { event_id } })).toMatchObject(ended);

  await service.ok('redeliverMany', { params: { id: product.id }, body: { status: 'failed' } });
  await service.recover();
  await service.ok('redeliver', { params: { event_id } });
  await service.recover();
  expect(inbox).toHaveLength(1);
  expect(await service.ok('getDelivery', { params: { event_id } })).toMatchObject(ended);
});

test('a server that refuses temporarily is tried again after 60, 300 and 900 s, and no webhook waits for it', async () => {
  server.refusal = 451;
  const backend = await startReceiver();
  await product.setWebhook(backend.url);
  await sell();
  const begun = service.now();
  await service.run();
  await backend.close();
  const [entry] = await mails();
  expect(entry).toMatchObject({ status: 'failed', attempts: 4, last_status: 451, last_error: expect.stringContaining('SMTP') as string });
  const times = entry!.history.map(({ at }) => Date.parse(at));
  expect(times.map((at, place) => Math.round((at - (times[place - 1] ?? begun)) / 1000))).toEqual([
    0,
    ...MAIL_RETRY_DELAYS_MS.map((ms) => ms / 1000),
  ]);
  expect(backend.received.map(({ event }) => event)).toEqual(['license.created']);
  expect((await product.deliveries({ channel: 'webhook' }))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  server.refusal = 0;
  await service.ok('redeliver', { params: { event_id: entry!.id } });
  await service.run();
  expect(inbox).toHaveLength(1);
});

test('a mail that the server refuses permanently fails at once; after the address was corrected, it can be sent again', async () => {
  server.refusal = 550;
  const { id } = await sell();
  await service.run();
  expect(await mails()).toMatchObject([{ status: 'failed', attempts: 1, last_status: 550 }]);
  server.refusal = 0;
  await service.ok('updateLicense', { params: { id }, body: { customer_email: 'lovelace@example.com' } });
  expect(await service.call('mailLicense', { params: { id } })).toMatchObject({
    status: 202,
    body: { url: 'mailto:lovelace@example.com', channel: 'mail', status: 'pending' },
  });
  await service.run();
  expect(inbox.map(({ to }) => to)).toEqual([['lovelace@example.com']]);
});

test('an operator is warned if most mails fail: sent and finally refused mails are counted, other mails are not', async () => {
  const counted = async (): Promise<unknown[]> =>
    (await writtenBy(() => service.run())).flatMap((line) => Object.keys(line).filter((name) => name.startsWith('mail.')));
  await sell();
  expect(await counted()).toEqual(['mail.delivered']);
  server.refusal = 451;
  await sell();
  expect(await counted()).toEqual(['mail.failed']);
  const [failed] = await mails();
  await service.ok('eraseCustomer', { body: { customer_email: BUYER } });
  await service.ok('redeliver', { params: { event_id: failed!.id } });
  expect(await counted()).toEqual([]);
  expect(await mails()).toContainEqual(expect.objectContaining({ status: 'failed', last_error: 'The address was erased' }));
});

describe('mails that are requested', () => {
  const ask = (id: number): Promise<number> => service.call('mailLicense', { params: { id } }).then(({ status }) => status);
  const asked = (id: number, times: number): Promise<number[]> =>
    Promise.all(Array.from({ length: times }, () => ask(id))).then((statuses) => statuses.sort());
  const HOUR = 3_600_000;

  test('are limited to three an hour to one address, no matter how many are requested at once, and mails of sales are never dropped by the limit', async () => {
    const [first, second] = [await sell({ mail: false }), await sell({ mail: false, customer_email: BUYER.toUpperCase() })];
    const other = await sell({ mail: false, customer_email: 'grace@example.com' });
    const statuses = (await Promise.all([asked(first.id, 15), asked(second.id, 15)])).flat().sort();
    expect(statuses).toEqual([202, 202, 202, ...Array.from({ length: 27 }, () => 429)]);
    expect(await service.call('mailLicense', { params: { id: first.id } })).toMatchObject({
      status: 429,
      headers: { 'X-Svc-Error-Code': 'rate_limited' },
    });
    expect(await ask(other.id)).toBe(202);
    const sold = await sell();
    await service.run();
    expect(inbox).toHaveLength(5);
    expect(inbox.at(-1)?.mail.text).toContain(sold.key);

    service.advance(HOUR - 60_000);
    expect(await ask(first.id)).toBe(429);
    service.advance(60_000);
    expect(await asked(second.id, 4)).toEqual([202, 202, 202, 429]);
  });

  test('are limited to five an hour for one license, regardless of its address', async () => {
    const { id } = await sell({ mail: false });
    const to = async (customer_email: string): Promise<void> =>
      void (await service.ok('updateLicense', { params: { id }, body: { customer_email } }));
    expect(await asked(id, 3)).toEqual([202, 202, 202]);
    await to('grace@example.com');
    expect(await asked(id, 9)).toEqual([202, 202, ...Array.from({ length: 7 }, () => 429)]);
    await to('mary@example.com');
    expect(await ask(id)).toBe(429);
    // Refused requests for a mail don't count towards the limit.
    const other = await sell({ mail: false, customer_email: 'mary@example.com' });
    expect(await asked(other.id, 4)).toEqual([202, 202, 202, 429]);
  });

  test('of another product are counted separately: a token of one product learns nothing about another', async () => {
    const { id } = await sell({ mail: false });
    expect(await asked(id, 4)).toEqual([202, 202, 202, 429]);
    product = await service.newProduct();
    expect(await ask((await sell({ mail: false })).id)).toBe(202);
  });

  test('include delivered mails that an operator sends again, but not failed mails that an operator sends again', async () => {
    const { id } = await sell();
    await service.run();
    const [{ id: event_id } = { id: '' }] = await mails();
    const again = async (): Promise<number> => {
      const { status } = await service.call('redeliver', { params: { event_id } });
      await service.run();
      return status;
    };
    expect([await again(), await again(), await again(), await again()]).toEqual([202, 202, 202, 429]);
    expect(await ask(id)).toBe(429);
    expect(inbox).toHaveLength(4);

    server.refusal = 550;
    await sell();
    await service.run();
    server.refusal = 0;
    const [failed] = await mails();
    expect(failed?.status).toBe('failed');
    await service.ok('redeliver', { params: { event_id: failed!.id } });
    await service.run();
    expect(inbox).toHaveLength(5);
  });
});

test('a new key of a license is mailed if keys are mailed', async () => {
  const { id, key } = await sell();
  const { key: fresh } = await service.ok<LicenseView>('reissueLicense', { params: { id } });
  await service.run();
  expect(inbox).toHaveLength(2);
  expect(fresh).not.toBe(key);
  expect(inbox.at(-1)?.mail.text).toContain(fresh);
});

test('settings stay until they are changed, null restores the default, and invalid settings are refused', async () => {
  const defaults = await service.ok<Record<string, unknown>>('getMailSettings', { params: { id: (await service.newProduct()).id } });
  expect(defaults).toMatchObject({ send_keys: false, reply_to: null });
  expect(await settings({ subject: 'Hi {{order}}', reply_to: 'help@example.com' })).toMatchObject({
    send_keys: true,
    subject: 'Hi {{order}}',
    text: defaults['text'],
  });
  expect(await settings({})).toMatchObject({ send_keys: true, subject: 'Hi {{order}}' });
  expect(await settings({ subject: null, reply_to: null })).toEqual({ ...defaults, send_keys: true });
  for (const body of [
    { text: 'Your {{password}}' },
    { subject: '{{}}' },
    { subject: '' },
    { reply_to: 'nobody' },
    { send_keys: 'yes' },
    { text: 'bell\u0007' },
  ]) {
    expect(await service.call('setMailSettings', { params: { id: product.id }, body })).toMatchObject({ status: 422 });
  }
  for (const name of ['getMailSettings', 'setMailSettings'])
    expect(await service.call(name, { params: { id: 999_999_999 }, body: {} })).toMatchObject({ status: 404 });
});

test('without a mail setup no mail is lost: automatic mails are skipped and can be sent later, and a requested mail is refused', async () => {
  const { id } = await sell();
  const quiet = start('');
  service.queue.length = 0;
  await quiet.deliver({ body: JSON.stringify({ event_id: (await mails())[0]!.id }), at: 0 });
  expect(await mails()).toMatchObject([{ status: 'skipped', attempts: 0 }]);
  expect(await quiet.call('mailLicense', { params: { id } })).toMatchObject({
    status: 422,
    headers: { 'X-Svc-Error-Code': 'mail_not_configured' },
  });
  quiet.close();
  const unknown = await product.license();
  expect(await service.call('mailLicense', { params: { id: unknown.id } })).toMatchObject({
    status: 422,
    headers: { 'X-Svc-Error-Code': 'invalid_request' },
  });
  expect(await service.call('mailLicense', { params: { id: 999_999_999 } })).toMatchObject({ status: 404 });
  await service.ok('redeliverMany', { params: { id: product.id }, body: { status: 'skipped' } });
  await service.run();
  expect(inbox).toHaveLength(1);
});
