import * as z from 'zod';
import { endpoint } from './endpoint';
import { email } from './resources';

export const getMailStatus = endpoint({
  name: 'getMailStatus',
  method: 'GET',
  path: '/v1/mail/status',
  tag: 'Mail',
  summary: 'Is mail configured?',
  description: 'True where a from-address and a transport (Amazon SES or an SMTP server) are set. No password is ever shown.',
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
  description: 'Sends a real message through the configured transport and says how that went: 422 where none is configured, 502 with the reason where it fails.',
  credential: 'admin',
  scope: 'manage',
  subject: 'deployment',
  body: z.object({ to: email }),
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
