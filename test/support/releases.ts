import { createHash, randomBytes } from 'node:crypto';

/** What tests of releases need: bytes, what a vendor declares of them, and their upload. */

const hex = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex');

/** The body of a request that declares a file. */
export const declare = (bytes: Uint8Array, fields: object = {}) => ({
  filename: 'app-x64.zip',
  platform: 'windows',
  arch: 'x64',
  size: bytes.length,
  sha256: hex('sha256', bytes),
  sha512: hex('sha512', bytes),
  ...fields,
});

export interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly expires_at: string;
}

/** Sends bytes to where the service said. */
export const upload = (to: Upload, bytes: Uint8Array): Promise<Response> =>
  fetch(to.url, { method: to.method, headers: to.headers, body: Uint8Array.from(bytes) });

/** A version that no other test has made. */
export const someVersion = (): string => `1.${randomBytes(4).readUInt32BE()}.${randomBytes(4).readUInt32BE()}`;
