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

const escape = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, '\\$&');

/** Policies name few patterns and are asked with every call: each is compiled once. */
const compiled = new Map<string, RegExp>();

/** IAM's wildcards: `*` for any text, `?` for one character. */
function like(pattern: string, value: string, flags = ''): boolean {
  const id = `${flags}/${pattern}`;
  const expression = compiled.get(id) ?? new RegExp(`^${escape(pattern).replaceAll('*', '.*').replaceAll('?', '.')}$`, `s${flags}`);
  compiled.set(id, expression);
  return expression.test(value);
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
  statement.Action.some((pattern) => like(pattern, action, 'i')) &&
  statement.Resource.some((pattern) => like(pattern, resource)) &&
  holds(statement.Condition, context);

/** True if a statement allows the request and none denies it. */
export function isAllowed(statements: readonly Statement[], request: PermissionRequest): boolean {
  const covering = statements.filter((statement) => covers(statement, request));
  return covering.some(({ Effect }) => Effect === 'Allow') && !covering.some(({ Effect }) => Effect === 'Deny');
}
