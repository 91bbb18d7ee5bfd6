/** Removes secrets and personal data from log lines, including secrets within messages and errors. */

const REDACTED = '[redacted]';

/** The names of fields whose value is a secret or personal data. Case, hyphens and underscores do not matter. */
const FIELDS = new Set(
  [
    'key',
    'licenseKey',
    'apiKey',
    'xApiKey',
    'xSvcAdminToken',
    'adminToken',
    'token',
    'offlineToken',
    'secret',
    'password',
    'authorization',
    'cookie',
    'customerEmail',
    'email',
    'to',
    'metadata',
  ].map((name) => name.toLowerCase()),
);

/**
 * Patterns that find secrets and personal data within a text. The time to match each pattern grows only linearly with the length of the
 * text. To ensure this, either the length of a match is limited, or no match can begin within characters that the pattern has already read.
 */
const SHAPES: readonly RegExp[] = [
  // API keys of products and signing secrets of webhooks.
  /\b(?:pk|whsec)_[\w+/=-]+/g,
  // Offline tokens and all other signed tokens in the JWS format.
  /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // License keys: five groups of five characters, or 25 characters without separators. The 25 characters must be all in upper case or all
  // in lower case, so that names in mixed case, such as `processTicksAndRejections`, do not match.
  /\b[0-9A-Za-z]{5}([- ])[0-9A-Za-z]{5}(?:\1[0-9A-Za-z]{5}){3}\b/g,
  /\b(?:[0-9A-Z]{25}|[0-9a-z]{25})\b/g,
  // Keys of the table's rows that store responses to idempotent requests.
  /\bIDEMPOTENCY#[^\s"']+/g,
  // The user and the password in a URL.
  /(?<=\/\/)[^\s/@]+@/g,
];

const LOCAL_PART_END = /[^\s@<>"'(),:;]{1,256}$/;

/**
 * Removes e-mail addresses. The function finds each `@` that is followed by a domain, and then reads the local part backwards from the `@`.
 * The domain must contain a dot that is followed by a letter, so that the scope of an npm package (`/@smithy/core`) does not match.
 */
function withoutAddresses(text: string): string {
  // The pattern is compiled when the first line is logged, because patterns with Unicode properties take a millisecond to compile.
  const atDomain = /@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{M}\p{N}-]{1,62}/gu;
  let clean = '';
  let end = 0;
  for (const { 0: domain, index } of text.matchAll(atDomain)) {
    const [localPart] = LOCAL_PART_END.exec(text.slice(Math.max(end, index - 256), index)) ?? [];
    if (localPart === undefined) continue;
    clean += text.slice(end, index - localPart.length) + REDACTED;
    end = index + domain.length;
  }
  return clean + text.slice(end);
}

/** A replacer for `JSON.stringify` that removes secrets and personal data. */
export function redact(name: string, value: unknown): unknown {
  if (value != null && FIELDS.has(name.toLowerCase().replace(/[-_]/g, ''))) return REDACTED;
  if (typeof value !== 'string') return value;
  return withoutAddresses(SHAPES.reduce((text, shape) => text.replace(shape, REDACTED), value));
}
