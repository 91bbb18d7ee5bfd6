import { bounceNotification } from '../../infra/local/bounces';
import type { BounceType } from '../../lambdas/contract/events';
import type { LicenseView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { bounces as worker } from '../../lambdas/contract/workers';
import { readMailFeedback } from '../../lambdas/domain/mail-feedback';
import { handler } from '../../lambdas/events/bounces';
import { parseConfig } from '../../lambdas/runtime/config';
import { asWorker } from '../support/declared-access';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { everyRow } from '../support/table';

/** Amazon SES reports that mails bounced. The log shows it, and no further mail is sent to an address that does not exist. */

captureLogs();
const BUYER = 'ada@müller.example';
let table: string;
let service: EventHarness;
let product: Product;
/** The mails that were passed to Amazon SES. */
let sent: { to: string; eventId: string | undefined; configurationSet: string | undefined }[];

beforeEach(async () => {
  table = await ownTable();
  sent = [];
  service = startEventHarness(table, {
    config: { ...parseConfig({}), tableName: table, mail: { transport: 'ses', from: 'licenses@example.com', configurationSet: 'set' } },
    sendMail: (_from, { to, eventId, configurationSet }) => Promise.resolve(String(sent.push({ to, eventId, configurationSet }))),
  });
  product = await service.newProduct();
  await service.ok('setMailSettings', { params: { id: product.id }, body: { send_keys: true } });
});
afterEach(() => service.close());

type Notification = Parameters<typeof handler>[0];
/** Passes a notification about the latest mail to the function, with only the access that its row of the contract declares. */
async function bounce(type: BounceType, { to, eventId = '' } = sent.at(-1)!): Promise<void> {
  const notification = bounceNotification(eventId, to, type, new Date(service.now())) as Notification;
  await handler(notification, { app: asWorker(worker, service.app) });
}
const latest = async (): Promise<DeliveryView> => (await product.deliveries({ channel: 'mail' }))[0]!;
const sell = (customer_email = BUYER): Promise<LicenseView> => product.license({ customer_email });
const resume = (customer_email: string): Promise<unknown> =>
  service.ok('resumeMail', { params: { id: product.id }, body: { customer_email } });

test.each<[BounceType, string]>([
  ['permanent', 'General 5.1.1'],
  ['complaint', 'abuse'],
])('after a bounce (%s) the log shows it, and nothing is sent to the address until an operator allows it', async (type, reason) => {
  const { id } = await sell();
  await service.run();
  expect(sent).toEqual([{ to: 'ada@xn--mller-kva.example', eventId: (await latest()).id, configurationSet: 'set' }]);
  await bounce(type);
  await bounce(type);
  expect(await latest()).toMatchObject({ status: 'delivered', bounce: { at: new Date(service.now()).toISOString(), type, reason } });

  // Neither a new sale nor a request of an operator reaches the address, in any spelling. Other addresses are not affected.
  await sell('ADA@MÜLLER.example');
  await service.ok('mailLicense', { params: { id } });
  await service.run();
  expect(sent).toHaveLength(1);
  const stopped = await latest();
  expect(stopped).toMatchObject({ status: 'failed', attempts: 1, last_error: expect.stringContaining('bounced') as string });
  await sell('grace@example.com');
  await service.run();
  expect(sent.at(-1)).toMatchObject({ to: 'grace@example.com' });

  expect([await resume('ada@xn--mller-kva.example'), await resume(BUYER)]).toEqual([{ resumed: true }, { resumed: false }]);
  await service.ok('redeliver', { params: { event_id: stopped.id } });
  await service.run();
  expect(sent.at(-1)).toMatchObject({ to: 'ADA@xn--mller-kva.example', eventId: stopped.id });
  const audit = await service.ok<{ action: string; product_id: number | null }[]>('listAudit');
  expect(audit.filter(({ action }) => action === 'resumeMail')).toMatchObject([{ product_id: product.id }]);
  expect(JSON.stringify(audit)).not.toMatch(/ada@/i);
});

test('a temporary bounce is shown and stops nothing; sending the mail again clears it', async () => {
  await sell();
  await service.run();
  await bounce('temporary');
  const { id: event_id, bounce: shown } = await latest();
  expect(shown).toMatchObject({ type: 'temporary', reason: 'MailboxFull 4.2.2' });
  await service.ok('redeliver', { params: { event_id } });
  await service.run();
  expect(sent).toHaveLength(2);
  expect(await latest()).not.toHaveProperty('bounce');
});

test('erasing the address forgets that mails to it bounced, and the stored rows never contain it in a new place', async () => {
  await sell();
  await service.run();
  await bounce('permanent');
  expect((await everyRow(table)).filter(({ pk }) => String(pk).startsWith('SUPPRESSED#'))).toHaveLength(1);
  await service.ok('eraseCustomer', { body: { customer_email: BUYER } });
  const rows = await everyRow(table);
  expect(rows.filter(({ pk }) => String(pk).startsWith('SUPPRESSED#'))).toEqual([]);
  expect(JSON.stringify(rows)).not.toContain('ller.example');
});

test('a notification that is not about a known mail of the service changes nothing', async () => {
  await sell();
  await service.run();
  const before = await everyRow(table);
  await bounce('permanent', { to: 'ada@example.com', eventId: 'f'.repeat(32), configurationSet: undefined });
  await bounce('permanent', { to: 'ada@example.com', eventId: 'x', configurationSet: undefined });
  expect(await everyRow(table)).toEqual(before);
});

/** A notification in the format of Amazon SES, with some fields replaced. */
const notification = (fields: object): string =>
  JSON.stringify({
    eventType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [
        { emailAddress: 'forwarded@example.org', action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 <ada@example.com>' },
      ],
      timestamp: '2026-11-28T10:00:00.000Z',
    },
    mail: { destination: ['ada@example.com'], tags: { event_id: ['a'.repeat(32)], 'ses:from-domain': ['example.com'] } },
    ...fields,
  });

test('a notification of Amazon SES is read: the address to which the mail was sent, and a reason without an address', () => {
  const read = { event_id: 'a'.repeat(32), address: 'ada@example.com', at: Date.UTC(2026, 10, 28, 10) };
  expect(readMailFeedback(notification({}))).toEqual({ ...read, type: 'permanent', reason: 'General 5.1.1' });
  const timestamp = '2026-11-28T10:00:00.000Z';
  const undetermined = { bounceType: 'Undetermined', bounceSubType: 'Undetermined', bouncedRecipients: [], timestamp };
  expect(readMailFeedback(notification({ bounce: undetermined }))).toEqual({ ...read, type: 'temporary', reason: 'Undetermined' });
  const spam = (complaintFeedbackType?: string) =>
    readMailFeedback(notification({ eventType: 'Complaint', bounce: undefined, complaint: { timestamp, complaintFeedbackType } }));
  expect(spam()).toEqual({ ...read, type: 'complaint', reason: 'complaint' });
  expect(spam('not-spam')).toBeUndefined();
});

test.each([
  '',
  'null',
  '[]',
  '"x"',
  '{}',
  notification({ eventType: 'Delivery' }),
  notification({ mail: { tags: null } }),
  notification({ bounce: 7 }),
])('another message is ignored: %s', (text) => expect(readMailFeedback(text)).toBeUndefined());
