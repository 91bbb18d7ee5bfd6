import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import * as z from 'zod/mini';
import { ACCOUNT, PARTITION, REGION, stableId, URL_SUFFIX } from './aws';
import type { LocalRoute } from './gateway';
import { like } from '../../test/support/policy';
import { TemplateError, type Resource, type Template } from './template';

/**
 * Runs a part of the template's CloudFront distribution. It serves the pages from their bucket, with the same paths, CloudFront functions
 * and headers as on AWS. It also runs the functions that refuse requests before the API gets them. The local gateway serves all other
 * requests.
 */

const distributionProperties = z.object({
  DistributionConfig: z.object({
    Origins: z.array(z.object({ Id: z.string(), DomainName: z.string() })),
    CacheBehaviors: z._default(
      z.array(
        z.object({
          PathPattern: z.string(),
          TargetOriginId: z.string(),
          AllowedMethods: z._default(z.array(z.string()), ['GET', 'HEAD']),
          ResponseHeadersPolicyId: z.optional(z.string()),
          FunctionAssociations: z._default(z.array(z.object({ EventType: z.string(), FunctionARN: z.string() })), []),
        }),
      ),
      [],
    ),
  }),
});
type Behavior = z.infer<typeof distributionProperties>['DistributionConfig']['CacheBehaviors'][number];

const headersPolicyProperties = z.object({
  ResponseHeadersPolicyConfig: z.object({
    SecurityHeadersConfig: z._default(
      z.object({
        ContentSecurityPolicy: z.optional(z.object({ ContentSecurityPolicy: z.string() })),
        ContentTypeOptions: z.optional(z.object({})),
        FrameOptions: z.optional(z.object({ FrameOption: z.string() })),
        ReferrerPolicy: z.optional(z.object({ ReferrerPolicy: z.string() })),
        StrictTransportSecurity: z.optional(
          z.object({ AccessControlMaxAgeSec: z.coerce.number(), IncludeSubdomains: z._default(z.boolean(), false) }),
        ),
      }),
      {},
    ),
  }),
});

const siteList = z.array(z.object({ key: z.string(), contentType: z.string(), cacheControl: z.string() }));

interface StoredFile {
  readonly content: Buffer;
  readonly etag: string;
  readonly contentType: string;
  readonly cacheControl: string;
}

const bucketName = (template: Template, bucket: Resource): string =>
  template.read(bucket, z.object({ BucketName: z.optional(z.string()) })).BucketName ?? `site-${stableId(bucket.id, 12)}`;
const bucketDomain = (template: Template, bucket: Resource): string => `${bucketName(template, bucket)}.s3.${REGION}.${URL_SUFFIX}`;

/** Defines the names of the distribution's resources, so that other resources can refer to them. */
export function defineEdge(template: Template): void {
  for (const bucket of template.resources('AWS::S3::Bucket')) {
    template.define(bucket.id, {
      Ref: bucketName(template, bucket),
      Arn: `arn:${PARTITION}:s3:::${bucketName(template, bucket)}`,
      RegionalDomainName: bucketDomain(template, bucket),
    });
  }
  for (const { id } of template.resources('AWS::CloudFront::Distribution')) {
    const distribution = stableId(id, 13).toUpperCase();
    template.define(id, { Ref: distribution, Id: distribution, DomainName: `${stableId(id, 13)}.cloudfront.net` });
  }
  for (const { id } of template.resources(
    'AWS::CloudFront::ResponseHeadersPolicy',
    'AWS::CloudFront::CachePolicy',
    'AWS::CloudFront::OriginAccessControl',
  )) {
    template.define(id, { Ref: stableId(id, 13), Id: stableId(id, 13) });
  }
  for (const { id } of template.resources('AWS::CloudFront::Function')) {
    template.define(id, { FunctionARN: `arn:${PARTITION}:cloudfront::${ACCOUNT}:function/${id}`, Ref: id });
  }
}

/**
 * Reads the template's distribution. The API must be defined first.
 *
 * @param fileEndpoint the base URL of the local S3. The path of a bucket below this URL is the bucket's name.
 * @returns a function that returns the route for a request. The function returns undefined if the API serves the request.
 */
export function readDistribution(template: Template, fileEndpoint: string): (request: IncomingMessage) => LocalRoute | undefined {
  const routes = template.resources('AWS::CloudFront::Distribution').flatMap((distribution) => {
    const { Origins, CacheBehaviors } = template.read(distribution, distributionProperties).DistributionConfig;
    return CacheBehaviors.flatMap((behavior) => {
      const origin = Origins.find(({ Id }) => Id === behavior.TargetOriginId);
      const bucket = template.resources('AWS::S3::Bucket').find((candidate) => bucketDomain(template, candidate) === origin?.DomainName);
      return {
        matches: (path: string) => like(behavior.PathPattern, path),
        routeOf: bucket ? readPages(template, behavior, bucket, fileEndpoint) : readRefusals(template, behavior),
      };
    });
  });
  return (request) => {
    const [path = ''] = (request.url ?? '/').split('?');
    return routes.find(({ matches }) => matches(path))?.routeOf(request.method ?? '', path);
  };
}

/** Finds the route for a method and a path. Returns undefined if the API serves the request. */
type RouteOf = (method: string, path: string) => LocalRoute | undefined;

