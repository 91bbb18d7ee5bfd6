import { parseArgs } from 'node:util';
import { ADMIN_TOKEN_USAGE, BASE_URL_USAGE, readServiceTarget, serviceOptions, type ServiceTarget } from '../command-line';

/** Reads and checks the options of `npm run mcp`. */

export interface McpOptions extends ServiceTarget {
  /** Whether the server offers only tools that change nothing. */
  readonly isReadOnly: boolean;
}

export const USAGE = `Serves the admin API to an assistant, by the Model Context Protocol over standard input and output.

  npm run --silent mcp -- --base-url https://licenses.example.com

  ${BASE_URL_USAGE}
  --read-only      offers only tools that change nothing
  --help

${ADMIN_TOKEN_USAGE}

The scopes of the token decide which tools there are (docs/mcp.md).`;

/** Reads the arguments. @throws UsageError */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): McpOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: { ...serviceOptions, 'read-only': { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) return 'help';
  return { ...readServiceTarget(values, env), isReadOnly: values['read-only'] ?? false };
}
