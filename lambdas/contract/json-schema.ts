import * as z from 'zod';

/** A JSON Schema 2020-12 object, the dialect that OpenAPI 3.1 uses. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const DEFS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Rewrites `$defs` references to the place where the document keeps named schemas. */
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

/** Removes what zod derives and would mislead a reader. */
const tidy = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void => {
  // zod drops the examples of schemas that transform their input; ours are written as a client sends them.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  // For zod an integer in a path or query is a string of digits; its pattern has no meaning for `integer`.
  if (jsonSchema.type === 'integer') delete jsonSchema.pattern;
  const extra = jsonSchema.additionalProperties;
  if (typeof extra === 'object' && Object.keys(extra).length === 0) jsonSchema.additionalProperties = true;
};

/** Converts zod schemas and collects every schema with an `id`, so that each is written once. */
export class SchemaCollector {
  private readonly named = new Map<string, JsonSchema>();

  /** The JSON Schema of what a client may send. */
  input(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /**
   * The JSON Schema of the service's responses. Objects are closed: responses are stripped by the same schema, so
   * checking them against the document finds any field that should not be there.
   */
  output(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  /** The named schemas collected so far, by name. */
  components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // A schema that JSON Schema cannot express (a custom check, a transform) gives its type in its `meta`.
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
