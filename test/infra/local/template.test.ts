import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { loadTemplate, Template, TemplateError } from '../../../infra/local/template';
import { temporaryFolder } from './support';

function template(rest: object = {}): Template {
  const made = new Template({ Resources: { Queue: { Type: 'AWS::SQS::Queue' }, Role: { Type: 'AWS::IAM::Role' } }, ...rest }, '/');
  made.define('Queue', { Ref: 'http://queue', Arn: () => 'arn:queue', 'Nested.Attribute': 'deep' });
  return made;
}

const resolve = (value: unknown, rest?: object): unknown => template(rest).resolve(value, 'Thing.Property');

describe('the intrinsic functions of CloudFormation', () => {
  test.each<[string, unknown, unknown]>([
    ['Ref', { Ref: 'Queue' }, 'http://queue'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:queue'],
    ['GetAtt as text', { 'Fn::GetAtt': 'Queue.Arn' }, 'arn:queue'],
    ['GetAtt with a dotted attribute', { 'Fn::GetAtt': ['Queue', 'Nested.Attribute'] }, 'deep'],
    ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Partition' }, 'b']] }, 'a-aws-b'],
    ['Split and Select', { 'Fn::Select': [1, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Queue', 'Arn'] }] }] }, 'queue'],
    ['Select by text', { 'Fn::Select': ['0', ['x', 'y']] }, 'x'],
    ['Sub', { 'Fn::Sub': '${Queue}/${Queue.Arn}/${AWS::AccountId}/${!Literal}' }, 'http://queue/arn:queue/000000000000/${Literal}'],
    ['Sub with variables', { 'Fn::Sub': ['${a}${Queue}', { a: { Ref: 'AWS::Partition' } }] }, 'awshttp://queue'],
    ['nesting in objects and lists', { a: [{ b: { Ref: 'Queue' } }] }, { a: [{ b: 'http://queue' }] }],
    ['NoValue in an object', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['NoValue in a list', [1, { Ref: 'AWS::NoValue' }], [1]],
    ['NoValue itself', { Ref: 'AWS::NoValue' }, undefined],
    ['a property that is called Condition', { Condition: { Bool: { x: 'y' } } }, { Condition: { Bool: { x: 'y' } } }],
  ])('an intrinsic function is resolved as by CloudFormation: %s', (_name, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  test('conditions and parameters are evaluated', () => {
    const rest = {
      Parameters: { Stage: { Default: 'local' } },
      Conditions: {
        IsLocal: { 'Fn::Equals': [{ Ref: 'Stage' }, 'local'] },
        IsNot: { 'Fn::Not': [{ Condition: 'IsLocal' }] },
        Both: { 'Fn::And': [{ Condition: 'IsLocal' }, { Condition: 'IsNot' }] },
        Either: { 'Fn::Or': [{ Condition: 'IsLocal' }, { Condition: 'IsNot' }] },
      },
      Resources: { A: { Type: 'T', Condition: 'IsLocal' }, B: { Type: 'T', Condition: 'IsNot' } },
    };
    const made = new Template(rest, '/');
    const choice = (name: string) => made.resolve({ 'Fn::If': [name, 'yes', 'no'] }, 'x');
    expect(['IsLocal', 'IsNot', 'Both', 'Either'].map(choice)).toEqual(['yes', 'no', 'no', 'yes']);
    expect(made.resources('T').map(({ id }) => id)).toEqual(['A']);
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown intrinsic', { 'Fn::Cidr': [] }, /^Thing\.Property: Fn::Cidr is not supported in the local run\.$/],
    ['an unknown resource', { Ref: 'Nobody' }, /^Thing\.Property refers to "Nobody", which the template does not contain\.$/],
    [
      'an attribute that the local run does not provide',
      { 'Fn::GetAtt': ['Queue', 'Colour'] },
      /Colour of Queue \(AWS::SQS::Queue\), which the local run does not provide/,
    ],
    ['a resource that does not run locally', { Ref: 'Role' }, /the name of Role \(AWS::IAM::Role\)/],
    ['an unknown condition', { 'Fn::If': ['Never', 1, 2] }, /condition "Never"/],
    ['a malformed argument', { 'Fn::Join': 'x' }, /Fn::Join needs a list of 2/],
    ['a selection beyond the end of a list', { 'Fn::Select': [3, ['a']] }, /Fn::Select finds nothing at 3/],
  ])('%s fails with an error message', (_name, value, message) => {
    expect(() => resolve(value)).toThrow(TemplateError);
    expect(() => resolve(value)).toThrow(message);
  });
});

test('only the requested properties are resolved, and an invalid property is reported with its resource', () => {
  const made = template({ Resources: { F: { Type: 'T', Properties: { Size: '12', Role: { Ref: 'Unknown' } } } } });
  const [resource] = made.resources('T');
  expect(made.read(resource!, z.object({ Size: z.coerce.number() }))).toEqual({ Size: 12 });
  expect(() => made.read(resource!, z.object({ Size: z.boolean() }))).toThrow(/^F \(T\) cannot run here: .*boolean/s);
  expect(() => made.read(resource!, z.object({ Role: z.string() }))).toThrow(/F \(T\), property Role refers to "Unknown"/);
});

describe('loading a cloud assembly', () => {
  const stack = (folder: string, resources: object) =>
    writeFileSync(
      join(folder, 'one.template.json'),
      JSON.stringify({ Resources: resources, Outputs: { Where: { Value: { Ref: 'AWS::Region' } } } }),
    );

  test('the code of a function is found by its metadata or in the manifest of assets', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'asset.b'));
    stack(folder, {
      A: { Type: 'F', Metadata: { 'aws:asset:path': 'asset.a' } },
      B: { Type: 'F', Properties: { Code: { S3Key: 'b.zip' } } },
      C: { Type: 'F', Properties: { Code: { S3Key: 'c.zip' } } },
    });
    writeFileSync(
      join(folder, 'one.assets.json'),
      JSON.stringify({ files: { b: { source: { path: 'asset.b' }, destinations: { here: { objectKey: 'b.zip' } } } } }),
    );
    const made = loadTemplate(folder);
    const [a, b, c] = made.resources('F');
    expect(made.codeFolder(a!)).toBe(join(folder, 'asset.a'));
    expect(made.codeFolder(b!)).toBe(join(folder, 'asset.b'));
    expect(() => made.codeFolder(c!)).toThrow(/^C \(F\) has no code/);
    expect(made.output('Where')).toBe('us-east-1');
    expect(made.output('Nowhere')).toBeUndefined();
  });

  test('a cloud assembly must contain exactly one stack', () => {
    const folder = temporaryFolder();
    expect(() => loadTemplate(folder)).toThrow(/exactly one stack; .* contains 0/);
  });
});
