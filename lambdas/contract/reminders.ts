import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { reminderEvents } from './events';
import { placeholdersIn, reminderPlaceholders, renewUrlPlaceholders } from './placeholders';
import { text } from './text';
import { isPlainUrl } from './url';

/** Reminders by mail, and the endpoints with which buyers unsubscribe from reminders (docs/spec/mail.md, Reminders). */

/** Maximum number of reminders of one product. */
const MAX_REMINDERS = 10;
/** Maximum number of days between a reminder and the date to which it refers. */
const MAX_REMINDER_DAYS = 90;

/** A list of placeholders in double braces, such as `{{days}}, {{renew_url}}`. */
export const shownPlaceholders = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');

/** A schema for a text that contains only known placeholders. */
export const template = <Text extends z.ZodMiniType<string>>(schema: Text, known: readonly string[]) =>
  checked(
    schema,
    z.refine((value) => placeholdersIn(value).every((name) => known.includes(name)), {
      error: `must not contain placeholders other than ${shownPlaceholders(known)}`,
    }),
  );

export const mailSubject = text(1, 200);

export const mailText = checked(
  z.string(),
  z.minLength(1),
  z.maxLength(20_000, { abort: true }),
  // oxlint-disable-next-line no-control-regex -- the pattern must match control characters, except tabs and line breaks
  z.refine((value) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u.test(value), {
    error: 'must not contain control characters',
  }),
);

export const reminderEvent = documented(z.enum(reminderEvents), {
  description:
    '`expiring`: a reminder before the expiry. `expired`: a reminder after the expiry. `updates_expiring`: a reminder before the end of updates.',
});
export const reminderDays = documented(checked(z.int(), z.minimum(0), z.maximum(MAX_REMINDER_DAYS)), {
  description: 'The number of days between the reminder and the expiry or end of updates.',
});

/** A reminder in a response. */
export const reminder = documented(z.object({ event: reminderEvent, days: reminderDays, subject: z.string(), text: z.string() }), {
  id: 'Reminder',
});
/** The list of reminders in a request. The list replaces all reminders of the product. */
export const reminders = checked(
  z.array(
    z.object({
      event: reminderEvent,
      days: reminderDays,
      subject: documented(z.nullish(template(mailSubject, reminderPlaceholders)), {
        description: 'The subject of the reminder; null: the default subject in the language of the mail.',
      }),
      text: documented(z.nullish(template(mailText, reminderPlaceholders)), {
        description: `The text of the reminder; null: the default text in the language of the mail. Placeholders: ${shownPlaceholders(reminderPlaceholders)}.`,
      }),
    }),
  ),
  z.maxLength(MAX_REMINDERS),
  z.refine((all) => new Set(all.map(({ event, days }) => `${event} ${days}`)).size === all.length, {
    error: 'must name each combination of event and days once',
  }),
);

/** Maximum length of `renew_url`, in characters. */
const MAX_RENEW_URL = 2048;

export const renewUrl = template(
  checked(
    text(1, MAX_RENEW_URL),
    z.refine((value) => isPlainUrl(value, 'https:'), {
      error: 'must be an absolute https: URL without user info, without backslashes, and without placeholders in its host',
    }),
  ),
  renewUrlPlaceholders,
);

const token = z.object({ token: checked(z.string(), z.regex(/^[\w.-]{20,300}$/)) });

const unsubscribe = {
  path: '/v1/unsubscribe/{token}',
  tag: 'Mail',
  credential: 'none',
  params: token,
  mediaType: 'text/html',
  response: z.string(),
  secrets: ['encryptionKey'],
  // This limit is enough for people and their mail programs. A lower limit is not necessary, because nobody can guess a token.
  throttle: { rate: 20, burst: 40 },
  examples: { response: '<!doctype html>…' },
} as const;

export const showUnsubscribe = /* @__PURE__ */ endpoint(() => ({
  ...unsubscribe,
  name: 'showUnsubscribe',
  method: 'GET',
  summary: 'Show the page that ends reminders',
  description:
    'Shows a page with a button that ends reminders. The header `List-Unsubscribe` of every reminder contains the URL of this page. Opening the page changes nothing, because programs that check the links in mails also open the page.',
  store: { GetItem: ['product'] },
}));

export const unsubscribeFromReminders = /* @__PURE__ */ endpoint(() => ({
  ...unsubscribe,
  name: 'unsubscribeFromReminders',
  method: 'POST',
  summary: 'End the reminders of a product for an address',
  description:
    'Ends all reminders of the product for the e-mail address that the token belongs to. Mail programs send this request for one-click unsubscribing (RFC 8058), and the button of the page sends it too. The body is ignored. Mails with keys and codes are still sent.',
  ignoresBody: true,
  repeatable: true,
  store: { GetItem: ['product'], UpdateItem: ['unsubscribed'] },
}));
