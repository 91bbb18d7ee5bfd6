import * as z from 'zod/mini';
import { ACCOUNT, PARTITION } from './aws';
import type { Statement } from '../../test/support/policy';
import { TemplateError, type Template } from './template';

/** Reads the identity-based policies of a template's roles. */

const oneOrMany = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value) => (Array.isArray(value) ? value : [value])),
);
const conditionSchema = z.record(
  z.string(),
  z.record(
    z.string(),
    z.union([
      oneOrMany,
      z.pipe(
        z.boolean(),
        z.transform((flag) => [String(flag)]),
      ),
    ]),
  ),
);

// A strict schema refuses NotAction, NotResource and similar elements, because ignoring them would allow or deny the wrong requests.
const statementSchema = z.strictObject({
  Sid: z.optional(z.string()),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMany,
  Resource: oneOrMany,
  Condition: z._default(conditionSchema, {}),
});
const documentSchema = z.object({ Statement: z.array(z.record(z.string(), z.unknown())) });

/**
 * The statements of a policy document. A statement that allows access is left out if it refers to a resource that doesn't run locally,
 * because no function can use that resource. A statement that denies access is never left out.
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
    const { RoleName } = template.read(role, z.object({ RoleName: z.optional(z.string()) }));
    const inline = z._default(z.array(z.object({ PolicyDocument: z.unknown() })), []).parse(role.Properties['Policies']);
    const statements = inline.flatMap(({ PolicyDocument }) => statementsOf(template, PolicyDocument, role.id));
    byId.set(role.id, statements);
    byName.set(RoleName ?? role.id, statements);
  }
  for (const policy of template.resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')) {
    const { Roles } = template.read(policy, z.object({ Roles: z._default(z.array(z.string()), []) }));
    const statements = statementsOf(template, policy.Properties['PolicyDocument'], policy.id);
    for (const role of Roles) byName.get(role)?.push(...statements);
  }
  return byId;
}

const roleOf = z.object({ Role: z.optional(z.string()) });

/** The policy statements of each function's role, by the function's logical id. */
export type Statements = ReadonlyMap<string, readonly Statement[]>;

/** Reads the policy statements of each function's role. All resources that the statements name must be defined first. */
export function functionStatements(template: Template): Statements {
  for (const { id } of template.resources('AWS::IAM::Role')) {
    template.define(id, { Ref: id, Arn: `arn:${PARTITION}:iam::${ACCOUNT}:role/${id}` });
  }
  const byArn = new Map(
    [...roleStatements(template)].map(([id, list]) => [String(template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }, id)), list]),
  );
  return new Map(
    template
      .resources('AWS::Lambda::Function')
      .map((resource) => [resource.id, byArn.get(template.read(resource, roleOf).Role ?? '') ?? []]),
  );
}
