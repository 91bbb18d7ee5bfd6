import { AdminApiError, createAdminClient, dataOf, nextCursor, type AdminClient } from '@license-key-service/admin';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { UNREADABLE_HEADER } from '../../lambdas/contract/edge';
import { sentenceOf } from '../service';
import type { ServiceTarget } from '../command-line';
import { argumentNames, argumentsIn, isList, isPaged, MAX_ITEMS, permittedRows, toolOf, type AdminEndpoint, type Place } from './tools';

/** A server of the Model Context Protocol whose tools call the service. */

export interface McpOptions extends ServiceTarget {
  /** Whether the server offers only tools that change nothing. */
  readonly isReadOnly: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The type of the client's method `request`, for an endpoint that is known only at run time. */
type AnyRequest = (
  method: 'get',
  path: string,
  init: { readonly params: { readonly path: object; readonly query: object }; readonly body?: object },
) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>;

const INSTRUCTIONS = (baseUrl: string): string =>
  `Operates the license key service at ${baseUrl}: products, license types, licenses with their devices, releases, webhooks and payments. Most tools need the id of a product (listProducts) or of a license (searchLicenses). Ask the user before you call a destructive tool. A list has at most ${MAX_ITEMS} items; for more, call the tool again with next_cursor as cursor.`;

/** The result of a failed tool call: an error text that the assistant reads. */
const refusal = (text: string, error?: AdminApiError): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
  ...(error && { _meta: { status: error.status, code: error.code, request_id: error.requestId } }),
});

const isScalar = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Describes invalid arguments that the server can detect before it calls the service; undefined if there are none. */
function problemOf(row: AdminEndpoint, args: Arguments): string | undefined {
  const inPath = argumentNames(row, 'params');
  const inQuery = argumentNames(row, 'query');
  const known = [...inPath, ...inQuery, ...argumentNames(row, 'body')];
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    return `${row.name} has no argument ${unknown.join(', ')}; it has ${known.length > 0 ? known.join(', ') : 'none'}`;
  const missing = inPath.filter((name) => args[name] == null);
  if (missing.length > 0) return missing.map((name) => `${name} is required`).join('; ');
  // With a path segment that is empty, `.` or `..`, the URL would lead to another route.
  const empty = inPath.filter((name) => ['', '.', '..'].includes(String(args[name])));
  if (empty.length > 0) return empty.map((name) => `${name} must not be empty, "." or ".."`).join('; ');
  const wrong = [...inPath, ...inQuery].filter((name) => args[name] != null && !isScalar(args[name]));
  return wrong.length > 0 ? wrong.map((name) => `${name} must be a string, a number or a boolean`).join('; ') : undefined;
}

/** The arguments that belong to one part of the request. Outside the body, an argument that is null counts as missing. */
const pick = (row: AdminEndpoint, args: Arguments, place: Place): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(argumentsIn(row, place)).flatMap(([name, field]) =>
      args[name] === undefined || (place !== 'body' && args[name] === null) ? [] : [[field, args[name]]],
    ),
  );

/**
 * Limits a page to the number of rows that an assistant should read. A value that is not a number stays unchanged, so that the service
 * refuses it with its error message.
 */
const limitOf = (given: unknown): unknown => (given === undefined || Number(given) > MAX_ITEMS ? MAX_ITEMS : given);

function resultOf(row: AdminEndpoint, data: unknown, response: Response): CallToolResult {
  const notes: string[] = [];
  let structuredContent = data as Record<string, unknown>;
  if (isList(row)) {
    const items = data as readonly unknown[];
    const next = nextCursor(response);
    if (next !== undefined)
      notes.push(`There are more rows. For the next page, call ${row.name} again with the same arguments and "cursor": "${next}".`);
    if (items.length > MAX_ITEMS) notes.push(`Only the first ${MAX_ITEMS} of ${items.length} rows are shown.`);
    const unreadable = response.headers.get(UNREADABLE_HEADER);
    if (unreadable !== null) notes.push(`The service could not read ${unreadable} of the stored rows, so this list does not contain them.`);
    structuredContent = { items: items.slice(0, MAX_ITEMS), next_cursor: next ?? null };
  }
  const texts = [JSON.stringify(structuredContent), ...notes];
  return { structuredContent, content: texts.map((text) => ({ type: 'text', text })) };
}

async function callRow(client: AdminClient, row: AdminEndpoint, args: Arguments): Promise<CallToolResult> {
  const problem = problemOf(row, args);
  if (problem !== undefined) return refusal(problem);
  const request = client.request as unknown as AnyRequest;
  const query = pick(row, args, 'query');
  const result = await request(row.method.toLowerCase() as 'get', row.path, {
    params: { path: pick(row, args, 'params'), query: isPaged(row) ? { ...query, limit: limitOf(query['limit']) } : query },
    ...(row.body && { body: pick(row, args, 'body') }),
  });
  return resultOf(row, dataOf(result), result.response);
}

const sentenceFor = (error: unknown, baseUrl: string): string => sentenceOf(error, baseUrl) ?? String(error);

/**
 * How long the client retries a failed request, in milliseconds. The last attempt may take 30 s more. Many assistants wait 60 s for a
 * result, so they still receive the reason for the failure.
 */
const RETRY_FOR_MS = 20_000;

/** Creates the server for one session. The caller connects it to a transport. */
export function createMcpServer({ baseUrl, adminToken, isReadOnly }: McpOptions, version: string): Server {
  const client = createAdminClient({ baseUrl, token: adminToken, retryForMs: RETRY_FOR_MS });
  const server = new Server({ name: 'license-key-service', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS(baseUrl) });

  // The permissions of a token never change, so they are read once. If the token is revoked, the service refuses each call.
  let permitted: Promise<readonly AdminEndpoint[]> | undefined;
  const rows = async (): Promise<readonly AdminEndpoint[]> => {
    permitted ??= client.GET('/v1/tokens/current').then((result) => permittedRows(dataOf(result), isReadOnly));
    try {
      return await permitted;
    } catch (error) {
      permitted = undefined;
      throw new Error(sentenceFor(error, baseUrl), { cause: error });
    }
  };

  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await rows()).map(toolOf) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    const row = (await rows()).find((candidate) => candidate.name === name);
    if (!row) return refusal(`There is no tool ${name}, or this token may not use it`);
    try {
      return await callRow(client, row, args);
    } catch (error) {
      return refusal(sentenceFor(error, baseUrl), error instanceof AdminApiError ? error : undefined);
    }
  });
  return server;
}
