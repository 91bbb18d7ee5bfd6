/** The names of the placeholders in the mail with license keys. In a text, a placeholder is its name in double braces. */
export const placeholders = ['product', 'license_type', 'keys', 'expires_at', 'seats', 'order', 'portal'] as const;
export type Placeholder = (typeof placeholders)[number];

/** The names of the placeholders in the mail that invites a member of a license. They reveal neither the key nor what the buyer has paid. */
export const invitationPlaceholders = ['product', 'license_type', 'expires_at', 'portal'] as const satisfies readonly Placeholder[];
export type InvitationPlaceholder = (typeof invitationPlaceholders)[number];

/** The names of the placeholders in a reminder. */
export const reminderPlaceholders = [...placeholders, 'renew_url', 'days'] as const;
export type ReminderPlaceholder = (typeof reminderPlaceholders)[number];

/** The names of the placeholders in the URL of the vendor's page for renewals. Their values are percent-encoded. */
export const renewUrlPlaceholders = ['key', 'order', 'license_id'] as const;
export type RenewUrlPlaceholder = (typeof renewUrlPlaceholders)[number];

/**
 * Matches a placeholder. The group contains the name with the blanks around it. The blanks are removed after the match. If the pattern
 * removed them, the time of a match could grow with the cube of the number of blanks.
 */
const BRACED = /\{\{([^{}]*)\}\}/g;

/** The name in each `{{…}}` of a text, without blanks around the name. */
export const placeholdersIn = (text: string): readonly string[] => [...text.matchAll(BRACED)].map(([, name = '']) => name.trim());

/** Replaces each `{{…}}` of a text with the value of its name. A placeholder without a value stays unchanged. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(BRACED, (whole, name: string) => values[name.trim()] ?? whole);
