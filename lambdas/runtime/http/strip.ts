import * as z from 'zod';

type Strip = (value: unknown) => unknown;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const keep: Strip = (value) => value;

/** Whether a literal or required field of an option speaks for it. */
const fits = (option: z.ZodObject, value: Record<string, unknown>): boolean =>
  Object.entries(option.shape).every(([name, field]) => (field instanceof z.ZodLiteral ? field.value === value[name] : true));

function stripperOf(schema: unknown): Strip {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]): [string, Strip] => [name, stripperOf(field)]);
    const { catchall } = schema.def;
    const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
    return (value) => {
      if (!isObject(value)) return value;
      const kept: Record<string, unknown> = isOpen ? { ...value } : {};
      for (const [name, strip] of fields) if (value[name] !== undefined) kept[name] = strip(value[name]);
      return kept;
    };
  }
  if (schema instanceof z.ZodArray) {
    const strip = stripperOf(schema.element);
    return (value) => (Array.isArray(value) ? value.map(strip) : value);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const strip = stripperOf(schema.unwrap());
    return (value) => (value === null || value === undefined ? value : strip(value));
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option): [unknown, Strip] => [option, stripperOf(option)]);
    return (value) => {
      const [, strip = keep] = options.find(([option]) => !isObject(value) || !(option instanceof z.ZodObject) || fits(option, value)) ?? [];
      return strip(value);
    };
  }
  return keep;
}

const strippers = new WeakMap<z.ZodType, Strip>();

/**
 * A result stripped to what its schema declares, so that nothing undeclared leaves the service. It does not check
 * values: what was stored under rules of another time must still be shown.
 */
export function strip(schema: z.ZodType, result: unknown): unknown {
  const known = strippers.get(schema) ?? stripperOf(schema);
  strippers.set(schema, known);
  return known(result);
}
