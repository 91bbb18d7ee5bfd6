/** `npm run --silent mcp -- --base-url <url>`: serves the admin API to an assistant, by the Model Context Protocol. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { version } from '../package.json';
import { readOptions, USAGE, UsageError } from './mcp/options';
import { createMcpServer } from './mcp/server';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') return console.log(USAGE);
  const server = createMcpServer(options, version);
  // Standard output belongs to the protocol.
  server.onerror = (error) => console.error(error.message);
  // The assistant ends a session by closing standard input: the process then ends as soon as the calls in progress have.
  await server.connect(new StdioServerTransport());
}

main().catch((error: unknown) => {
  const isExpected = error instanceof UsageError || (error instanceof Error && 'code' in error);
  console.error(isExpected ? `${error.message}\n\nnpm run mcp -- --help shows all options.` : error);
  process.exitCode = 1;
});
