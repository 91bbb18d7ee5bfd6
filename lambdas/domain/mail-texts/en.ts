import type { MailTexts } from './model';

export const en: MailTexts = {
  locale: 'en-GB',
  never: 'never',
  unlimited: 'unlimited',
  signIn: 'No key is needed: choose "Sign in" in the app.',
  unnamedDevice: 'a device without a name',
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
    'portal.device_added': {
      subject: 'Signed in on another device: {{product}}',
      text: `Hello,

somebody who was signed in with your address activated {{product}} on this device:

{{device}} (reported by the app)

If it was you, you need not do anything. If it was not, open this page, sign in, and press "This wasn't me":

{{link}}`,
    },
    'portal.invitation': {
      subject: 'You can use {{product}}',
      text: `Hello,

you can use {{product}} now: you were added to a license for several people.

License: {{license_type}}
Expires: {{expires_at}}

To start, choose "Sign in" in the app, and sign in with the address to which this mail was sent. This page shows your license and your devices:

{{portal}}
`,
    },
  },
  signInMail: {
    subject: 'Your license for {{product}}',
    text: `Hello,

thank you for choosing {{product}}. Your license belongs to the people whom you invite. Nobody needs a key: choose "Sign in" in the app, and sign in with your e-mail address.

License: {{license_type}}
People: {{seats}}
Expires: {{expires_at}}

Invite people, and see who uses the license: {{portal}}
`,
  },
  key: {
    subject: 'Your license for {{product}}',
    text: `Hello,

thank you for choosing {{product}}. This is your license key:

{{keys}}

License: {{license_type}}
Devices: {{seats}}
Expires: {{expires_at}}

Enter the key in the app to activate it. Keep this mail: you need the key again when you move to another computer.

Your licenses and devices: {{portal}}
`,
  },
  reminders: {
    expiring: {
      subject: 'Your license for {{product}} expires on {{expires_at}}',
      text: `Hello,

your license for {{product}} expires on {{expires_at}}.

Renew it here: {{renew_url}}

License: {{license_type}}
Key: {{keys}}

Your licenses and devices: {{portal}}
`,
    },
    expired: {
      subject: 'Your license for {{product}} has expired',
      text: `Hello,

your license for {{product}} expired on {{expires_at}}.

Renew it here to use {{product}} again: {{renew_url}}

License: {{license_type}}
Key: {{keys}}

Your licenses and devices: {{portal}}
`,
    },
    updates_expiring: {
      subject: 'Your updates for {{product}} will end soon',
      text: `Hello,

your license for {{product}} includes new versions only for a short time: the number of days left is {{days}}. After that you can keep using the versions that you have.

Get further updates here: {{renew_url}}

License: {{license_type}}
Key: {{keys}}

Your licenses and devices: {{portal}}
`,
    },
  },
  unsubscribeLink: 'Stop reminders about {{product}}: {{unsubscribe_url}}',
  unsubscribe: {
    title: 'Reminders about {{product}}',
    question: 'Do you want to stop all reminders about your licenses for {{product}}?',
    button: 'Stop reminders',
    done: 'You will get no more reminders about {{product}}. Mails with your license keys are still sent.',
  },
};
