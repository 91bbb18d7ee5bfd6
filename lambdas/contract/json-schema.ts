import * as z from 'zod/mini';

/** A schema in JSON Schema 2020-12, the dialect that OpenAPI 3.1 uses. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const DEFS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Replaces `#/$defs/` in references with `#/components/schemas/`, because the OpenAPI document has its named schemas there. */
const relocated = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace(DEFS, COMPONENTS) : relocated(inner),
    ]),
  );
};

/** Corrects the properties of zod's JSON Schema that would mislead a reader. */
const tidy = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void => {
  // zod omits the examples of a schema that transforms its input. The examples in the contract have the format that a client sends, so this
  // code adds them again.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  // In zod, an integer in a path or query is a string of digits that matches a pattern. In JSON Schema, its type is `integer`. A pattern
  // has no meaning for this type, so the pattern is removed.
  if (jsonSchema.type === 'integer') delete jsonSchema.pattern;
  const extra = jsonSchema.additionalProperties;
  if (typeof extra === 'object' && Object.keys(extra).length === 0) jsonSchema.additionalProperties = true;
};

/**
 * Converts zod schemas to JSON Schema. The class collects the schemas with an `id`. The OpenAPI document contains each of these schemas
 * only once and refers to it by its name.
 */
export class SchemaCollector {
  private readonly named = new Map<string, JsonSchema>();

  /** The JSON Schema of data that a client may send. */
  input(schema: z.ZodMiniType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /**
   * The JSON Schema of a response. The objects in it allow no additional fields, because the service removes every field that is not in the
   * zod schema. A check of a response against the document therefore finds unexpected fields.
   */
  output(schema: z.ZodMiniType): JsonSchema {
    return this.convert(schema, 'output');
  }

  /** The named schemas that were collected so far, by name. */
  components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private convert(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
    // JSON Schema cannot express some schemas (custom checks and transforms). Such a schema declares its type in its `meta`.
    const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy });
    const { $schema: _, $defs = {}, ...root } = relocated(converted) as JsonSchema;
    for (const [name, definition] of Object.entries($defs)) this.add(name, definition);
    return root;
  }

  private add(name: string, definition: JsonSchema): void {
    const known = this.named.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two different schemas are named ${name}`);
    }
    this.named.set(name, definition);
  }
}
