import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { randomBytes } from 'node:crypto';

/** Reads and changes the key rings of a deployment. A key ring is a secret with one key per line, newest first (lambdas/domain/seal.ts). */

const KEY_BYTES = 32;

async function withClient<Result>(work: (client: SecretsManagerClient) => Promise<Result>): Promise<Result> {
  const client = new SecretsManagerClient({});
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

interface Ring {
  readonly keys: readonly string[];
  /** The time of the last change of the ring, which is the time when the newest key was added; undefined if it is unknown. */
  readonly changedAt: Date | undefined;
}

async function readRing(client: SecretsManagerClient, secretId: string): Promise<Ring> {
  const { SecretString = '', CreatedDate: changedAt } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
  const keys = SecretString.split('\n')
    .map((key) => key.trim())
    .filter(Boolean);
  if (keys.length === 0) throw new Error(`The secret ${secretId} contains no key`);
  return { keys, changedAt };
}

const changeRing = (secretId: string, change: (keys: readonly string[]) => readonly string[]): Promise<void> =>
  withClient(async (client) => {
    const { keys } = await readRing(client, secretId);
    await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: change(keys).join('\n') }));
  });

/** Adds a new key at the front of the ring. The new key seals new values, and the older keys still open the values that they sealed. */
export const addKey = (secretId: string): Promise<void> =>
  changeRing(secretId, (keys) => [randomBytes(KEY_BYTES).toString('hex'), ...keys]);

/** Removes all keys except the newest. Values sealed with older keys can no longer be opened. */
export const dropOldKeys = (secretId: string): Promise<void> => changeRing(secretId, (keys) => keys.slice(0, 1));

/**
 * The age of the newest key in ms, if the ring also contains older keys; otherwise undefined.
 *
 * @param now epoch ms
 */
export const newestKeyAge = (secretId: string, now: number): Promise<number | undefined> =>
  withClient(async (client) => {
    const { keys, changedAt } = await readRing(client, secretId);
    return keys.length === 1 ? undefined : now - (changedAt?.getTime() ?? now);
  });
