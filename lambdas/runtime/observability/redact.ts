/** Keeps out of logs what must never be there, whatever a message or an error happens to quote. */

const REDACTED = '[redacted]';

/** Fields whose value is a secret or a person's, by their name in any spelling. */
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
 * What such values look like inside a sentence. Each pattern takes time in proportion to the text: what it begins with
 * is no part of a longer match that began before, or is bounded.
 */
const SHAPES: readonly RegExp[] = [
  // API keys and webhook secrets.
  /\b(?:pk|whsec)_[\w+/=-]+/g,
  // Offline tokens, and anything else signed in this way.
  /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // License keys: five groups of five, or in one piece and one case, which `processTicksAndRejections` is not.
  /\b[0-9A-Za-z]{5}([- ])[0-9A-Za-z]{5}(?:\1[0-9A-Za-z]{5}){3}\b/g,
  /\b(?:[0-9A-Z]{25}|[0-9a-z]{25})\b/g,
  // Keys that name idempotent requests, as the table has them.
  /\bIDEMPOTENCY#[^\s"']+/g,
  // User and password in an address.
  /(?<=\/\/)[^\s/@]+@/g,
];

const LOCAL_PART_END = /[^\s@<>"'(),:;]{1,256}$/;

/**
 * Removes e-mail addresses: found by their `@`, from which the local part is read backwards. The domain must end in a
 * name, which the scope of a package (`/@smithy/core`) does not.
 */
function withoutAddresses(text: string): string {
  // Made with the first line: patterns of Unicode properties take a millisecond to make.
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

/** A replacer for `JSON.stringify`. */
export function redact(name: string, value: unknown): unknown {
  if (value != null && FIELDS.has(name.toLowerCase().replace(/[-_]/g, ''))) return REDACTED;
  if (typeof value !== 'string') return value;
  return withoutAddresses(SHAPES.reduce((text, shape) => text.replace(shape, REDACTED), value));
}
