import { openSecret, type Product } from '../../lambdas/domain/product';
import { ADMIN_TOKEN, stackTableName } from '../support/harness';
import { adminToken } from '../support/http';
import { closeShops, openShop, type Fields } from '../support/shop';
import { everyRow } from '../support/table';

afterEach(closeShops);

test('whoever steals the table finds no credential in it: no API key, no signing seed, no webhook secret, no admin token', async () => {
  const service = await openShop({ kind: 'lifetime' });
  const headers = { 'Idempotency-Key': `canary-${service.productId}` };
  const product = (await service.call('createProduct', { body: { name: `canary ${service.productId}`, slug: `canary-${service.productId}` }, headers })).body as Fields;
  const { key } = await service.newLicense();
  await service.activate(key, 'fingerprint-1');

  const rows = [...(await everyRow()), ...(await everyRow(stackTableName()))];
  const stored = rows.find(({ slug, sealed }) => slug === product['slug'] && sealed !== undefined) as unknown as Product;
  const sealingKey = await service.app.secrets.sealingKey();
  const [seed, webhookSecret] = (['seed', 'webhook_secret'] as const).map((name) => openSecret(sealingKey, stored, name));
  const secrets: Readonly<Record<string, string>> = {
    'API key': String(product['api_key']),
    'API key without its prefix': String(product['api_key']).slice(3),
    'another API key': service.apiKey,
    'webhook secret': webhookSecret!.toString(),
    'webhook secret without its prefix': webhookSecret!.toString().replace('whsec_', ''),
    'seed in base64': seed!.toString('base64'),
    'seed in base64url': seed!.toString('base64url'),
    'seed in hex': seed!.toString('hex'),
    'admin token': ADMIN_TOKEN,
    'admin token of the local run': adminToken(),
    'encryption key': sealingKey.toString('base64'),
  };
  const dump = JSON.stringify(rows, (_name, value: unknown) => (value instanceof Uint8Array ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('base64')}` : value));
  for (const [name, secret] of Object.entries(secrets)) expect({ name, found: dump.includes(secret) }).toEqual({ name, found: false });
  // Whole words: what is sealed is base64url too, and holds any three letters sooner or later.
  expect(dump).not.toMatch(/(?<![\w-])(whsec_|pk_[\w-]{32}(?![\w-]))|PRIVATE KEY/);
});
