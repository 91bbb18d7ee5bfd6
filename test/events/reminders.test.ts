import type { LicenseView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { handler as remindHandler } from '../../lambdas/events/remind';
import { parseConfig } from '../../lambdas/runtime/config';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { DAY_MS } from '../../lambdas/domain/time';

/**
 * Tests the reminders of the dates on which a license or its updates end. The buyer gets each reminder once for each date, at a limited
 * rate, until the buyer unsubscribes.
 */

const logged = captureLogs();
const BUYER = 'ada@example.com';
let server: MailServer;
let inbox: MailServer['inbox'];
let table: string;
let service: EventHarness;
let product: Product;

beforeAll(async () => {
  server = await startMailServer();
  ({ inbox } = server);
});
afterAll(() => server.close());

const start = (mailsPerSecond = '5'): EventHarness =>
  startEventHarness(table, {
    config: {
      ...parseConfig({ PUBLIC_URL: 'https://licenses.example.com', MAILS_PER_SECOND: mailsPerSecond }),
      tableName: table,
      webhookAllowPrivate: true,
      mail: { transport: 'smtp', from: 'licenses@example.com' },
    },
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? server.url : `test-${name}`),
  });
beforeEach(async () => {
  inbox.length = 0;
  server.refusal = 0;
  // A table stores one schedule for the reminders of all products. Each test has its own clock, so each test needs its own table.
  table = await ownTable();
  service = start();
  product = await service.newProduct();
});
afterEach(() => service.close());

const settings = (body: object): Promise<Record<string, unknown>> => service.ok('setMailSettings', { params: { id: product.id }, body });
const remind = (): Promise<void> => remindHandler({}, service);
/** Looks for due reminders and delivers them. */
const look = async (): Promise<string[]> => {
  inbox.length = 0;
  await remind();
  await service.run();
  return inbox.map(({ mail }) => mail.subject ?? '').sort();
};
const mails = (): Promise<DeliveryView[]> => product.deliveries({ channel: 'mail' });
const inDays = (days: number): string => new Date(service.now() + days * DAY_MS).toISOString();
const sell = (fields: object = {}): Promise<LicenseView> => product.license({ customer_email: BUYER, expires_at: inDays(30), ...fields });
const EXPIRING = { event: 'expiring', days: 7, subject: '{{days}} days left', text: '{{keys}} {{renew_url}}' };

