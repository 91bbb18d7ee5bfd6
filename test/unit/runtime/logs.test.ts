import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { METRIC_NAMESPACE } from '../../../lambdas/contract/metrics';
import { redact } from '../../../lambdas/runtime/observability/redact';

const shown = (value: unknown): string => JSON.stringify(value, redact);

describe('secrets that must never be in a log', () => {
  test.each([
    ['a license key', 'no license 7F3KQ-9XM2P-4RTVA-B6CDE-HJNWZ here'],
    ['a license key in small letters with spaces', 'no license 7f3kq 9xm2p 4rtva b6cde hjnwz here'],
    ['a license key in one piece', 'key=7F3KQ9XM2P4RTVAB6CDEHJNWZ&fingerprint=x'],
    ['a license key in one piece, in small letters', 'key=7f3kq9xm2p4rtvab6cdehjnwz'],
    ['an offline token', 'bad token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!'],
    ['an API key', 'refused pk_Zm9vYmFyYmF6cXV4-_12'],
    ['a webhook secret', 'signed with whsec_Zm9vYmFy+/YmF6cXV4=='],
    ['an e-mail address', 'no mailbox for ada@example.com (550)'],
    ['user and password of a server', 'connect to smtps://mailer:hunter2@mail.example.com:465 failed'],
  ])('%s, in every part of a log line', (_what, text) => {
    const line = shown({ message: text, error: { message: text, stack: [`Error: ${text}`] } });
    expect(line).toContain('[redacted]');
    expect(line).not.toMatch(/7F3KQ|eyJ|pk_|whsec_|ada@|hunter2|c2lnbmF0dXJl/i);
  });

  test.each([
    'key',
    'api_key',
    'X-API-Key',
    'X-Svc-Admin-Token',
    'offline_token',
    'secret',
    'password',
    'Authorization',
    'customer_email',
    'metadata',
  ])('the value of a field called %s', (name) =>
    expect(shown({ headers: { [name]: { any: 'thing' } } })).toBe(`{"headers":{"${name}":"[redacted]"}}`),
  );

  test('a long e-mail address is removed completely, and a text with many addresses loses all of them', () => {
    expect(shown(`${'a'.repeat(200)}@example.com, ada@example.com;bob@sub.example.co`)).toBe('"[redacted], [redacted];[redacted]"');
    expect(shown('/home/用户@例子.广告/x')).not.toContain('例子');
  });

  test('stack traces stay unchanged: the scope of an npm package is not an e-mail address', async () => {
    const caught = async (fails: () => unknown): Promise<string> => {
      try {
        await fails();
      } catch (error) {
        return (error as Error).stack ?? '';
      }
      throw new Error('It did not fail');
    };
    const client = new DynamoDBClient({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    const stacks = [
      await caught(() => client.send(new ListTablesCommand())),
      await caught(() => client.send(new GetItemCommand({ TableName: undefined, Key: undefined }))),
      await caught(() => z.object({ a: z.string() }).parse({})),
      'Error\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at x (/a/@b/c.js:1:1)',
      'Error\n    at f (/opt/app/node_modules/.pnpm/@smithy+core@3.1.2_@aws-sdk+x@3.1162.0/node_modules/@smithy/core/dist-cjs/index.js:215:23)',
      'Error\n    at async Runtime.handleOnceNonStreaming (file:///var/runtime/index.mjs:1173:29)\n    at /var/task/webpack:/@middy/core/index.js:98:22',
    ];
    for (const stack of stacks) {
      expect(stack).toMatch(/\n +at /);
      expect(JSON.parse(shown({ error: { stack } }))).toEqual({ error: { stack } });
    }
    client.destroy();
  });

  test.each([
    ['no address at all', 'a'],
    ['what an address ends with', '@'],
    ['domains without an end', '@a.'],
    ['beginnings of tokens', 'eyJ-'],
    ['slashes', '//'],
    ['digits', '1'],
  ])('a megabyte of %s costs no more than its length: a quadratic pattern would take minutes', (_what, part) => {
    expect(shown(part.repeat(1_000_000 / part.length))).not.toBe('');
  });

  test('data that helps to find a fault stays in the log', () => {
    const fields = {
      event_id: '0000000001000000020123456789abcd',
      product_id: 7,
      url: 'https://example.com/hook',
      reason: 'connect ECONNREFUSED 203.0.113.7:443',
      request_id: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
    };
    expect(JSON.parse(shown(fields))).toEqual(fields);
  });
});

describe('in Lambda', () => {
  const environment = { ...process.env };
  let written: string[];
  beforeEach(() => {
    jest.resetModules();
    Object.assign(process.env, { AWS_LAMBDA_FUNCTION_NAME: 'activate', STAGE: 'production', LOG_LEVEL: 'WARN' });
    written = [];
    for (const stream of [process.stdout, process.stderr])
      jest.spyOn(stream, 'write').mockImplementation((text) => Boolean(written.push(String(text))));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = { ...environment };
  });
  const lines = (): Record<string, unknown>[] => written.map((line) => JSON.parse(line) as Record<string, unknown>);

  test('a line is one JSON object with a stable code, redacted, with the error that led to it', async () => {
    const { log } = await import('../../../lambdas/runtime/observability/log');
    log.info('NOT_SHOWN');
    log.error('UNEXPECTED_ERROR', { operation: 'activate', request_id: 'r-1' }, new Error('no mailbox for ada@example.com'));
    log.warn('EVENT_NOT_QUEUED', { event_id: 'e' }, 'a text that was thrown');
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        message: 'UNEXPECTED_ERROR',
        operation: 'activate',
        request_id: 'r-1',
        service: 'license-key-service',
        error: expect.objectContaining({ name: 'Error', message: 'no mailbox for [redacted]', stack: expect.any(String) }),
      }),
      expect.objectContaining({ level: 'WARN', message: 'EVENT_NOT_QUEUED', error: 'a text that was thrown' }),
    ]);
    expect(JSON.stringify(lines())).not.toContain('ada@');
  });

  test('a metric is a line in the embedded metric format, at any log level', async () => {
    const { count, duration } = await import('../../../lambdas/runtime/observability/metrics');
    count('license.activated');
    duration('events.pending_age', 61_500);
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            { Namespace: METRIC_NAMESPACE, Dimensions: [['stage']], Metrics: [{ Name: 'license.activated', Unit: 'Count' }] },
          ],
        },
        stage: 'production',
        'license.activated': 1,
      },
      expect.objectContaining({ 'events.pending_age': 61.5 }),
    ]);
  });
});
