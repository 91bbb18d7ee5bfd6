/** Keeps out of logs what must never be there, whatever a message or an error happens to quote. */

const REDACTED = '[redacted]';

/** Fields whose value is a secret or a person's, by their name in any spelling. */
const FIELDS = new Set(
  ['key', 'licenseKey', 'apiKey', 'xApiKey', 'xSvcAdminToken', 'adminToken', 'token', 'offlineToken', 'secret', 'password', 'authorization', 'cookie', 'customerEmail', 'email', 'to', 'metadata'].map((name) =>
    name.toLowerCase(),
  ),
);

/** What such values look like inside a sentence. */
const SHAPES: readonly RegExp[] = [
  // API keys and webhook secrets.
  /\b(?:pk|whsec)_[\w+/=-]+/g,
  // Offline tokens, and anything else signed in this way.
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // License keys: five groups of five.
  /\b[0-9A-Za-z]{5}([- ]?)[0-9A-Za-z]{5}(?:\1[0-9A-Za-z]{5}){3}\b/g,
  // Keys that name idempotent requests, as the table has them.
  /\bIDEMPOTENCY#[^\s"']+/g,
  // User and password in an address.
  /(?<=\/\/)[^\s/@]+@/g,
  /[^\s@<>"'(),:;]+@[^\s@<>"'(),:;]+\.[^\s@<>"'(),:;]+/g,
];

/** A replacer for `JSON.stringify`. */
export function redact(name: string, value: unknown): unknown {
  if (value != null && FIELDS.has(name.toLowerCase().replace(/[-_]/g, ''))) return REDACTED;
  if (typeof value !== 'string') return value;
  return SHAPES.reduce((text, shape) => text.replace(shape, REDACTED), value);
}
