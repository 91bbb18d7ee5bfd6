/** `start`: runs the whole service on this computer until Ctrl-C. */
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { MEMORY } from '../infra/local/data-dir';
import { StartError } from '../infra/local/errors';
import { readSettings, type Settings } from '../infra/local/settings';
import { start, type Stack } from '../infra/local/stack';
import { addExamples } from './command-line';
import { print, printError, printErrorText, printFault, printText } from './terminal';

/** Maximum period of a schedule in the local run, in milliseconds. A schedule with a longer period runs at this period instead. */
const LONGEST_PERIOD = 5000;
/** Interval, in milliseconds, at which the process checks whether its parent has ended. */
const PARENT_CHECK_MS = 500;
/** Signals within this number of milliseconds count as one, because a single Ctrl-C makes both the terminal and npm send a signal. */
const SAME_SIGNAL = 500;

// Handlers must run in the time zone of Lambda, which is UTC.
process.env['TZ'] = 'UTC';
// The local run's files contain keys and customers' data, so only their owner may read them.
process.umask(0o077);

// libuv uses at most half of its threads for DNS lookups, and a lookup can't be interrupted. With the default of four threads, the names of
// two webhooks that don't resolve would block all other lookups. A deployment sets the same number (infra/workers.ts).
process.env['UV_THREADPOOL_SIZE'] ??= '64';

/** The oldest major version of Node.js that still gets security updates. */
const SUPPORTED_NODE = 22;
const oldNode = Number(process.versions.node.split('.')[0]) < SUPPORTED_NODE;

export function define(command: Command): void {
  command
    .addHelpText('after', '\nThe settings are environment variables (docs/configuration.md). Ctrl-C stops the service.')
    .action(() => run().catch(fail));
  addExamples(command, 'license-key-service start', 'PORT=8787 DATA_DIR=:memory: license-key-service start');
}

async function run(): Promise<void> {
  const stopping = new AbortController();
  let signalled = 0;
  /** The exit status after the stack has stopped. */
  let status = 0;
  let stack: Stack | undefined;
  const stop = (exitCode: number): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - signalled > SAME_SIGNAL) process.exit(130);
      return;
    }
    signalled = performance.now();
    status = exitCode;
    stopping.abort();
    if (!stack) return;
    print('Stopping …');
    stack.stop().then(() => process.exit(status), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  // npm and npx start this process through a shell, which may not forward a signal that npm forwards to it. This process then gets a new
  // parent.
  if (['start', 'npx'].includes(process.env['npm_lifecycle_event'] ?? '')) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(0), PARENT_CHECK_MS).unref();
  }

  const settings = readSettings(process.env);
  if (oldNode)
    printError(
      `Node.js ${process.versions.node} gets no security updates any more. Install the current LTS version from https://nodejs.org.`,
    );
  print('Starting …');
  const running = await start({
    ...settings,
    config: {
      webhookAllowPrivate: settings.webhookAllowPrivate,
      mail: settings.mail,
      mailsPerSecond: settings.mailsPerSecond,
      processorApis: settings.processorApis,
    },
    longestPeriod: LONGEST_PERIOD,
    print,
    onFailure: (error) => {
      printError(error.message);
      stop(1);
    },
  }).catch((error: unknown) => {
    // The user stopped the service while it was starting, or the database ended. The parts that had started have already ended.
    if (stopping.signal.aborted) process.exit(status);
    throw error;
  });
  if (stopping.signal.aborted) {
    await running.stop();
    process.exit(status);
  }
  stack = running;
  // `performance.now()` is the time since the start of the process, so it includes the time for loading the code.
  printText(welcome(stack, settings, performance.now() / 1000));
}

const welcome = ({ baseUrl, adminToken, mailboxUrl, database }: Stack, { dataDir, printAll }: Settings, seconds: number): string => {
  const below = relative(process.cwd(), dataDir);
  const folder = below.startsWith('..') ? dataDir : below;
  const inFile = dataDir === MEMORY ? [] : [join(folder, 'logs')];
  const logs = [...inFile, printAll ? 'all lines are shown here' : 'LOG=1 shows all lines here'].join('; ');
  return `
The license key service is up after ${seconds.toFixed(1)} s.

  Base URL     ${baseUrl}
  Admin page   ${baseUrl}/admin
  API docs     ${baseUrl}/docs
  Admin token  ${adminToken}
  Data         ${dataDir === MEMORY ? 'in memory: lost when this stops' : folder}
  Database     ${database.name}
  Logs         ${logs}
${mailboxUrl === undefined ? '' : `\n  Mailbox      ${mailboxUrl}`}

Ctrl-C stops it.
`;
};

function fail(error: unknown): never {
  if (error instanceof StartError) printErrorText(error.message);
  else printFault(error);
  process.exit(1);
}
