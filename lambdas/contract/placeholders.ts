/** The names allowed between double braces in the mail with the keys. */
export const placeholders = ['product', 'license_type', 'keys', 'expires_at', 'seats', 'order', 'portal'] as const;
export type Placeholder = (typeof placeholders)[number];

/** The names allowed in a reminder. */
export const reminderPlaceholders = [...placeholders, 'renew_url', 'days'] as const;
export type ReminderPlaceholder = (typeof reminderPlaceholders)[number];

/** The names allowed in the address of the vendor's page for renewals. Their values are percent-encoded. */
export const renewUrlPlaceholders = ['key', 'order', 'license_id'] as const;
export type RenewUrlPlaceholder = (typeof renewUrlPlaceholders)[number];

/**
 * The pattern does not match the blanks around the name; they are trimmed afterwards. A pattern with separate parts for
 * the blanks would take time that grows with the cube of their number.
 */
const BRACED = /\{\{([^{}]*)\}\}/g;

/** The name in each `{{…}}` of a text, without the blanks around it. */
export const placeholdersIn = (text: string): readonly string[] => [...text.matchAll(BRACED)].map(([, name = '']) => name.trim());

/** The text with each `{{…}}` replaced by the value of its name. A placeholder without a value stays as it is. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(BRACED, (whole, name: string) => values[name.trim()] ?? whole);
