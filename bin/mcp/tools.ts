import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/contract';
import { isDestructive, isRepeatable, type Endpoint } from '../../lambdas/contract/endpoint';
import type { JsonSchema } from '../../lambdas/contract/json-schema';
import { permits, type Scope } from '../../lambdas/contract/scopes';

/** Derives the assistant's tools from the rows of the contract table. */

/** Maximum number of rows of a list in one result. The number is low because an assistant reads every row of a result. */
export const MAX_ITEMS = 100;

export type AdminEndpoint = Endpoint & { readonly credential: 'admin' };

/** What the session's admin token permits. */
export interface Permission {
  readonly scopes: readonly Scope[];
  /** The only product that the token is valid for; null if it is valid for all products. */
  readonly product_id: number | null;
}

const isAdmin = (row: Endpoint): row is AdminEndpoint => row.credential === 'admin';

/** Whether the endpoint's response is a list. The tool's result contains the list as `items`. */
export const isList = ({ response }: Endpoint): boolean => response instanceof z.ZodMiniArray;

/** The endpoints that a token may call, as rows of the contract table. */
export const permittedRows = ({ scopes, product_id }: Permission, isReadOnly: boolean): readonly AdminEndpoint[] =>
  endpoints
    .filter(isAdmin)
    .filter(({ scope }) => permits(scopes, scope))
    .filter(({ subject }) => product_id === null || subject !== 'deployment')
    .filter(({ method }) => !isReadOnly || method === 'GET');

/** Converts a schema to JSON Schema. `$defs` contains the named schemas that `root` refers to. */
function schemaOf(schema: z.ZodMiniType | undefined, io: 'input' | 'output'): { readonly root: JsonSchema; readonly $defs: Defs } {
  if (!schema) return { root: {}, $defs: {} };
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
    // For zod, an integer in a path or query is a string of digits with a pattern. The pattern makes no sense for the type `integer`, so it
    // is removed.
    if (jsonSchema.type === 'integer') delete jsonSchema.pattern;
    // Additional fields are permitted, because a newer version of the service may respond with them.
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as JsonSchema;
  // The protocol requires an object schema at the root. For a named schema, zod returns a reference to `$defs` instead.
  const name = root.$ref?.replace('#/$defs/', '');
  if (name === undefined) return { root, $defs };
  const { [name]: named, ...others } = $defs;
  return { root: { ...named }, $defs: others };
}
type Defs = NonNullable<JsonSchema['$defs']>;

const withDefs = (schema: JsonSchema, $defs: Defs): JsonSchema => (Object.keys($defs).length > 0 ? { ...schema, $defs } : schema);

/** The schema of a tool's arguments or result. The protocol requires objects for both. */
type ObjectSchema = Tool['inputSchema'];

/** The part of the request that contains an argument. */
export type Place = 'params' | 'query' | 'body';
const PLACES = ['params', 'query', 'body'] as const;

const fieldsOf = (row: AdminEndpoint, place: Place): readonly string[] => Object.keys(schemaOf(row[place], 'input').root.properties ?? {});

/**
 * The name of the argument for a field of a request. A parameter of the path with the same name as a field of the body is named after the
 * route's subject, for example `license_id`.
 */
export const argumentName = (row: AdminEndpoint, place: Place, field: string): string =>
  place === 'params' && fieldsOf(row, 'body').includes(field) ? `${row.subject ?? 'path'}_${field}` : field;

/** The arguments of a row that belong to the given part of the request: the field of the request by the name of the argument. */
export const argumentsIn = (row: AdminEndpoint, place: Place): Readonly<Record<string, string>> =>
  Object.fromEntries(fieldsOf(row, place).map((field) => [argumentName(row, place, field), field]));

/** The names of those arguments of a row that belong to the given part of the request. */
export const argumentNames = (row: AdminEndpoint, place: Place): readonly string[] => Object.keys(argumentsIn(row, place));

function inputSchema(row: AdminEndpoint): ObjectSchema {
  const parts = PLACES.map((place) => {
    const { root, $defs } = schemaOf(row[place], 'input');
    const named = (field: string): string => argumentName(row, place, field);
    const properties = Object.fromEntries(Object.entries(root.properties ?? {}).map(([field, schema]) => [named(field), schema]));
    return { properties, required: root.required?.map(named) ?? [], $defs };
  });
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, JsonSchema>;
  if (isPaged(row))
    properties['limit'] = {
      ...properties['limit'],
      maximum: MAX_ITEMS,
      description: `Maximum number of rows to return; default ${MAX_ITEMS}.`,
    };
  if (properties['cursor']) properties['cursor'] = { ...properties['cursor'], description: 'The `next_cursor` of the previous page.' };
  const required = parts.flatMap((part) => part.required);
  const schema: JsonSchema = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  return withDefs(schema, Object.assign({}, ...parts.map(({ $defs }) => $defs)) as Defs) as ObjectSchema;
}

/** Whether the endpoint returns its list in pages. */
export const isPaged = (row: AdminEndpoint): boolean => isList(row) && argumentNames(row, 'query').includes('limit');

function outputSchema(row: AdminEndpoint): ObjectSchema {
  const { root, $defs } = schemaOf(row.response, 'output');
  if (isList(row)) {
    const nextCursor: JsonSchema = {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'For the next page, call the tool again with this value as `cursor`. It is null on the last page.',
    };
    const properties = { items: root, next_cursor: nextCursor };
    return withDefs({ type: 'object', properties, required: ['items', 'next_cursor'] }, $defs) as ObjectSchema;
  }
  return withDefs(root, $defs) as ObjectSchema;
}

/** Creates the MCP tool for an endpoint, which is given as a row of the contract table. */
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
    // A tool affects only this service and the endpoints configured in it, so it is not "open world" as the protocol defines that term.
    openWorldHint: false,
  },
});
