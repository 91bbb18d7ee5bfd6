/**
 * `npm run reseal`: encrypts ("seals") the secrets in the table again with the newest keys, in a deployment or in a local
 * run. Its options add new keys and remove old keys (docs/runbook.md, encryption-key-leaked).
 */
import { dataOf } from '@license-key-service/admin';
import { parseArgs } from 'node:util';
import { getApp } from '../lambdas/runtime/app';
import { reseal } from '../lambdas/use-cases/reseal';
import { readAdminToken } from './admin-token';
import { ADMIN_TOKEN_USAGE, DEFAULT_BASE_URL, readServiceTarget, serviceOptions, type ServiceValues } from './command-line';
import { addKey, dropOldKeys } from './reseal/keys';
import { sentenceOf, ServiceError } from './service';

const USAGE = `Reseals everything that is sealed in the table with the newest keys.

  npm run reseal                    in the local run (npm start)
  TABLE_NAME=<TableName> ENCRYPTION_KEY_SECRET_ARN=<EncryptionKeySecret> \\
  SIGNING_KEY_SECRET_ARN=<SigningKeySecret> npm run reseal
                                    in a deployment, with the outputs of its stack and your AWS credentials

  --new-keys       only adds a new key at the front of each key ring
  --drop-old-keys  after resealing, removes all keys but the newest: at least 24 hours after --new-keys, when the
                   responses stored for repeated requests have expired
  --base-url       the address of the local run (default: ${DEFAULT_BASE_URL})
  --help

The local run asks for its admin token. ${ADMIN_TOKEN_USAGE}`;

const NAMES = ['TABLE_NAME', 'ENCRYPTION_KEY_SECRET_ARN', 'SIGNING_KEY_SECRET_ARN'] as const;

/** Requests the environment variables of this command from the local run. For a deployment, the user sets these variables. */
async function localEnvironment(values: ServiceValues): Promise<Record<string, string>> {
  if (readAdminToken(values, process.env) === undefined)
    throw new Error(`Set ${NAMES.join(', ')} for a deployment, or SVC_ADMIN_TOKEN for the local run.`);
  const { baseUrl, adminToken } = readServiceTarget(values, process.env);
  try {
    const response = await fetch(`${baseUrl}/_local/environment`, { headers: { 'X-Svc-Admin-Token': adminToken } });
    if (response.status === 404) throw new ServiceError(`${baseUrl} is not a local run of this version on this computer.`);
    const body = (await response.json()) as Record<string, string>;
    return dataOf({ data: body, error: body, response });
  } catch (error) {
    const sentence = sentenceOf(error, baseUrl);
    throw sentence === undefined ? error : new ServiceError(sentence);
  }
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      ...serviceOptions,
      'new-keys': flag,
      'drop-old-keys': flag,
      help: flag,
    },
  });
  if (values.help) return console.log(USAGE);

  const given = NAMES.filter((name) => process.env[name]);
  if (given.length === 0) Object.assign(process.env, await localEnvironment(values));
  const missing = NAMES.filter((name) => !process.env[name]);
  if (missing.length > 0)
    throw new Error(
      `Also set ${missing.join(', ')}. The values of ${NAMES.join(', ')} are the outputs TableName, EncryptionKeySecret, SigningKeySecret of the stack.`,
    );

  const rings = [String(process.env['ENCRYPTION_KEY_SECRET_ARN']), String(process.env['SIGNING_KEY_SECRET_ARN'])];
  if (values['new-keys']) {
    for (const ring of rings) await addKey(ring);
    return console.log(
      'Each key ring has a new first key. Wait 10 minutes, until every function has read the new keys; then run npm run reseal.',
    );
  }
  const { products, connections, payments } = await reseal(getApp(), (id) => console.log(`product ${id}`));
  console.log(
    `The secrets of ${products} products and ${connections} payment connections are sealed with the newest keys. ${payments} payment notifications that were sealed with older keys have been sealed again.`,
  );
  if (values['drop-old-keys']) {
    for (const ring of rings) await dropOldKeys(ring);
    console.log('Each key ring now contains only its newest key.');
  }
}

main().catch((error: unknown) => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  console.error(cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message);
  process.exitCode = 1;
});