describe('settings', () => {
  test('are shown with the default texts in the language of the product, and can be sent back unchanged', async () => {
    const given = {
      language: 'de',
      renew_url: 'https://shop.example.com/renew?key={{key}}',
      reminders: [
        { event: 'expiring', days: 14 },
        { event: 'expired', days: 0, subject: 'Over', text: 'Over' },
      ],
    };
    const shown = await settings(given);
    expect(shown).toMatchObject({
      language: 'de',
      renew_url: given.renew_url,
      subject: 'Ihre Lizenz für {{product}}',
      reminders: [
        { event: 'expiring', days: 14, subject: expect.stringContaining('endet am') as string },
        { event: 'expired', days: 0, subject: 'Over', text: 'Over' },
      ],
    });
    expect(await settings(shown)).toEqual(shown);
    expect(await settings({ language: 'en' })).toMatchObject({
      subject: 'Your license for {{product}}',
      reminders: [{ subject: expect.stringContaining('expires on') as string }, { subject: 'Over' }],
    });
    expect(await service.ok('getMailSettings', { params: { id: product.id } })).toMatchObject({ language: 'en' });
    expect(await settings({ language: null, renew_url: null, reminders: null })).toMatchObject({
      language: 'en',
      renew_url: null,
      reminders: [],
    });
  });

  const reminder = { event: 'expiring', days: 7 };
  const wrong: [string, object][] = [
    ['reminders[0].event', { reminders: [{ days: 7 }] }],
    ['reminders[0].event', { reminders: [{ event: 'born', days: 7 }] }],
    ['reminders[0].days', { reminders: [{ event: 'expiring' }] }],
    ['reminders[0].days', { reminders: [{ ...reminder, days: 91 }] }],
    ['reminders[0].days', { reminders: [{ ...reminder, days: -1 }] }],
    ['reminders[0].days', { reminders: [{ ...reminder, days: 1.5 }] }],
    ['reminders[0].days', { reminders: [{ ...reminder, days: '7' }] }],
    ['reminders[0].subject', { reminders: [{ ...reminder, subject: 'Hi {{name}}' }] }],
    ['reminders[0].subject', { reminders: [{ ...reminder, subject: '' }] }],
    ['reminders[1].text', { reminders: [reminder, { event: 'expired', days: 1, text: '{{key}}' }] }],
    ['reminders', { reminders: [reminder, reminder] }],
    ['reminders', { reminders: Array.from({ length: 11 }, (_, days) => ({ ...reminder, days })) }],
    ['reminders', { reminders: {} }],
    ['renew_url', { renew_url: 'http://shop.example.com' }],
    ['renew_url', { renew_url: '/renew' }],
    ['renew_url', { renew_url: 'https://{{key}}.example.com/' }],
    ['renew_url', { renew_url: 'https://shop.example.com/{{keys}}' }],
    ['renew_url', { renew_url: 'https://me:secret@shop.example.com/' }],
    ['renew_url', { renew_url: 'javascript:alert(1)' }],
    ['renew_url', { renew_url: 'https:\\\\{{order}}.evil.test//x' }],
    ['renew_url', { renew_url: 'https://shop.example.com\\{{order}}' }],
    ['renew_url', { renew_url: 'https:{{order}}.evil.test/' }],
    ['language', { language: 'fr' }],
    ['text', { text: '{{days}}' }],
    ['subject', { subject: '{{renew_url}}' }],
  ];
  test('refuse each wrong value with its name, and change nothing', async () => {
    for (const [field, body] of wrong) {
      const { status, body: problem } = await service.call('setMailSettings', {
        params: { id: product.id },
        body: { send_keys: true, ...body },
      });
      expect([status, String(problem['detail']).split(' ')[0], body]).toEqual([422, field, body]);
    }
    expect(await service.ok('getMailSettings', { params: { id: product.id } })).toMatchObject({ send_keys: false, reminders: [] });
  });
});

