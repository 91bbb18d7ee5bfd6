import * as z from 'zod';
import { isSecret } from '../../contract/secret';

type Strip = (value: unknown) => unknown;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const keep: Strip = (value) => value;

/** Whether a value matches an option of a union: all literal fields of the option must be equal to the value's fields. */
const fits = (option: z.ZodObject, value: Record<string, unknown>): boolean =>
  Object.entries(option.shape).every(([name, field]) => (field instanceof z.ZodLiteral ? field.value === value[name] : true));

function stripperOf(schema: unknown, withSecrets: boolean): Strip {
  if (schema instanceof z.ZodObject) {
    const shown = Object.entries(schema.shape).filter(([, field]) => withSecrets || !isSecret(field));
    const fields = shown.map(([name, field]): [string, Strip] => [name, stripperOf(field, withSecrets)]);
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
    const strip = stripperOf(schema.element, withSecrets);
    return (value) => (Array.isArray(value) ? value.map(strip) : value);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const strip = stripperOf(schema.unwrap(), withSecrets);
    return (value) => (value === null || value === undefined ? value : strip(value));
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option): [unknown, Strip] => [option, stripperOf(option, withSecrets)]);
    return (value) => {
      const [, strip = keep] =
        options.find(([option]) => !isObject(value) || !(option instanceof z.ZodObject) || fits(option, value)) ?? [];
      return strip(value);
    };
  }
  return keep;
}

const strippers = { withSecrets: new WeakMap<z.ZodType, Strip>(), withoutSecrets: new WeakMap<z.ZodType, Strip>() };

/**
 * Returns a result with only the declared fields of its schema, and without secrets if the caller may not see them, so that no undeclared
 * data leaves the service. It does not validate values, because data that was stored under earlier rules must still be shown.
 */
export function strip(schema: z.ZodType, result: unknown, withSecrets: boolean): unknown {
  const made = strippers[withSecrets ? 'withSecrets' : 'withoutSecrets'];
  const known = made.get(schema) ?? stripperOf(schema, withSecrets);
  made.set(schema, known);
  return known(result);
}
