import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Reads and changes the key rings of a deployment (lambdas/domain/seal.ts). */

interface StoredRing {
  readonly ring: string;
  /** When the ring was last changed, in epoch ms; undefined if it is unknown. */
  readonly changedAt: number | undefined;
}

async function withClient<Result>(work: (client: SecretsManagerClient) => Promise<Result>): Promise<Result> {
  const client = new SecretsManagerClient({});
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

export const readRing = (secretId: string): Promise<StoredRing> =>
  withClient(async (client) => {
    const { SecretString: ring = '', CreatedDate } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (ring.trim() === '') throw new Error(`The secret ${secretId} contains no key`);
    return { ring, changedAt: CreatedDate?.getTime() };
  });

export async function changeRing(secretId: string, change: (ring: string) => string): Promise<void> {
  const { ring } = await readRing(secretId);
  await withClient((client) => client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: change(ring) })));
}
