import { strFromU8, unzipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetParameters } from '../../infra/asset-parameters';
import { stages, type StageConfig } from '../../infra/config';
import { LAUNCH_URL, writeLaunchArchive } from '../../infra/launch';
import { createLaunchStack } from '../../infra/launch-stack';
import { temporaryFolder } from '../../infra/temporary-folder';
import { root } from '../support/repository';
import { check, stubs, synthesizeLaunch, synthesizeStage } from '../support/stage-synth';
import { certificate } from '../support/stages';
import { at, ofType, only, type Template } from '../support/template';

/** The template that is launched without Node (`infra/launch-stack.ts`). */

const launch = synthesizeLaunch();

const NO_VALUE = Symbol('AWS::NoValue');

/** Joins the texts of `Fn::Join` that lie next to each other. */
function joinTexts(separator: unknown, parts: unknown): unknown {
  const joined: unknown[] = [];
  for (const part of parts as unknown[]) {
    const last = joined.at(-1);
    if (separator === '' && typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return separator === '' && joined.length === 1 ? joined[0] : { 'Fn::Join': [separator, joined] };
}

/** The template after CloudFormation has inserted the parameters and evaluated the conditions. */
function launched(given: Readonly<Record<string, unknown>>): Template {
  const { Parameters = {}, Conditions = {}, ...rest } = launch as Template & { Conditions?: Readonly<Record<string, unknown>> };
  const values = new Map(Object.entries(Parameters).map(([name, parameter]) => [name, given[name] ?? at(parameter, 'Default')]));
  const evaluate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(evaluate).filter((item) => item !== NO_VALUE);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = []] = entries;
    const [first, second, third] = Array.isArray(argument) ? (argument as unknown[]) : [];
    if (entries.length === 1) {
      if (name === 'Ref' && argument === 'AWS::NoValue') return NO_VALUE;
      if (name === 'Ref' && values.has(String(argument))) return values.get(String(argument));
      if (name === 'Fn::If') return evaluate(evaluate(Conditions[String(first)]) === true ? second : third);
      if (name === 'Fn::Equals') return evaluate(first) === evaluate(second);
      if (name === 'Fn::Not') return evaluate(first) !== true;
      if (name === 'Fn::Join') return joinTexts(first, evaluate(second));
    }
    return Object.fromEntries(entries.map(([key, inner]) => [key, evaluate(inner)]).filter(([, inner]) => inner !== NO_VALUE));
  };
  const existing = (section: object): object =>
    Object.fromEntries(
      Object.entries(section).flatMap(([id, { Condition, ...entry }]: [string, { Condition?: string }]) =>
        Condition === undefined || evaluate(Conditions[Condition]) === true ? [[id, entry]] : [],
      ),
    );
  return evaluate({ ...rest, Resources: existing(rest.Resources), Outputs: existing(rest.Outputs) }) as Template;
}

/** The resources and outputs. The id of the subscription to alarms contains the address, unless the address is a parameter. */
const contentOf = (template: Template): object => ({
  Outputs: template.Outputs,
  Resources: Object.fromEntries(
    Object.entries(template.Resources).map(([id, resource]) => [
      at(resource, 'Properties', 'Protocol') === 'email' ? 'ForEmail' : id,
      resource,
    ]),
  ),
});

const production = stages['production'] as StageConfig;
/** Where the CDK stores the assets of a stage. */
const inBucketOfCdk = {
  AssetsBucket: at(ofType(synthesizeStage(production).template, 'AWS::Lambda::Function')[0], 1, 'Properties', 'Code', 'S3Bucket'),
  AssetsPrefix: '',
};

const [name, from, alarmEmail] = ['licenses.example.com', 'licenses@mail.example.com', 'operator@example.com'];

