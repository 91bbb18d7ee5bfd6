import { Aws, CfnOutput, Duration } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  RestApiMode,
  SecurityPolicy,
  SpecRestApi,
  type MethodDeploymentOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct, type IConstruct } from 'constructs';
import { fileName, sizeOf, throttleOf, type Endpoint } from '../lambdas/contract/endpoint';
import { accessOf } from '../lambdas/contract/endpoint-access';
import { METRIC_NAMESPACE } from '../lambdas/contract/metrics';
import { accept } from './accept';
import { grantAccess, type Resources } from './access';
import type { Alarms } from './alarms';
import { apiDefinition, type Invocation } from './api-definition';
import { removalOf } from './removal';
import { warmable, type DomainConfig, type StageConfig } from './config';
import { Firewall } from './firewall';
import { InlineRole, ServiceFunction, type FunctionContext } from './function';
import { serviceMetric } from './metrics';
import { functionName, pascalCase, stackName } from './names';
import { preflightLimit } from './preflight';
import type { OriginSecret } from './origin-secret';
import { sizes, SLOW } from './sizing';

export interface ApiProps {
  readonly endpoints: readonly Endpoint[];
  readonly functions: FunctionContext;
  readonly resources: Resources;
  readonly alarms: Alarms;
  /** The secret that CloudFront adds to its requests. The API uses it to recognize requests that came through CloudFront. */
  readonly originSecret: OriginSecret;
}

/** The source file of an endpoint's handler. */
export const handlerFile = (row: Endpoint): string => `lambdas/api/${fileName(row)}.ts`;

/**
 * The fields of an access log line. The path and the query are not logged: the query of a validation contains a license key, and a mistyped
 * URL may contain anything. The name of the route is logged instead.
 */
const accessLine = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
  gatewayError: '$context.error.responseType',
};

