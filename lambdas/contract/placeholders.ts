/** The names allowed between double braces in the mail with the keys. */
export const placeholders = ['product', 'license_type', 'keys', 'expires_at', 'seats', 'order'] as const;
export type Placeholder = (typeof placeholders)[number];

/**
 * Blanks around the name are trimmed afterwards: a pattern that matches them in parts of their own takes time with the cube of their
 * number.
 */
const BRACED = /\{\{([^{}]*)\}\}/g;

/** The name in each `{{…}}` of a text, without the blanks around it. */
export const placeholdersIn = (text: string): readonly string[] => [...text.matchAll(BRACED)].map(([, name = '']) => name.trim());

/** The text with each `{{…}}` replaced by the value of its name; one without a value stays as it is. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(BRACED, (whole, name: string) => values[name.trim()] ?? whole);