// If a parameter had another effect than the setting, a vendor would get a service without mail, alarms or a name, and not notice.
test.each<[string, Record<string, unknown>, Partial<StageConfig>]>([
  ['without settings', {}, { mail: { transport: 'ses', from: '' } }],
  [
    'with all settings',
    { AlarmEmail: alarmEmail, MonthlyBudgetUsd: 50, DomainName: name, CertificateArn: certificate('us-east-1'), MailFrom: from },
    { alarmEmail, monthlyBudgetUsd: 50, domain: { name, certificateArn: certificate('us-east-1') }, mail: { transport: 'ses', from } },
  ],
])('%s, a launched template is the template that the command line deploys', (_case, parameters, settings) => {
  const { template } = synthesizeStage({ ...production, retainData: false, ...settings });
  expect(contentOf(launched({ ...inBucketOfCdk, ...parameters, RetainData: 'false' }))).toEqual(contentOf(template));
});

test('with RetainData, exactly the data of a production stage remains', () => {
  const policiesOf = ({ Resources }: Template): unknown =>
    Object.entries(Resources).flatMap(([id, { Type, DeletionPolicy, UpdateReplacePolicy }]) =>
      Type.startsWith('Custom::') ? [] : [[id, DeletionPolicy, UpdateReplacePolicy]],
    );
  const kept = launched({ RetainData: 'true' });
  expect(policiesOf(kept)).toEqual(policiesOf(synthesizeStage({ ...production, mail: { transport: 'ses', from } }).template));
  expect(at(only(kept, 'AWS::DynamoDB::Table')[1], 'Properties', 'DeletionProtectionEnabled')).toBe(true);
  const tags = ofType(kept, 'AWS::S3::Bucket').flatMap(([, bucket]) => at(bucket, 'Properties', 'Tags') ?? []);
  expect(tags).toEqual([{ Key: 'empty-on-deletion', Value: 'false' }]);
});

test('the template needs nothing of the CDK in the account', () => {
  expect(JSON.stringify(launch)).not.toMatch(/cdk-|Bootstrap/);
});

test('the form of the console shows every parameter with a label, in a group', () => {
  const names = Object.keys(launch.Parameters ?? {}).sort();
  const form = at(launch, 'Metadata', 'AWS::CloudFormation::Interface');
  expect((at(form, 'ParameterGroups') as unknown[]).flatMap((group) => at(group, 'Parameters')).sort()).toEqual(names);
  expect(Object.keys(at(form, 'ParameterLabels') as object).sort()).toEqual(names);
});

test('the template breaks no rule of CloudFormation or AWS Solutions without a written reason', () => {
  expect(check((app) => createLaunchStack(app, stubs, new AssetParameters('')))).toEqual([]);
});

test('the archive contains every asset of the template, with checksums, and the address of the documentation', () => {
  const archive = unzipSync(readFileSync(writeLaunchArchive(stubs, temporaryFolder('launch-archive-'))));
  const files = new Map(Object.entries(archive).map(([path, content]) => [path.split('/')[1] ?? '', content]));
  const textOf = (file: string): string => strFromU8(files.get(file) ?? new Uint8Array());
  const assets = new Set(textOf('template.json').match(/\w+\.zip/g));
  expect([...files.keys()].sort()).toEqual([...assets, 'SHA256SUMS', 'launch-url.txt', 'template.json'].sort());
  for (const asset of assets) expect(Object.keys(unzipSync(files.get(asset) ?? new Uint8Array()))).toContain('index.js');
  const sums = [...files]
    .filter(([file]) => /\.(zip|json)$/.test(file))
    .map(([file, content]) => `${createHash('sha256').update(content).digest('hex')}  ${file}`);
  expect(textOf('SHA256SUMS').trim().split('\n').sort()).toEqual(sums.sort());
  expect([textOf('launch-url.txt').trim(), readFileSync(join(root, 'docs/deploy.md'), 'utf8')]).toEqual([
    LAUNCH_URL,
    expect.stringContaining(LAUNCH_URL),
  ]);
});
