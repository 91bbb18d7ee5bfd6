import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../infra/checks';
import { configFor, type StageConfig } from '../../infra/config';
import { ServiceStack } from '../../infra/service-stack';
import { at, type Template } from '../support/template';

const outdir = mkdtempSync(join(tmpdir(), 'checks-test-'));
afterAll(() => rmSync(outdir, { recursive: true }));

const everything: Partial<StageConfig> = {
  region: 'us-east-1',
  mail: { transport: 'smtp', from: 'licenses@example.com' },
  alarmEmail: 'operator@example.com',
  domain: {
    name: 'licenses.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef',
    hostedZone: { id: 'Z0123456789ABCDEFGHIJ', name: 'example.com' },
  },
  firewall: { requestsPer5Minutes: 2000 },
};
const variants: ReadonlyArray<readonly [string, StageConfig]> = [
  ['production', configFor('production')],
  ['production with all that is optional', configFor('production', everything)],
  ['production on a restored table', configFor('production', { restoredTable: 'licenses-restored' })],
  ['dev with mail by SES', configFor('dev', { mail: { transport: 'ses', from: 'licenses@example.com' } })],
];

interface Synthesized {
  readonly template: Template;
  /** Where it deploys to. */
  readonly region: string;
  readonly findings: readonly unknown[];
}

let folders = 0;
/** Synthesizes with the checks of `bin/app.ts`; throws their report where they find an error. */
function synthesize(build: (app: App) => Stack): Synthesized {
  const app = new App({ outdir: join(outdir, String((folders += 1))) });
  check(app);
  const stack = build(app);
  const assembly = app.synth();
  const { pluginReports } = JSON.parse(readFileSync(join(assembly.directory, 'validation-report.json'), 'utf8')) as { pluginReports: { violations: unknown[] }[] };
  const { template, environment } = assembly.getStackArtifact(stack.artifactId);
  return { template: template as Template, region: environment.region, findings: pluginReports.flatMap(({ violations }) => violations) };
}

const results = new Map<string, Synthesized>();
beforeAll(() => {
  for (const [name, config] of variants) results.set(name, synthesize((app) => new ServiceStack(app, `license-key-service-${config.stage}`, { config })));
}, 180_000);
const resultOf = (name: string): Synthesized => results.get(name) ?? { template: { Resources: {}, Outputs: {} }, region: '', findings: ['there is none'] };

test.each(variants)("%s breaks no rule of CloudFormation's or of AWS Solutions, warnings included, that no written reason accepts", (name) =>
  expect(resultOf(name).findings).toEqual([]),
);

test('a stage goes to its region, or else to where the command line points', () => {
  expect(resultOf('production with all that is optional').region).toBe('us-east-1');
  expect(resultOf('production').region).toBe('unknown-region');
});

describe('the checks have teeth', () => {
  const permission = { Action: 'lambda:InvokeFunction', FunctionName: 'any', Principal: 'apigateway.amazonaws.com' };
  const fn = { Code: { ZipFile: 'exports.handler = () => undefined' }, Handler: 'index.handler', Runtime: 'nodejs24.x', Role: 'arn:aws:iam::123456789012:role/any' };

  const resource = (type: string, properties: object) => (stack: Stack) => new CfnResource(stack, 'Spoiled', { type, properties: { ...properties } });

  test.each<[string, (stack: Stack) => unknown, RegExp]>([
    ['a property that does not exist', resource('AWS::Lambda::Function', { ...fn, Retries: 2 }), /Retries/],
    ['a value out of range', resource('AWS::Lambda::Function', { ...fn, MemorySize: 64 }), /MemorySize/],
    ['a value of the wrong kind', resource('AWS::Lambda::Function', { ...fn, Timeout: 'soon' }), /Timeout/],
    ['a missing property', resource('AWS::Lambda::Permission', { ...permission, Principal: undefined }), /Principal/],
    ['a bucket that takes plain connections', (stack) => new CfnBucket(stack, 'Spoiled'), /AwsSolutions-S10/],
  ])('%s is refused', (_case, spoil, finding) => {
    const spoiled = (): unknown =>
      synthesize((app) => {
        const stack = new Stack(app, 'spoiled');
        spoil(stack);
        return stack;
      });
    expect(spoiled).toThrow(finding);
  });
});

test('a restored table takes the place of the own one, which stays, in every grant and every environment', () => {
  const { template } = resultOf('production on a restored table');
  expect(Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::DynamoDB::Table')).toEqual([]);
  const names = Object.values(template.Resources).flatMap((resource) => at(resource, 'Properties', 'Environment', 'Variables', 'TABLE_NAME') ?? []);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names)).toEqual(new Set(['licenses-restored']));
  const granted = JSON.stringify(Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::IAM::Role'));
  expect(granted).toContain(':table/licenses-restored"');
  expect(granted).toContain(':table/licenses-restored/index/list');
});

test('a domain, a firewall and an address for alarms come with the configuration and only with it', () => {
  const types = (template: Template): readonly string[] => Object.values(template.Resources).map(({ Type }) => Type);
  const optional = ['AWS::WAFv2::WebACL', 'AWS::Route53::RecordSet', 'AWS::SNS::Subscription'];
  const plain = types(resultOf('production').template);
  const { template } = resultOf('production with all that is optional');
  for (const type of optional) expect([type, plain.includes(type), types(template).includes(type)]).toEqual([type, false, true]);

  const [, distribution] = Object.entries(template.Resources).find(([, { Type }]) => Type === 'AWS::CloudFront::Distribution') ?? [];
  const settings = at(distribution, 'Properties', 'DistributionConfig');
  expect(at(settings, 'Aliases')).toEqual(['licenses.example.com']);
  expect(at(settings, 'ViewerCertificate')).toEqual(expect.objectContaining({ MinimumProtocolVersion: 'TLSv1.2_2021' }));
  expect(at(settings, 'WebACLId')).toBeDefined();
  expect(at(template.Outputs, 'Url', 'Value')).toBe('https://licenses.example.com');
});
