/**
 * `keys export|import`: moves the signing keys of a product to another deployment, so that apps in the field continue to verify their tokens
 * (docs/exit.md).
 */
import type { Command } from 'commander';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { isFailure, type Failure } from '../lambdas/contract/errors';
import { getApp } from '../lambdas/runtime/app';
import { exportSigningKeys, importSigningKeys, type KeyViews } from '../lambdas/use-cases/key-transfer';
import { addExamples, addServiceOptions, productId, UsageError, type ServiceValues } from './command-line';
import { accessHelp, withAccess } from './deployment';
import { print } from './terminal';

/** The file is encrypted with a key that PBKDF2 derives in 2048 rounds, so a passphrase must not be guessable. */
const MIN_PASSPHRASE = 16;

interface Values extends ServiceValues {
  readonly product: number;
  readonly passphraseFile?: string;
  readonly apiKeyFile?: string;
  readonly json: boolean;
}

const readLine = (path: string): string => {
  const line = readFileSync(path, 'utf8').trim();
  if (line === '') throw new UsageError(`${path} is empty.`);
  return line;
};

function passphraseOf({ passphraseFile }: Values): string {
  const passphrase = passphraseFile === undefined ? process.env['SVC_KEYS_PASSPHRASE'] : readLine(passphraseFile);
  if (passphrase === undefined || passphrase === '')
    throw new UsageError('A passphrase is needed: set SVC_KEYS_PASSPHRASE in the environment, or pass --passphrase-file.');
  if (passphrase.length < MIN_PASSPHRASE) throw new UsageError(`The passphrase must have at least ${MIN_PASSPHRASE} characters.`);
  return passphrase;
}

function report(keys: KeyViews, json: boolean): void {
  if (json) return print(JSON.stringify({ keys }));
  for (const { kid, status, created_at } of keys) print(`${status.padEnd(8)}  ${kid}  created ${created_at}`);
}

function succeeded<Result extends object>(result: Failure | Result): Result {
  if (isFailure(result)) throw new Error(result.detail);
  return result;
}

const addOptions = (command: Command): Command =>
  addServiceOptions(command)
    .requiredOption('--product <id>', "the product's id", productId)
    .option('--passphrase-file <file>', 'a file that contains only the passphrase, instead of the variable SVC_KEYS_PASSPHRASE')
    .option('--json', 'prints the keys as JSON', false);

export function define(command: Command): void {
  const exporting = addOptions(command.command('export <file>'))
    .description('Writes the signing keys of a product to a file, encrypted with a passphrase.')
    .addHelpText('after', accessHelp('exports from'))
    .action(async (file: string, values: Values) => {
      const { product } = values;
      const passphrase = passphraseOf(values);
      const exported = await withAccess(
        values,
        async () => succeeded(await exportSigningKeys(getApp(), product, passphrase)),
        '/_local/keys',
        { product, passphrase },
      );
      writeFileSync(file, exported.file, { mode: 0o600 });
      // The mode above applies only to a new file.
      chmodSync(file, 0o600);
      report(exported.keys, values.json);
    });
  addExamples(exporting, 'license-key-service keys export --product 1 keys.pem');

  const importing = addOptions(command.command('import <file>'))
    .description('Adds the signing keys of a file to a product. The current key of the file then signs, and the other keys only verify.')
    .option('--api-key-file <file>', 'a file with the API key that apps in the field send; it replaces the API key of the product')
    .addHelpText('after', accessHelp('imports into'))
    .action(async (path: string, values: Values) => {
      const { product, apiKeyFile } = values;
      const passphrase = passphraseOf(values);
      const [file, apiKey] = [readFileSync(path, 'utf8'), apiKeyFile === undefined ? undefined : readLine(apiKeyFile)];
      const imported = await withAccess(
        values,
        async () => succeeded(await importSigningKeys(getApp(), product, { file, passphrase, apiKey })),
        '/_local/keys',
        { product, passphrase, file, api_key: apiKey },
      );
      report(imported.keys, values.json);
    });
  addExamples(importing, 'license-key-service keys import --product 1 keys.pem');
}