/** Reads a behavior whose function may refuse a request. The API serves the requests that the function does not refuse. */
function readRefusals(template: Template, behavior: Behavior): RouteOf {
  const look = readViewerRequest(template, behavior);
  return (method, path) => {
    const seen = look(method, path);
    return 'statusCode' in seen ? (_request, response) => respond(response, seen) : undefined;
  };
}

function readPages(template: Template, behavior: Behavior, bucket: Resource, fileEndpoint: string): RouteOf {
  const files = readFiles(template, bucket);
  const headers = readHeaders(template, behavior.ResponseHeadersPolicyId, fileEndpoint);
  const look = readViewerRequest(template, behavior);
  return (method, path) => (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!behavior.AllowedMethods.includes(method)) return refuse(response, 403, 'AccessDenied');
    const seen = look(method, path);
    if ('statusCode' in seen) return respond(response, seen);
    const file = files.get(decode(seen.uri.slice(1)));
    return file ? send(request, response, file) : refuse(response, 404, 'NoSuchKey');
  };
}

/** The objects that the stack's custom resource puts into a bucket, by key. */
function readFiles(template: Template, bucket: Resource): ReadonlyMap<string, StoredFile> {
  const site = template
    .resources('Custom::Site')
    .find((candidate) => template.read(candidate, z.object({ Bucket: z.string() })).Bucket === bucketName(template, bucket));
  const publisher = site && template.read(site, z.object({ ServiceToken: z.string() })).ServiceToken;
  const fn = template.resources('AWS::Lambda::Function').find(({ id }) => publisher?.endsWith(`:${id}`));
  if (!fn) throw new TemplateError(`${bucket.id} (${bucket.Type}) is filled by no Custom::Site.`);
  const folder = template.codeFolder(fn);
  const list = siteList.parse(JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')));
  return new Map(
    list.map(({ key, ...headers }) => {
      const content = readFileSync(join(folder, 'files', key));
      return [key, { ...headers, content, etag: `"${createHash('md5').update(content).digest('hex')}"` }];
    }),
  );
}

function readHeaders(template: Template, policyId: string | undefined, fileEndpoint: string): Readonly<Record<string, string>> {
  const policy = template.resources('AWS::CloudFront::ResponseHeadersPolicy').find(({ id }) => stableId(id, 13) === policyId);
  if (!policy) return {};
  const security = template.read(policy, headersPolicyProperties).ResponseHeadersPolicyConfig.SecurityHeadersConfig;
  const hsts = security.StrictTransportSecurity;
  let contentSecurityPolicy = security.ContentSecurityPolicy?.ContentSecurityPolicy;
  for (const bucket of template.resources('AWS::S3::Bucket'))
    contentSecurityPolicy = contentSecurityPolicy?.replaceAll(`https://${bucketDomain(template, bucket)}`, fileEndpoint);
  return {
    ...(contentSecurityPolicy !== undefined && { 'Content-Security-Policy': contentSecurityPolicy }),
    ...(security.ContentTypeOptions && { 'X-Content-Type-Options': 'nosniff' }),
    ...(security.FrameOptions && { 'X-Frame-Options': security.FrameOptions.FrameOption }),
    ...(security.ReferrerPolicy && { 'Referrer-Policy': security.ReferrerPolicy.ReferrerPolicy }),
    ...(hsts && {
      'Strict-Transport-Security': `max-age=${hsts.AccessControlMaxAgeSec}${hsts.IncludeSubdomains ? '; includeSubDomains' : ''}`,
    }),
  };
}

/** The result of a viewer request function: either a changed request, or a response that ends the request. */
const viewerRequest = z.union([
  z.object({
    statusCode: z.int(),
    headers: z._default(z.record(z.string(), z.object({ value: z.string() })), {}),
    body: z._default(z.string(), ''),
  }),
  z.object({ uri: z.string() }),
]);
type ViewerRequest = z.infer<typeof viewerRequest>;

/** Reads the viewer request function, which runs before an object is read from the bucket. */
function readViewerRequest(template: Template, { FunctionAssociations }: Behavior): (method: string, path: string) => ViewerRequest {
  const association = FunctionAssociations.find(({ EventType }) => EventType === 'viewer-request');
  const fn = template.resources('AWS::CloudFront::Function').find(({ id }) => association?.FunctionARN.endsWith(`/${id}`));
  if (!fn) return (_method, uri) => ({ uri });
  const { FunctionCode } = template.read(fn, z.object({ FunctionCode: z.string() }));
  const context = createContext({});
  runInContext(FunctionCode, context);
  return (method, uri) => {
    context['event'] = { context: { requestId: randomUUID() }, request: { method, uri, headers: {}, querystring: {}, cookies: {} } };
    return viewerRequest.parse(runInContext('handler(event)', context));
  };
}

function respond(response: ServerResponse, { statusCode, headers, body }: Extract<ViewerRequest, { statusCode: number }>): void {
  response.statusCode = statusCode;
  for (const [name, { value }] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Decodes a path. If the encoding is invalid, the path is returned unchanged. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function send(request: IncomingMessage, response: ServerResponse, { content, etag, contentType, cacheControl }: StoredFile): void {
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', cacheControl);
  if (request.headers['if-none-match'] === etag) {
    response.statusCode = 304;
    return void response.end();
  }
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', content.length);
  response.end(request.method === 'HEAD' ? undefined : content);
}

/** Responds with an error in the format of S3. */
function refuse(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/xml');
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}
