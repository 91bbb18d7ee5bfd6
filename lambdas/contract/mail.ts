import * as z from 'zod';
import { endpoint } from './endpoint';
import { deliveryExample, productExample } from './examples';
import { KEY_MAILED } from './events';
import { KEY_MAILS_PER_HOUR } from './limits';
import { placeholders, placeholdersIn } from './placeholders';
import { email, pathId } from './resources';
import { text } from './text';
import { delivery } from './webhooks';

export const getMailStatus = endpoint({
  name: 'getMailStatus',
  method: 'GET',
  path: '/v1/mail/status',
  tag: 'Mail',
  summary: 'Is mail configured?',
  description: 'True if a from-address and a transport (Amazon SES or an SMTP server) are set. No password is ever shown.',
  credential: 'admin',
  scope: 'read',
  subject: 'deployment',
  status: 200,
  response: z.object({ configured: z.boolean(), from: z.string().nullable() }).meta({ id: 'MailStatus' }),
  errors: [],
  store: {},
  mail: 'status',
  examples: { response: { configured: true, from: 'licenses@example.com' } },
});

export const sendTestMail = endpoint({
  name: 'sendTestMail',
  method: 'POST',
  path: '/v1/mail/test',
  tag: 'Mail',
  summary: 'Send a test mail',
  description:
    'Sends a real message through the configured transport and reports the result: 422 if none is configured, 502 with the reason if it fails.',
  credential: 'admin',
  scope: 'manage',
  subject: 'deployment',
  body: z.object({ to: email }),
  additive: true,
  status: 200,
  response: z.object({ status: z.literal('sent'), to: z.string(), message_id: z.string() }).meta({ id: 'SentMail' }),
  errors: ['mail_not_configured', 'mail_failed'],
  store: {},
  mail: 'send',
  // Each request sends a real message.
  throttle: { rate: 1, burst: 5 },
  examples: {
    request: { to: 'ada@example.com' },
    response: { status: 'sent', to: 'ada@example.com', message_id: '0100018f3a2b4c5d-6e7f8a9b-0c1d-2e3f-4a5b-6c7d8e9f0a1b-000000' },
  },
});

/** A text without unknown placeholders. */
const template = <Text extends z.ZodType<string>>(schema: Text) =>
  schema.refine((value) => placeholdersIn(value).every((name) => placeholders.some((known) => known === name)), {
    error: `must use no placeholders but ${placeholders.map((name) => `{{${name}}}`).join(', ')}`,
  });

const mailText = z
  .string()
  .min(1)
  .max(20_000, { abort: true })
  // eslint-disable-next-line no-control-regex -- refusing control characters but tabs and line breaks is the point
  .refine((value) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u.test(value), {
    error: 'must not contain control characters',
  });

const mailSettings = z
  .object({
    send_keys: z
      .boolean()
      .meta({ description: "Every license that is created with a buyer's address is mailed to that address, except trials." }),
    reply_to: z.string().nullable().meta({ description: 'The address for replies; null: the from-address.' }),
    subject: z.string(),
    text: z
      .string()
      .meta({ description: `The mail as plain text. Placeholders: ${placeholders.map((name) => `\`{{${name}}}\``).join(', ')}.` }),
  })
  .meta({ id: 'MailSettings' });
export type MailSettings = z.infer<typeof mailSettings>;

const mailSettingsExample = {
  send_keys: true,
  reply_to: 'help@example.com',
  subject: 'Your license for {{product}}',
  text: 'Hello,\n\nhere is your key for {{product}}:\n\n{{keys}}\n',
};

export const getMailSettings = endpoint({
  name: 'getMailSettings',
  method: 'GET',
  path: '/v1/products/{id}/mail',
  tag: 'Mail',
  summary: "Get the product's mail settings",
  description: 'Whether keys are mailed automatically, and the text of the mail.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: mailSettings,
  errors: [],
  store: { GetItem: ['product'] },
  examples: { response: mailSettingsExample },
});

export const setMailSettings = endpoint({
  name: 'setMailSettings',
  method: 'POST',
  path: '/v1/products/{id}/mail',
  tag: 'Mail',
  summary: "Change the product's mail settings",
  description:
    'Changes the given fields only. null sets `reply_to`, `subject` and `text` back to their defaults. An unknown placeholder is 422.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    send_keys: z.boolean().optional(),
    reply_to: email.nullable().optional(),
    subject: template(text(1, 200)).nullable().optional(),
    text: template(mailText).nullable().optional(),
  }),
  repeatable: true,
  status: 200,
  response: mailSettings,
  errors: [],
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: { request: { send_keys: true, reply_to: 'help@example.com' }, response: mailSettingsExample },
});

export const mailLicense = endpoint({
  name: 'mailLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/mail',
  tag: 'Mail',
  summary: 'Mail a license key',
  description: `Mails the license's key to its \`customer_email\`, whether or not the product mails keys automatically. 422 if mail is not configured, or the license has no address. Within an hour at most ${KEY_MAILS_PER_HOUR.license} such mails for one license and ${KEY_MAILS_PER_HOUR.address} to one address of the product; beyond that 429. Automatic mails are not counted and never refused.`,
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  additive: true,
  status: 202,
  response: delivery,
  errors: ['mail_not_configured', 'rate_limited'],
  store: { GetItem: ['licenseId', 'license', 'product'], PutItem: ['event'], UpdateItem: ['limit'] },
  mail: 'status',
  queue: true,
  examples: {
    response: {
      ...deliveryExample,
      event: KEY_MAILED,
      channel: 'mail',
      url: 'mailto:ada@example.com',
      status: 'pending',
      attempts: 0,
      last_status: null,
      next_attempt_at: deliveryExample.created_at,
      delivered_at: null,
      payload: {
        id: deliveryExample.id,
        event: KEY_MAILED,
        timestamp: deliveryExample.payload.timestamp,
        data: { product: productExample.slug, license_ids: [1] },
      },
      history: [],
    },
  },
});
