/**
 * `reseal`: encrypts ("seals") the secrets in the table again with the newest keys, in a deployment or in a local
 * run. Its options add new keys and remove old keys (docs/runbook.md, encryption-key-leaked).
 */
import { dataOf } from '@license-key-service/admin';
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { getApp } from '../lambdas/runtime/app';
import { newestKeyOnly, withNewKey } from '../lambdas/domain/seal';
import { newKeyProblem, reseal, type Resealed } from '../lambdas/use-cases/reseal';
import { readAdminToken } from './admin-token';
import { addExamples, addServiceOptions, readServiceTarget, type ServiceValues } from './command-line';
import { changeRing, readRing } from './reseal/keys';
import { sentenceOf, ServiceError } from './service';
import { print } from './terminal';

/** Number of random bytes of a new key. */
const KEY_BYTES = 32;

const NAMES = ['TABLE_NAME', 'ENCRYPTION_KEY_SECRET_ARN', 'SIGNING_KEY_SECRET_ARN'] as const;

interface Steps {
  readonly newKeys: boolean;
  readonly dropOldKeys: boolean;
  readonly force: boolean;
}

export function define(command: Command): void {
  addServiceOptions(command)
    .option('--new-keys', 'only adds a new key at the front of each key ring', false)
    .option(
      '--drop-old-keys',
      'after resealing, removes all keys but the newest. The newest key must be at least 24 hours old, because the responses stored for repeated requests expire only then',
      false,
    )
    .option('--force', 'with --drop-old-keys: removes the keys at any time. Repeated requests of the last 24 hours can then fail', false)
    .addHelpText(
      'after',
      `
Without the following variables, the command reseals the local run at --base-url. Of a deployment, set ${NAMES.join(', ')}
to the outputs TableName, EncryptionKeySecret and SigningKeySecret of its stack; the command uses your AWS credentials.`,
    )
    .action((values: ServiceValues & Steps) => resealTable(values, values));
  addExamples(command, 'license-key-service reseal', 'license-key-service reseal --new-keys');
}

/** @throws Error if the newest key of a ring is too new */
async function requireOldKey(secretId: string): Promise<void> {
  const { ring, changedAt } = await readRing(secretId);
  const problem = newKeyProblem(secretId, ring, changedAt, Date.now());
  if (problem !== undefined) throw new Error(problem);
}

/** Reseals the table of a deployment, with the AWS credentials of the user. Returns undefined after adding new keys. */
async function resealDeployment({ newKeys, dropOldKeys, force }: Steps): Promise<Resealed | undefined> {
  const missing = NAMES.filter((name) => !process.env[name]);
  if (missing.length > 0)
    throw new Error(
      `Also set ${missing.join(', ')}. The values of ${NAMES.join(', ')} are the outputs TableName, EncryptionKeySecret, SigningKeySecret of the stack.`,
    );
  const rings = [String(process.env['ENCRYPTION_KEY_SECRET_ARN']), String(process.env['SIGNING_KEY_SECRET_ARN'])];
  if (newKeys) {
    for (const ring of rings) await changeRing(ring, (keys) => withNewKey(keys, randomBytes(KEY_BYTES)));
    return undefined;
  }
  if (dropOldKeys && !force) for (const ring of rings) await requireOldKey(ring);
  const resealed = await reseal(getApp(), (id) => print(`product ${id}`));
  if (dropOldKeys) for (const ring of rings) await changeRing(ring, newestKeyOnly);
  return resealed;
}

/** Lets a local run reseal its own table. */
async function resealLocalRun(values: ServiceValues, { newKeys, dropOldKeys, force }: Steps): Promise<Resealed | undefined> {
  if (readAdminToken(values, process.env) === undefined)
    throw new Error(`Set ${NAMES.join(', ')} for a deployment, or SVC_ADMIN_TOKEN for the local run.`);
  const { baseUrl, adminToken } = readServiceTarget(values);
  try {
    const response = await fetch(`${baseUrl}/_local/reseal`, {
      method: 'POST',
      headers: { 'X-Svc-Admin-Token': adminToken, 'Content-Type': 'application/json' },
      body: JSON.stringify({ new_keys: newKeys, drop_old_keys: dropOldKeys, force }),
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

async function resealTable(values: ServiceValues, steps: Steps): Promise<void> {
  const isDeployment = NAMES.some((name) => process.env[name]);
  const resealed = await (isDeployment ? resealDeployment(steps) : resealLocalRun(values, steps)).catch((error: unknown) => {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    throw new ServiceError(cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message);
  });
  if (!resealed)
    return print('Each key ring has a new first key. Wait 10 minutes, until every function has read the new keys; then run reseal again.');
  const { products, connections, payments } = resealed;
  print(
    `The secrets of ${products} products and ${connections} payment connections are sealed with the newest keys. ${payments} payment notifications that were sealed with older keys have been sealed again.`,
  );
  if (steps.dropOldKeys) print('Each key ring now contains only its newest key.');
}
