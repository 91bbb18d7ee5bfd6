import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { randomBytes } from 'node:crypto';

/** Changes the key rings of a deployment. A key ring is a secret with one key per line, newest first (lambdas/domain/seal.ts). */

const KEY_BYTES = 32;

async function changeRing(secretId: string, change: (keys: readonly string[]) => readonly string[]): Promise<void> {
  const client = new SecretsManagerClient({});
  try {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    const keys = SecretString.split('\n')
      .map((key) => key.trim())
      .filter(Boolean);
    if (keys.length === 0) throw new Error(`The secret ${secretId} contains no key`);
    await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: change(keys).join('\n') }));
  } finally {
    client.destroy();
  }
}

/** Adds a new key at the front of the ring. The new key seals new values, and the older keys still open the values that they sealed. */
export const addKey = (secretId: string): Promise<void> =>
  changeRing(secretId, (keys) => [randomBytes(KEY_BYTES).toString('hex'), ...keys]);

/** Removes all keys except the newest. Values sealed with older keys can no longer be opened. */
export const dropOldKeys = (secretId: string): Promise<void> => changeRing(secretId, (keys) => keys.slice(0, 1));
