import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callAws } from '../../../infra/local/aws';
import * as eventSources from '../../../infra/local/event-sources';
import { defineFunctions, type Functions } from '../../../infra/local/lambda';
import * as sqs from '../../../infra/local/sqs';
import { TemplateError } from '../../../infra/local/template';
import { functionResource, startFunctions, templateOf, temporaryFolder, until, type Resources } from './support';

/**
 * A function that logs each batch as a line and reports the messages whose body begins with `fail` as failed. The body `poison` makes the
 * whole batch fail.
 */
const consumer = (log: string) => `
  const fs = require('node:fs');
  exports.handler = async (event) => {
    fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(event) + '\\n');
    const bodies = event.Records.map(({ body }) => body);
    if (bodies.includes('poison')) throw new Error('poisoned');
    if (bodies.includes('nonsense')) return { batchItemFailures: [{ itemIdentifier: 'nobody' }] };
    return { batchItemFailures: event.Records.filter(({ body }) => body.startsWith('fail')).map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };`;

/** A function that logs each message on arrival. It takes 2 s for a batch in which a message's body begins with `hang`. */
const hanging = (file: string) => `
  const fs = require('node:fs');
  exports.handler = async ({ Records }) => {
    for (const record of Records) fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify(record) + '\\n');
    if (Records.some(({ body }) => body.startsWith('hang'))) await new Promise((resolve) => setTimeout(resolve, 2000));
  };`;
const sharedLog = join(temporaryFolder(), 'shared');
const handled = (): SQSRecord[] =>
  existsSync(sharedLog)
    ? readFileSync(sharedLog, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SQSRecord)
    : [];

let queues: sqs.Queues;
let functions: Functions;
let sources: eventSources.EventSources;
let urls: Record<string, string>;
const log = join(temporaryFolder(), 'batches');

const queue = (more: object = {}): Resources[string] => ({ Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 2, ...more } });
const mapping = (queueId: string, more: object = {}): Resources[string] => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: { 'Fn::GetAtt': [queueId, 'Arn'] },
    FunctionName: { Ref: 'Consumer' },
    BatchSize: 5,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 2 },
    ...more,
  },
});

const role = (...Action: string[]): Resources[string] => ({
  Type: 'AWS::IAM::Role',
  Properties: { Policies: [{ PolicyName: 'own', PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: '*' }] } }] },
});

const call = <Answer>(action: string, input: object) => callAws<Answer>(queues.endpoint, sqs.sqsTarget(action), input);
const send = (id: string, body: string, more: object = {}) => call('SendMessage', { QueueUrl: urls[id], MessageBody: body, ...more });
const batches = (): SQSEvent[] =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SQSEvent)
    : [];
const deliveries = (body: string) => batches().filter(({ Records }) => Records.some((record) => record.body === body));
const isEmpty = async (id: string) => {
  const { Attributes } = await call<{ Attributes: Record<string, string> }>('GetQueueAttributes', {
    QueueUrl: urls[id],
    AttributeNames: ['All'],
  });
  return Attributes['ApproximateNumberOfMessages'] === '0' && Attributes['ApproximateNumberOfMessagesNotVisible'] === '0';
};

beforeAll(async () => {
  queues = await sqs.start();
  const template = templateOf({
    Consumer: functionResource(consumer(log), { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } }),
    Role: role('sqs:*'),
    Work: queue({
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 2 },
      MessageRetentionPeriod: 600,
    }),
    Dead: queue({ QueueName: 'dead-letters', DelaySeconds: '0' }),
    Windowed: queue(),
    Off: queue(),
    Hanging: functionResource(hanging(sharedLog), { Role: { 'Fn::GetAtt': ['Role', 'Arn'] }, Timeout: 30 }),
    Shared: queue({ VisibilityTimeout: 5 }),
    SharedSource: mapping('Shared', { BatchSize: 10, FunctionName: { Ref: 'Hanging' }, ScalingConfig: { MaximumConcurrency: 100 } }),
    WorkSource: mapping('Work'),
    WindowedSource: mapping('Windowed', { BatchSize: 3, MaximumBatchingWindowInSeconds: 20, ScalingConfig: undefined }),
    OffSource: mapping('Off', { Enabled: false }),
  });
  urls = await sqs.createQueues(template, queues);
  defineFunctions(template);
  functions = startFunctions(template, { instances: eventSources.concurrency(template) });
  sources = eventSources.start(template, {
    functions,
    endpoint: queues.endpoint,
    queueUrls: urls,
    log: (text) => appendFileSync(`${log}.errors`, text),
  });
});
afterAll(async () => {
  await sources?.stop();
  await functions?.stop(0);
  await queues?.stop();
});

test('queues have the settings of the template, and addresses that resolve', async () => {
  expect(urls['Dead']).toBe(`${queues.endpoint}/000000000000/dead-letters`);
  const { Attributes } = await call<{ Attributes: Record<string, string> }>('GetQueueAttributes', {
    QueueUrl: urls['Work'],
    AttributeNames: ['All'],
  });
  expect(Attributes).toMatchObject({
    VisibilityTimeout: '2',
    MessageRetentionPeriod: '600',
    QueueArn: 'arn:aws:sqs:us-east-1:000000000000:Work',
  });
  expect(JSON.parse(Attributes['RedrivePolicy']!)).toEqual({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dead-letters',
    maxReceiveCount: '2',
  });
  expect(await call('GetQueueUrl', { QueueName: 'dead-letters' })).toEqual({ QueueUrl: urls['Dead'] });
});

