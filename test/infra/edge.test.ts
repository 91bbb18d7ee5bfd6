import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { endpoints } from '../../lambdas/contract';
import { errors } from '../../lambdas/contract/errors';
import { NO_BASE_PATH, ORIGIN_SECRET_HEADER, VIEWER_BASE_PATH_HEADER } from '../../lambdas/contract/edge';
import { TOKEN_BYTES } from '../../lambdas/use-cases/payments/secrets';
import { pageHeaders } from '../../lambdas/domain/unsubscribe-page';
import { securityHeaders } from '../../infra/page-headers';
import { send } from '../support/http';
import { synthesizedStage } from '../support/stages';
import { at, ofType, only, references, type Resource, type Template } from '../support/template';

let template: Template;
beforeAll(async () => {
  ({ template } = await synthesizedStage('plain'));
});

const distribution = (): unknown => at(only(template, 'AWS::CloudFront::Distribution')[1], 'Properties', 'DistributionConfig');
const behaviors = (): readonly unknown[] => at(distribution(), 'CacheBehaviors') as unknown[];
const isPage = (behavior: unknown): boolean => /^\/(admin|docs|portal)/.test(String(at(behavior, 'PathPattern')));
const pages = (): readonly unknown[] => behaviors().filter(isPage);
const isNotifications = (behavior: unknown): boolean => /^\/v1\/payments\//.test(String(at(behavior, 'PathPattern')));
const isLogos = (behavior: unknown): boolean => at(behavior, 'PathPattern') === '/logos/*';
/** Whether CloudFront's pattern matches a path: `*` stands for any text, also with slashes. */
function isMatch(pattern: string, path: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  if (end === undefined) return path === start;
  let rest = path.startsWith(start) ? path.slice(start.length) : undefined;
  for (const part of parts) rest = rest?.includes(part) ? rest.slice(rest.indexOf(part) + part.length) : undefined;
  return rest?.endsWith(end) ?? false;
}
const isCached = (behavior: unknown): boolean => references(at(behavior, 'CachePolicyId')).length > 0;
const cached = (): readonly unknown[] => behaviors().filter((behavior) => !isPage(behavior) && !isLogos(behavior) && isCached(behavior));
/** The bucket of the pages, as opposed to the bucket of release files. */
function bucketOfPages(): readonly [string, Resource] {
  const found = ofType(template, 'AWS::S3::Bucket').find(([id]) => id.startsWith('Site'));
  if (!found) throw new Error('There is no bucket of the pages');
  return found;
}
const originOf = (behavior: unknown): unknown =>
  (at(distribution(), 'Origins') as unknown[]).find((origin) => at(origin, 'Id') === at(behavior, 'TargetOriginId'));
const policyOf = (behavior: unknown): unknown =>
  at(
    template.Resources,
    ...references(at(behavior, 'ResponseHeadersPolicyId')),
    'Properties',
    'ResponseHeadersPolicyConfig',
    'SecurityHeadersConfig',
  );

