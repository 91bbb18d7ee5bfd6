import { ADMIN_TOKEN_USAGE, adminTokenOptions, readAdminToken, type AdminTokenValues } from './admin-token';
import { sentenceOf } from './service';
import { printError, printErrorText, printFault, printText } from './terminal';

/** Code that the commands for a running service share. It reads the service's URL and the admin token, and reports failures. */

/** The user gave invalid arguments; the message says which. */
export class UsageError extends Error {}

/** The service that a command calls. */
export interface ServiceTarget {
  readonly baseUrl: string;
  readonly adminToken: string;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';

export const serviceOptions = { 'base-url': { type: 'string' }, ...adminTokenOptions } as const;

/** The part of a command's usage text that explains how to pass the service's URL. */
export const BASE_URL_USAGE = `--base-url       the address of the service (default: ${DEFAULT_BASE_URL})`;
export { ADMIN_TOKEN_USAGE };

export type ServiceValues = { readonly 'base-url'?: string | undefined } & AdminTokenValues;

/**
 * Reads the service's URL and the admin token.
 *
 * @throws UsageError
 */
export function readServiceTarget(values: ServiceValues, env: NodeJS.ProcessEnv): ServiceTarget {
  const { 'base-url': base = DEFAULT_BASE_URL } = values;
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new UsageError('--base-url must be an address that begins with http:// or https://.');
  const adminToken = readAdminToken(values, env);
  if (adminToken === undefined)
    throw new UsageError('The admin token is needed: set SVC_ADMIN_TOKEN in the environment, or pass --admin-token-file.');
  return { baseUrl: base.replace(/(?<!\/)\/+$/, ''), adminToken };
}

/** Reads `--product`. @throws UsageError */
export function readProduct(product: string | undefined): number {
  if (product === undefined || !/^[1-9]\d{0,15}$/.test(product)) throw new UsageError('--product is needed: the id of a product.');
  return Number(product);
}

export const isOneOf = <Name extends string>(names: readonly Name[], value: string | undefined): value is Name =>
  names.some((name) => name === value);

interface Command<Options> {
  /** The name of the script in package.json that runs this command. */
  readonly name: string;
  readonly usage: string;
  readonly readOptions: (args: readonly string[], env: NodeJS.ProcessEnv) => Options | 'help';
  /** @returns the exit status */
  readonly run: (options: Options) => Promise<number>;
}

/**
 * Runs a command with the arguments of the process. Errors that the user can correct are printed as one sentence, all others with their
 * stack trace.
 */
export async function runCommand<Options extends ServiceTarget>({ name, usage, readOptions, run }: Command<Options>): Promise<void> {
  let baseUrl = '';
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') return printText(usage);
    ({ baseUrl } = options);
    process.exitCode = await run(options);
  } catch (error) {
    process.exitCode = 1;
    const sentence = sentenceOf(error, baseUrl);
    if (sentence !== undefined) return printError(sentence);
    // Node's errors for an unknown option or an unreadable file have a `code`. The user can correct these errors.
    if (!(error instanceof UsageError || (error instanceof Error && 'code' in error))) return printFault(error);
    printErrorText(error.message);
    if (!('code' in error) || String(error.code).startsWith('ERR_PARSE_ARGS'))
      printErrorText(`\nnpm run ${name} -- --help shows all options.`);
  }
}
