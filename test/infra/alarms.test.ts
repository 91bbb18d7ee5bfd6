import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { awsCommands } from '../../bin/smoke/aws-commands';
import { METRIC_NAMESPACE, metricNames } from '../../lambdas/contract/metrics';
import { synthesizedStage } from '../support/stages';
import { at, ofType, references, type Template } from '../support/template';

const root = resolve(__dirname, '../..');
/** A stage that has every alarm, because it sends mail through Amazon SES. */
let template: Template;
/** A stage without options, for which docs/operations.md states the costs. */
let plain: Template;
beforeAll(async () => {
  ({ template } = await synthesizedStage('all'));
  ({ template: plain } = await synthesizedStage('plain'));
});

const alarms = (of = template): readonly Readonly<Record<string, unknown>>[] =>
  ofType(of, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const nameOf = (alarm: Readonly<Record<string, unknown>>): string =>
  String(alarm['AlarmName']).replace('license-key-service-production-', '');

const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
const entries = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

/** The source code of all functions, as one text. */
const code = readdirSync(join(root, 'lambdas'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'lambdas', file), 'utf8'))
  .join('\n');

/** The DynamoDB operations that the store calls, with the names that CloudWatch uses for them. */
const storeCalls = (): ReadonlySet<string> =>
  new Set([...code.matchAll(/new (\w+)Command\(/g)].map(([, name = '']) => name).filter((name) => /Item|^Query$|^Scan$/.test(name)));

test('every alarm has an entry in the runbook, and every entry of the runbook belongs to an alarm', () =>
  expect(alarms().map(nameOf).sort()).toEqual([...entries.keys()].sort()));

test('the description of an alarm says what users notice, and links to the runbook and the log', () => {
  // Only the first stage has the address of the repository, so only its links are URLs.
  for (const [stage, repository] of [
    [template, 'https://github\\.com/acme/licenses/blob/main/'],
    [plain, ''],
  ] as const)
    for (const alarm of alarms(stage))
      expect(at(alarm['AlarmDescription'], 'Fn::Join', 1, 0)).toMatch(
        new RegExp(`^[A-Z].{40,}\\. What to do: ${repository}docs/runbook\\.md#${nameOf(alarm)} Log: https://`),
      );
});

/** The logical id of the topic for alarms. The other topic gets the notifications of Amazon SES. */
const alarmTopic = (): string => ofType(template, 'AWS::SNS::Topic').find(([id]) => id.startsWith('Alarms'))![0];

test('every alarm publishes to the alarm topic when it goes off and when it returns to normal', () => {
  const topic = alarmTopic();
  for (const alarm of alarms())
    expect([nameOf(alarm), alarm['AlarmActions'], alarm['OKActions']]).toEqual([nameOf(alarm), [{ Ref: topic }], [{ Ref: topic }]]);
});

describe('the commands that the smoke test prints to check that alarms reach a recipient', () => {
  /** Runs the printed commands in a shell whose `aws` only records its arguments. Returns the recorded arguments of each call. */
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

  test('the commands set off an existing alarm, and show where its message was sent', () => {
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

  test('the commands look up the only function that may send messages to its own queue', () => {
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

test('CloudWatch may publish to the alarm topic only for this account, and nobody may publish without TLS', () => {
  const policies = ofType(template, 'AWS::SNS::TopicPolicy').map(([, { Properties }]) => Properties);
  const policy = policies.find(({ Topics }) => references(Topics).includes(alarmTopic()));
  const statements = at(policy, 'PolicyDocument', 'Statement');
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

test('an alarm on the sum of all DynamoDB operations goes off even if most operations report no data', () => {
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

// If too many mails bounce, AWS stops all mails of the account. Buyers then get no license keys until AWS has closed its review.
test('with Amazon SES, an alarm goes off before AWS reviews the account, because of bounces or because of complaints', () => {
  const alarm = alarms().find((one) => nameOf(one) === 'mails-bouncing');
  const metrics = (alarm?.['Metrics'] ?? []) as readonly object[];
  const watched = metrics.flatMap((metric) => at(metric, 'MetricStat', 'Metric') ?? []);
  // These two metrics of the account have no dimensions.
  expect(watched).toEqual(['BounceRate', 'ComplaintRate'].map((name) => ({ Namespace: 'AWS/SES', MetricName: `Reputation.${name}` })));
  const expression = metrics.map((metric) => at(metric, 'Expression')).find((text) => typeof text === 'string');
  expect(expression).toBe('100 * MAX([FILL(bounces, 0) / 0.05, FILL(complaints, 0) / 0.001])');
  expect(alarm?.['Threshold']).toBeLessThan(100);
});

test('without Amazon SES, there is no alarm for its metrics, because it would only cost money', () =>
  expect(alarms(plain).map(nameOf)).toEqual(
    alarms()
      .map(nameOf)
      .filter((name) => name !== 'mails-bouncing'),
  ));

test('missing data triggers an alarm only for a metric that is published every minute', () => {
  const breaching = alarms()
    .filter((alarm) => alarm['TreatMissingData'] === 'breaching')
    .map(nameOf);
  expect(breaching).toEqual(['pending-events']);
});

// The last part of the runbook also contains sections that belong to no alarm, such as those about leaked credentials. These sections begin
// with headings of the third level, so the text is cut at the first such heading.
describe.each([...entries])("the runbook's entry %s", (_name, whole) => {
  const text = whole.split('\n### ')[0] ?? '';
  test('the entry has the sections Description, Investigation and Resolution', () => {
    expect([...text.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, section]) => section)).toEqual([
      'Description',
      'Investigation',
      'Resolution',
    ]);
  });

  test('the entry names only log codes that the functions use, and links only to existing entries', () => {
    for (const [, word = ''] of text.matchAll(/`([A-Z]+_[A-Z_]+)`/g)) expect([word, code.includes(`'${word}'`)]).toEqual([word, true]);
    for (const [, anchor = ''] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect([...entries.keys()]).toContain(anchor);
  });
});

test('the cost table in docs/operations.md has the numbers of alarms, secrets and dashboards in the template', () => {
  const counted = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const metricsIn = (of: Template): number =>
    alarms(of).reduce(
      (sum, alarm) =>
        sum + ((alarm['Metrics'] as unknown[] | undefined)?.filter((metric) => at(metric, 'MetricStat') !== undefined).length ?? 1),
      0,
    );
  const inAlarms = metricsIn(plain);
  expect(counted).toContain(`| ${inAlarms} metrics in alarms, the first 10 of an account free | ${((inAlarms - 10) / 10).toFixed(2)} |`);
  const ofSes = metricsIn(template) - inAlarms;
  expect(counted).toContain(
    `If the stage sends mail through Amazon SES, ${ofSes} more metrics in alarms cost $${(ofSes / 10).toFixed(2)}.`,
  );
  const secrets = ofType(plain, 'AWS::SecretsManager::Secret').length;
  expect(counted).toContain(`| ${secrets} secrets | ${(secrets * 0.4).toFixed(2)} |`);
  expect(counted).toContain(`| ${ofType(plain, 'AWS::CloudWatch::Dashboard').length} dashboards,`);
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
    // References to alarms have the same format as metrics, but are not metrics.
    return [...text.matchAll(/(?<!"Fn::GetAtt":)\["([\w/]+)","([\w.]+)"/g)].map(
      ([, namespace = '', name = '']) => [namespace, name] as const,
    );
  };
  const shown = (): readonly Metric[] => dashboards().flatMap(shownOn);
  /** Every metric that an alarm or a dashboard uses. */
  const watched = (): readonly Metric[] => {
    const own = alarms().flatMap((alarm) => [
      alarm,
      ...((alarm['Metrics'] ?? []) as unknown[]).map((metric) => at(metric, 'MetricStat', 'Metric')),
    ]);
    return [...shown(), ...own.map((metric) => [String(at(metric, 'Namespace')), String(at(metric, 'MetricName'))] as const)];
  };

  test('every metric of the service that an alarm or a dashboard uses is published by the functions', () => {
    const ours = watched()
      .filter(([namespace]) => namespace === METRIC_NAMESPACE)
      .map(([, name]) => name);
    const [throttled] = ofType(template, 'AWS::Logs::MetricFilter').map(([, filter]) =>
      String(at(filter, 'Properties', 'MetricTransformations', 0, 'MetricName')),
    );
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.filter((name) => name !== throttled && !metricNames.some((known) => known === name))).toEqual([]);
  });

  test('a dashboard or an alarm uses every metric that the functions publish', () => {
    const names = watched().map(([, name]) => name);
    for (const name of metricNames) expect(names).toContain(name);
  });

  test('the dashboards stay free of charge: at most three dashboards with at most 50 metrics each', () => {
    expect(shown().length).toBeGreaterThan(30);
    expect(dashboards().length).toBeLessThanOrEqual(3);
    for (const body of dashboards()) expect(shownOn(body).length).toBeLessThanOrEqual(50);
  });

  test('the dashboard shows all alarms first', () => {
    const [first] = dashboards().filter((candidate) => JSON.stringify(candidate).includes('alarm'));
    const body = JSON.stringify(first);
    expect(references(first)).toEqual(expect.arrayContaining(ofType(template, 'AWS::CloudWatch::Alarm').map(([id]) => id)));
    expect(body.indexOf('"alarm')).toBeLessThan(body.indexOf('metric'));
  });
});
