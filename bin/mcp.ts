/** `npm run --silent mcp -- --base-url <url>`: serves the admin API to an AI assistant over the Model Context Protocol. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { version } from '../package.json';
import { runCommand } from './command-line';
import { readOptions, USAGE } from './mcp/options';
import { createMcpServer } from './mcp/server';
import { printError } from './terminal';

void runCommand({
  name: 'mcp',
  usage: USAGE,
  readOptions,
  run: async (options) => {
    const server = createMcpServer(options, version);
    // Errors go to standard error, because standard output transports the protocol's messages.
    server.onerror = (error) => printError(error.message);
    // The assistant ends a session by closing standard input. The process then ends when the calls in progress have completed.
    await server.connect(new StdioServerTransport());
    return 0;
  },
});
