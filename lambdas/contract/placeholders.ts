/** The names allowed between double braces in the mail with the keys. */
export const placeholders = ['product', 'license_type', 'keys', 'expires_at', 'seats', 'order'] as const;
export type Placeholder = (typeof placeholders)[number];

/** Every `{{…}}` in a text. */
export const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