describe('when', () => {
  test('a year passes, each reminder of each license is sent once for each expiry date', async () => {
    await settings({
      reminders: [
        EXPIRING,
        { event: 'expiring', days: 30, subject: 'a month left', text: 'x' },
        { event: 'expired', days: 0, subject: 'over', text: 'x' },
        { event: 'expired', days: 3, subject: 'over for {{days}} days', text: 'x' },
        { event: 'updates_expiring', days: 10, subject: 'updates end', text: 'x' },
      ],
    });
    const license = await sell({ expires_at: inDays(200), updates_until: inDays(100) });
    const seen: string[] = [];
    for (let day = 0; day < 365; day += 12) {
      seen.push(...(await look()));
      service.advance(12 * DAY_MS);
      if (day === 216) await service.ok('renewLicense', { params: { id: license.id }, body: { days: 100 } });
    }
    expect(seen.sort()).toEqual(
      [...Array.from({ length: 2 }, () => ['7 days left', 'a month left', 'over', 'over for 3 days']).flat(), 'updates end'].sort(),
    );
  });

  test('a worker looks again, or two at the same time, nobody gets a reminder twice', async () => {
    await settings({ reminders: [EXPIRING] });
    await Promise.all(Array.from({ length: 8 }, (_, place) => sell({ customer_email: `buyer${place}@example.com` })));
    service.advance(23.5 * DAY_MS);
    inbox.length = 0;
    await Promise.all([remind(), remind(), remind()]);
    await service.run();
    await remind();
    await service.recover();
    expect(inbox.flatMap(({ to }) => to).sort()).toEqual(Array.from({ length: 8 }, (_, place) => `buyer${place}@example.com`));
    expect((await mails()).filter(({ event }) => event === 'license.reminded')).toHaveLength(8);
  });

  test('the date moves, the reminder is sent again for the new date; a renewal after the look cancels the waiting reminder', async () => {
    await settings({ reminders: [EXPIRING] });
    const { id } = await sell();
    service.advance(23.1 * DAY_MS);
    expect(await look()).toEqual(['7 days left']);
    await service.ok('renewLicense', { params: { id }, body: { days: 30 } });
    service.advance(30 * DAY_MS);
    await remind();
    await service.ok('renewLicense', { params: { id }, body: { days: 1 } });
    inbox.length = 0;
    await service.run();
    expect(inbox).toEqual([]);
    expect((await mails())[0]).toMatchObject({ event: 'license.reminded', status: 'skipped', attempts: 0 });
    service.advance(DAY_MS);
    expect(await look()).toEqual(['7 days left']);
  });

  test('a reminder is enabled, or a license created, after its day, nothing is sent', async () => {
    const old = await sell({ expires_at: inDays(6) });
    await settings({ reminders: [EXPIRING, { event: 'expired', days: 0, subject: 'over', text: 'x' }] });
    await sell({ expires_at: inDays(5) });
    expect(await look()).toEqual([]);
    // The expiry had already passed when the license was created.
    await sell({ expires_at: inDays(-0.0001) });
    expect(await look()).toEqual([]);
    service.advance(6.1 * DAY_MS);
    expect(await look()).toEqual(['over', 'over']);
    await service.ok('renewLicense', { params: { id: old.id }, body: { days: 8 } });
    service.advance(1.2 * DAY_MS);
    expect(await look()).toEqual(['7 days left']);
  });

  test('a license is revoked or suspended, a trial was never mailed, or there is no address, nothing is sent', async () => {
    await settings({ reminders: [EXPIRING] });
    const trial = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Trial', kind: 'trial', duration_days: 30 },
    });
    const [revoked, suspended] = [await sell(), await sell()];
    await service.ok('revokeLicense', { params: { id: revoked.id } });
    await service.ok('suspendLicense', { params: { id: suspended.id }, body: {} });
    await sell({ customer_email: null });
    await sell({ license_type_id: trial.id });
    const mailed = await sell({ license_type_id: trial.id, customer_email: 'grace@example.com' });
    await service.ok('mailLicense', { params: { id: mailed.id } });
    await service.run();
    service.advance(23.5 * DAY_MS);
    expect(await look()).toEqual(['7 days left']);
    expect(inbox[0]?.to).toEqual(['grace@example.com']);
  });

  test('the end of updates moves in either direction, the reminder follows it', async () => {
    await settings({ reminders: [{ event: 'updates_expiring', days: 5, subject: 'updates end', text: 'x' }] });
    const later = await sell({ updates_until: inDays(20), expires_at: inDays(900) });
    const sooner = await sell({ updates_until: inDays(300), expires_at: inDays(900) });
    await service.ok('renewUpdates', { params: { id: later.id }, body: { days: 60 } });
    await service.ok('updateLicense', { params: { id: sooner.id }, body: { updates_until: inDays(20) } });
    service.advance(15.5 * DAY_MS);
    expect(await look()).toEqual(['updates end']);
    expect((await mails())[0]?.license_id).toBe(sooner.id);
    service.advance(60 * DAY_MS);
    expect(await look()).toEqual(['updates end']);
    expect((await mails())[0]?.license_id).toBe(later.id);
  });

  test('updates start with the first activation, their reminder is sent relative to that activation, even if the reminder was enabled later', async () => {
    const boxed = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Boxed', kind: 'subscription', duration_days: 400, updates_days: 50, starts: 'activation' },
    });
    const license = await product.license({ license_type_id: boxed.id, customer_email: BUYER });
    service.advance(60 * DAY_MS);
    await settings({ reminders: [{ event: 'updates_expiring', days: 5, subject: 'updates end', text: 'x' }] });
    expect(await look()).toEqual([]);
    service.advance(30 * DAY_MS);
    expect((await product.activate(license.key, 'device-0001')).status).toBe(200);
    service.advance(44 * DAY_MS);
    expect(await look()).toEqual([]);
    service.advance(1.1 * DAY_MS);
    expect(await look()).toEqual(['updates end']);
  });
});

