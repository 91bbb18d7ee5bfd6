import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { deliveryExample, productExample } from './examples';
import { KEY_MAILED, reminderEvents } from './events';
import { KEY_MAILS_PER_HOUR } from './limits';
import { languages } from './languages';
import { invitationPlaceholders, placeholders, reminderPlaceholders } from './placeholders';
import { mailSubject, mailText, reminder, reminderDays, reminders, renewUrl, shownPlaceholders, template } from './reminders';
import { email, pathId } from './resources';
import { delivery } from './webhooks';

export const getMailStatus = /* @__PURE__ */ endpoint(() => ({
  name: 'getMailStatus',
  method: 'GET',
  path: '/v1/mail/status',
  tag: 'Mail',
  summary: 'Check whether mail is configured',
  description:
    'Returns whether mail is configured, that is, whether a from-address and a transport (Amazon SES or an SMTP server) are set. The response contains no password.',
  credential: 'admin',
  scope: 'read',
  subject: 'deployment',
  response: documented(z.object({ configured: z.boolean(), from: z.nullable(z.string()) }), { id: 'MailStatus' }),
  store: {},
  mail: 'status',
  examples: { response: { configured: true, from: 'licenses@example.com' } },
}));

export const sendTestMail = /* @__PURE__ */ endpoint(() => ({
  name: 'sendTestMail',
  method: 'POST',
  path: '/v1/mail/test',
  tag: 'Mail',
  summary: 'Send a test mail',
  description:
    'Sends a real mail through the configured transport and returns the result. The response is 422 if mail is not configured, and 502 with the reason if sending fails.',
  credential: 'admin',
  scope: 'manage',
  subject: 'deployment',
  body: z.object({ to: email }),
  additive: true,
  response: documented(z.object({ status: z.literal('sent'), to: z.string(), message_id: z.string() }), { id: 'SentMail' }),
  errors: ['mail_not_configured', 'mail_failed'],
  store: {},
  mail: 'send',
  // The limit is low, because each request sends a real mail.
  throttle: { rate: 1, burst: 5 },
  examples: {
    request: { to: 'ada@example.com' },
    response: { status: 'sent', to: 'ada@example.com', message_id: '0100018f3a2b4c5d-6e7f8a9b-0c1d-2e3f-4a5b-6c7d8e9f0a1b-000000' },
  },
}));

const mailSettings = documented(
  z.object({
    send_keys: documented(z.boolean(), {
      description:
        "Whether keys are mailed automatically. If true, the key of every license that is created with a buyer's address is mailed to that address. The keys of trials are never mailed automatically.",
    }),
    reply_to: documented(z.nullable(z.string()), {
      description: 'The e-mail address for replies; null: the from-address of the deployment.',
    }),
    subject: z.string(),
    text: documented(z.string(), {
      description: `The text of the mail with the keys, as plain text. Placeholders: ${shownPlaceholders(placeholders)}.`,
    }),
    invitation_subject: z.string(),
    invitation_text: documented(z.string(), {
      description: `The text of the mail that invites a member of a license, as plain text. Placeholders: ${shownPlaceholders(invitationPlaceholders)}.`,
    }),
    language: documented(z.enum(languages), {
      description: 'The language of the default texts and of dates. A license may have its own language.',
    }),
    renew_url: documented(z.nullable(z.string()), {
      description:
        'The URL of the vendor’s page for renewals. Reminders contain a link to this URL. Its placeholders `{{key}}`, `{{order}}` and `{{license_id}}` are replaced with percent-encoded values.',
    }),
    reminders: documented(z.array(reminder), {
      description: 'The mails that are sent before or after the expiry of a license, or before the end of its updates.',
    }),
  }),
  { id: 'MailSettings' },
);
export type MailSettings = z.infer<typeof mailSettings>;

const mailSettingsExample = {
  send_keys: true,
  reply_to: 'help@example.com',
  subject: 'Your license for {{product}}',
  text: 'Hello,\n\nhere is your key for {{product}}:\n\n{{keys}}\n',
  invitation_subject: 'You can use {{product}}',
  invitation_text: 'Hello,\n\nsign in to use {{product}}: {{portal}}\n',
  language: 'en' as const,
  renew_url: 'https://example.com/renew?license={{key}}',
  reminders: [
    {
      event: 'expiring' as const,
      days: 14,
      subject: 'Your license for {{product}} expires soon',
      text: 'Hello,\n\nyour license expires on {{expires_at}}. Renew it here: {{renew_url}}\n',
    },
  ],
};

export const getMailSettings = /* @__PURE__ */ endpoint(() => ({
  name: 'getMailSettings',
  method: 'GET',
  path: '/v1/products/{id}/mail',
  tag: 'Mail',
  summary: "Get the product's mail settings",
  description: 'Returns whether keys are mailed automatically, the texts of the mail with the keys and of invitations, and the reminders.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: mailSettings,
  store: { GetItem: ['product'] },
  examples: { response: mailSettingsExample },
}));

