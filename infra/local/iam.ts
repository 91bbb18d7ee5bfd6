import * as z from 'zod';
import { TemplateError, type Template } from './template';

/** Identity-based policies of a template's roles, and the question that every AWS call asks of them. */

const oneOrMany = z.union([z.string(), z.array(z.string())]).transform((value) => (Array.isArray(value) ? value : [value]));
const conditionSchema = z.record(z.string(), z.record(z.string(), z.union([oneOrMany, z.boolean().transform((flag) => [String(flag)])])));

const statementSchema = z
  .object({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Action: oneOrMany,
    Resource: oneOrMany,
    Condition: conditionSchema.default({}),
  })
  // NotAction, NotResource and the like would be ignored silently, and so allow or deny wrongly.
  .strict();
const documentSchema = z.object({ Statement: z.array(z.record(z.string(), z.unknown())) });

/** One statement of a policy, its intrinsic functions resolved. */
export type Statement = z.infer<typeof statementSchema>;

/** An action that a call asks to perform. */
export interface PermissionRequest {
  /** Such as `dynamodb:PutItem`. */
  readonly action: string;
  /** ARN of the resource. */
  readonly resource: string;
  /** Values of condition keys; several values where the key is multivalued. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/**
 * The statements of a policy document. One that names a resource of a service that doesn't run here can't
 * be used here either, and is left out; a denial never is.
 */
function statementsOf(template: Template, document: unknown, where: string): Statement[] {
  const { Statement } = documentSchema.parse(document);
  return Statement.flatMap((statement) => {
    try {
      return [statementSchema.parse(template.resolve(statement, where))];
    } catch (error) {
      if (!(error instanceof TemplateError) || statement['Effect'] !== 'Allow') throw error;
      return [];
    }
  });
}

/** The policy statements of each role, by the role's logical id. */
export function roleStatements(template: Template): ReadonlyMap<string, readonly Statement[]> {
  const byName = new Map<string, Statement[]>();
  const byId = new Map<string, Statement[]>();
  for (const role of template.resources('AWS::IAM::Role')) {
    const { RoleName } = template.read(role, z.object({ RoleName: z.string().optional() }));
    const inline = z.array(z.object({ PolicyDocument: z.unknown() })).default([]).parse(role.Properties['Policies']);
    const statements = inline.flatMap(({ PolicyDocument }) => statementsOf(template, PolicyDocument, role.id));
    byId.set(role.id, statements);
    byName.set(RoleName ?? role.id, statements);
  }
  for (const policy of template.resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')) {
    const { Roles } = template.read(policy, z.object({ Roles: z.array(z.string()).default([]) }));
    const statements = statementsOf(template, policy.Properties['PolicyDocument'], policy.id);
    for (const role of Roles) byName.get(role)?.push(...statements);
  }
  return byId;
}

const escape = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, '\\$&');

/** IAM's wildcards: `*` for any text, `?` for one character. */
const like = (pattern: string, value: string, flags = ''): boolean =>
  new RegExp(`^${escape(pattern).replaceAll('*', '.*').replaceAll('?', '.')}$`, `s${flags}`).test(value);

type Operator = (wanted: readonly string[], actual: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: (wanted, actual) => actual.some((value) => wanted.includes(value)),
  StringLike: (wanted, actual) => actual.some((value) => wanted.some((pattern) => like(pattern, value))),
  // A key that is absent satisfies ForAllValues, as on AWS.
  'ForAllValues:StringEquals': (wanted, actual) => actual.every((value) => wanted.includes(value)),
  'ForAllValues:StringLike': (wanted, actual) => actual.every((value) => wanted.some((pattern) => like(pattern, value))),
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

/** True where a statement allows the request and none denies it. */
export function isAllowed(statements: readonly Statement[], request: PermissionRequest): boolean {
  const covering = statements.filter((statement) => covers(statement, request));
  return covering.some(({ Effect }) => Effect === 'Allow') && !covering.some(({ Effect }) => Effect === 'Deny');
}
