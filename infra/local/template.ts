import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { ACCOUNT, PARTITION, REGION, URL_SUFFIX } from './aws';

// The package `zod/mini` has no error messages by default. This call sets the English messages.
z.config(z.locales.en());

/** The template cannot run locally. The message names the resource and the reason. */
export class TemplateError extends Error {}

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z._default(z.record(z.string(), z.unknown()), {}),
  Metadata: z._default(z.record(z.string(), z.unknown()), {}),
  Condition: z.optional(z.string()),
});

const templateSchema = z.object({
  Resources: z._default(z.record(z.string(), resourceSchema), {}),
  Parameters: z._default(z.record(z.string(), z.object({ Default: z.unknown() })), {}),
  Conditions: z._default(z.record(z.string(), z.unknown()), {}),
  Outputs: z._default(z.record(z.string(), z.object({ Value: z.unknown() })), {}),
});

const assetsSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.optional(z.string()) }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/** A resource of the template, whose properties {@link Template.read} reads. */
export interface Resource extends z.infer<typeof resourceSchema> {
  readonly id: string;
}

/** The values of `Ref` and `Fn::GetAtt` for a resource. If a value is a function, the function is called when the value is needed. */
export type PhysicalValues = { readonly Ref: string } & Readonly<Record<string, string | (() => string)>>;

/** Stands for `AWS::NoValue` in a template. A property or a list item with this value is left out. */
const NO_VALUE = Symbol('AWS::NoValue');

const pseudoParameters: Record<string, string | typeof NO_VALUE | string[]> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': PARTITION,
  'AWS::URLSuffix': URL_SUFFIX,
  'AWS::StackName': 'local',
  'AWS::StackId': `arn:${PARTITION}:cloudformation:${REGION}:${ACCOUNT}:stack/local/00000000-0000-0000-0000-000000000000`,
  'AWS::NotificationARNs': [],
  'AWS::NoValue': NO_VALUE,
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A synthesized CloudFormation template. Each local service defines the physical names of its resources. A value is resolved when it is
 * read, so resources that don't run locally need no names.
 */
export class Template {
  private readonly template: z.infer<typeof templateSchema>;
  private readonly physical = new Map<string, PhysicalValues>();

  /**
   * @param document the template, parsed from JSON
   * @param assembly the base folder of relative asset paths
   * @param assets the folders of zipped assets by their S3 object key
   */
  constructor(
    document: unknown,
    private readonly assembly: string,
    private readonly assets: ReadonlyMap<string, string> = new Map(),
  ) {
    const parsed = templateSchema.safeParse(document);
    if (!parsed.success) throw new TemplateError(`This is not a CloudFormation template: ${z.prettifyError(parsed.error)}`);
    this.template = parsed.data;
  }

  /** The resources of the given types, in the order of the template. Resources whose condition is false are left out. */
  resources(...types: string[]): Resource[] {
    return Object.entries(this.template.Resources)
      .filter(([, { Type, Condition }]) => types.includes(Type) && (Condition === undefined || this.condition(Condition, Type)))
      .map(([id, resource]) => ({ id, ...resource }));
  }

  /** Defines the values of `Ref` and `Fn::GetAtt` for a resource. */
  define(id: string, values: PhysicalValues): void {
    this.physical.set(id, values);
  }

  /**
   * Reads those properties of a resource that are in the schema, resolves their intrinsic functions, and checks their values.
   *
   * @throws {TemplateError} with the name of the resource
   */
  read<S extends z.ZodMiniObject>(resource: Resource, schema: S): z.infer<S> {
    const wanted = Object.keys(schema.shape).filter((name) => name in resource.Properties);
    const where = (name: string) => `${resource.id} (${resource.Type}), property ${name}`;
    const values = wanted
      .map((name) => [name, this.resolve(resource.Properties[name], where(name))] as const)
      .filter(([, value]) => value !== undefined);
    const parsed = schema.safeParse(Object.fromEntries(values));
    if (parsed.success) return parsed.data;
    throw new TemplateError(`${resource.id} (${resource.Type}) cannot run here: ${z.prettifyError(parsed.error)}`);
  }

  /** The value of a stack output, or undefined if the stack has no such output. */
  output(name: string): string | undefined {
    const output = this.template.Outputs[name];
    return output && String(this.resolve(output.Value, `output ${name}`));
  }

  /** The folder that contains a function's code. On AWS, the deployment zips and uploads the folder. */
  codeFolder(resource: Resource): string {
    const named = resource.Metadata['aws:asset:path'];
    const { Code } = this.read(resource, z.object({ Code: z.optional(z.object({ S3Key: z.optional(z.string()) })) }));
    const path = typeof named === 'string' ? named : Code?.S3Key === undefined ? undefined : this.assets.get(Code.S3Key);
    if (path === undefined)
      throw new TemplateError(`${resource.id} (${resource.Type}) has no code among the assets of the cloud assembly.`);
    return isAbsolute(path) ? path : join(this.assembly, path);
  }

  /**
   * Resolves every intrinsic function within a value.
   *
   * @param where the place that error messages name
   */
  resolve(value: unknown, where: string): unknown {
    const resolved = this.resolveOrNone(value, where);
    return resolved === NO_VALUE ? undefined : resolved;
  }