export const setMailSettings = /* @__PURE__ */ endpoint(() => ({
  name: 'setMailSettings',
  method: 'POST',
  path: '/v1/products/{id}/mail',
  tag: 'Mail',
  summary: "Change the product's mail settings",
  description:
    'Changes only the fields in the body. `reminders` replaces all previous reminders. Null sets a field to its default. If a text has an unknown placeholder, the response is 422. A new reminder sends no mail that was due before the reminder was added.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    send_keys: z.optional(z.boolean()),
    reply_to: z.optional(z.nullable(email)),
    subject: z.optional(z.nullable(template(mailSubject, placeholders))),
    text: z.optional(z.nullable(template(mailText, placeholders))),
    invitation_subject: z.optional(z.nullable(template(mailSubject, invitationPlaceholders))),
    invitation_text: z.optional(z.nullable(template(mailText, invitationPlaceholders))),
    language: z.optional(z.nullable(z.enum(languages))),
    renew_url: z.optional(z.nullable(renewUrl)),
    reminders: z.optional(z.nullable(reminders)),
  }),
  repeatable: true,
  response: mailSettings,
  store: { GetItem: ['product'], UpdateItem: ['product'], PutItem: ['reminder'], DeleteItem: ['reminder'] },
  settings: ['publicUrl'],
  examples: {
    request: { send_keys: true, reply_to: 'help@example.com', reminders: [{ event: 'expiring', days: 14 }] },
    response: mailSettingsExample,
  },
}));

/** The value of `event` with which a preview shows the invitation of a member. */
export const INVITATION = 'invitation';

export const previewMail = /* @__PURE__ */ endpoint(() => ({
  name: 'previewMail',
  method: 'POST',
  path: '/v1/products/{id}/mail/preview',
  tag: 'Mail',
  summary: 'Preview a mail',
  description:
    'Returns the mail with a key, a reminder or the invitation of a member, as its reader would see it. The mail contains the data of a license, or example data. The request sends no mail and changes nothing. A text in the body replaces the saved text, so that operators can try a text before they save it.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: checked(
    z.object({
      event: documented(z.nullish(z.enum([...reminderEvents, INVITATION])), {
        description: 'The event whose reminder is shown, or `invitation`; absent or null: the mail with a key is shown.',
      }),
      days: documented(z.nullish(reminderDays), {
        description:
          'The number of days of the reminder; absent or null: the number of days of the first saved reminder with the same event, or 7 if there is no such reminder.',
      }),
      license_id: documented(z.nullish(checked(z.int(), z.minimum(1))), {
        description: 'The id of a license of the product; absent or null: example data.',
      }),
      subject: z.nullish(template(mailSubject, reminderPlaceholders)),
      text: z.nullish(template(mailText, reminderPlaceholders)),
      renew_url: z.nullish(renewUrl),
      language: documented(z.nullish(z.enum(languages)), {
        description:
          'The language of the mail; absent or null: the language of the license, or of the product if the license has no language.',
      }),
    }),
    z.superRefine(({ event, subject, text }, context) => {
      if (event != null && event !== INVITATION) return;
      const known = event === INVITATION ? invitationPlaceholders : placeholders;
      for (const [path, value] of Object.entries({ subject, text })) {
        const problem = value == null ? undefined : template(z.string(), known).safeParse(value).error;
        if (problem) context.addIssue({ code: 'custom', path: [path], message: problem.issues[0]?.message });
      }
    }),
  ),
  bodyOptional: true,
  changesNothing: true,
  additive: true,
  repeatable: true,
  response: documented(z.object({ subject: z.string(), text: z.string(), html: z.string(), language: z.enum(languages) }), {
    id: 'MailPreview',
  }),
  store: { GetItem: ['product', 'licenseId', 'license', 'portal'] },
  settings: ['publicUrl'],
  examples: {
    request: { event: 'expiring', days: 14 },
    response: {
      subject: 'Your license for Aurora Notes expires soon',
      text: 'Hello,\n\nyour license expires on 20 November 2027. Renew it here: https://example.com/renew\n',
      html: '<!doctype html><html>…</html>',
      language: 'en',
    },
  },
}));

export const resumeMail = /* @__PURE__ */ endpoint(() => ({
  name: 'resumeMail',
  method: 'POST',
  path: '/v1/products/{id}/mail/resume',
  tag: 'Mail',
  summary: 'Allow mails to an address again',
  description:
    'After a mail to an address bounced permanently or was reported as spam, the product sends no further mails to that address. This request allows them again, for example because the mailbox exists again. Mails that were not sent in the meantime can be redelivered. If mails to the address were not stopped, nothing changes.',
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ customer_email: email }),
  repeatable: true,
  response: documented(z.object({ resumed: documented(z.boolean(), { description: 'False if mails to the address were not stopped.' }) }), {
    id: 'ResumedMail',
  }),
  store: { GetItem: ['product'], DeleteItem: ['suppressed'] },
  examples: { request: { customer_email: 'ada@example.com' }, response: { resumed: true } },
}));

export const mailLicense = /* @__PURE__ */ endpoint(() => ({
  name: 'mailLicense',
  method: 'POST',
  path: '/v1/licenses/{id}/mail',
  tag: 'Mail',
  summary: 'Mail a license key',
  description: `Mails the license's key to its \`customer_email\`, even if the product does not mail keys automatically. The response is 422 if mail is not configured, or if the license has no address. Within an hour, operators can request at most ${KEY_MAILS_PER_HOUR.license} such mails for one license, and at most ${KEY_MAILS_PER_HOUR.address} to one address in one product. The response to further requests is 429. These limits do not apply to automatic mails, which are not counted.`,
  credential: 'admin',
  scope: ['licenses', 'support'],
  subject: 'license',
  params: z.object({ id: pathId }),
  additive: true,
  status: 202,
  response: delivery,
  errors: ['mail_not_configured', 'rate_limited'],
  store: { GetItem: ['license', 'product'], PutItem: ['event'], UpdateItem: ['limit', 'license'] },
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
}));
