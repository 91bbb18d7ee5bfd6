import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { endpoints } from '../../lambdas/contract';
import { isDestructive, isRepeatable, type Endpoint } from '../../lambdas/contract/endpoint';
import type { JsonSchema } from '../../lambdas/contract/json-schema';
import { permits, type Scope } from '../../lambdas/contract/scopes';

/** The tools of the assistant, each derived from a row of the contract table. */

/** Maximum number of rows of a list in one result: an assistant reads all of them. */
export const MAX_ITEMS = 100;

export type AdminEndpoint = Endpoint & { readonly credential: 'admin' };

/** What the token of the session may do. */
export interface Permission {
  readonly scopes: readonly Scope[];
  /** The only product that the token is for; null: any. */
  readonly product_id: number | null;
}

const isAdmin = (row: Endpoint): row is AdminEndpoint => row.credential === 'admin';

/** Whether the response is a list, which a result holds as `items`. */
export const isList = ({ response }: Endpoint): boolean => response instanceof z.ZodArray;

/** The rows that a token may call. */
export const permittedRows = ({ scopes, product_id }: Permission, isReadOnly: boolean): readonly AdminEndpoint[] =>
  endpoints
    .filter(isAdmin)
    .filter(({ scope }) => permits(scopes, scope))
    .filter(({ subject }) => product_id === null || subject !== 'deployment')
    .filter(({ method }) => !isReadOnly || method === 'GET');

/** A schema, and the named parts that it refers to. */
function schemaOf(schema: z.ZodType | undefined, io: 'input' | 'output'): { readonly root: JsonSchema; readonly $defs: Defs } {
  if (!schema) return { root: {}, $defs: {} };
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
    // An integer in a path or a query is a digit string to zod.
    if (jsonSchema.type === 'integer') delete jsonSchema.pattern;
    // A newer service may respond with more fields.
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as JsonSchema;
  // The protocol wants an object at the root, where a named schema is a reference.
  const name = root.$ref?.replace('#/$defs/', '');
  if (name === undefined) return { root, $defs };
  const { [name]: named, ...others } = $defs;
  return { root: { ...named }, $defs: others };
}
type Defs = NonNullable<JsonSchema['$defs']>;

const withDefs = (schema: JsonSchema, $defs: Defs): JsonSchema => (Object.keys($defs).length > 0 ? { ...schema, $defs } : schema);

/** A tool's schema: of an object, as the protocol requires. */
type ObjectSchema = Tool['inputSchema'];

/** Where in a request an argument belongs. */
export type Place = 'params' | 'query' | 'body';
const PLACES = ['params', 'query', 'body'] as const;

/** The names of a row's arguments, by their places in the request. */
export const argumentNames = (row: AdminEndpoint, place: Place): readonly string[] =>
  Object.keys(schemaOf(row[place], 'input').root.properties ?? {});

function inputSchema(row: AdminEndpoint): ObjectSchema {
  const parts = PLACES.map((place) => schemaOf(row[place], 'input'));
  const properties = Object.assign({}, ...parts.map(({ root }) => root.properties ?? {})) as Record<string, JsonSchema>;
  if (isPaged(row))
    properties['limit'] = {
      ...properties['limit'],
      maximum: MAX_ITEMS,
      description: `Maximum number of rows to return; default ${MAX_ITEMS}.`,
    };
  if (properties['cursor']) properties['cursor'] = { ...properties['cursor'], description: 'The `next_cursor` of the previous page.' };
  const required = parts.flatMap(({ root }) => root.required ?? []);
  const schema: JsonSchema = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  return withDefs(schema, Object.assign({}, ...parts.map(({ $defs }) => $defs)) as Defs) as ObjectSchema;
}

/** Whether a list comes in pages. */
export const isPaged = (row: AdminEndpoint): boolean => isList(row) && argumentNames(row, 'query').includes('limit');

function outputSchema(row: AdminEndpoint): ObjectSchema {
  const { root, $defs } = schemaOf(row.response, 'output');
  if (isList(row)) {
    const nextCursor: JsonSchema = {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'Call again with it as `cursor` for the next page; null: this was the last one.',
    };
    const properties = { items: root, next_cursor: nextCursor };
    return withDefs({ type: 'object', properties, required: ['items', 'next_cursor'] }, $defs) as ObjectSchema;
  }
  return withDefs(root, $defs) as ObjectSchema;
}

/** The tool of a row. */
export const toolOf = (row: AdminEndpoint): Tool => ({
  name: row.name,
  title: row.summary,
  description: row.description,
  inputSchema: inputSchema(row),
  outputSchema: outputSchema(row),
  annotations: {
    title: row.summary,
    readOnlyHint: row.method === 'GET',
    destructiveHint: isDestructive(row),
    idempotentHint: isRepeatable(row),
    // A tool affects only this service and the endpoints that are configured in it, so it is not open-world in the sense of the protocol.
    openWorldHint: false,
  },
});
