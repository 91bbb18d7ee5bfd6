import { parseTimestamp } from './timestamp';

/** Checks the shape of external data: options, stored data, claims and responses. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is valid for its field. */
export type Rule = (value: unknown) => boolean;

type Rules = Readonly<Record<string, Rule>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFilled = (value: unknown): value is string => isText(value) && value !== '';
export const isTruth = (value: unknown): value is boolean => typeof value === 'boolean';
export const isFunction: Rule = (value) => typeof value === 'function';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isTimestamp = (value: unknown): value is string => parseTimestamp(value) !== undefined;

export const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value);

export const nullable =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);

export const listOf =
  <Item>(rule: Rule) =>
  (value: unknown): value is readonly Item[] =>
    Array.isArray(value) && value.every(rule);

export const matching =
  (pattern: RegExp) =>
  (value: unknown): value is string =>
    isText(value) && pattern.test(value);

/** The name of the first check that is true; undefined if none is. */
export const firstTrue = <Name extends string>(checks: Readonly<Partial<Record<Name, boolean>>>): Name | undefined =>
  (Object.keys(checks) as Name[]).find((name) => checks[name]);

/** The first field that violates its rule; undefined if all fields are valid. */
export const misfit = (value: object, rules: Rules): string | undefined =>
  Object.entries(rules).find(([name, isGood]) => !isGood((value as JsonObject)[name]))?.[0];

/** Whether the value is an object whose fields follow their rules; further fields are allowed. */
export const fits = <Shape>(value: unknown, rules: Rules): value is Shape => isObject(value) && misfit(value, rules) === undefined;

export const shaped =
  (rules: Rules): Rule =>
  (value) =>
    fits(value, rules);
