import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Functions } from '../../../infra/local/lambda';
import * as schedules from '../../../infra/local/schedules';
import { TemplateError } from '../../../infra/local/template';
import { functionResource, startFunctions, templateOf, temporaryFolder, until, type Resources } from './support';

const log = join(temporaryFolder(), 'events');
/** A function that logs its event, runs for longer than the period, and reports whether another invocation ran at the same time. */
const slow = `
  const fs = require('node:fs');
  const marker = ${JSON.stringify(`${log}.running`)};
  exports.handler = async (event) => {
    fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ event, overlaps: fs.existsSync(marker) }) + '\\n');
    fs.writeFileSync(marker, '');
    await new Promise((go) => setTimeout(go, 40));
    fs.rmSync(marker);
    if (event.fail) throw new Error('on purpose');
  };`;

interface Line {
  readonly event: Record<string, unknown>;
  readonly overlaps: boolean;
}
const lines = (): Line[] =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : [];

const rule = (Properties: object): Resources[string] => ({ Type: 'AWS::Events::Rule', Properties });
const targets = (more: object = {}) => [{ Arn: { 'Fn::GetAtt': ['Slow', 'Arn'] }, Id: 'Target0', ...more }];

let functions: Functions;
const run = (resources: Resources, options: { longestPeriod?: number } = { longestPeriod: 10 }) => {
  const template = templateOf({ Slow: functionResource(slow), ...resources });
  functions = startFunctions(template);
  return schedules.start(template, { functions, ...options });
};
afterEach(() => functions.stop());

test('a schedule invokes its target repeatedly, with a shortened period, and never twice at the same time', async () => {
  const running = run({
    Sweep: rule({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Targets: targets() }),
    Off: rule({ ScheduleExpression: 'rate(1 minute)', State: 'DISABLED', Targets: targets({ Input: '{"off":true}' }) }),
    Pattern: rule({ EventPattern: {}, Targets: targets({ Input: '{"off":true}' }) }),
  });
  await until(() => lines().length >= 4);
  await running.stop();
  const count = lines().length;
  expect(lines().some(({ overlaps, event }) => overlaps || 'off' in event)).toBe(false);
  expect(lines()[0]!.event).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: ['arn:aws:events:us-east-1:000000000000:rule/Sweep'],
    detail: {},
  });
  // `stop` waits for the invocation in progress, so no invocation is running now.
  expect(existsSync(`${log}.running`)).toBe(false);
  expect(lines()).toHaveLength(count);
});

test('a target that failed is invoked again, and a schedule passes its input to the target', async () => {
  const running = run({
    Every: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: { ScheduleExpression: 'rate(2 hours)', Target: { ...targets()[0], Input: '{"fail":true}' } },
    },
  });
  await until(() => lines().filter(({ event }) => event['fail'] === true).length >= 2);
  await running.stop();
});

test('a period that is not shortened has its full length', async () => {
  const before = lines().length;
  const running = run({ Sweep: rule({ ScheduleExpression: 'rate(1 day)', Targets: targets() }) }, {});
  await running.stop();
  expect(lines()).toHaveLength(before);
});

test('the local run names a schedule that it does not support', () => {
  expect(() => run({ Nightly: rule({ ScheduleExpression: 'cron(0 3 * * ? *)', Targets: targets() }) })).toThrow(
    'Nightly (AWS::Events::Rule): the schedule "cron(0 3 * * ? *)" does not run locally; only rate(...) does.',
  );
});

// A developer who adds such a schedule learns the reason at the start. Otherwise the local run would end at the schedule's first run.
test.each([
  ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)', Targets: [{ Arn: 'arn:aws:sqs:us-east-1:0:jobs', Id: 'Target0' }] }],
  ['AWS::Scheduler::Schedule', { ScheduleExpression: 'rate(1 minute)', Target: { Arn: 'arn:aws:sqs:us-east-1:0:jobs' } }],
])('the local run names a schedule (%s) whose target is not a function', (Type, Properties) => {
  expect(() => run({ Enqueue: { Type, Properties } })).toThrow(
    new TemplateError(`Enqueue (${Type}) invokes arn:aws:sqs:us-east-1:0:jobs, which is not a function of the template.`),
  );
});
