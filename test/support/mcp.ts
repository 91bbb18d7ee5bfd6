import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createMcpServer, type McpOptions } from '../../bin/mcp/server';
import { bundledCli } from './program';
import { root } from './repository';

const program = bundledCli();

/** A session of an assistant with `npm run mcp`: the client of the protocol's own library, and the server. */
export interface McpSession {
  readonly client: Client;
  /** Calls a tool of the MCP server. After the tools were listed, the client checks the result with the tool's output schema. */
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
}

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<never>>();
/**
 * Compiles a tool's output schema when the tool is first called in any session. By default, the client compiles the schemas of all tools
 * when it lists them, which takes a second per session.
 */
const compiledWhenUsed: jsonSchemaValidator = {
  getValidator: <T>(schema: Parameters<typeof ajv.getValidator>[0]): JsonSchemaValidator<T> => {
    return (output) => {
      const text = JSON.stringify(schema);
      const validate = (compiled.get(text) as JsonSchemaValidator<T> | undefined) ?? ajv.getValidator<T>(schema);
      compiled.set(text, validate as JsonSchemaValidator<never>);
      return validate(output);
    };
  },
};

async function connect(transport: Transport): Promise<McpSession> {
  const client = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: compiledWhenUsed });
  await client.connect(transport);
  return {
    client,
    call: async (name, values = {}) => (await client.callTool({ name, arguments: values })) as CallToolResult,
    close: () => client.close(),
  };
}

/** Starts a session whose server runs in this process, because a separate process takes about a second of processor time. */
export async function startMcpHere(options: McpOptions): Promise<McpSession> {
  const [transport, other] = InMemoryTransport.createLinkedPair();
  await createMcpServer(options, '1').connect(other);
  return connect(transport);
}

export interface McpProcess extends McpSession {
  /** The text that the server has written to its standard error so far. */
  errors(): string;
}

/**
 * Starts a session whose server runs in a separate process.
 *
 * @param program the command and its first arguments; default: the server, bundled
 */
export async function startMcp(
  token: string,
  args: readonly string[],
  [command, ...first]: readonly [string, ...string[]] = [process.execPath, program, 'mcp'],
): Promise<McpProcess> {
  const env = { ...process.env, SVC_ADMIN_TOKEN: token } as Record<string, string>;
  const transport = new StdioClientTransport({ command, args: [...first, ...args], cwd: root, env, stderr: 'pipe' });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
  return { ...(await connect(transport)), errors: () => errors };
}

/** The text of a tool's result, without its structured content. */
export const textOf = ({ content }: CallToolResult): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