/** The REST API: one route and one function for each row of the contract table. */
export class Api extends Construct {
  readonly api: SpecRestApi;
  readonly accessLog: LogGroup;
  /** The API's own URL without a trailing slash. Requests to this URL bypass CloudFront. */
  readonly url: string;
  private readonly firewall: Firewall | undefined;
  private readonly functions = new Map<string, ServiceFunction>();
  /** The aliases of the functions that have provisioned concurrency (instances that are always ready). */
  private readonly warm = new Map<string, Alias>();
  /** The roles that the gateway assumes to invoke the functions. The endpoints with the same tag share a role, and the key is that tag. */
  private readonly invokers = new Map<Endpoint['tag'], InlineRole>();

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { endpoints } = props;
    const { config } = props.functions;
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: config.logRetentionDays as RetentionDays,
      removalPolicy: removalOf(config),
    });
    for (const row of endpoints) this.addFunction(row, props);
    this.api = new SpecRestApi(this, 'Gateway', {
      restApiName: stackName(config.stage),
      apiDefinition: ApiDefinition.fromInline(
        apiDefinition({
          title: stackName(config.stage),
          endpoints,
          invocationOf: (row) => this.invocation(row, config),
          policy: config.closeApi ? onlyThrough(props.originSecret) : undefined,
        }),
      ),
      // An update of the stack replaces the whole API with the current definition.
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // The mode OVERWRITE also resets the endpoint type. The OpenAPI document can't contain the endpoint type, so a parameter sets it.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      // API Gateway needs a role for access logs. The role is set once per account and region, and other APIs use it, so it remains when
      // the stack is deleted.
      cloudWatchRole: true,
      deployOptions: {
        stageName: config.stage,
        throttlingRateLimit: preflightLimit.rate,
        throttlingBurstLimit: preflightLimit.burst,
        methodOptions: Object.fromEntries(endpoints.map((row) => [`${row.path}/${row.method}`, limits(row)])),
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLine)),
        // API Gateway's traces are off, because they would contain paths with license keys. The functions' traces contain no paths.
        tracingEnabled: false,
      },
    });
    acceptFindings(this.api, config.firewall !== undefined);
    // Removes CDK's output with the generated URL, because readers would use that URL. The output `ApiUrl` shows the right URL with an
    // explanation.
    this.api.node.tryRemoveChild('Endpoint');
    if (config.firewall) {
      this.firewall = new Firewall(this, 'Firewall', {
        ...config.firewall,
        stage: config.stage,
        scope: 'REGIONAL',
        trusted: props.originSecret,
        stageArn: this.api.deploymentStage.stageArn,
      });
    }
    this.url = config.domain?.api
      ? this.addDomain(config.domain, config.domain.api)
      : `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${config.stage}`;
    this.addAlarms(props);
  }

  /** Returns the function of an endpoint. */
  functionOf(row: Endpoint): ServiceFunction {
    const fn = this.functions.get(row.name);
    if (!fn) throw new Error(`There is no function for ${row.name}`);
    return fn;
  }

  /**
   * Deploys the checks of the origin secret after the distribution, because the distribution must already send the secret when the checks
   * begin. Otherwise the resource policy would refuse every request from the distribution, and the firewall would apply its limit per IP
   * address to CloudFront's own IP addresses.
   */
  closeAfter(distribution: IConstruct, { closeApi }: StageConfig): void {
    // The resource policy takes effect when API Gateway deploys the API, so the API's deployment depends on the distribution.
    if (closeApi) this.api.latestDeployment?.node.addDependency(distribution);
    this.firewall?.node.addDependency(distribution);
  }

  /** A CloudWatch metric of the API's stage. */
  metric(metricName: '4XXError' | '5XXError' | 'Count' | 'Latency' | 'IntegrationLatency', statistic: string): Metric {
    return this.api.deploymentStage.metric(metricName, { statistic, period: Duration.minutes(5) });
  }

  private addFunction(row: Endpoint, { functions, resources }: ApiProps): void {
    const { memoryMb, timeoutSeconds } = sizes[sizeOf(row)];
    const fn = new ServiceFunction(this, pascalCase(row.name), functions, {
      source: handlerFile(row),
      description: `${row.method} ${row.path}: ${row.summary}`,
      timeout: Duration.seconds(timeoutSeconds),
      memoryMb,
      ...(needsDistribution(row) && { functionName: functionName(functions.config.stage, fileName(row)) }),
    });
    this.functions.set(row.name, fn);
    const warm = warmable.find((name) => name === row.name);
    const ready = warm && functions.config.warm?.[warm];
    if (ready) this.warm.set(row.name, fn.addAlias('warm', { provisionedConcurrentExecutions: ready }));
    grantAccess(fn, accessOf(row), functions.config, resources);
  }

  /**
   * Lets the gateway invoke the endpoint's function with a role. The usual alternative is a permission on each function, which would add
   * one resource per endpoint to the template. There is one role per tag, because the policy of a single role for all endpoints could
   * exceed IAM's maximum size.
   */
  private invocation(row: Endpoint, config: StageConfig): Invocation {
    const role =
      this.invokers.get(row.tag) ?? new InlineRole(this, `Invoke${pascalCase(row.tag.replaceAll(' ', '-'))}`, 'apigateway.amazonaws.com');
    this.invokers.set(row.tag, role);
    // The ARN is built from the function's name, because a reference would be circular: the API would need the function, the function needs
    // the distribution, and the distribution needs the API.
    const arn = needsDistribution(row)
      ? `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName(config.stage, fileName(row))}`
      : (this.warm.get(row.name) ?? this.functionOf(row)).functionArn;
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [arn] }));
    return {
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${arn}/invocations`,
      credentials: role.roleArn,
    };
  }

  /**
   * Adds the API's domain name. Unlike the generated URL, the domain name stays the same if the API is replaced or moves to another region.
   */
  private addDomain({ hostedZone }: DomainConfig, { name, certificateArn }: NonNullable<DomainConfig['api']>): string {
    const domain = this.api.addDomainName('Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    if (hostedZone) {
      const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: hostedZone.id, zoneName: hostedZone.name });
      new ARecord(this, 'Record', { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)) });
    } else {
      new CfnOutput(this, 'ApiNameTarget', {
        value: domain.domainNameAliasDomainName,
        description: 'Create a CNAME record from the domain name of the API to this',
      }).overrideLogicalId('ApiNameTarget');
    }
    return `https://${name}`;
  }

  private addAlarms({ functions: { config }, endpoints, alarms }: ApiProps): void {
    alarms.add('api-faults', {
      impact: 'More than one in a hundred requests end with a fault (5xx), so apps cannot activate or validate, and operators cannot work.',
      metric: this.metric('5XXError', 'Average'),
      above: 0.01,
      periods: [2, 3],
    });
    const shortest = Math.min(
      ...endpoints.filter((row) => Object.keys(accessOf(row).store).length > 0).map((row) => sizes[sizeOf(row)].timeoutSeconds),
    );
    alarms.add('api-slow', {
      impact: `A request took more than ${shortest * SLOW} s, so users wait. Soon some requests will exceed the timeout of their function and fail.`,
      metric: this.metric('IntegrationLatency', 'Maximum'),
      above: shortest * SLOW * 1000,
      periods: [2, 3],
    });
    const throttled = new MetricFilter(this, 'Throttled', {
      logGroup: this.accessLog,
      metricNamespace: METRIC_NAMESPACE,
      metricName: `gateway.throttled.${config.stage}`,
      filterPattern: FilterPattern.stringValue('$.gatewayError', '=', 'THROTTLED'),
      metricValue: '1',
    });
    alarms.add('requests-throttled', {
      impact: "API Gateway refuses requests with status 429, because they exceed a route's limit, so apps have to retry.",
      metric: throttled.metric({ statistic: 'Sum', period: Duration.minutes(5) }),
      above: 100,
    });
    alarms.add('functions-throttled', {
      impact:
        'Lambda refuses to run functions, because the account has reached its limit of concurrent executions. Requests end with status 500, and events wait.',
      // This alarm counts the throttled requests of all functions in the account, because the limit applies to the whole account.
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: Duration.minutes(5) }),
      above: 0,
    });
    alarms.add('sales-held', {
      impact: 'A paid sale issued no license, usually because no plan names the sold product. The buyer waits for a key.',
      metric: serviceMetric(config, 'payment.held'),
      above: 0,
    });
    alarms.add('admin-token-guessed', {
      impact: 'Many requests have wrong admin tokens. The cause is a script with an old token, or an attack.',
      metric: serviceMetric(config, 'refused.admin_token'),
      above: 100,
    });
    alarms.add('trials-limited', {
      impact:
        'Apps of a product start more trials within an hour than the product allows. Further users cannot start a trial. The cause is a successful launch, or a script that uses the API key of the app.',
      metric: serviceMetric(config, 'refused.trial'),
      above: 0,
    });
    alarms.add('license-keys-guessed', {
      impact:
        'Many requests for updates or downloads have unknown license keys, wrong tokens or wrong API keys. The cause is an attack, or an app with a fault.',
      metric: serviceMetric(config, 'refused.license'),
      above: 1000,
    });
  }
}

