import * as z from 'zod/mini';
import { isSecret } from '../../contract/secret';

type Strip = (value: unknown) => unknown;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const keep: Strip = (value) => value;

/** Whether a value matches an option of a union: all literal fields of the option must be equal to the value's fields. */
const fits = (option: z.ZodMiniObject, value: Record<string, unknown>): boolean =>
  Object.entries(option.shape).every(([name, field]) =>
    field instanceof z.ZodMiniLiteral ? field.def.values.includes(value[name] as z.core.util.Literal) : true,
  );

function stripperOf(schema: unknown, withSecrets: boolean): Strip {
  if (schema instanceof z.ZodMiniObject) {
    const shown = Object.entries(schema.shape).filter(([, field]) => withSecrets || !isSecret(field));
    const fields = shown.map(([name, field]): [string, Strip] => [name, stripperOf(field, withSecrets)]);
    const { catchall } = schema.def;
    const isOpen = catchall !== undefined && !(catchall instanceof z.ZodMiniNever);
    return (value) => {
      if (!isObject(value)) return value;
      const kept: Record<string, unknown> = isOpen ? { ...value } : {};
      for (const [name, strip] of fields) if (value[name] !== undefined) kept[name] = strip(value[name]);
      return kept;
    };
  }
  if (schema instanceof z.ZodMiniArray) {
    const strip = stripperOf(schema.def.element, withSecrets);
    return (value) => (Array.isArray(value) ? value.map(strip) : value);
  }
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    const strip = stripperOf(schema.def.innerType, withSecrets);
    return (value) => (value === null || value === undefined ? value : strip(value));
  }
  if (schema instanceof z.ZodMiniUnion) {
    const options = schema.def.options.map((option): [unknown, Strip] => [option, stripperOf(option, withSecrets)]);
    return (value) => {
      const [, strip = keep] =
        options.find(([option]) => !isObject(value) || !(option instanceof z.ZodMiniObject) || fits(option, value)) ?? [];
      return strip(value);
    };
  }
  return keep;
}

const strippers = { withSecrets: new WeakMap<z.ZodMiniType, Strip>(), withoutSecrets: new WeakMap<z.ZodMiniType, Strip>() };

/**
 * Returns a result with only the declared fields of its schema, and without secrets if the caller may not see them, so that no undeclared
 * data leaves the service. The function does not validate values, because data that was stored under earlier rules must still be shown.
 */
export function strip(schema: z.ZodMiniType, result: unknown, withSecrets: boolean): unknown {
  const made = strippers[withSecrets ? 'withSecrets' : 'withoutSecrets'];
  const known = made.get(schema) ?? stripperOf(schema, withSecrets);
  made.set(schema, known);
  return known(result);
}
