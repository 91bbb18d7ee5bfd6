import * as z from 'zod/mini';

/**
 * The schema of a stored entity describes its fields once: the entity's type is `Stored<typeof schema>`, and the store reads the entity's row
 * with the schema (`readRow` in lambdas/store/row.ts). A row that an older version of this service wrote may lack fields, so a field that was
 * added later needs a value for such rows: null, false or an empty list, as defined here, or `z._default`. Unknown fields, which a newer
 * version may have written, are ignored.
 */

/** The type of an entity with this schema. */
export type Stored<Schema extends z.ZodMiniType> = Frozen<z.output<Schema>>;

type Frozen<Value> = Value extends Uint8Array | ((...values: never) => unknown)
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

/** All schemas share these, because every schema that a function builds delays its cold start. */
export const string = z.string();
export const number = z.number();

const nullable = <Schema extends z.ZodMiniType>(schema: Schema) => z._default(z.nullable(schema), null);
const nullableString = nullable(string);
const nullableNumber = nullable(number);

/** A field that is null if the row does not have it. */
export function orNull<Schema extends z.ZodMiniType>(schema: Schema): ReturnType<typeof nullable<Schema>>;
export function orNull(schema: z.ZodMiniType): z.ZodMiniType {
  return schema === string ? nullableString : schema === number ? nullableNumber : nullable(schema);
}

/** A list that is empty if the row does not have it. */
export const list = <Schema extends z.ZodMiniType>(schema: Schema) => z._default(z.array(schema), []);

/** True or false; false if the row does not have the field. */
export const flag = z._default(z.boolean(), false);

/** A list of known values. Values that only a newer version knows are left out. */
export const known = <const Value extends string>(values: readonly Value[]) =>
  z._default(
    z.pipe(
      z.array(string),
      z.transform((all) => all.flatMap((one) => values.find((value) => value === one) ?? [])),
    ),
    [],
  );

/** A field that `unpack` converts to its value. The row cannot be read if `unpack` throws an error. */
const converted = <Raw, Value>(schema: z.ZodMiniType<Raw>, unpack: (raw: Raw) => Value) =>
  z.pipe(
    schema,
    z.transform((raw: Raw, { issues }): Value => {
      try {
        return unpack(raw);
      } catch {
        issues.push({ code: 'custom', input: raw });
        return z.NEVER;
      }
    }),
  );

/** A text with JSON. The fields of the JSON are not checked, because only this service writes it. */
export const json = <Value>() => converted(string, (text) => JSON.parse(text) as Value);

/** Compressed bytes. */
export const packed = <Value>(unpack: (bytes: Uint8Array) => Value) => converted(z.instanceof(Uint8Array), unpack);
