import type { MailTexts } from './model';

export const de: MailTexts = {
  locale: 'de-DE',
  never: 'nie',
  unlimited: 'unbegrenzt',
  signIn: 'Sie brauchen keinen Schlüssel: Wählen Sie in der App „Anmelden“.',
  unnamedDevice: 'ein Gerät ohne Namen',
  mails: {
    'portal.code_mailed': {
      subject: 'Ihr Code für {{product}}: {{code}}',
      text: `Guten Tag,

mit diesem Code sehen Sie Ihre Lizenzen für {{product}}:

{{code}}

Er gilt einmal und 10 Minuten lang. Sie können auch diesen Link öffnen und dort auf den Knopf drücken:

{{link}}

Falls Sie den Code nicht angefordert haben, müssen Sie nichts tun: Ohne diese E-Mail kann sich niemand anmelden.`,
    },
    'portal.address_code_mailed': {
      subject: 'Bestätigen Sie Ihre neue Adresse für {{product}}',
      text: `Guten Tag,

mit diesem Code ziehen Ihre Lizenzen für {{product}} auf diese Adresse um:

{{code}}

Er gilt einmal, 10 Minuten lang und nur dort, wo er angefordert wurde.

Falls Sie den Code nicht angefordert haben, ignorieren Sie diese E-Mail: Es ändert sich nichts.`,
    },
    'portal.address_notice_mailed': {
      subject: 'Eine neue Adresse für Ihre Lizenzen für {{product}}',
      text: `Guten Tag,

jemand, der mit dieser Adresse angemeldet war, möchte Ihre Lizenzen für {{product}} auf eine andere Adresse übertragen.

Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, melden Sie sich sofort bei uns: {{support}}`,
    },
    'portal.key_mailed': {
      subject: 'Ihr Lizenzschlüssel für {{product}}',
      text: `Guten Tag,

Sie haben Ihren Lizenzschlüssel für {{product}} angefordert:

{{keys}}

Lizenz: {{license_type}}
Geräte: {{seats}}
Gültig bis: {{expires_at}}

Ihre Lizenzen und Geräte: {{link}}`,
    },
    'portal.device_added': {
      subject: 'Anmeldung auf einem weiteren Gerät: {{product}}',
      text: `Guten Tag,

jemand, der mit Ihrer Adresse angemeldet war, hat {{product}} auf diesem Gerät aktiviert:

{{device}} (von der App gemeldet)

Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, öffnen Sie diese Seite, melden Sie sich an und drücken Sie „Das war ich nicht“:

{{link}}`,
    },
    'portal.invitation': {
      subject: 'Sie können {{product}} verwenden',
      text: `Guten Tag,

Sie können {{product}} jetzt verwenden: Sie wurden zu einer Lizenz für mehrere Personen hinzugefügt.

Lizenz: {{license_type}}
Gültig bis: {{expires_at}}

Wählen Sie in der App „Anmelden“, und melden Sie sich mit der Adresse an, an die diese Mail ging. Diese Seite zeigt Ihre Lizenz und Ihre Geräte:

{{portal}}
`,
    },
  },
  signInMail: {
    subject: 'Ihre Lizenz für {{product}}',
    text: `Guten Tag,

danke, dass Sie sich für {{product}} entschieden haben. Ihre Lizenz gehört den Personen, die Sie einladen. Niemand braucht einen Schlüssel: Wählen Sie in der App „Anmelden“ und melden Sie sich mit Ihrer E-Mail-Adresse an.

Lizenz: {{license_type}}
Personen: {{seats}}
Gültig bis: {{expires_at}}

Personen einladen und sehen, wer die Lizenz nutzt: {{portal}}
`,
  },
  key: {
    subject: 'Ihre Lizenz für {{product}}',
    text: `Guten Tag,

danke, dass Sie sich für {{product}} entschieden haben. Das ist Ihr Lizenzschlüssel:

{{keys}}

Lizenz: {{license_type}}
Geräte: {{seats}}
Gültig bis: {{expires_at}}

Geben Sie den Schlüssel in der App ein, um sie zu aktivieren. Bewahren Sie diese E-Mail auf: Sie brauchen den Schlüssel wieder, wenn Sie den Computer wechseln.

Ihre Lizenzen und Geräte: {{portal}}
`,
  },
  reminders: {
    expiring: {
      subject: 'Ihre Lizenz für {{product}} endet am {{expires_at}}',
      text: `Guten Tag,

Ihre Lizenz für {{product}} endet am {{expires_at}}.

Hier können Sie sie verlängern: {{renew_url}}

Lizenz: {{license_type}}
Schlüssel: {{keys}}

Ihre Lizenzen und Geräte: {{portal}}
`,
    },
    expired: {
      subject: 'Ihre Lizenz für {{product}} ist abgelaufen',
      text: `Guten Tag,

Ihre Lizenz für {{product}} ist am {{expires_at}} abgelaufen.

Hier können Sie sie verlängern, um {{product}} wieder zu nutzen: {{renew_url}}

Lizenz: {{license_type}}
Schlüssel: {{keys}}

Ihre Lizenzen und Geräte: {{portal}}
`,
    },
    updates_expiring: {
      subject: 'Ihre Updates für {{product}} enden bald',
      text: `Guten Tag,

Ihre Lizenz für {{product}} enthält nur noch kurze Zeit neue Versionen: Die Zahl der verbleibenden Tage ist {{days}}. Danach können Sie die Versionen weiter nutzen, die Sie haben.

Hier erhalten Sie weitere Updates: {{renew_url}}

Lizenz: {{license_type}}
Schlüssel: {{keys}}

Ihre Lizenzen und Geräte: {{portal}}
`,
    },
  },
  unsubscribeLink: 'Keine Erinnerungen von {{product}} mehr senden: {{unsubscribe_url}}',
  unsubscribe: {
    title: 'Erinnerungen von {{product}}',
    question: 'Möchten Sie keine E-Mails mehr erhalten, die Sie an das Ende Ihrer Lizenzen für {{product}} erinnern?',
    button: 'Keine Erinnerungen mehr senden',
    done: 'Sie erhalten keine Erinnerungen von {{product}} mehr. E-Mails mit Ihren Lizenzschlüsseln werden weiterhin gesendet.',
  },
};
