/** `mcp --base-url <url>`: serves the admin API to an AI assistant over the Model Context Protocol. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Command } from 'commander';
import { version } from '../package.json';
import { addExamples, addServiceOptions, callService, type ServiceValues } from './command-line';
import { createMcpServer } from './mcp/server';
import { printError } from './terminal';

export function define(command: Command): void {
  addServiceOptions(command.option('--read-only', 'offers only tools that change nothing'))
    .addHelpText('after', '\nThe scopes of the token decide which tools there are (docs/mcp.md).')
    .action((values: ServiceValues & { readonly readOnly?: true }) =>
      callService(values, async (target) => {
        const server = createMcpServer({ ...target, isReadOnly: values.readOnly ?? false }, version);
        // Errors go to standard error, because standard output transports the protocol's messages.
        server.onerror = (error) => printError(error.message);
        // The assistant ends a session by closing standard input. The process then ends when the calls in progress have completed.
        await server.connect(new StdioServerTransport());
        return 0;
      }),
    );
  addExamples(command, 'license-key-service mcp --base-url https://licenses.example.com');
}
