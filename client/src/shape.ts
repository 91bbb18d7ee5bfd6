import { parseTimestamp } from './timestamp';

/** The shape of what comes from outside: options, what is stored, claims and responses. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value may stand at its place. */
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
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);

export const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    isText(value) && pattern.test(value);

/** The name of the first check that holds true; undefined if none does. */
export const firstTrue = <Name extends string>(checks: Readonly<Partial<Record<Name, boolean>>>): Name | undefined =>
  (Object.keys(checks) as Name[]).find((name) => checks[name]);

/** The first member that is not as its rule wants; undefined if all are. */
export const misfit = (value: object, rules: Rules): string | undefined =>
  Object.entries(rules).find(([name, isGood]) => !isGood((value as JsonObject)[name]))?.[0];

/** Whether it is an object whose members are as their rules want; others may be there as well. */
export const fits = <Shape>(value: unknown, rules: Rules): value is Shape => isObject(value) && misfit(value, rules) === undefined;

export const shaped =
  (rules: Rules): Rule =>
  (value) =>
    fits(value, rules);
