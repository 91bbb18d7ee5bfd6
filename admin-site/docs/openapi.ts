/** The parts of the OpenAPI document that the page shows, and functions that read them. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly required?: boolean;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface OperationObject {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly name: string; readonly description?: string }>>;
  };
}

/** An operation with its method, path and resolved parameters. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The name of the required credential; undefined if none is required. */
  readonly credential: string | undefined;
  /** The scopes that permit the operation, of which the token needs one; empty if any scope is enough. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly example: unknown; readonly required: boolean } | undefined;
  readonly responses: readonly {
    readonly status: string;
    readonly description: string;
    readonly schema: Schema | undefined;
    readonly examples: readonly { readonly name: string; readonly value: unknown }[];
  }[];
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

const JSON_TYPE = 'application/json';
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The media type to show if a response or a body has several: JSON if it is one of them, otherwise the first one. */
const mediaOf = (content: Content['content']): Media | undefined => content?.[JSON_TYPE] ?? Object.values(content ?? {})[0];

function operationOf(document: Document, path: string, method: string, row: OperationObject): Operation {
  const body = mediaOf(row.requestBody?.content);
  const [security] = row.security ?? [];
  return {
    id: row.operationId ?? row.summary ?? path,
    method: method.toUpperCase(),
    path,
    summary: row.summary ?? path,
    description: row.description ?? '',
    credential: security && Object.keys(security)[0],
    scopes: (row.security ?? []).flatMap((alternative) => Object.values(alternative).flat()),
    parameters: (row.parameters ?? []).map(
      (parameter) => document.components.parameters?.[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter,
    ),
    body: body?.schema && {
      schema: body.schema,
      example: body.example ?? Object.values(body.examples ?? {})[0]?.value,
      required: row.requestBody?.required === true,
    },
    responses: Object.entries(row.responses).map(([status, response]) => {
      const media = mediaOf(response.content);
      const named = Object.entries(media?.examples ?? {}).map(([name, { value, summary }]) => ({ name: summary ?? name, value }));
      return {
        status,
        description: response.description ?? '',
        schema: media?.schema,
        examples: media?.example === undefined ? named : [{ name: 'example', value: media.example }, ...named],
      };
    }),
  };
}

/** The operations grouped by tag, followed by the webhook events. */
export function groupsOf(document: Document): readonly Group[] {
  const all = Object.entries(document.paths).flatMap(([path, rows]) =>
    methods.flatMap((method) => {
      const row = rows[method];
      return row ? [{ tag: row.tags?.[0] ?? '', operation: operationOf(document, path, method, row) }] : [];
    }),
  );
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: all.filter(({ tag }) => tag === name).map(({ operation }) => operation),
  }));
  const events = Object.entries(document.webhooks ?? {}).map(([name, { post }]) => ({
    ...operationOf(document, name, 'event', post),
    id: `event-${name}`,
    summary: name,
  }));
  return [
    ...groups,
    {
      name: 'Events',
      description: "Events that are posted to a product's webhook. Verify the signature before you trust the body.",
      operations: events,
    },
  ].filter(({ operations }) => operations.length > 0);
}

export const resolve = (document: Document, schema: Schema): Schema => {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? undefined : document.components.schemas?.[name];
  // A description next to `$ref` is more specific than the description of the referenced schema, and replaces it.
  return found ? { ...found, ...(schema.description !== undefined && { description: schema.description }) } : schema;
};

/** The names of all fields in a schema, and the values that they can have. */
function fieldNames(document: Document, schema: Schema, seen: ReadonlySet<string> = new Set()): readonly string[] {
  const name = schema.$ref ?? '';
  if (name !== '' && seen.has(name)) return [];
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], enum: values = [] } = resolve(document, schema);
  const within = new Set([...seen, name]);
  const inner = [...Object.values(properties), ...(typeof items === 'object' ? [items] : []), ...anyOf, ...oneOf, ...allOf];
  return [...values.map(String), ...Object.keys(properties), ...inner.flatMap((one) => fieldNames(document, one, within))];
}

/** The texts of an operation that the filter searches, in lower case. */
export interface Searchable {
  readonly title: string;
  /** Descriptions of the operation, its parameters and the fields of its body. */
  readonly text: string;
  /**
   * Names of fields in the request and the responses, and error codes. The filter finds a name only if the whole name is typed, because
   * many names are similar.
   */
  readonly names: ReadonlySet<string>;
}

export function searchable(
  document: Document,
  { id, method, path, summary, description, parameters, body, responses }: Operation,
): Searchable {
  const fields = Object.values((body && objectIn(document, body.schema)?.properties) ?? {});
  const descriptions = [description, ...[...parameters, ...fields].map((field) => field.description ?? '')];
  return {
    title: `${method} ${path} ${id} ${summary}`.toLowerCase(),
    text: descriptions.join('\n').toLowerCase(),
    names: new Set(
      [
        ...parameters.map(({ name }) => name),
        ...(body ? fieldNames(document, body.schema) : []),
        ...responses.flatMap(({ status, schema, examples }) => [
          status,
          ...examples.map(({ name }) => name),
          ...(schema ? fieldNames(document, schema) : []),
        ]),
      ].map((name) => name.toLowerCase()),
    ),
  };
}

/** The schema itself if it has fields; otherwise the first schema with fields in its array items or in `anyOf`, `oneOf` or `allOf`. */
export function objectIn(document: Document, schema: Schema): Schema | undefined {
  const resolved = resolve(document, schema);
  if (resolved.properties) return resolved;
  if (typeof resolved.items === 'object') return objectIn(document, resolved.items);
  for (const inner of [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])]) {
    const found = objectIn(document, inner);
    if (found) return found;
  }
  return undefined;
}

/** A schema's type in a few words: `integer, 1 to 365`, `array of License`, `string or null`. */
export function typeOf(document: Document, schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1);
  const resolved = resolve(document, schema);
  const alternatives = resolved.anyOf ?? resolved.oneOf;
  if (alternatives) return [...new Set(alternatives.map((one) => typeOf(document, one)))].join(' or ');
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(', ');
  if (typeof resolved.items === 'object') return `array of ${typeOf(document, resolved.items)}`;
  if (resolved.properties) return name ?? 'object';
  const type = Array.isArray(resolved.type) ? resolved.type.join(' or ') : String(resolved.type ?? 'any');
  const isBounded = (value: number | undefined): value is number => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const [low, high] = [resolved.minimum ?? resolved.minLength, resolved.maximum ?? resolved.maxLength];
  const range =
    isBounded(low) && isBounded(high) ? `${low} to ${high}` : isBounded(low) ? `from ${low}` : isBounded(high) ? `up to ${high}` : '';
  const unit = range !== '' && type.includes('string') ? ' characters' : '';
  return [resolved.format ?? type, ...(range === '' ? [] : [`${range}${unit}`])].join(', ');
}
