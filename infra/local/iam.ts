/** The question that every AWS call asks of its caller's policies. Runs inside the functions' threads: imports nothing. */

/** One statement of a policy, its intrinsic functions resolved. */
export interface Statement {
  readonly Sid?: string | undefined;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  /** By operator, then by condition key. */
  readonly Condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** An action that a call asks to perform. */
export interface PermissionRequest {
  /** Such as `dynamodb:PutItem`. */
  readonly action: string;
  /** ARN of the resource. */
  readonly resource: string;
  /** Values of condition keys; several values if the key is multivalued. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/**
 * Wildcards of AWS: `*` for any text, `?` for one character. Time is at most in proportion to both lengths multiplied, however many `*`
 * there are.
 */
export function like(pattern: string, value: string): boolean {
  let [inPattern, inValue] = [0, 0];
  // Where the last `*` is, and what of the value it matches so far.
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
  // A key that is absent satisfies ForAllValues, as on AWS.
  'ForAllValues:StringEquals': (wanted, actual) => actual.every((value) => wanted.includes(value)),
  'ForAllValues:StringLike': (wanted, actual) => actual.every((value) => wanted.some((pattern) => like(pattern, value))),
  'ForAnyValue:StringLike': (wanted, actual) => actual.some((value) => wanted.some((pattern) => like(pattern, value))),
  Null: ([absent], actual) => (actual.length === 0) === (absent === 'true'),
};

function holds(condition: Statement['Condition'], context: PermissionRequest['context']): boolean {
  return Object.entries(condition).every(([name, keys]) => {
    const operator = operators[name];
    if (!operator) throw new Error(`The condition operator ${name} is not known to the local run`);
    return Object.entries(keys).every(([key, wanted]) => operator(wanted, context[key] ?? []));
  });
}

const covers = (statement: Statement, { action, resource, context }: PermissionRequest): boolean =>
  statement.Action.some((pattern) => like(pattern.toLowerCase(), action.toLowerCase())) &&
  statement.Resource.some((pattern) => like(pattern, resource)) &&
  holds(statement.Condition, context);

/** True if a statement allows the request and none denies it. */
export function isAllowed(statements: readonly Statement[], request: PermissionRequest): boolean {
  const covering = statements.filter((statement) => covers(statement, request));
  return covering.some(({ Effect }) => Effect === 'Allow') && !covering.some(({ Effect }) => Effect === 'Deny');
}
