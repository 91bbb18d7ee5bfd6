import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { publicKeyPem } from '../../lambdas/domain/signing-key';
import { productKey } from '../../lambdas/store/keys';
import type { Harness } from './harness';

export interface FirstReleaseProduct {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly api_key: string;
  readonly public_key: string;
  readonly secret: string;
}

/** Writes a product as the first release did: no version, its seed in its row, everything sealed with one key. */
export async function firstReleaseProduct(harness: Harness, encryptionKey = 'test-encryptionKey'): Promise<FirstReleaseProduct> {
  const id = 1_000_000 + randomBytes(3).readUIntBE(0, 3);
  const slug = `old-${id}`;
  const [seed, apiKey, secret] = [
    randomBytes(32),
    `pk_${randomBytes(24).toString('base64url')}`,
    `whsec_${randomBytes(32).toString('base64')}`,
  ];
  const seal = (plain: string | Buffer, field: string): string => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(encryptionKey).digest(), nonce);
    cipher.setAAD(Buffer.from(`product/${id}/${field}`));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  };
  const names = { id, name: slug, slug };
  const public_key = publicKeyPem(seed);
  await harness.client.send(
    new PutCommand({
      TableName: harness.app.table.name,
      Item: {
        ...productKey(id),
        list_pk: 'PRODUCTS',
        list_sk: String(id).padStart(16, '0'),
        ...names,
        public_key,
        api_key_hash: createHash('sha256').update(apiKey).digest('base64url'),
        sealed: { api_key: seal(apiKey, 'api_key'), seed: seal(seed, 'seed'), webhook_secret: seal(secret, 'webhook_secret') },
        webhook_url: '',
        created_at: harness.now(),
      },
    }),
  );
  return { ...names, api_key: apiKey, public_key, secret };
}
