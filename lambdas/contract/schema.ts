import * as z from 'zod/mini';

/**
 * A copy of a schema with facts for the documentation, such as a description and examples. The copy keeps the other facts of the schema,
 * except for its `id`.
 */
export function documented<Schema extends z.ZodMiniType>(schema: Schema, facts: z.core.GlobalMeta): Schema {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, facts);
  return copy;
}

/** A copy of a schema with further checks. They run after the schema's own checks, in the order of the arguments. */
export const checked = <Schema extends z.ZodMiniType>(
  schema: Schema,
  ...checks: readonly (z.core.CheckFn<z.core.output<Schema>> | z.core.$ZodCheck<z.core.output<Schema>>)[]
): Schema => schema.check(...checks);
