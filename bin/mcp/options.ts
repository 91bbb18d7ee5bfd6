import { parseArgs } from 'node:util';
import { ADMIN_TOKEN_USAGE, adminTokenOptions, readAdminToken } from '../admin-token';

/** The command line's options, checked. */

/** The command line asks for something impossible; the message says what. */
export class UsageError extends Error {}

export interface McpOptions {
  readonly baseUrl: string;
  readonly adminToken: string;
  /** Only tools that change nothing. */
  readonly isReadOnly: boolean;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';

export const USAGE = `Serves the admin API to an assistant, by the Model Context Protocol over standard input and output.

  npm run --silent mcp -- --base-url https://licenses.example.com

  --base-url       the address of the service (default: ${DEFAULT_BASE_URL})
  --read-only      offers only tools that change nothing
  --help

${ADMIN_TOKEN_USAGE}

The scopes of the token decide which tools there are (docs/mcp.md).`;

/** Reads the arguments. @throws UsageError */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): McpOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: { 'base-url': { type: 'string' }, 'read-only': { type: 'boolean' }, ...adminTokenOptions, help: { type: 'boolean' } },
  });
  if (values.help) return 'help';
  const { 'base-url': base = DEFAULT_BASE_URL } = values;
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new UsageError('--base-url must be an address that begins with http:// or https://.');
  const adminToken = readAdminToken(values, env);
  if (adminToken === undefined)
    throw new UsageError('The admin token is needed: SVC_ADMIN_TOKEN in the environment, or --admin-token-file.');
  return { baseUrl: base, adminToken, isReadOnly: values['read-only'] ?? false };
}
