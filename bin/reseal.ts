/** `npm run reseal`: seals the secrets in the table anew with the newest keys of the deployment (docs/runbook.md, encryption-key-leaked). */
import { getApp } from '../lambdas/runtime/app';
import { resealProducts } from '../lambdas/use-cases/reseal';

async function main(): Promise<void> {
  const missing = ['TABLE_NAME', 'ENCRYPTION_KEY_SECRET_ARN', 'SIGNING_KEY_SECRET_ARN'].filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}: they are outputs of the stack (TableName, EncryptionKeySecret, SigningKeySecret).`);
  const done = await resealProducts(getApp(), (id) => console.log(`product ${id}`));
  console.log(`${done} products are sealed with the newest keys.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
