import { Aws, CfnOutput, Duration } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  type BehaviorOptions,
  type FunctionAssociation,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { IRestApi } from 'aws-cdk-lib/aws-apigateway';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { join } from 'node:path';
import { DEVICE_TOKEN_HEADER, NO_BASE_PATH, ORIGIN_SECRET_HEADER, VIEWER_BASE_PATH_HEADER } from '../lambdas/contract/edge';
import { fileFolders } from '../lambdas/contract/access';
import type { Endpoint } from '../lambdas/contract/endpoint';
import { accept } from './accept';
import type { DomainConfig, StageConfig } from './config';
import type { FileStore } from './file-bucket';
import { Firewall } from './firewall';
import { stackName } from './names';
import { NOTIFICATION_PATTERN, refuseImpossibleAddress } from './notifications';
import type { OriginSecret } from './origin-secret';
import { contentSecurityPolicy } from './page-headers';
import { root } from './root';

/** The paths of the pages. All other paths belong to the API. */
const pagePaths = ['/admin', '/admin/*', '/docs', '/docs/*', '/portal/*'];

/**
 * The error statuses that CloudFront caches for ten seconds by default. The distribution turns this caching off. Otherwise all callers of the
 * same path would get the cached error.
 */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

export interface EdgeProps {
  readonly config: StageConfig;
  readonly api: IRestApi;
  readonly endpoints: readonly Endpoint[];
  readonly site: Bucket;
  /** The store to which the admin page may send files, and from which the distribution serves logos. */
  readonly files: FileStore;
  /** The secret that CloudFront sends to the API with every request. */
  readonly originSecret: OriginSecret;
}

/** The pattern that matches the path of an endpoint in the distribution. */
const pathPattern = ({ path }: Pick<Endpoint, 'path'>): string => path.replace(/\{\w+\}/g, '*');

/** Whether a pattern with one `*` matches a path. As in CloudFront, `*` also matches slashes. */
function isMatch(pattern: string, path: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return path.startsWith(start) && path.endsWith(end);
}

/** The CloudFront distribution, which serves the API, the admin page and the documentation at one domain name. */
export class Edge extends Construct {
  /** The distribution's URL without a trailing slash. */
  readonly url: string;
  readonly distribution: Distribution;
  private readonly config: StageConfig;