describe('the CloudFront distribution', () => {
  test('the distribution forwards everything except the pages to the API, uncached, with every header except Host', () => {
    const behavior = at(distribution(), 'DefaultCacheBehavior');
    expect(behavior).toEqual(
      expect.objectContaining({
        // These ids belong to AWS's managed policies CachingDisabled and AllViewerExceptHostHeader.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
      }),
    );
    expect(at(behavior, 'AllowedMethods')).toEqual(expect.arrayContaining(['GET', 'POST', 'OPTIONS']));
    const origin = originOf(behavior);
    expect(at(origin, 'OriginPath')).toBe('/production');
    expect(at(origin, 'CustomOriginConfig', 'OriginProtocolPolicy')).toBe('https-only');
    const [secret = ''] = ofType(template, 'AWS::SecretsManager::Secret')
      .filter(([, { Properties }]) => /^Proves to the API/.test(String(Properties['Description'])))
      .map(([id]) => id);
    expect([...references(origin)].sort()).toEqual([only(template, 'AWS::ApiGateway::RestApi')[0], secret].sort());
    expect(at(origin, 'OriginCustomHeaders')).toEqual([
      { HeaderName: VIEWER_BASE_PATH_HEADER, HeaderValue: NO_BASE_PATH },
      {
        HeaderName: ORIGIN_SECRET_HEADER,
        HeaderValue: { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secret }, ':SecretString:::}}']] },
      },
    ]);
  });

  test('the distribution tells the country to the routes that store it, with the headers that they need, and changes no other route', () => {
    const forwarded = endpoints.map(({ name, path, storesCountry = false }) => {
      const first = behaviors().find((behavior) => isMatch(String(at(behavior, 'PathPattern')), path));
      const [policy] = references(at(first ?? at(distribution(), 'DefaultCacheBehavior'), 'OriginRequestPolicyId'));
      return { name, storesCountry, policy };
    });
    const storing = forwarded.filter(({ storesCountry }) => storesCountry);
    expect(storing.map(({ name }) => name).sort()).toEqual(['activate', 'createActivationRequest', 'startTrial', 'validate']);
    const [{ policy = '' } = {}] = storing;
    expect(forwarded.filter((row) => row.policy === policy)).toEqual(storing);
    const config = at(template.Resources, policy, 'Properties', 'OriginRequestPolicyConfig');
    const headers = at(config, 'HeadersConfig', 'Headers');
    expect(headers).toEqual(expect.arrayContaining(['CloudFront-Viewer-Country', 'X-API-Key', 'X-Svc-Token', 'Content-Type', 'Origin']));
    expect(headers).not.toContain('Host');
    expect(at(config, 'QueryStringsConfig', 'QueryStringBehavior')).toBe('all');
  });

  test('the distribution waits for a response of the API at least as long as the gateway does', () =>
    expect(
      Number(at(originOf(at(distribution(), 'DefaultCacheBehavior')), 'CustomOriginConfig', 'OriginReadTimeout') ?? 30),
    ).toBeGreaterThanOrEqual(29));

  test('the distribution serves the pages from their bucket, which only the distribution may read', () => {
    expect(pages().map((behavior) => at(behavior, 'PathPattern'))).toEqual(['/admin', '/admin/*', '/docs', '/docs/*', '/portal/*']);
    const [bucket, { Properties }] = bucketOfPages();
    for (const behavior of pages()) {
      expect(at(behavior, 'ViewerProtocolPolicy')).toBe('redirect-to-https');
      expect(references(originOf(behavior))).toEqual(
        expect.arrayContaining([bucket, only(template, 'AWS::CloudFront::OriginAccessControl')[0]]),
      );
    }
    expect(Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const [, policy] = ofType(template, 'AWS::S3::BucketPolicy').find(([, one]) => at(one, 'Properties', 'Bucket', 'Ref') === bucket) ?? [];
    const allowed = (at(policy, 'Properties', 'PolicyDocument', 'Statement') as unknown[]).filter(
      (statement) => at(statement, 'Effect') === 'Allow',
    );
    for (const statement of allowed) {
      expect(at(statement, 'Principal')).toEqual({ Service: 'cloudfront.amazonaws.com' });
      expect(references(at(statement, 'Condition', 'StringEquals', 'AWS:SourceArn'))).toEqual([
        only(template, 'AWS::CloudFront::Distribution')[0],
      ]);
    }
    expect(allowed.flatMap((statement) => at(statement, 'Action')).sort()).toEqual(['s3:GetObject', 's3:ListBucket']);
  });

  test('the distribution serves logos from the bucket of files, only to readers, and caches them', () => {
    const [behavior, ...more] = behaviors().filter(isLogos);
    expect(more).toEqual([]);
    // The id belongs to AWS's managed policy CachingOptimized.
    expect(behavior).toMatchObject({ ViewerProtocolPolicy: 'redirect-to-https', CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6' });
    expect(at(behavior, 'AllowedMethods') ?? ['GET', 'HEAD']).toEqual(['GET', 'HEAD']);
    const [, files] = ofType(template, 'AWS::S3::Bucket').find(([id]) => id.startsWith('Files')) ?? [];
    const { DomainName, OriginAccessControlId } = originOf(behavior) as Record<string, unknown>;
    // The distribution is created before the bucket, so it must not refer to the bucket, but its name must be the same.
    const [name] = JSON.stringify(at(files, 'Properties', 'BucketName')).match(/"production-releases".*/) ?? ['no name'];
    expect(JSON.stringify(DomainName)).toContain(name.slice(0, name.indexOf('AWS::StackId')));
    expect(references(OriginAccessControlId)).toEqual([only(template, 'AWS::CloudFront::OriginAccessControl')[0]]);
  });

  test('the distribution caches and compresses only the responses that the contract makes public, with the path as the only cache key', () => {
    const public_ = endpoints.filter(({ maxAgeSeconds }) => maxAgeSeconds !== undefined);
    expect(public_.map(({ name }) => name).sort()).toEqual(['getJwks', 'getOpenapi']);
    for (const row of public_) expect([row.credential, row.method]).toEqual(['none', 'GET']);
    expect(
      cached()
        .map((behavior) => at(behavior, 'PathPattern'))
        .sort(),
    ).toEqual(public_.map(({ path }) => path.replace(/\{\w+\}/g, '*')).sort());
    for (const behavior of cached()) {
      expect([at(behavior, 'Compress'), originOf(behavior)]).toEqual([true, originOf(at(distribution(), 'DefaultCacheBehavior'))]);
      const policy = at(template.Resources, ...references(at(behavior, 'CachePolicyId')), 'Properties', 'CachePolicyConfig');
      expect(policy).toEqual(
        expect.objectContaining({ MinTTL: 0, DefaultTTL: 0, MaxTTL: Math.max(...public_.map(({ maxAgeSeconds = 0 }) => maxAgeSeconds)) }),
      );
      const key = at(policy, 'ParametersInCacheKeyAndForwardedToOrigin');
      expect([at(key, 'CookiesConfig'), at(key, 'HeadersConfig'), at(key, 'QueryStringsConfig')]).toEqual([
        { CookieBehavior: 'none' },
        { HeaderBehavior: 'none' },
        { QueryStringBehavior: 'none' },
      ]);
      expect([at(key, 'EnableAcceptEncodingBrotli'), at(key, 'EnableAcceptEncodingGzip')]).toEqual([true, true]);
    }
  });

  test('the distribution caches no error, so a caller never gets an error that another caller caused', () => {
    const errors = at(distribution(), 'CustomErrorResponses') as unknown[];
    const statuses = errors.map((error) => at(error, 'ErrorCode'));
    expect(statuses).toEqual(expect.arrayContaining([404, 500, 502, 503, 504]));
    // The distribution also must not replace an error response of the API with a page.
    for (const error of errors) expect(error).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
  });

  test("every response has security headers, and pages can't run inline scripts", () => {
    for (const behavior of [at(distribution(), 'DefaultCacheBehavior'), ...behaviors()]) {
      const policy = policyOf(behavior);
      expect(at(policy, 'ContentTypeOptions', 'Override')).toBe(true);
      expect(at(policy, 'FrameOptions', 'FrameOption')).toBe('DENY');
      expect(at(policy, 'StrictTransportSecurity', 'AccessControlMaxAgeSec')).toBeGreaterThanOrEqual(365 * 86_400);
      const rules = JSON.stringify(at(policy, 'ContentSecurityPolicy', 'ContentSecurityPolicy'));
      expect(rules).toMatch(/default-src 'none'/);
      expect(rules).toMatch(/frame-ancestors 'none'/);
      expect(rules).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
    }
  });

  test('each page keeps the content security policy that its own style, scripts and form need', () => {
    /** The policy that a viewer gets for a path. `own` is the policy that the origin sends. */
    const shown = (path: string, own?: string): string => {
      const pattern = (behavior: unknown): RegExp => new RegExp(`^${String(at(behavior, 'PathPattern')).replaceAll('*', '.*')}$`);
      const behavior = behaviors().find((one) => pattern(one).test(path)) ?? at(distribution(), 'DefaultCacheBehavior');
      const rule = at(policyOf(behavior), 'ContentSecurityPolicy');
      return own === undefined || at(rule, 'Override') === true ? JSON.stringify(at(rule, 'ContentSecurityPolicy')) : own;
    };
    const ownPages = endpoints.filter(({ mediaType }) => mediaType === 'text/html').map(({ path }) => path);
    expect(new Set(ownPages)).toEqual(new Set(['/v1/unsubscribe/{token}']));
    for (const path of ownPages)
      expect(shown(path, pageHeaders['Content-Security-Policy'])).toMatch(/style-src 'sha256-.*form-action 'self'/);
    for (const path of ['/admin', '/docs', '/portal/app'])
      expect(shown(path)).toMatch(/script-src 'self'; style-src 'self'; connect-src 'self'/);
    for (const path of ['/v1/products', '/openapi.json']) expect(shown(path)).toBe(`"default-src 'none'; frame-ancestors 'none'"`);
  });

  test('the names of CloudFront resources contain the region, so the same stage can exist in another region', () => {
    for (const type of [
      'AWS::CloudFront::ResponseHeadersPolicy',
      'AWS::CloudFront::OriginAccessControl',
      'AWS::CloudFront::Function',
      'AWS::CloudFront::CachePolicy',
      'AWS::CloudWatch::Dashboard',
    ]) {
      for (const [id, { Properties }] of ofType(template, type)) {
        const [config = Properties] = Object.values(Properties).filter((value) => at(value, 'Name') !== undefined && !Array.isArray(value));
        const name = at(config, 'Name') ?? Properties['DashboardName'];
        expect([id, JSON.stringify(name)]).toEqual([id, expect.stringContaining('AWS::Region')]);
      }
    }
  });
});

describe('the CloudFront function that runs before the bucket is read', () => {
  const code = readFileSync(resolve(__dirname, '../../infra/viewer-request.js'), 'utf8');
  const context = createContext({});
  runInContext(code, context);
  const look = (uri: string, method = 'GET'): Record<string, unknown> => {
    context['event'] = { context: { requestId: 'r-1' }, request: { method, uri, querystring: {}, headers: {} } };
    return runInContext('handler(event)', context) as Record<string, unknown>;
  };

  test.each([
    ['/admin', '/admin/index.html'],
    ['/admin/', '/admin/index.html'],
    ['/docs', '/docs/index.html'],
    ['/docs/', '/docs/index.html'],
    ['/admin/index.html', '/admin/index.html'],
    ['/admin/assets/admin-1.js', '/admin/assets/admin-1.js'],
    ['/portal/photo-studio', '/portal/index.html'],
    ['/portal/Photo.Studio_2/', '/portal/index.html'],
    ['/portal/assets/portal-1.js', '/portal/assets/portal-1.js'],
  ])('a request for %s reads the object %s', (path, key) => expect(look(path)['uri']).toBe(key));

  test.each([
    ['GET', '/admin/anything'],
    ['GET', '/admin//'],
    ['GET', '/docs/assets/'],
    ['GET', '/portal'],
    ['GET', '/portal/'],
    ['GET', '/portal/photo-studio/licenses'],
    ['GET', '/portal/%2e%2e'],
    ['POST', '/portal/photo-studio'],
    ['GET', '/docs/assets/a/b.js'],
    ['POST', '/admin'],
    ['DELETE', '/admin/index.html'],
  ])('%s %s gets the same "not found" response as an unknown route of the API', (method, path) => {
    const { status, code, detail } = errors.not_found;
    const headers = expect.objectContaining({
      'content-type': { value: 'application/json' },
      'x-svc-error-code': { value: code },
      'x-request-id': { value: 'r-1' },
    });
    expect(look(path, method)).toEqual({ statusCode: status, statusDescription: 'Not Found', headers, body: JSON.stringify({ detail }) });
  });

  test('the code of the function is small enough for CloudFront', () => expect(code.length).toBeLessThan(10_240));
});

describe('the CloudFront function that checks the URLs of payment notifications', () => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const wrong: readonly [string, string][] = [
    ['a short token', '/v1/payments/made-up'],
    ['no token', '/v1/payments/'],
    ['a token that is one character too long', `/v1/payments/${token}A`],
    ['other characters', `/v1/payments/${token.slice(1)}.`],
    ['an encoded token', `/v1/payments/%41${token.slice(1)}`],
  ];
  const unauthorized = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-svc-error-code': errors.unauthorized.code,
  };

  const look = (method: string, uri: string): unknown => {
    const [behavior] = behaviors().filter(isNotifications);
    const [fn = ''] = references(at(behavior, 'FunctionAssociations', 0, 'FunctionARN'));
    const context = createContext({ event: { context: { requestId: 'r-1' }, request: { method, uri } } });
    runInContext(String(at(template.Resources[fn], 'Properties', 'FunctionCode')), context);
    return runInContext('handler(event)', context);
  };

  test('the function runs for notification URLs, which otherwise have the same settings as all API routes', () => {
    const [behavior, ...more] = behaviors().filter(isNotifications) as Record<string, unknown>[];
    const { PathPattern, FunctionAssociations, ...rest } = behavior ?? {};
    expect([PathPattern, more]).toEqual(['/v1/payments/*', []]);
    expect(FunctionAssociations).toEqual([expect.objectContaining({ EventType: 'viewer-request' })]);
    expect(rest).toEqual(at(distribution(), 'DefaultCacheBehavior'));
  });

  test.each(wrong)(
    "a notification whose URL has %s is refused with the service's own error, before API Gateway counts the request",
    (_case, uri) => {
      const headers = Object.fromEntries(
        Object.entries({ ...unauthorized, 'x-request-id': 'r-1' }).map(([name, value]) => [name, { value }]),
      );
      expect(look('POST', uri)).toEqual({
        statusCode: errors.unauthorized.status,
        statusDescription: 'Unauthorized',
        headers,
        body: JSON.stringify({ detail: errors.unauthorized.detail }),
      });
    },
  );

  test("requests to the URL of a connection and to the operator's payment routes pass", () => {
    const id = randomBytes(16).toString('hex');
    for (const [method, uri] of [
      ['POST', `/v1/payments/${token}`],
      ['POST', `/v1/payments/${token}/`],
      ['GET', `/v1/payments/${id}`],
      ['POST', `/v1/payments/${id}/process`],
    ] as const) {
      expect(look(method, uri)).toEqual({ method, uri });
    }
  });
});

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

