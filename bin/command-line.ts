import { InvalidArgumentError, type Command } from 'commander';
import { readAdminToken, type AdminTokenValues } from './admin-token';
import { sentenceOf, ServiceError } from './service';
import { printError, printErrorText, printFault } from './terminal';

/** Code that the commands share: readers of options, the options that name a running service, and the report of a failure. */

/** The user gave arguments that are invalid together; the message says which. */
export class UsageError extends Error {}

/** The service that a command calls. */
export interface ServiceTarget {
  readonly baseUrl: string;
  readonly adminToken: string;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';

/** Returns a reader of an option whose value is a whole number. The reader throws InvalidArgumentError. */
export const wholeNumber =
  (minimum: number, maximum: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return number;
  };

/** Reads an address. @throws InvalidArgumentError */
export function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new InvalidArgumentError('It must be an address that begins with http:// or https://.');
  return value;
}

/** Returns a reader of an option that can be repeated. It collects what `read` returns for each value. */
export const repeated =
  <Value>(read: (value: string) => Value) =>
  (value: string, previous: readonly Value[] = []): readonly Value[] => [...previous, read(value)];

export const isOneOf = <Name extends string>(names: readonly Name[], value: string | undefined): value is Name =>
  names.some((name) => name === value);

/** The ids of products. */
export const productId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Adds the examples to the help of a command. Each example is a line with the arguments after the program's name. */
export const addExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);

export type ServiceValues = { readonly baseUrl?: string | undefined } & AdminTokenValues;

/** Adds the options that name a running service and its admin token. */
export const addServiceOptions = (command: Command): Command =>
  command
    .option('--base-url <url>', `the address of the service (default: ${DEFAULT_BASE_URL})`, httpUrl)
    .option('--admin-token-file <file>', 'a file that contains only the admin token')
    .option('--admin-token <token>', 'the admin token; other users of this computer can see it in the list of processes')
    .addHelpText('after', '\nThe admin token is taken from the environment variable SVC_ADMIN_TOKEN, or from one of the two options.');

/**
 * Reads the service's URL and the admin token.
 *
 * @throws UsageError
 */
export function readServiceTarget(values: ServiceValues): ServiceTarget {
  const adminToken = readAdminToken(values, process.env);
  if (adminToken === undefined)
    throw new UsageError('The admin token is needed: set SVC_ADMIN_TOKEN in the environment, or pass --admin-token-file.');
  return { baseUrl: (values.baseUrl ?? DEFAULT_BASE_URL).replace(/(?<!\/)\/+$/, ''), adminToken };
}

/**
 * Runs the work of a command that calls a service.
 *
 * @param work returns the exit status
 * @throws ServiceError with one sentence if a request failed
 */
export async function callService(values: ServiceValues, work: (target: ServiceTarget) => Promise<number>): Promise<void> {
  const target = readServiceTarget(values);
  try {
    process.exitCode = await work(target);
  } catch (error) {
    const sentence = sentenceOf(error, target.baseUrl);
    throw sentence === undefined ? error : new ServiceError(sentence);
  }
}

/**
 * Prints why a command failed. Errors that the user can correct are printed as one sentence, all others with their stack trace.
 *
 * @returns the exit status
 */
export function reportFailure(error: unknown): number {
  if (error instanceof UsageError) {
    printErrorText(`error: ${error.message}\n(add --help to see all options)`);
    return 2;
  }
  // Node's errors, for example for an unreadable file or a port in use, have a `code`. The user can correct these errors.
  if (error instanceof ServiceError || (error instanceof Error && 'code' in error)) printError(error.message);
  else printFault(error);
  return 1;
}
