import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { randomBytes } from 'node:crypto';

/** The key rings of a deployment: a key on each line of a secret, the newest first. (`lambdas/domain/seal.ts`) */

const KEY_BYTES = 32;

async function changeRing(secretId: string, change: (keys: readonly string[]) => readonly string[]): Promise<void> {
  const client = new SecretsManagerClient({});
  try {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    const keys = SecretString.split('\n')
      .map((key) => key.trim())
      .filter(Boolean);
    if (keys.length === 0) throw new Error(`The secret ${secretId} holds no key`);
    await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: change(keys).join('\n') }));
  } finally {
    client.destroy();
  }
}

/** Puts a new key in front: it seals from now on, and the others still open what they sealed. */
export const addKey = (secretId: string): Promise<void> =>
  changeRing(secretId, (keys) => [randomBytes(KEY_BYTES).toString('hex'), ...keys]);

/** Leaves the newest key alone: what an older one sealed can't be opened any more. */
export const dropOldKeys = (secretId: string): Promise<void> => changeRing(secretId, (keys) => keys.slice(0, 1));
