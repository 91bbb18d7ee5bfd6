import * as gateway from '../../../infra/local/gateway';
import { readThrottles } from '../../../infra/local/gateway-throttles';
import { loadTemplate } from '../../../infra/local/template';
import { endpoints } from '../../../lambdas/contract';
import { send } from '../../support/http';
import { functionResource, invocationUri, restApi, startFunctions, templateOf, type Resources } from './support';

/** The local run refuses requests beyond a route's limit as AWS does, so developers see the refusal before their users do. */

const stage = (...limits: [method: string, path: string, rate: number, burst: number][]): Resources => ({
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      StageName: 'try',
      MethodSettings: limits.map(([HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit]) => ({
        HttpMethod,
        ResourcePath,
        ThrottlingRateLimit,
        ThrottlingBurstLimit,
      })),
    },
  },
});

test('each route accepts its burst at once, and then its own rate of requests', () => {
  let now = 0;
  const passes = readThrottles(templateOf(stage(['*', '/*', 1, 1], ['POST', '/~1v1~1things', 10, 3], ['GET', '/', 5, 2])), () => now);
  const count = (method: string, path: string, tries = 10): number =>
    Array.from({ length: tries }, () => passes(method, path)).filter(Boolean).length;
  expect(count('POST', '/v1/things')).toBe(3);
  expect(count('GET', '/')).toBe(2);
  now += 100;
  expect(count('POST', '/v1/things')).toBe(1);
  now += 60_000;
  expect(count('POST', '/v1/things')).toBe(3);
  // A method without its own limit, such as a preflight, has the stage's limit.
  expect(count('OPTIONS', '/v1/things')).toBe(1);
  expect(count('GET', '/v1/things')).toBe(1);
  expect(readThrottles(templateOf(stage()))('GET', '/')).toBe(true);
});

test('every endpoint has the same limit in the local run as in a deployment', () => {
  const passes = readThrottles(loadTemplate(process.env['LKS_ASSEMBLY'] ?? ''), () => 0);
  for (const { name, method, path } of endpoints) {
    let taken = 0;
    while (taken < 10_000 && passes(method, path)) taken += 1;
    expect([name, taken > 0 && taken <= 2000]).toEqual([name, true]);
  }
});

test("a throttled request gets the gateway's own response, and does not reach the function", async () => {
  const template = templateOf({
    Counter: functionResource('let n = 0; exports.handler = async () => ({ statusCode: 200, body: String(++n) });'),
    Api: restApi(
      { '/': { get: { 'x-amazon-apigateway-integration': { type: 'aws_proxy', uri: invocationUri('Counter') } } } },
      {
        'x-amazon-apigateway-gateway-responses': {
          THROTTLED: {
            statusCode: 429,
            responseParameters: { 'gatewayresponse.header.X-Svc-Error-Code': "'rate_limited'" },
            responseTemplates: { 'application/json': '{"detail":"Too many requests"}' },
          },
        },
      },
    ),
    // The rate is so low that it permits no further request during the test, even on a slow computer.
    ...stage(['GET', '/', 0.0001, 2]),
  });
  const functions = startFunctions(template);
  const run = async (throttle?: boolean) => {
    const { baseUrl, stop } = await gateway.start(template, {
      functions,
      host: '127.0.0.1',
      port: 0,
      ...(throttle !== undefined && { throttle }),
    });
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await send('/', { baseUrl }));
    await stop();
    return answers;
  };
  const [first, second, third] = await run();
  expect([first?.text, second?.text]).toEqual(['1', '2']);
  expect([third?.status, third?.text, third?.headers['x-svc-error-code'], third?.headers['content-type']]).toEqual([
    429,
    '{"detail":"Too many requests"}',
    'rate_limited',
    'application/json',
  ]);
  expect((await run(false)).map(({ text }) => text)).toEqual(['3', '4', '5']);
  await functions.stop(0);
});
