/**
 * `npm run reseal`: encrypts ("seals") the secrets in the table again with the newest keys, in a deployment or in a local
 * run. Its options add new keys and remove old keys (docs/runbook.md, encryption-key-leaked).
 */
import { dataOf } from '@license-key-service/admin';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { getApp } from '../lambdas/runtime/app';
import { newestKeyOnly, withNewKey } from '../lambdas/domain/seal';
import { newKeyProblem, reseal, type Resealed } from '../lambdas/use-cases/reseal';
import { readAdminToken } from './admin-token';
import { ADMIN_TOKEN_USAGE, DEFAULT_BASE_URL, readServiceTarget, serviceOptions, type ServiceValues } from './command-line';
import { changeRing, readRing } from './reseal/keys';
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

/** Number of random bytes of a new key. */
const KEY_BYTES = 32;

const NAMES = ['TABLE_NAME', 'ENCRYPTION_KEY_SECRET_ARN', 'SIGNING_KEY_SECRET_ARN'] as const;

interface Steps {
  readonly new_keys: boolean;
  readonly drop_old_keys: boolean;
  readonly force: boolean;
}

/** @throws Error if the newest key of a ring is too new */
async function requireOldKey(secretId: string): Promise<void> {
  const { ring, changedAt } = await readRing(secretId);
  const problem = newKeyProblem(secretId, ring, changedAt, Date.now());
  if (problem !== undefined) throw new Error(problem);
}

/** Reseals the table of a deployment, with the AWS credentials of the user. Returns undefined after adding new keys. */
async function resealDeployment({ new_keys, drop_old_keys, force }: Steps): Promise<Resealed | undefined> {
  const missing = NAMES.filter((name) => !process.env[name]);
  if (missing.length > 0)
    throw new Error(
      `Also set ${missing.join(', ')}. The values of ${NAMES.join(', ')} are the outputs TableName, EncryptionKeySecret, SigningKeySecret of the stack.`,
    );
  const rings = [String(process.env['ENCRYPTION_KEY_SECRET_ARN']), String(process.env['SIGNING_KEY_SECRET_ARN'])];
  if (new_keys) {
    for (const ring of rings) await changeRing(ring, (keys) => withNewKey(keys, randomBytes(KEY_BYTES)));
    return undefined;
  }
  if (drop_old_keys && !force) for (const ring of rings) await requireOldKey(ring);
  const resealed = await reseal(getApp(), (id) => print(`product ${id}`));
  if (drop_old_keys) for (const ring of rings) await changeRing(ring, newestKeyOnly);
  return resealed;
}

/** Lets a local run reseal its own table. */
async function resealLocalRun(values: ServiceValues, steps: Steps): Promise<Resealed | undefined> {
  if (readAdminToken(values, process.env) === undefined)
    throw new Error(`Set ${NAMES.join(', ')} for a deployment, or SVC_ADMIN_TOKEN for the local run.`);
  const { baseUrl, adminToken } = readServiceTarget(values, process.env);
  try {
    const response = await fetch(`${baseUrl}/_local/reseal`, {
      method: 'POST',
      headers: { 'X-Svc-Admin-Token': adminToken, 'Content-Type': 'application/json' },
      body: JSON.stringify(steps),
    });
    if (response.status === 404) throw new ServiceError(`${baseUrl} is not a local run of this version.`);
    const body = (await response.json()) as Resealed | object;
    dataOf({ data: body, error: body, response });
    return 'products' in body ? body : undefined;
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
      force: flag,
      help: flag,
    },
  });
  if (values.help) return printText(USAGE);

  const steps = { new_keys: values['new-keys'], drop_old_keys: values['drop-old-keys'], force: values.force };
  const isDeployment = NAMES.some((name) => process.env[name]);
  const resealed = await (isDeployment ? resealDeployment(steps) : resealLocalRun(values, steps));
  if (!resealed)
    return print(
      'Each key ring has a new first key. Wait 10 minutes, until every function has read the new keys; then run npm run reseal.',
    );
  const { products, connections, payments } = resealed;
  print(
    `The secrets of ${products} products and ${connections} payment connections are sealed with the newest keys. ${payments} payment notifications that were sealed with older keys have been sealed again.`,
  );
  if (steps.drop_old_keys) print('Each key ring now contains only its newest key.');
}

main().catch((error: unknown) => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  printError(cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message);
  process.exitCode = 1;
});