  private resolveOrNone(value: unknown, where: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolveOrNone(item, where)).filter((item) => item !== NO_VALUE);
    if (!isObject(value)) return value;
    const keys = Object.keys(value);
    const [name] = keys;
    if (keys.length === 1 && name !== undefined && (name === 'Ref' || name === 'Condition' || name.startsWith('Fn::'))) {
      // `Condition` is an intrinsic function only if its value is a name. In policy statements its value is an object.
      if (name !== 'Condition' || typeof value[name] === 'string') return this.intrinsic(name, value[name], where);
    }
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, inner]) => [key, this.resolveOrNone(inner, where)] as const)
        .filter(([, inner]) => inner !== NO_VALUE),
    );
  }

  private intrinsic(name: string, argument: unknown, where: string): unknown {
    const fail = (problem: string): never => {
      throw new TemplateError(`${where}: ${name} ${problem}.`);
    };
    const list = (length: number): unknown[] => {
      if (!Array.isArray(argument) || argument.length < length) return fail(`needs a list of ${length}`);
      return argument;
    };
    const resolved = (inner: unknown) => this.resolveOrNone(inner, where);
    const texts = (inner: unknown): string[] => {
      const values = resolved(inner);
      return Array.isArray(values) ? values.map(String) : fail('needs a list of strings');
    };

    switch (name) {
      case 'Ref':
        return this.reference(String(argument), where);
      case 'Fn::GetAtt': {
        const [id, ...attribute] = typeof argument === 'string' ? argument.split('.') : list(2).map(String);
        return this.attribute(id!, attribute.join('.'), where);
      }
      case 'Fn::Join': {
        const [separator, parts] = list(2);
        return texts(parts).join(String(separator));
      }
      case 'Fn::Split': {
        const [separator, text] = list(2);
        return String(resolved(text)).split(String(separator));
      }
      case 'Fn::Select': {
        const [index, values] = list(2);
        const chosen = resolved(values);
        const item: unknown = Array.isArray(chosen) ? chosen[Number(resolved(index))] : undefined;
        return item === undefined ? fail(`finds nothing at ${String(index)}`) : item;
      }
      case 'Fn::Sub': {
        const [text, variables] = typeof argument === 'string' ? [argument, {}] : list(2);
        return this.substitute(String(text), isObject(variables) ? variables : {}, where);
      }
      case 'Fn::If': {
        const [condition, yes, no] = list(3);
        return resolved(this.condition(String(condition), where) ? yes : no);
      }
      case 'Fn::Equals': {
        const [left, right] = list(2).map(resolved);
        return JSON.stringify(left) === JSON.stringify(right);
      }
      case 'Fn::Not':
        return resolved(list(1)[0]) !== true;
      case 'Fn::And':
        return list(1).every((inner) => resolved(inner) === true);
      case 'Fn::Or':
        return list(1).some((inner) => resolved(inner) === true);
      case 'Condition':
        return this.condition(String(argument), where);
      default:
        return fail('is not supported in the local run');
    }
  }

  private substitute(text: string, variables: Record<string, unknown>, where: string): string {
    return text.replace(/\$\{(!?)([^${}]*)\}/g, (_match, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (name in variables) return String(this.resolveOrNone(variables[name], where));
      const [id, ...attribute] = name.split('.');
      return String(attribute.length ? this.attribute(id!, attribute.join('.'), where) : this.reference(name, where));
    });
  }

  private reference(id: string, where: string): unknown {
    if (id in pseudoParameters) return pseudoParameters[id];
    const parameter = this.template.Parameters[id];
    if (parameter) return parameter.Default;
    return this.attribute(id, 'Ref', where);
  }

  private attribute(id: string, attribute: string, where: string): string {
    const resource = this.template.Resources[id];
    if (!resource) throw new TemplateError(`${where} refers to "${id}", which the template does not contain.`);
    const value = this.physical.get(id)?.[attribute];
    if (value === undefined) {
      throw new TemplateError(
        `${where} needs ${attribute === 'Ref' ? 'the name' : attribute} of ${id} (${resource.Type}), which the local run does not provide.`,
      );
    }
    return typeof value === 'string' ? value : value();
  }

  private condition(name: string, where: string): boolean {
    if (!(name in this.template.Conditions))
      throw new TemplateError(`${where} refers to the condition "${name}", which the template does not contain.`);
    return this.resolveOrNone(this.template.Conditions[name], `condition ${name}`) === true;
  }
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Loads the only stack of a cloud assembly, which is the folder that `cdk synth` writes. */
export function loadTemplate(assembly: string): Template {
  const names = readdirSync(assembly).filter((name) => name.endsWith('.template.json'));
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new TemplateError(`The local run needs exactly one stack; ${assembly} contains ${names.length}.`);
  }
  const manifest = join(assembly, name.replace('.template.json', '.assets.json'));
  const files = existsSync(manifest) ? Object.values(assetsSchema.parse(readJson(manifest)).files) : [];
  const assets = files.flatMap(({ source, destinations }) =>
    source.path === undefined ? [] : Object.values(destinations).map(({ objectKey }) => [objectKey, source.path!] as const),
  );
  return new Template(readJson(join(assembly, name)), assembly, new Map(assets));
}
