import { createPrivateKey } from 'node:crypto';
import { privateKeyOf, SEED_BYTES, signingKeyStatuses, type SigningKeyStatus } from './signing-key';
import { timestampOf } from './time';

/**
 * The file with a product's signing keys: for each key a PEM block with an encrypted PKCS #8 key (RFC 5958, PBES2 of RFC 8018), which
 * OpenSSL reads. The lines before a block (RFC 7468, section 2) say what the key is used for.
 */

/** A signing key with its seed. */
export interface OpenSigningKey {
  readonly kid: string;
  readonly status: SigningKeyStatus;
  /** When the key was created, in epoch ms. */
  readonly created_at: number;
  readonly seed: Uint8Array;
}

const BLOCK =
  /kid: (\S+)\s+status: (\S+)\s+created_at: (\S+)\s+(-----BEGIN ENCRYPTED PRIVATE KEY-----[^-]+-----END ENCRYPTED PRIVATE KEY-----)/g;

export const writeKeyFile = (keys: readonly OpenSigningKey[], passphrase: string): string =>
  keys
    .map(({ kid, status, created_at, seed }) => {
      const pem = privateKeyOf(seed).export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase });
      return `kid: ${kid}\nstatus: ${status}\ncreated_at: ${timestampOf(created_at)}\n${pem.toString()}`;
    })
    .join('\n');

/** Reads a file that {@link writeKeyFile} wrote. The result is a sentence if the file or the passphrase is wrong. */
export function readKeyFile(file: string, passphrase: string): readonly OpenSigningKey[] | string {
  const keys: OpenSigningKey[] = [];
  for (const [, kid = '', named, created = '', pem = ''] of file.matchAll(BLOCK)) {
    const status = signingKeyStatuses.find((one) => one === named);
    const created_at = Date.parse(created);
    if (!status || Number.isNaN(created_at)) return `The key ${kid} has no valid status and created_at`;
    const seed = seedOf(pem, passphrase);
    if (!seed) return 'The passphrase is wrong, or the file is damaged';
    keys.push({ kid, status, created_at, seed });
  }
  const current = keys.filter(({ status }) => status === 'current').length;
  if (current !== 1) return `The file must contain one key with the status current, and contains ${current}`;
  return keys;
}

function seedOf(pem: string, passphrase: string): Uint8Array | undefined {
  try {
    const key = createPrivateKey({ key: pem, passphrase });
    return key.asymmetricKeyType === 'ed25519' ? key.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES) : undefined;
  } catch {
    // OpenSSL reports a wrong passphrase and a damaged key in the same way.
    return undefined;
  }
}
