#!/usr/bin/env node
/**
 * The command line of the service: `license-key-service <command>`. Each command is a file of this folder, which is loaded only when the
 * command is used, because for example the MCP server loads large packages that `start` does not need.
 *
 * Exit status: 0 if the command did its work, 1 if it failed, 2 if the arguments are invalid.
 */
import { Command } from 'commander';
import { createRequire } from 'node:module';
import { version } from '../package.json';
import { reportFailure } from './command-line';
import { lines } from './terminal';

/** The names of the commands, each with the sentence that the help shows. */
const commands = {
  start: 'Runs the whole service on this computer',
  deploy: 'Creates or updates a deployment in your AWS account',
  diff: 'Shows what a deployment would change',
  destroy: 'Removes a deployment from your AWS account',
  licenses: 'Exports and imports licenses',
  releases: 'Publishes a version of your app, or changes it',
  sell: 'Sends notifications to a payment connection, as a payment processor would',
  receiver: 'Receives the events of a webhook and prints them',
  mcp: 'Serves the admin API to an AI assistant over the Model Context Protocol',
  smoke: 'Tests the life cycle of a license in any running service',
  keys: 'Moves the signing keys of a product to another deployment',
  reseal: 'Encrypts the secrets in the table again with the newest keys',
} as const;

/** What the file of a command exports. */
export interface CommandFile {
  /** Adds the command's options, subcommands, examples and action. */
  readonly define: (command: Command) => void;
}

// The SDK's warning about an old Node.js has seven lines. `start` says the same in one line.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const load = createRequire(__filename);

const program = new Command('license-key-service')
  .description('Issues, activates and validates software license keys.')
  .version(version)
  // `releases` has an option --version of its own.
  .enablePositionalOptions()
  .configureOutput({
    outputError: (text, write) => write(lines(text)),
    // The width of the terminal must not change where the help breaks its lines, because the documents and tests quote it.
    getOutHelpWidth: () => 120,
    getErrHelpWidth: () => 120,
  })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .showHelpAfterError('(add --help to see all options)');

const used = process.argv.slice(2, 4);
for (const [name, summary] of Object.entries(commands)) {
  const command = program.command(name).description(summary);
  if (used.includes(name)) (load(`./${name}`) as CommandFile).define(command);
}

program.parseAsync().catch((error: unknown) => {
  process.exitCode = reportFailure(error);
});
