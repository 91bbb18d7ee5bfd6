import { NO_BASE_PATH, VIEWER_BASE_PATH_HEADER } from '../../../lambdas/contract/edge';
import { basePath } from '../../../lambdas/runtime/http/response';
import type { APIGatewayProxyEvent } from 'aws-lambda';

/** A request in the form in which the API receives it, either directly or through the distribution. */
const request = (
  path: string,
  { stage = '', headers = {} }: { stage?: string; headers?: Record<string, string> } = {},
): APIGatewayProxyEvent =>
  ({
    httpMethod: 'GET',
    path,
    headers,
    requestContext: { path: `${stage}${path}`, requestId: 'r' },
    multiValueQueryStringParameters: null,
    queryStringParameters: null,
    pathParameters: null,
    body: null,
  }) as unknown as APIGatewayProxyEvent;
const fromDistribution = { stage: '/production', headers: { 'X-Svc-Base-Path': NO_BASE_PATH } };

describe('the part of the URL path before the path of the route', () => {
  test.each([
    ["the stage, on the API's own address", request('/v1/products', { stage: '/production' }), '/production'],
    ['nothing, by way of the distribution', request('/v1/products', fromDistribution), ''],
    ['nothing, in the local run', request('/v1/products'), ''],
    [
      'nothing that a caller invents',
      request('/v1/products', { stage: '/production', headers: { [VIEWER_BASE_PATH_HEADER]: '//evil.example' } }),
      '/production',
    ],
  ])('%s', (_case, event, expected) => expect(basePath(event)).toBe(expected));
});

describe('the response of GET / has links to the pages', () => {
  beforeAll(() => {
    process.env['PUBLIC_URL'] = 'https://d111111abcdef8.cloudfront.net';
  });
  afterAll(() => {
    delete process.env['PUBLIC_URL'];
  });

  async function links(event: APIGatewayProxyEvent): Promise<unknown> {
    const { handler } = await import('../../../lambdas/api/get-service');
    const { docs, admin, healthz } = JSON.parse((await handler(event)).body) as Record<string, string>;
    return { docs, admin, healthz };
  }

  test('through the distribution', async () =>
    expect(await links(request('/', fromDistribution))).toEqual({ docs: '/docs', admin: '/admin', healthz: '/healthz' }));
  test("on the API's own domain, which has no pages", async () =>
    expect(await links(request('/'))).toEqual({
      docs: 'https://d111111abcdef8.cloudfront.net/docs',
      admin: 'https://d111111abcdef8.cloudfront.net/admin',
      healthz: '/healthz',
    }));
  test('in the local run, where one URL serves everything', async () => {
    const { PUBLIC_URL } = process.env;
    delete process.env['PUBLIC_URL'];
    expect(await links(request('/'))).toEqual({ docs: '/docs', admin: '/admin', healthz: '/healthz' });
    process.env['PUBLIC_URL'] = PUBLIC_URL;
  });
  test("on the API's own URL, which has no pages", async () =>
    expect(await links(request('/', { stage: '/production' }))).toEqual({
      docs: 'https://d111111abcdef8.cloudfront.net/docs',
      admin: 'https://d111111abcdef8.cloudfront.net/admin',
      healthz: '/production/healthz',
    }));
});