describe('the pages in the local run', () => {
  test.each(['/admin', '/admin/', '/docs', '/docs/?from=somewhere', '/portal/photo-studio', '/portal/photo-studio?from=mail'])(
    '%s is a page with security headers, which browsers revalidate each time',
    async (path) => {
      const { status, headers, text } = await send(path);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-cache']);
      expect(text).toMatch(/^<!doctype html>/i);
      expect(headers).toMatchObject(lowerCase(securityHeaders));
      expect((await send(path, { headers: { 'If-None-Match': headers.etag } })).status).toBe(304);
    },
  );

  test('all files that a page loads exist, and browsers keep them', async () => {
    for (const page of ['/admin', '/docs', '/portal/photo-studio']) {
      const assets = [...(await send(page)).text.matchAll(/(?:src|href)="(\/[^"]+\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
      expect(assets.length).toBeGreaterThan(0);
      for (const path of assets) {
        const { status, headers } = await send(path);
        expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
        expect(headers['content-type']).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      }
    }
  });

  test.each(['/admin/nothing', '/docs/assets/none.js', '/admin/../package.json', '/admin/%2e%2e/site.json', '/docs/%'])(
    '%s gets 404',
    async (path) => expect((await send(path)).status).toBe(404),
  );

  test('a page accepts only GET and HEAD', async () => {
    const { status, headers, text } = await send('/admin', { method: 'POST', body: {} });
    expect([status, headers['content-type'], headers['x-svc-error-code'], text]).toEqual([
      404,
      'application/json',
      'not_found',
      '{"detail":"Not found"}',
    ]);
    expect(headers['x-request-id']).toMatch(/./);
    const head = await send('/admin', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('a route that does not exist gets an error of the API, not a page', async () => {
    for (const path of ['/v1', '/v1/admin', '/administrator', '/docsearch']) {
      const { status, body } = await send(path);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Not found' }]);
    }
  });
});
