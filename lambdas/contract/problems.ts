import * as z from 'zod/mini';

/**
 * Describes the errors in a request: the name of each field and the rule that it breaks. A schema can define the text of a rule itself
 * (`error: 'must …'`). This file has the texts of all other rules.
 */

/** Maximum number of errors in one sentence. */
const NAMED = 5;

/** Maximum number of characters of a field's name in a sentence. The name can be any text that a client sent. */
const SHOWN = 40;

const joined = (values: readonly unknown[]): string =>
  values
    .map(String)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');

/** The limit that a check of a schema enforces; undefined if the schema has no such check. */
const limitOf = (
  schema: z.ZodMiniType,
  ...[check, field]: ['greater_than' | 'less_than', 'value'] | ['min_length', 'minimum'] | ['max_length', 'maximum']
): number | undefined => {
  for (const { _zod } of schema.def.checks ?? [])
    if (_zod.def.check === check) return (_zod.def as unknown as Record<string, number>)[field];
  return undefined;
};

/** The rule for a number. The rule names both the minimum and the maximum, even if only one of them is broken. */
function numberRule(schema: unknown, isTooBig = false): string {
  if (!(schema instanceof z.ZodMiniNumber)) return 'must be a number';
  const isInteger = schema instanceof z.ZodMiniNumberFormat;
  const kind = isInteger ? 'an integer' : 'a number';
  const minimum = limitOf(schema, 'greater_than', 'value');
  // Every integer has the largest safe integer as its maximum. The rule names this maximum only if the value exceeds it, because it would
  // not help a client that sent, for example, a text.
  const maximum = limitOf(schema, 'less_than', 'value') ?? (isInteger && isTooBig ? Number.MAX_SAFE_INTEGER : undefined);
  if (minimum !== undefined && maximum !== undefined) return `must be ${kind} from ${minimum} to ${maximum}`;
  return `must be ${kind}${minimum !== undefined ? ` of at least ${minimum}` : maximum !== undefined ? ` of at most ${maximum}` : ''}`;
}

/**
 * The rule for the size of a text or a list. For a text with a minimum and a maximum, the rule names both. Otherwise it names the broken
 * limit.
 */
function sizeRule(schema: unknown, origin: string, bound: 'at least' | 'at most', size: unknown): string {
  const minimum = schema instanceof z.ZodMiniString && limitOf(schema, 'min_length', 'minimum');
  const maximum = schema instanceof z.ZodMiniString && limitOf(schema, 'max_length', 'maximum');
  const rule = minimum && maximum ? `${minimum} to ${maximum}` : `${bound} ${String(size)}`;
  const things = origin === 'string' ? ['character', 'characters'] : ['entry', 'entries'];
  return `must ${origin === 'string' ? 'be' : 'have'} ${rule} ${things[/ 1$/.test(rule) ? 0 : 1]}`;
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Returns the rule that a value breaks. Pass this function to every `parse` of zod. The function is not called for valid values. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union'))
    return 'is required';
  const schema = issue.schema ?? issue.inst;
  switch (issue.code) {
    case 'invalid_type':
      return schema instanceof z.ZodMiniNumber ? numberRule(schema) : `must be ${types[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? sizeRule(schema, issue.origin, 'at least', issue.minimum)
        : numberRule(schema);
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? sizeRule(schema, issue.origin, 'at most', issue.maximum)
        : numberRule(schema, true);
    case 'invalid_value':
      return `must be ${joined(issue.values)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_format':
      return 'has the wrong format';
    case 'invalid_union':
      return 'matches none of the allowed forms';
    case 'invalid_key':
      return 'has a name that is not allowed';
    case 'invalid_element':
    case 'custom':
      return 'is not valid';
  }
};

/** The name of a field as a client writes it, such as `plans[0].ref`. */
export const fieldName = (path: readonly PropertyKey[]): string =>
  path.map((part, place) => (typeof part === 'number' ? `[${part}]` : `${place === 0 ? '' : '.'}${String(part).slice(0, SHOWN)}`)).join('');

/**
 * A sentence with each field and its error, such as `customer_email must be a valid e-mail address; license_type_id is required`.
 *
 * @param whole the subject of an error that does not concern a single field
 */
export function describeProblems(issues: readonly z.core.$ZodIssue[], whole: string): string {
  const paths = (issue: z.core.$ZodIssue): PropertyKey[][] =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  const problems = [...new Set(issues.flatMap((issue) => paths(issue).map((path) => `${fieldName(path) || whole} ${issue.message}`)))];
  const more = problems.length - NAMED;
  return [...problems.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
