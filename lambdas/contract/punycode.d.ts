declare module 'punycode.js' {
  /** Decodes the encoded parts of a domain (RFC 3492). @throws RangeError if one can't be decoded */
  export function toUnicode(domain: string): string;
}
