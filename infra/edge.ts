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
  OriginRequestPolicy,
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
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { join } from 'node:path';
import { NO_BASE_PATH, ORIGIN_SECRET_HEADER, VIEWER_BASE_PATH_HEADER } from '../lambdas/contract/edge';
import type { Endpoint } from '../lambdas/contract/endpoint';
import { accept } from './accept';
import type { DomainConfig, StageConfig } from './config';
import { Firewall } from './firewall';
import { stackName } from './names';
import { NOTIFICATION_PATTERN, refuseImpossibleAddress } from './notifications';
import type { OriginSecret } from './origin-secret';
import { contentSecurityPolicy } from './site';

/** Where the pages are; every other path is the API's. */
const pagePaths = ['/admin', '/admin/*', '/docs', '/docs/*'];

/** Statuses whose responses CloudFront would otherwise cache for ten seconds, for every caller of the same path. */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

export interface EdgeProps {
  readonly config: StageConfig;
  readonly api: IRestApi;
  readonly endpoints: readonly Endpoint[];
  readonly site: Bucket;
  /** Sent to the API with every request. */
  readonly originSecret: OriginSecret;
}

/** The one address for API, admin page and documentation. */
export class Edge extends Construct {
  /** The address without a slash at its end. */
  readonly url: string;
  readonly distribution: Distribution;
  private readonly config: StageConfig;

  constructor(scope: Construct, id: string, { config, api, endpoints, site, originSecret }: EdgeProps) {
    super(scope, id);
    this.config = config;
    const { domain, firewall } = config;
    const pages = this.pageBehavior(site);
    const dynamic = this.apiBehavior(api, originSecret);
    const notifications = {
      ...dynamic,
      functionAssociations: [
        this.viewerRequest(
          'Notifications',
          FunctionCode.fromInline(refuseImpossibleAddress),
          'Refuses notifications to addresses that no payment connection has',
        ),
      ],
    };
    const cached = { ...dynamic, cachePolicy: this.cachePolicy(endpoints) };
    const cachedPaths = endpoints
      .filter(({ maxAgeSeconds }) => maxAgeSeconds !== undefined)
      .map(({ path }) => path.replace(/\{\w+\}/g, '*'));
    const distribution = new Distribution(this, 'Distribution', {
      comment: `License key service, ${config.stage}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: dynamic,
      additionalBehaviors: Object.fromEntries([
        ...pagePaths.map((path) => [path, pages] as const),
        [NOTIFICATION_PATTERN, notifications],
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
        'The bucket is not behind the default behavior: no path leads to its root, and so to its list.',
      'AwsSolutions-CFR1': 'Licenses are used everywhere.',
      'AwsSolutions-CFR3':
        'Its log would keep query strings, and a validation carries its license key there. API Gateway logs every request without them.',
      ...(!firewall && {
        'AwsSolutions-CFR2': 'Optional: `firewall` in infra/config.ts. API Gateway throttles every route, with or without it.',
      }),
      ...(!domain && {
        'AwsSolutions-CFR4': "CloudFront's own certificate allows no choice; `domain` in infra/config.ts makes TLS 1.2 the minimum.",
      }),
    });
    this.distribution = distribution;
    if (domain) this.addRecords(domain, distribution);
    this.url = `https://${domain?.name ?? distribution.distributionDomainName}`;
  }

  /** Nothing is cached, everything is passed on, and credentials are never sent unencrypted: no redirect suggests it. */
  private apiBehavior(api: IRestApi, originSecret: OriginSecret): BehaviorOptions {
    return {
      // Not `RestApiOrigin`: it would wait for the stage, and through it for the functions, one of which needs this address.
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
   * For responses that are the same for everyone: kept as long as they say, compressed, and distinguished by their path
   * alone, so that nobody gets past the cache with a query or a header.
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

  private pageBehavior(site: Bucket): BehaviorOptions {
    return {
      // With the right to list, a missing file is 404 instead of 403. No address leads to the list itself.
      origin: S3BucketOrigin.withOriginAccessControl(site, {
        originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
        originAccessControl: new S3OriginAccessControl(this, 'AccessControl', { originAccessControlName: this.nameOf('site') }),
      }),
      // The bucket sees GET and HEAD only: the function responds to all else, in the service's words.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      responseHeadersPolicy: this.headers('pages', contentSecurityPolicy),
      functionAssociations: [
        this.viewerRequest(
          'ViewerRequest',
          FunctionCode.fromFile({ filePath: join(__dirname, 'viewer-request.js') }),
          'The index.html of a folder, and 404 for what is no file',
        ),
      ],
    };
  }

  /** A function that looks at each request first. */
  private viewerRequest(id: string, code: FunctionCode, comment: string): FunctionAssociation {
    return {
      eventType: FunctionEventType.VIEWER_REQUEST,
      function: new EdgeFunction(this, id, { runtime: FunctionRuntime.JS_2_0, code, comment }),
    };
  }

  /** CloudFront's names are those of the whole account: the same stage may stand in two regions, after a disaster for one. */
  private nameOf(part: string): string {
    return `${stackName(this.config.stage)}-${Aws.REGION}-${part}`;
  }

  private headers(of: 'api' | 'pages', policy: string): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, `${of}-headers`, {
      responseHeadersPolicyName: this.nameOf(of),
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: policy, override: true },
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
        description: `Point ${name} here (CNAME)`,
      }).overrideLogicalId('NameTarget');
      return;
    }
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: hostedZone.id, zoneName: hostedZone.name });
    const record = { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)) };
    new ARecord(this, 'Record', record);
    new AaaaRecord(this, 'RecordV6', record);
  }
}
