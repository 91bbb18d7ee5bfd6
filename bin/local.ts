/** `npm start`: synthesizes the stack and runs it on this machine until Ctrl-C. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { StartError } from '../infra/local/errors';
import { readSettings, type Settings } from '../infra/local/settings';
import { MEMORY, start, type Stack } from '../infra/local/stack';
import { synthesize } from '../infra/local/synth';
import { TemplateError } from '../infra/local/template';
import { print, printError, printErrorText, printFault, printText } from './terminal';

const USAGE = `Runs the whole service on this computer until Ctrl-C.

  PORT=8787 npm start

The settings are environment variables (docs/configuration.md).`;
/** Maximum period of a schedule in the local run, in milliseconds. A schedule with a longer period runs at this period instead. */
const LONGEST_PERIOD = 5000;
/** Signals within this number of milliseconds count as one, because a single Ctrl-C makes both the terminal and npm send a signal. */
const SAME_SIGNAL = 500;

// The Lambda functions run in threads of this process, so the process must use Lambda's time zone, which is UTC.
process.env['TZ'] = 'UTC';
// The local run's files contain keys and customers' data, so only their owner may read them.
process.umask(0o077);

async function main(): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === '--help') return printText(USAGE);
  if (argument !== undefined)
    throw new StartError(
      `npm start takes no arguments, but got ${argument}. Its settings are environment variables (docs/configuration.md).`,
    );
  const begun = performance.now();
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

  const settings = readSettings(process.env);
  print('Starting; the first start takes about 20 s.');
  const running = await start({
    ...settings,
    assembly: (folder) => {
      const { mail } = settings;
      const context = {
        stage: 'local',
        webhookAllowPrivate: settings.webhookAllowPrivate,
        mailTransport: mail.transport,
        ...(mail.transport !== 'none' && { mailFrom: mail.from }),
        mailsPerSecond: settings.mailsPerSecond,
        processorApis: JSON.stringify(settings.processorApis),
      };
      return synthesize({ parent: folder ?? temporaryFolder(), context, signal: stopping.signal });
    },
    mailbox: settings.mail.transport === 'ses',
    longestPeriod: LONGEST_PERIOD,
    onProgress: (step) => print(`… ${step}`),
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
  printText(welcome(stack, settings, (performance.now() - begun) / 1000));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-key-service-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const welcome = ({ baseUrl, adminToken, mailboxUrl, database }: Stack, { dataDir }: Settings, seconds: number): string => {
  const below = relative(process.cwd(), dataDir);
  const folder = below.startsWith('..') ? dataDir : below;
  return `
The license key service is up after ${seconds.toFixed(1)} s.

  Base URL     ${baseUrl}
  Admin page   ${baseUrl}/admin
  API docs     ${baseUrl}/docs
  Admin token  ${adminToken}
  Data         ${dataDir === MEMORY ? 'in memory: lost when this stops' : folder}
  Database     ${database}
  Logs         ${dataDir === MEMORY ? 'LOG=1 shows them here' : `${join(folder, 'logs')} (LOG=1 shows them here)`}
${mailboxUrl === undefined ? '' : `\n  Mailbox      ${mailboxUrl}`}

Ctrl-C stops it.
`;
};

function fail(error: unknown): never {
  const expected = error instanceof StartError || error instanceof TemplateError;
  if (expected) printErrorText(error.message);
  else printFault(error);
  process.exit(1);
}

main().catch(fail);
