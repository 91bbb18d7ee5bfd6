import { METRIC_NAMESPACE } from '../../../lambdas/contract/metrics';
import { redact } from '../../../lambdas/runtime/observability/redact';

const shown = (value: unknown): string => JSON.stringify(value, redact);

describe('what must never be in a log', () => {
  test.each([
    ['a license key', 'no license 7F3KQ-9XM2P-4RTVA-B6CDE-HJNWZ here'],
    ['a license key in small letters with spaces', 'no license 7f3kq 9xm2p 4rtva b6cde hjnwz here'],
    ['a license key in one piece', 'key=7F3KQ9XM2P4RTVAB6CDEHJNWZ&fingerprint=x'],
    ['an offline token', 'bad token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!'],
    ['an API key', 'refused pk_Zm9vYmFyYmF6cXV4-_12'],
    ['a webhook secret', 'signed with whsec_Zm9vYmFy+/YmF6cXV4=='],
    ['an e-mail address', 'no mailbox for ada@example.com (550)'],
    ['user and password of a server', 'connect to smtps://mailer:hunter2@mail.example.com:465 failed'],
  ])('%s, wherever it is quoted', (_what, text) => {
    const line = shown({ message: text, error: { message: text, stack: [`Error: ${text}`] } });
    expect(line).toContain('[redacted]');
    expect(line).not.toMatch(/7F3KQ|eyJ|pk_|whsec_|ada@|hunter2|c2lnbmF0dXJl/i);
  });

  test.each(['key', 'api_key', 'X-API-Key', 'X-Svc-Admin-Token', 'offline_token', 'secret', 'password', 'Authorization', 'customer_email', 'metadata'])(
    'the value of a field called %s',
    (name) => expect(shown({ headers: { [name]: { any: 'thing' } } })).toBe(`{"headers":{"${name}":"[redacted]"}}`),
  );

  test('what helps to find a fault stays', () => {
    const fields = { event_id: '0000000001000000020123456789abcd', product_id: 7, url: 'https://example.com/hook', reason: 'connect ECONNREFUSED 203.0.113.7:443', request_id: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef' };
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
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation((text) => Boolean(written.push(String(text))));
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

  test('a metric is a line in the embedded metric format, whatever the level of the log', async () => {
    const { count, duration } = await import('../../../lambdas/runtime/observability/metrics');
    count('license.activated');
    duration('events.pending_age', 61_500);
    expect(lines()).toEqual([
      {
        _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [['stage']], Metrics: [{ Name: 'license.activated', Unit: 'Count' }] }] },
        stage: 'production',
        'license.activated': 1,
      },
      expect.objectContaining({ 'events.pending_age': 61.5 }),
    ]);
  });
});