test('a reminder links to the renewal of its license, and the inserted values cannot change the rest of the URL', async () => {
  await settings({
    renew_url: 'https://shop.example.com/renew?key={{key}}&id={{license_id}}',
    reminders: [{ ...EXPIRING, text: '{{renew_url}}\n\n{{days}} {{expires_at}}' }],
  });
  const { id } = await sell({ key: 'ab+c&d=e/f#9', language: 'de' }).catch(() => sell({ language: 'de' }));
  service.advance(23.5 * DAY_MS);
  await look();
  const text = inbox[0]?.mail.text ?? '';
  expect(text).toMatch(new RegExp(`^https://shop.example.com/renew\\?key=[\\w%-]+&id=${id}\\n\\n7 \\d+\\. [A-ZÄ][a-zä]+ \\d{4}`));
});

describe('a reader who unsubscribes from reminders', () => {
  /** The unsubscribe URL in the headers of the latest mail. */
  const listUnsubscribe = (): { url: string; post: string } => {
    const { mail } = inbox.at(-1) ?? {};
    const headers = mail?.headerLines ?? [];
    const line = (name: string): string =>
      (headers.find(({ key }) => key === name)?.line ?? '').replace(/\r\n\s+/g, ' ').replace(/^[^:]+:\s*/, '');
    return { url: /^<(https:[^>]+)>$/.exec(line('list-unsubscribe'))?.[1] ?? '', post: line('list-unsubscribe-post') };
  };
  const request = (name: string, url: string) =>
    service.call(name, {
      params: { token: new URL(url).pathname.split('/').pop() ?? '' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });

  test('gets no more reminders of the product, after one click in a mail program, but still gets keys and reminders of other products', async () => {
    await settings({ reminders: [EXPIRING, { event: 'expired', days: 0, subject: 'over', text: 'x' }], send_keys: true });
    const { id } = await sell();
    await service.run();
    expect(listUnsubscribe()).toEqual({ url: '', post: '' });
    service.advance(23.5 * DAY_MS);
    await look();
    const { url, post } = listUnsubscribe();
    expect([url, post]).toEqual([
      expect.stringMatching(/^https:\/\/licenses\.example\.com\/v1\/unsubscribe\/[\w.-]+$/),
      'List-Unsubscribe=One-Click',
    ]);
    // The unsubscribe link is also below the product's own text, for readers whose mail program shows no button for it.
    expect(inbox.at(-1)?.mail.text).toContain(`Stop reminders about ${product.name}: ${url}`);
    expect(inbox.at(-1)?.mail.html).toContain(`<a href="${url}" `);

    const page = await request('showUnsubscribe', url);
    expect([page.status, page.headers['Content-Type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<form method="post">');
    service.advance(7 * DAY_MS);
    // Opening the unsubscribe page has no effect: only its button unsubscribes the buyer.
    expect(await look()).toEqual(['over']);
    await service.ok('renewLicense', { params: { id }, body: { days: 10 } });
    service.advance(3.5 * DAY_MS);
    await remind();

    expect((await request('unsubscribeFromReminders', url)).status).toBe(200);
    expect((await request('unsubscribeFromReminders', url)).status).toBe(200);
    inbox.length = 0;
    // After the unsubscription, even a reminder that was already waiting is not sent.
    await service.run();
    expect(inbox).toEqual([]);
    service.advance(10 * DAY_MS);
    await sell({ customer_email: BUYER.toUpperCase() });
    await sell({ customer_email: 'grace@example.com' });
    await service.run();
    expect(inbox).toHaveLength(2);
    service.advance(23.5 * DAY_MS);
    expect(await look()).toEqual(['7 days left']);
    expect(inbox[0]?.to).toEqual(['grace@example.com']);

    const token = url.split('/').pop() ?? '';
    expect(Buffer.from(token.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('sha256');
    expect(logged().join()).not.toContain(token);
    expect(JSON.stringify(await mails())).not.toContain(token);
  });

  test('uses a link that nobody can guess: any other link is 404', async () => {
    for (const token of ['x'.repeat(40), 'v1.AAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '%00', 'a'])
      for (const name of ['showUnsubscribe', 'unsubscribeFromReminders'])
        expect(await service.call(name, { params: { token } })).toMatchObject({ status: 404 });
  });
});

describe('many reminders', () => {
  test('are sent at the maximum rate of the deployment, even if all of them are late', async () => {
    service.close();
    service = start('4');
    await settings({ reminders: [EXPIRING] });
    for (let place = 0; place < 12; place += 1) await sell({ customer_email: `b${place}@example.com` });
    service.advance(23.5 * DAY_MS);
    await remind();
    const begun = service.now();
    await service.run();
    const sent = async (): Promise<number[]> =>
      (await mails()).flatMap(({ event, delivered_at }) => (event === 'license.reminded' ? [Date.parse(delivered_at ?? '')] : [])).sort();
    const times = await sent();
    expect(times).toHaveLength(12);
    expect(Math.max(...times) - begun).toBeGreaterThanOrEqual(2700);
    expect(Math.max(...times) - begun).toBeLessThan(6000);

    await settings({ reminders: [{ ...EXPIRING, days: 6 }] });
    service.advance(DAY_MS);
    await remind();
    service.queue.length = 0;
    // Nothing was delivered for an hour, so one run of the sweeper finds all reminders.
    service.advance(3_600_000);
    const late = service.now();
    await service.sweep();
    await service.run();
    const again = (await sent()).filter((at) => at >= late);
    expect(again).toHaveLength(12);
    expect(Math.max(...again) - late).toBeGreaterThanOrEqual(2400);

    // An operator sends them again, and the deliveries are late again. The queue delivers each message twice.
    for (const { id, delivered_at } of await mails())
      if (Date.parse(delivered_at ?? '') >= late) await service.ok('redeliver', { params: { event_id: id } });
    service.queue.length = 0;
    service.advance(3_600_000);
    const later = service.now();
    await service.sweep();
    service.queue.push(...service.queue);
    await service.run();
    const last = (await sent()).filter((at) => at >= later);
    expect(last).toHaveLength(12);
    expect(Math.max(...last) - later).toBeGreaterThanOrEqual(2400);
  });
});

test('a preview shows what would be sent, and sends nothing', async () => {
  const preview = (body: object) => service.ok<Record<string, string>>('previewMail', { params: { id: product.id }, body });
  await settings({ renew_url: 'https://shop.example.com/{{license_id}}', reminders: [EXPIRING] });
  expect(await preview({})).toMatchObject({ subject: `Your license for ${product.name}`, language: 'en' });
  expect(await preview({ language: 'de' })).toMatchObject({ subject: `Ihre Lizenz für ${product.name}`, language: 'de' });
  const { id, key } = await sell({ language: 'de', order: undefined });
  expect(await preview({ license_id: id })).toMatchObject({
    subject: `Ihre Lizenz für ${product.name}`,
    text: expect.stringContaining(key) as string,
  });
  expect(await preview({ event: 'expiring', license_id: id })).toEqual({
    subject: '7 days left',
    text: `${key} https://shop.example.com/${id}\n\nKeine Erinnerungen von ${product.name} mehr senden: https://licenses.example.com/v1/unsubscribe/sample\n`,
    html: expect.stringContaining(`<a href="https://shop.example.com/${id}" `) as string,
    language: 'de',
  });
  expect(await preview({ event: 'expired', days: 3, subject: '{{days}} <b>', text: '<script>' })).toMatchObject({
    subject: '3 <b>',
    html: expect.stringContaining('&#60;script&#62;') as string,
  });
  expect(await service.call('previewMail', { params: { id: product.id }, body: { subject: '{{days}}' } })).toMatchObject({ status: 422 });
  expect(await service.call('previewMail', { params: { id: product.id }, body: { license_id: 999_999_999 } })).toMatchObject({
    status: 404,
  });
  expect(await service.call('previewMail', { params: { id: (await service.newProduct()).id }, body: { license_id: id } })).toMatchObject({
    status: 404,
  });
  await service.run();
  expect([inbox, await mails()]).toEqual([[], []]);
});
