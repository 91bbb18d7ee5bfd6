import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { awsCommands } from '../../bin/smoke/aws-commands';
import { METRIC_NAMESPACE, metricNames } from '../../lambdas/contract/metrics';
import { configFor } from '../../infra/config';
import { synthesizeStage } from '../support/stage-synth';
import { at, ofType, only, references, type Template } from '../support/template';

const root = resolve(__dirname, '../..');
let template: Template;
beforeAll(() => {
  ({ template } = synthesizeStage(configFor('production')));
});

const alarms = (): readonly Readonly<Record<string, unknown>>[] =>
  ofType(template, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const nameOf = (alarm: Readonly<Record<string, unknown>>): string =>
  String(alarm['AlarmName']).replace('license-key-service-production-', '');

const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
const entries = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

/** Everything that the functions are made of. */
const code = readdirSync(join(root, 'lambdas'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'lambdas', file), 'utf8'))
  .join('\n');

/** The operations of DynamoDB that the store calls, by the names that CloudWatch has for them. */
const storeCalls = (): ReadonlySet<string> => {
  const commands = [
    ...code.matchAll(/new (Get|Put|Update|Delete|Query|BatchGetItem|BatchWriteItem|TransactGetItems|TransactWriteItems)Command\(/g),
  ].map(([, name = '']) => name);
  return new Set(commands.map((name) => (['Get', 'Put', 'Update', 'Delete'].includes(name) ? `${name}Item` : name)));
};

test('every alarm has an entry in the runbook, and every entry an alarm', () =>
  expect(alarms().map(nameOf).sort()).toEqual([...entries.keys()].sort()));

test('an alarm says what users notice, and where to read on', () => {
  for (const alarm of alarms())
    expect(at(alarm['AlarmDescription'], 'Fn::Join', 1, 0)).toMatch(
      new RegExp(`^[A-Z].{40,}\\. What to do: docs/runbook\\.md#${nameOf(alarm)} Log: https://`),
    );
});

test('every alarm tells somebody, when it begins and when it ends', () => {
  const [topic] = only(template, 'AWS::SNS::Topic');
  for (const alarm of alarms())
    expect([nameOf(alarm), alarm['AlarmActions'], alarm['OKActions']]).toEqual([nameOf(alarm), [{ Ref: topic }], [{ Ref: topic }]]);
});

describe('the commands of the smoke test that show whether an alarm reaches anybody', () => {
  /** Runs them in a shell where `aws` writes down its arguments, and gives these. */
  const run = (stage: string): readonly (readonly string[])[] => {
    const folder = mkdtempSync(join(tmpdir(), 'aws-commands-'));
    const calls = join(folder, 'calls');
    writeFileSync(join(folder, 'aws'), `#!/bin/sh\nprintf '%s\\t' "$@" >> ${calls}\necho >> ${calls}\necho looked-up\n`, { mode: 0o755 });
    try {
      for (const { command } of awsCommands(stage)) execFileSync('sh', ['-c', command], { env: { PATH: `${folder}:/usr/bin:/bin` } });
      return readFileSync(calls, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(0, -1));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('set off an alarm that there is, and look where it went', () => {
    const calls = run('production');
    const named = calls.flatMap((call) => call.filter((_word, index) => /^--alarm-names?$/.test(call[index - 1] ?? '')));
    expect(new Set(named)).toEqual(new Set(['license-key-service-production-api-slow']));
    expect(alarms().map((alarm) => alarm['AlarmName'])).toContain(named[0]);
    expect(calls.map(([service = '', operation = '']) => `${service} ${operation}`)).toEqual([
      'cloudwatch describe-alarms',
      'sns list-subscriptions-by-topic',
      'cloudwatch set-alarm-state',
      'cloudwatch describe-alarm-history',
      'cloudformation list-stack-resources',
      'lambda get-function-recursion-config',
    ]);
    for (const call of [calls[1], calls[5]]) expect(call).toContain('looked-up');
  });

  test('ask for the function that may send to its own queue', () => {
    const [[id] = ['']] = ofType(template, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow');
    const [, prefix = 'none'] =
      /starts_with\(LogicalResourceId, '(\w+)'\)/.exec(
        awsCommands('production')
          .map(({ command }) => command)
          .join(),
      ) ?? [];
    expect(
      ofType(template, 'AWS::Lambda::Function')
        .map(([name]) => name)
        .filter((name) => name.startsWith(prefix)),
    ).toEqual([id]);
  });
});

test('CloudWatch may publish to the topic, for this account alone, and nobody without TLS', () => {
  const statements = at(only(template, 'AWS::SNS::TopicPolicy')[1], 'Properties', 'PolicyDocument', 'Statement');
  expect(statements).toContainEqual(
    expect.objectContaining({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }),
  );
  expect(statements).toContainEqual(
    expect.objectContaining({ Effect: 'Deny', Action: 'sns:Publish', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
  );
});

test('a sum over the calls rings although most of them are silent', () => {
  for (const name of ['table-errors', 'table-throttled']) {
    const metrics = (alarms().find((alarm) => nameOf(alarm) === name)?.['Metrics'] ?? []) as readonly object[];
    const expression = metrics.map((metric) => at(metric, 'Expression')).find((text) => typeof text === 'string');
    const parts = metrics.filter((metric) => at(metric, 'MetricStat') !== undefined);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(expression).toContain(`FILL(${String(at(part, 'Id'))}, 0)`);
    const counted = new Set(
      parts.flatMap((part) =>
        (at(part, 'MetricStat', 'Metric', 'Dimensions') as { Name: string; Value: unknown }[])
          .filter(({ Name }) => Name !== 'TableName')
          .map(({ Value }) => Value),
      ),
    );
    expect(counted).toEqual(storeCalls());
  }
});

test('silence is bad news only of what speaks every minute', () => {
  const breaching = alarms()
    .filter((alarm) => alarm['TreatMissingData'] === 'breaching')
    .map(nameOf);
  expect(breaching).toEqual(['pending-events']);
});

// What to do after a leak follows the entries.
describe.each([...entries])('the entry %s', (_name, whole) => {
  const text = whole.split('\n### ')[0] ?? '';
  test('describes, investigates and resolves', () => {
    expect([...text.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, section]) => section)).toEqual([
      'Description',
      'Investigation',
      'Resolution',
    ]);
  });

  test('names only codes that the functions log, and entries that exist', () => {
    for (const [, word = ''] of text.matchAll(/`([A-Z]+_[A-Z_]+)`/g)) expect([word, code.includes(`'${word}'`)]).toEqual([word, true]);
    for (const [, anchor = ''] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect([...entries.keys()]).toContain(anchor);
  });
});

test('the cost table in docs/operations.md counts what the template has', () => {
  const counted = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const inAlarms = alarms().reduce(
    (sum, alarm) =>
      sum + ((alarm['Metrics'] as unknown[] | undefined)?.filter((metric) => at(metric, 'MetricStat') !== undefined).length ?? 1),
    0,
  );
  expect(counted).toContain(`| ${inAlarms} metrics in alarms, the first 10 of an account free | ${((inAlarms - 10) / 10).toFixed(2)} |`);
  const secrets = ofType(template, 'AWS::SecretsManager::Secret').length;
  expect(counted).toContain(`| ${secrets} secrets | ${(secrets * 0.4).toFixed(2)} |`);
  expect(counted).toContain(`| ${ofType(template, 'AWS::CloudWatch::Dashboard').length} dashboards,`);
  const [atRest = ''] = counted.split('**At rest**').slice(1);
  const [, rows = '', sum = ''] = /^([^]*?)\| \*\*sum\*\* \| \*\*about ([\d.]+)\*\* \|/.exec(atRest) ?? [];
  const amounts = [...rows.matchAll(/\| ([\d.]+) \|$/gm)].map(([, amount]) => Number(amount));
  expect([amounts.length, Number(sum)]).toEqual([6, Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(2))]);
});

describe('metrics', () => {
  type Metric = readonly [namespace: string, name: string];
  const dashboards = (): readonly unknown[] =>
    ofType(template, 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) => Properties['DashboardBody']);
  const shownOn = (body: unknown): readonly Metric[] => {
    const text = JSON.stringify(at(body, 'Fn::Join', 1)).replaceAll('\\"', '"');
    return [...text.matchAll(/\["([\w/]+)","([\w.]+)"/g)].map(([, namespace = '', name = '']) => [namespace, name] as const);
  };
  const shown = (): readonly Metric[] => dashboards().flatMap(shownOn);
  /** Every metric that an alarm or the dashboard looks at. */
  const watched = (): readonly Metric[] => {
    const own = alarms().flatMap((alarm) => [
      alarm,
      ...((alarm['Metrics'] ?? []) as unknown[]).map((metric) => at(metric, 'MetricStat', 'Metric')),
    ]);
    return [...shown(), ...own.map((metric) => [String(at(metric, 'Namespace')), String(at(metric, 'MetricName'))] as const)];
  };

  test('every metric of ours that somebody watches is one that the functions publish', () => {
    const ours = watched()
      .filter(([namespace]) => namespace === METRIC_NAMESPACE)
      .map(([, name]) => name);
    const [throttled] = ofType(template, 'AWS::Logs::MetricFilter').map(([, filter]) =>
      String(at(filter, 'Properties', 'MetricTransformations', 0, 'MetricName')),
    );
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.filter((name) => name !== throttled && !metricNames.some((known) => known === name))).toEqual([]);
  });

  test('every metric that the functions publish is on the dashboard', () => {
    const names = watched().map(([, name]) => name);
    for (const name of metricNames) expect(names).toContain(name);
  });

  test('the dashboards stay within what costs nothing: three of them, of up to 50 metrics', () => {
    expect(shown().length).toBeGreaterThan(30);
    expect(dashboards().length).toBeLessThanOrEqual(3);
    for (const body of dashboards()) expect(shownOn(body).length).toBeLessThanOrEqual(50);
  });

  test('the dashboard begins with the alarms, all of them', () => {
    const [first] = dashboards().filter((candidate) => JSON.stringify(candidate).includes('alarm'));
    const body = JSON.stringify(first);
    expect(references(first)).toEqual(expect.arrayContaining(ofType(template, 'AWS::CloudWatch::Alarm').map(([id]) => id)));
    expect(body.indexOf('"alarm')).toBeLessThan(body.indexOf('metric'));
  });
});
