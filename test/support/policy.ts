/** Evaluates IAM policies for an AWS request. This file imports nothing, because it runs inside the functions' threads. */

/** A policy statement whose intrinsic functions have been resolved. */
export interface Statement {
  readonly Sid?: string | undefined;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  /** Expected values by operator and condition key. */
  readonly Condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** An action that a request performs, with its resource and context. */
export interface PermissionRequest {
  /** The name of the action, such as `dynamodb:PutItem`. */
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
  /** The values that conditions of a policy examine, by condition key. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/**
 * Matches a value with a pattern that contains AWS's wildcards: `*` for any text, `?` for one character. The computing time grows at most
 * with the length of the pattern times the length of the value, regardless of the number of `*`.
 */
export function like(pattern: string, value: string): boolean {
  let [inPattern, inValue] = [0, 0];
  // `star` is the position of the latest `*` before `inPattern`. `matched` is the end of the text that this `*` has matched so far.
  let [star, matched] = [-1, 0];
  while (inValue < value.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern;
      matched = inValue;
      inPattern += 1;
    } else if (pattern[inPattern] === '?' || pattern[inPattern] === value[inValue]) {
      inPattern += 1;
      inValue += 1;
    } else if (star >= 0) {
      inPattern = star + 1;
      matched += 1;
      inValue = matched;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}

type Operator = (wanted: readonly string[], actual: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: (wanted, actual) => actual.some((value) => wanted.includes(value)),
  StringLike: (wanted, actual) => actual.some((value) => wanted.some((pattern) => like(pattern, value))),
  // If the request has no value for the condition key, ForAllValues is satisfied, as on AWS.
  'ForAllValues:StringEquals': (wanted, actual) => actual.every((value) => wanted.includes(value)),
  'ForAllValues:StringLike': (wanted, actual) => actual.every((value) => wanted.some((pattern) => like(pattern, value))),
  'ForAnyValue:StringLike': (wanted, actual) => actual.some((value) => wanted.some((pattern) => like(pattern, value))),
  Null: ([absent], actual) => (actual.length === 0) === (absent === 'true'),
};

function holds(condition: Statement['Condition'], context: PermissionRequest['context']): boolean {
  return Object.entries(condition).every(([name, keys]) => {
    const operator = operators[name];
    if (!operator) throw new Error(`This evaluation does not support the condition operator ${name}`);
    return Object.entries(keys).every(([key, wanted]) => operator(wanted, context[key] ?? []));
  });
}

const covers = (statement: Statement, { action, resource, context }: PermissionRequest): boolean =>
  statement.Action.some((pattern) => like(pattern.toLowerCase(), action.toLowerCase())) &&
  statement.Resource.some((pattern) => like(pattern, resource)) &&
  holds(statement.Condition, context);

/** Whether at least one statement allows the request and no statement denies the request. */
export function isAllowed(statements: readonly Statement[], request: PermissionRequest): boolean {
  const covering = statements.filter((statement) => covers(statement, request));
  return covering.some(({ Effect }) => Effect === 'Allow') && !covering.some(({ Effect }) => Effect === 'Deny');
}