  constructor(scope: Construct, id: string, { config, api, endpoints, site, files, originSecret }: EdgeProps) {
    super(scope, id);
    this.config = config;
    const { domain, firewall } = config;
    const accessControl = new S3OriginAccessControl(this, 'AccessControl', { originAccessControlName: this.nameOf('site') });
    const pages = this.pageBehavior(site, accessControl);
    const pageHeaders = this.headers('pages', contentSecurityPolicy());
    // Only the admin page uploads files, so only its content security policy allows the origin to which they are uploaded.
    const adminHeaders = this.headers('admin', contentSecurityPolicy(files.origin));
    const dynamic = this.apiBehavior(api, originSecret);
    const notifications = {
      ...dynamic,
      functionAssociations: [
        this.viewerRequest(
          'Notifications',
          FunctionCode.fromInline(refuseImpossibleAddress),
          'Refuses notifications to addresses that no payment connection can have',
        ),
      ],
    };
    const storing = endpoints.filter(({ storesCountry }) => storesCountry).map(pathPattern);
    const others = endpoints.filter((row) => !row.storesCountry && storing.some((pattern) => isMatch(pattern, row.path))).map(pathPattern);
    const withCountry = { ...dynamic, originRequestPolicy: this.withCountry() };
    const cached = { ...dynamic, cachePolicy: this.cachePolicy(endpoints) };
    const cachedPaths = endpoints.filter(({ maxAgeSeconds }) => maxAgeSeconds !== undefined).map(pathPattern);
    const distribution = new Distribution(this, 'Distribution', {
      comment: `License key service, ${config.stage}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: dynamic,
      additionalBehaviors: Object.fromEntries<BehaviorOptions>([
        ...pagePaths.map(
          (path) => [path, { ...pages, responseHeadersPolicy: path.startsWith('/admin') ? adminHeaders : pageHeaders }] as const,
        ),
        [`/${fileFolders.logos}/*`, { ...this.logoBehavior(files, accessControl), responseHeadersPolicy: pageHeaders }],
        [NOTIFICATION_PATTERN, notifications],
        // CloudFront uses the first pattern that matches.
        ...others.map((pattern) => [pattern, dynamic] as const),
        ...storing.map((pattern) => [pattern, withCountry] as const),
        ...cachedPaths.map((path) => [path, cached] as const),
      ]),
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      ...(domain && {
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      ...(firewall && { webAclId: new Firewall(this, 'Firewall', { ...firewall, stage: config.stage, scope: 'CLOUDFRONT' }).arn }),
    });
    accept(distribution, {
      'Annotation::@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk':
        'The default behavior does not lead to the bucket, so no request can reach the root of the bucket. S3 would respond there with a list of files.',
      'AwsSolutions-CFR1': 'Apps use licenses in all countries, so no country is excluded.',
      'AwsSolutions-CFR3':
        'The log of CloudFront would contain query strings with the license keys of validations. API Gateway logs every request without its query string.',
      ...(!firewall && {
        'AwsSolutions-CFR2':
          'The firewall is optional (`firewall` in license-key-service.config.json). API Gateway throttles every route even without the firewall.',
      }),
      ...(!domain && {
        'AwsSolutions-CFR4':
          "CloudFront's own certificate does not allow choosing a TLS version. If `domain` is set in license-key-service.config.json, the minimum is TLS 1.2.",
      }),
    });
    this.distribution = distribution;
    if (domain) this.addRecords(domain, distribution);
    this.url = `https://${domain?.name ?? distribution.distributionDomainName}`;
  }

  /**
   * The behavior of API routes: CloudFront caches nothing and forwards everything. It refuses HTTP instead of redirecting it, because a
   * redirect would let callers send their credentials unencrypted without noticing.
   */
  private apiBehavior(api: IRestApi, originSecret: OriginSecret): BehaviorOptions {
    return {
      // CDK's `RestApiOrigin` would create a circular reference: it depends on the API's stage, the stage depends on the functions, and
      // some functions need the distribution's URL.
      origin: new HttpOrigin(`${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`, {
        originPath: `/${this.config.stage}`,
        customHeaders: { [VIEWER_BASE_PATH_HEADER]: NO_BASE_PATH, [ORIGIN_SECRET_HEADER]: originSecret.value },
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy: this.headers('api', "default-src 'none'; frame-ancestors 'none'"),
    };
  }

  /**
   * The policy of the routes that store the country of their caller: it forwards CloudFront's header with the country, and the headers that
   * these routes and their preflights use. (docs/decisions.md 125)
   */
  private withCountry(): OriginRequestPolicy {
    return new OriginRequestPolicy(this, 'WithCountry', {
      originRequestPolicyName: this.nameOf('country'),
      headerBehavior: OriginRequestHeaderBehavior.allowList(
        'X-API-Key',
        DEVICE_TOKEN_HEADER,
        'Content-Type',
        'Origin',
        'User-Agent',
        'Access-Control-Request-Method',
        'Access-Control-Request-Headers',
        'CloudFront-Viewer-Country',
      ),
      cookieBehavior: OriginRequestCookieBehavior.none(),
      queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    });
  }

  /**
   * The cache policy for responses that are the same for every caller. CloudFront compresses these responses and caches each for the time
   * in its `Cache-Control` header. The path is the only cache key, so that no query or header bypasses the cache.
   */
  private cachePolicy(endpoints: readonly Endpoint[]): CachePolicy {
    return new CachePolicy(this, 'Cached', {
      cachePolicyName: this.nameOf('cached'),
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(Math.max(0, ...endpoints.map(({ maxAgeSeconds = 0 }) => maxAgeSeconds))),
      cookieBehavior: CacheCookieBehavior.none(),
      headerBehavior: CacheHeaderBehavior.none(),
      queryStringBehavior: CacheQueryStringBehavior.none(),
      enableAcceptEncodingGzip: true,
      enableAcceptEncodingBrotli: true,
    });
  }

  private pageBehavior(site: Bucket, originAccessControl: S3OriginAccessControl): BehaviorOptions {
    return {
      // If CloudFront may list the bucket's files, S3 responds with 404 instead of 403 when a file is missing. Users can't read the list
      // of files, because no route forwards a request for the list to S3.
      origin: S3BucketOrigin.withOriginAccessControl(site, {
        originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
        originAccessControl,
      }),
      // All methods are allowed, so that every request reaches the viewer request function. For methods other than GET and HEAD, this
      // function responds with the service's own error.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      functionAssociations: [
        this.viewerRequest(
          'ViewerRequest',
          FunctionCode.fromFile({ filePath: join(root, 'infra/viewer-request.js') }),
          'Serves the index.html of a folder, and 404 for paths without a file',
        ),
      ],
    };
  }

  /**
   * The behavior of logos. The bucket is known only by its name, because it is created after the distribution (`file-bucket.ts`). It gives
   * CloudFront no permission to list files, so S3 responds with 403 if there is no such logo.
   */
  private logoBehavior({ bucketName }: FileStore, originAccessControl: S3OriginAccessControl): BehaviorOptions {
    const bucket = Bucket.fromBucketName(this, 'Files', bucketName);
    accept(this, {
      'Annotation::@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac': 'The bucket itself permits CloudFront to read logos.',
    });
    return {
      origin: S3BucketOrigin.withOriginAccessControl(bucket, { originAccessControl }),
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    };
  }

  /** Creates a function that CloudFront runs first for each request. */
  private viewerRequest(id: string, code: FunctionCode, comment: string): FunctionAssociation {
    return {
      eventType: FunctionEventType.VIEWER_REQUEST,
      function: new EdgeFunction(this, id, { runtime: FunctionRuntime.JS_2_0, code, comment }),
    };
  }

  /**
   * The name of a CloudFront resource, which must be unique in the account. The same stage may exist in two regions, for example after a
   * disaster, so the name contains the region.
   */
  private nameOf(part: string): string {
    return `${stackName(this.config.stage)}-${Aws.REGION}-${part}`;
  }

  private headers(of: 'api' | 'admin' | 'pages', policy: string): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, `${of}-headers`, {
      responseHeadersPolicyName: this.nameOf(of),
      securityHeadersBehavior: {
        // The API's own page, on which buyers unsubscribe, sends the policy that its style and its form need.
        contentSecurityPolicy: { contentSecurityPolicy: policy, override: of !== 'api' },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: {
          accessControlMaxAge: Duration.days(730),
          includeSubdomains: this.config.domain?.hstsIncludeSubDomains ?? false,
          override: true,
        },
      },
    });
  }

  private addRecords({ name, hostedZone }: DomainConfig, distribution: Distribution): void {
    if (!hostedZone) {
      new CfnOutput(this, 'NameTarget', {
        value: distribution.distributionDomainName,
        description: 'Create a CNAME record from the domain name of the service to this',
      }).overrideLogicalId('NameTarget');
      return;
    }
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: hostedZone.id, zoneName: hostedZone.name });
    const record = { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)) };
    new ARecord(this, 'Record', record);
    new AaaaRecord(this, 'RecordV6', record);
  }
}