/** Whether the function's settings include the distribution's URL. */
const needsDistribution = (row: Endpoint): boolean => (accessOf(row).settings ?? []).includes('publicUrl');

function limits(row: Endpoint): MethodDeploymentOptions {
  const { rate, burst } = throttleOf(row);
  return { throttlingRateLimit: rate, throttlingBurstLimit: burst };
}

/** A resource policy that allows only requests through CloudFront. The gateway enforces the policy before a function runs. */
function onlyThrough({ value }: OriginSecret): PolicyDocument {
  const every = { principals: [new AnyPrincipal()], actions: ['execute-api:Invoke'], resources: ['execute-api:/*'] };
  return new PolicyDocument({
    statements: [
      new PolicyStatement(every),
      new PolicyStatement({ ...every, effect: Effect.DENY, conditions: { StringNotEquals: { 'aws:Referer': value } } }),
    ],
  });
}

function acceptFindings(api: SpecRestApi, hasFirewall: boolean): void {
  accept(api, {
    'AwsSolutions-APIG2':
      "The gateway does not validate requests, because the functions check every request against the contract's schemas. The gateway would refuse an invalid request with status 400 and its own message instead of the contract's status 422.",
    ...(!hasFirewall && {
      'AwsSolutions-APIG3':
        'The firewall is optional (`firewall` in license-key-service.config.json). Every route is throttled even without the firewall.',
    }),
    'AwsSolutions-APIG4':
      "The functions check credentials themselves. A route authorizer would run a second function for every request, and a function checks a product's API key with data that it reads for the request anyway.",
    'AwsSolutions-APIG6':
      'Execution logs would contain whole requests with license keys and credentials. The access log contains the fields that operators need.',
    'AwsSolutions-COG4': 'The service has no user accounts. Its callers are servers and client apps, each with its own credential.',
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
      'API Gateway requires this role for the whole account and refuses a role with fewer permissions.',
  });
}
