import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: unknown;
  readonly UpdateReplacePolicy?: unknown;
  readonly DependsOn?: readonly string[];
}

/** A CloudFormation template as the CDK app generates it. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Description?: string; readonly Value: unknown }>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

/** The only template of a cloud assembly. */
export function readTemplate(assembly: string): Template {
  const [file, ...more] = readdirSync(assembly).filter((name) => name.endsWith('.template.json'));
  if (file === undefined || more.length > 0)
    throw new Error(`Expected one template in ${assembly}, found ${more.length + Number(file !== undefined)}`);
  return JSON.parse(readFileSync(join(assembly, file), 'utf8')) as Template;
}

/** A nested property of a resource, or undefined if a part of the path is missing. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined),
    value,
  );

type Entry = readonly [id: string, resource: Resource];

/** The resources of each template by type. Tests ask for them thousands of times, and a template has hundreds of resources. */
const byType = new WeakMap<Template, ReadonlyMap<string, readonly Entry[]>>();

function groupedByType(template: Template): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of Object.entries(template.Resources)) {
    const { Type } = entry[1];
    groups.set(Type, [...(groups.get(Type) ?? []), entry]);
  }
  return groups;
}

/** The resources of a type with their logical ids. */
export function ofType(template: Template, type: string): readonly Entry[] {
  const groups = byType.get(template) ?? groupedByType(template);
  byType.set(template, groups);
  return groups.get(type) ?? [];
}

/** The only resource of a type. */
export function only(template: Template, type: string): readonly [string, Resource] {
  const [found, ...more] = ofType(template, type);
  if (!found || more.length > 0) throw new Error(`Expected one ${type}, found ${ofType(template, type).length}`);
  return found;
}

/** Logical ids to which a value refers by Ref, Fn::GetAtt, Fn::Sub or DependsOn, without pseudo parameters. */
export function references(value: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (inner: unknown): void => {
    if (Array.isArray(inner)) return inner.forEach(visit);
    if (typeof inner !== 'object' || inner === null) return;
    for (const [key, target] of Object.entries(inner)) {
      if (key === 'Ref' && typeof target === 'string') found.push(target);
      else if (key === 'Fn::GetAtt') found.push(String(Array.isArray(target) ? target[0] : String(target).split('.')[0]));
      else if (key === 'Fn::Sub') {
        const text = String(Array.isArray(target) ? target[0] : target);
        found.push(...[...text.matchAll(/\$\{(?!!)([^}.]+)[^}]*\}/g)].map(([, name]) => name ?? ''));
        visit(Array.isArray(target) ? target[1] : undefined);
      } else if (key === 'DependsOn') found.push(...(Array.isArray(target) ? target.map(String) : [String(target)]));
      else visit(target);
    }
  };
  visit(value);
  return [...new Set(found)].filter((name) => !name.startsWith('AWS::'));
}

/** A cycle of resources that depend on one another, as one line; undefined if the template has no such cycle. */
export function circleIn({ Resources }: Template): string | undefined {
  const done = new Set<string>();
  const visit = (id: string, waiting: readonly string[]): string | undefined => {
    if (waiting.includes(id)) return [...waiting, id].join(' -> ');
    if (done.has(id)) return undefined;
    for (const next of references(Resources[id])) {
      const circle = visit(next, [...waiting, id]);
      if (circle !== undefined) return circle;
    }
    done.add(id);
    return undefined;
  };
  for (const id of Object.keys(Resources)) {
    const circle = visit(id, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** A permission of a policy: an action on a resource. A permission for the table also names the partition of the items. */
export interface Permission {
  readonly action: string;
  readonly resource: unknown;
  /** The pattern of the partition keys that the permission covers; undefined if it covers every partition. */
  readonly leadingKey?: string;
  /** For actions on several items: every partition key in the request must match one of these patterns. */
  readonly among?: readonly string[];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);

/** The patterns of leading keys in a policy condition; undefined if the condition has no leading keys. */
function leadingKeys(statement: unknown, operator: string): readonly string[] | undefined {
  const keys = at(statement, 'Condition', operator, 'dynamodb:LeadingKeys');
  return keys === undefined ? undefined : list(keys).map(String);
}

/** All permissions of a role, each with one action, one resource and one partition. */
export function permissionsOf(template: Template, role: string): readonly Permission[] {
  const attached = ofType(template, 'AWS::IAM::Policy').filter(([, policy]) => references(policy.Properties['Roles']).includes(role));
  if (attached.length > 0) throw new Error(`${role} has a policy of its own, which is one more resource`);
  const inline = (at(template.Resources[role], 'Properties', 'Policies') ?? []) as readonly unknown[];
  return inline
    .flatMap((policy) => list(at(policy, 'PolicyDocument', 'Statement')))
    .flatMap((statement): Permission[] => {
      if (at(statement, 'Effect') !== 'Allow') throw new Error(`Unexpected statement ${JSON.stringify(statement)}`);
      const among = leadingKeys(statement, 'ForAllValues:StringLike');
      const keys = leadingKeys(statement, 'ForAnyValue:StringLike') ?? among;
      const each = list(at(statement, 'Action')).flatMap((action) =>
        list(at(statement, 'Resource')).map((resource) => ({ action: String(action), resource })),
      );
      return keys === undefined
        ? each
        : each.flatMap((permission) => keys.map((leadingKey) => ({ ...permission, leadingKey, ...(among && { among }) })));
    });
}