test('a message reaches the function in the format of Lambda, and is then deleted', async () => {
  await send('Work', 'hello', { MessageAttributes: { kind: { DataType: 'String', StringValue: 'x' } } });
  await until(() => deliveries('hello').length > 0);
  const record = deliveries('hello')[0]!.Records.find(({ body }) => body === 'hello');
  expect(record).toEqual({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: 'hello',
    attributes: expect.objectContaining({ ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) }),
    messageAttributes: { kind: { stringValue: 'x', stringListValues: [], binaryListValues: [], dataType: 'String' } },
    md5OfBody: '5d41402abc4b2a76b9719d911017c592',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Work',
    awsRegion: 'us-east-1',
  });
  await until(() => isEmpty('Work'));
});

test('only the failed messages of a batch are retried, and then move to the dead-letter queue', async () => {
  await Promise.all([send('Work', 'fail'), send('Work', 'fine')]);
  await until(() => deliveries('fail').length === 2);
  await until(async () => (await isEmpty('Work')) && !(await isEmpty('Dead')));
  expect(deliveries('fine')).toHaveLength(1);
  expect(deliveries('fail')).toHaveLength(2);
  await call('PurgeQueue', { QueueUrl: urls['Dead'] });
});

test.each(['poison', 'nonsense'])('the message %s makes the whole batch fail', async (body) => {
  await send('Work', body);
  await until(() => deliveries(body).length === 2);
  await until(async () => (await isEmpty('Work')) && !(await isEmpty('Dead')));
  await call('PurgeQueue', { QueueUrl: urls['Dead'] });
});

test('a batch waits for more messages until its window ends, unless the batch is full', async () => {
  await Promise.all(['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9', 'w10', 'w11'].map((body) => send('Windowed', body)));
  // The test stops waiting before the batch window ends. Until then only full batches arrive, and eleven messages fill several batches of
  // three.
  await until(() => batches().some(({ Records }) => Records.length === 3 && Records[0]!.body.startsWith('w')));
  const windowed = batches().filter(({ Records }) => Records.some(({ body }) => body.startsWith('w')));
  expect(windowed.map(({ Records }) => Records.length)).toEqual(windowed.map(() => 3));
});

test('140 messages of a group whose receiver hangs do not delay other groups, and none is delivered twice while it waits', async () => {
  await Promise.all(Array.from({ length: 140 }, (_, n) => send('Shared', `hang ${n}`, { MessageGroupId: 'hanging' })));
  await until(() => handled().length >= 40);
  for (const group of ['second', 'third']) await send('Shared', `quick ${group}`, { MessageGroupId: group });
  // The last messages wait for longer than the queue's visibility timeout.
  await until(() => handled().length >= 142, 60_000);
  await until(() => isEmpty('Shared'));
  expect(handled()).toHaveLength(142);
  // The order of the two other groups is not defined, so the test sorts the messages.
  const quick = handled()
    .filter(({ body }) => body.startsWith('quick'))
    .sort((a, b) => a.body.localeCompare(b.body));
  expect(quick.map(({ attributes }) => attributes)).toMatchObject([
    { MessageGroupId: 'second', ApproximateReceiveCount: '1' },
    { MessageGroupId: 'third' },
  ]);
  expect(quick.map(({ messageAttributes }) => messageAttributes)).toEqual([{}, {}]);
  // The messages of the other groups arrived last, when about a hundred messages were waiting.
  for (const record of quick) expect(handled().findIndex(({ body }) => body === record.body)).toBeLessThan(90);
});

test('the local run names a function whose role may not poll its queue', () => {
  const template = templateOf({
    Consumer: functionResource('', { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } }),
    Role: role('sqs:ReceiveMessage', 'sqs:GetQueueAttributes'),
    Work: queue(),
    Source: mapping('Work'),
  });
  template.define('Work', { Ref: 'u', Arn: 'arn:aws:sqs:us-east-1:000000000000:Work' });
  const theirs = startFunctions(template);
  expect(() =>
    eventSources.start(template, { functions: theirs, endpoint: queues.endpoint, queueUrls: { Work: 'u' }, log: () => undefined }),
  ).toThrow(/Consumer does not allow sqs:DeleteMessage/);
});

// With too few instances, a function with several queues would handle fewer batches at the same time than the template allows.
test('a function gets enough instances for the batches of all its queues', () => {
  const template = templateOf({
    Consumer: functionResource(''),
    First: mapping('First', { EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:first', ScalingConfig: { MaximumConcurrency: 5 } }),
    Second: mapping('Second', { EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:second', ScalingConfig: { MaximumConcurrency: 4 } }),
    Off: mapping('Off', { EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:off', Enabled: false }),
  });
  defineFunctions(template);
  expect(eventSources.concurrency(template)).toEqual(new Map([['Consumer', 9]]));
});

test('a disabled event source mapping does not poll its queue', async () => {
  await send('Off', 'ignored');
  await send('Work', 'after');
  await until(() => deliveries('after').length === 1);
  expect(deliveries('ignored')).toHaveLength(0);
});

test('the local run names an event source mapping that it does not support', () => {
  const template = templateOf({
    Consumer: functionResource(''),
    Source: mapping('Nowhere', { EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:x' }),
  });
  const theirs = startFunctions(template);
  expect(() => eventSources.start(template, { functions: theirs, endpoint: queues.endpoint, queueUrls: {}, log: () => undefined })).toThrow(
    TemplateError,
  );
  const filtered = templateOf({
    Consumer: functionResource(''),
    Work: queue(),
    Source: mapping('Work', { FilterCriteria: { Filters: [] } }),
  });
  filtered.define('Work', { Ref: 'u', Arn: 'arn:aws:sqs:us-east-1:000000000000:Work' });
  const others = startFunctions(filtered);
  expect(() =>
    eventSources.start(filtered, { functions: others, endpoint: queues.endpoint, queueUrls: { Work: 'u' }, log: () => undefined }),
  ).toThrow(/filters do not run locally/);
});
