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
import { addKey, dropOldKeys, newestKeyAge } from './reseal/keys';
import { sentenceOf, ServiceError } from './service';
import { print, printError, printText } from './terminal';

const USAGE = `Reseals everything that is sealed in the table with the newest keys.

  npm run reseal                    in the local run (npm start)
  TABLE_NAME=<TableName> ENCRYPTION_KEY_SECRET_ARN=<EncryptionKeySecret> \\
  SIGNING_KEY_SECRET_ARN=<SigningKeySecret> npm run reseal
                                    in a deployment, with the outputs of its stack and your AWS credentials

  --new-keys       only adds a new key at the front of each key ring
  --drop-old-keys  after resealing, removes all keys but the newest. The newest key must be at least 24 hours old, because
                   the responses stored for repeated requests expire only then
  --force          with --drop-old-keys: removes the keys at any time. Repeated requests of the last 24 hours can then fail
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

const HOUR_MS = 3_600_000;
/** The stored responses of idempotent requests are kept for this number of hours. */
const KEPT_HOURS = 24;

/** @throws Error if responses may still be stored that only the ring's older keys open */
async function refuseYoungKey(ring: string): Promise<void> {
  const age = await newestKeyAge(ring, Date.now());
  if (age === undefined || age >= KEPT_HOURS * HOUR_MS) return;
  throw new Error(
    `The newest key of ${ring} is ${Math.floor(age / HOUR_MS)} hours old. Stored responses of repeated requests may still need the older keys: run this command again ${KEPT_HOURS} hours after --new-keys. To remove the older keys now, add --force.`,
  );
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      ...serviceOptions,
      'new-keys': flag,
      'drop-old-keys': flag,
      force: flag,
      help: flag,
    },
  });
  if (values.help) return printText(USAGE);

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
    return print(
      'Each key ring has a new first key. Wait 10 minutes, until every function has read the new keys; then run npm run reseal.',
    );
  }
  if (values['drop-old-keys'] && !values.force) for (const ring of rings) await refuseYoungKey(ring);
  const { products, connections, payments } = await reseal(getApp(), (id) => print(`product ${id}`));
  print(
    `The secrets of ${products} products and ${connections} payment connections are sealed with the newest keys. ${payments} payment notifications that were sealed with older keys have been sealed again.`,
  );
  if (values['drop-old-keys']) {
    for (const ring of rings) await dropOldKeys(ring);
    print('Each key ring now contains only its newest key.');
  }
}

main().catch((error: unknown) => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  printError(cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message);
  process.exitCode = 1;
});
