import type { MailTexts } from './model';

export const en: MailTexts = {
  locale: 'en-GB',
  never: 'never',
  unlimited: 'unlimited',
  mails: {
    'portal.code_mailed': {
      subject: 'Your code for {{product}}: {{code}}',
      text: `Hello,

this is your code to see your licenses of {{product}}:

{{code}}

It works once, for 10 minutes. You can also open this link and press the button there:

{{link}}

If you did not request this, you need not do anything: nobody can sign in without this mail.`,
    },
    'portal.address_code_mailed': {
      subject: 'Confirm your new address for {{product}}',
      text: `Hello,

enter this code to move your licenses of {{product}} to this address:

{{code}}

It works once, for 10 minutes, and only where it was requested.

If you did not request this, ignore this mail: nothing will change.`,
    },
    'portal.address_notice_mailed': {
      subject: 'A new address for your licenses of {{product}}',
      text: `Hello,

somebody who was signed in with this address requested to move your licenses of {{product}} to another address.

If it was you, you need not do anything. If it was not, contact us now: {{support}}`,
    },
    'portal.key_mailed': {
      subject: 'Your license key for {{product}}',
      text: `Hello,

you requested your license key for {{product}}:

{{keys}}

License: {{license_type}}
Devices: {{seats}}
Expires: {{expires_at}}

Your licenses and devices: {{link}}`,
    },
  },
};
