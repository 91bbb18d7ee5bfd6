/**
 * `reseal`: encrypts ("seals") the secrets in the table again with the newest keys, in a deployment or in a local
 * run. Its options add new keys and remove old keys (docs/runbook.md, encryption-key-leaked).
 */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { getApp } from '../lambdas/runtime/app';
import { newestKeyOnly, withNewKey } from '../lambdas/domain/seal';
import { newKeyProblem, reseal, type Resealed } from '../lambdas/use-cases/reseal';
import { addExamples, addServiceOptions, type ServiceValues } from './command-line';
import { accessHelp, withAccess } from './deployment';
import { changeRing, readRing } from './reseal/keys';
import { print, printError } from './terminal';

/** Number of random bytes of a new key. */
const KEY_BYTES = 32;

interface Steps {
  readonly newKeys: boolean;
  readonly dropOldKeys: boolean;
  readonly force: boolean;
}

interface ResealValues extends ServiceValues, Steps {
  readonly json: boolean;
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
    .option('--json', 'prints the numbers of sealed secrets as JSON', false)
    .addHelpText('after', accessHelp('reseals'))
    .action((values: ResealValues) => resealTable(values, values));
  addExamples(command, 'license-key-service reseal', 'license-key-service reseal --new-keys');
}

/** @throws Error if the newest key of a ring is too new */
async function requireOldKey(secretId: string): Promise<void> {
  const { ring, changedAt } = await readRing(secretId);
  const problem = newKeyProblem(secretId, ring, changedAt, Date.now());
  if (problem !== undefined) throw new Error(problem);
}

/** Reseals the table of a deployment, with the AWS credentials of the user. Returns an empty object after adding new keys. */
async function resealDeployment(rings: readonly string[], { newKeys, dropOldKeys, force }: Steps): Promise<Resealed | object> {
  if (newKeys) {
    for (const ring of rings) await changeRing(ring, (keys) => withNewKey(keys, randomBytes(KEY_BYTES)));
    return {};
  }
  if (dropOldKeys && !force) for (const ring of rings) await requireOldKey(ring);
  const resealed = await reseal(getApp(), (id) => printError(`product ${id}`));
  if (dropOldKeys) for (const ring of rings) await changeRing(ring, newestKeyOnly);
  return resealed;
}

async function resealTable(values: ResealValues, steps: Steps): Promise<void> {
  const { newKeys, dropOldKeys, force } = steps;
  const resealed = await withAccess<Resealed | object>(values, (rings) => resealDeployment(rings, steps), '/_local/reseal', {
    new_keys: newKeys,
    drop_old_keys: dropOldKeys,
    force,
  });
  if (values.json) return print(JSON.stringify({ resealed: 'products' in resealed ? resealed : null }));
  if (!('products' in resealed))
    return print('Each key ring has a new first key. Wait 10 minutes, until every function has read the new keys; then run reseal again.');
  const { products, connections, payments } = resealed;
  print(
    `The secrets of ${products} products and ${connections} payment connections are sealed with the newest keys. ${payments} payment notifications that were sealed with older keys have been sealed again.`,
  );
  if (dropOldKeys) print('Each key ring now contains only its newest key.');
}
