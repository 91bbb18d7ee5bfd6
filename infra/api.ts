import { Duration } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, MockIntegration, ResponseType, RestApi, type IResource } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { credentialHeaders, fileName, type Endpoint } from '../lambdas/contract/endpoint';
import { errors, type ErrorName } from '../lambdas/contract/errors';
import type { StageConfig } from './config';
import type { EventDelivery } from './events';
import { HouseFunction } from './function';
import { grantMail } from './mail';
import type { Secrets } from './secrets';
import type { Table } from './table';

export interface ApiProps {
  readonly config: StageConfig;
  readonly endpoints: readonly Endpoint[];
  readonly bundles: ReadonlyMap<string, string>;
  readonly table: Table;
  readonly secrets: Secrets;
  readonly events: EventDelivery;
}

/** Source file of an endpoint's handler. */
export const handlerFile = (row: Endpoint): string => `lambdas/api/${fileName(row)}.ts`;

const pascal = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

/** How the gateway's own refusals look: the same `{detail}` and headers as the functions' errors. */
const gatewayErrors: ReadonlyArray<[ResponseType, ErrorName]> = [
  [ResponseType.DEFAULT_4XX, 'invalid_request'],
  [ResponseType.DEFAULT_5XX, 'internal'],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  // No method is signed: an Authorization header is looked at on unknown routes only.
  [ResponseType.INVALID_SIGNATURE, 'not_found'],
  [ResponseType.EXPIRED_TOKEN, 'not_found'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request'],
  [ResponseType.REQUEST_TOO_LARGE, 'invalid_request'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'invalid_request'],
  [ResponseType.THROTTLED, 'rate_limited'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INTEGRATION_FAILURE, 'internal'],
];

/** The REST API: one resource, method and function per row of the contract table. */
export class Api extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: `license-key-service-${props.config.stage}`,
      description: 'License key service',
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: { stageName: props.config.stage, throttlingRateLimit: 1000, throttlingBurstLimit: 2000, tracingEnabled: true },
      cloudWatchRole: false,
    });
    for (const row of props.endpoints) this.addEndpoint(row, props);
    for (const [type, error] of gatewayErrors) this.addGatewayError(type, error);
  }

  private addEndpoint(row: Endpoint, { config, bundles, table, secrets, events }: ApiProps): void {
    const bundle = bundles.get(handlerFile(row));
    if (!bundle) throw new Error(`There is no bundle of ${handlerFile(row)}`);
    const fn = new HouseFunction(this, pascal(row.name), {
      config,
      bundle,
      description: `${row.method} ${row.path}: ${row.summary}`,
      timeout: Duration.seconds(20),
      memoryMb: 512,
    });
    fn.addEnvironment('DEVICE_TOKEN_DAYS', String(config.deviceTokenDays));
    fn.addEnvironment('OFFLINE_TOKEN_DAYS', String(config.offlineTokenDays));
    if (row.tag === 'Webhooks') fn.addEnvironment('WEBHOOK_ALLOW_PRIVATE', String(config.webhookAllowPrivate));
    table.grant(fn, row.store);
    if (row.credential === 'admin') secrets.grantRead(fn, 'adminToken');
    for (const secret of row.secrets ?? []) secrets.grantRead(fn, secret);
    if (row.emits) events.grantSend(fn);
    if (row.mail) grantMail(fn, config.mail, secrets, row.mail);

    const resource = this.api.root.resourceForPath(row.path);
    resource.addMethod(row.method, new LambdaIntegration(fn, { allowTestInvoke: false }));
    if (row.credential === 'product') addPreflight(resource, row.method);
  }

  private addGatewayError(type: ResponseType, name: ErrorName): void {
    const { status, code, detail } = errors[name];
    this.api.addGatewayResponse(type.responseType.replaceAll('_', ''), {
      type,
      // The two defaults keep the status that the gateway chose.
      ...(type.responseType.startsWith('DEFAULT') ? {} : { statusCode: String(status) }),
      responseHeaders: {
        'X-Svc-Error-Code': `'${code}'`,
        'X-Request-Id': 'context.requestId',
        'Cache-Control': "'no-store'",
        'Access-Control-Allow-Origin': "'*'",
        'Access-Control-Expose-Headers': "'X-Request-Id,X-Svc-Error-Code'",
      },
      templates: { 'application/json': JSON.stringify({ detail }) },
    });
  }
}

/**
 * The answer to a browser's preflight of a client route. CDK's own `addCorsPreflight` can't give it the
 * request id that every response carries.
 */
function addPreflight(resource: IResource, method: string): void {
  const headers: Record<string, string> = {
    'Access-Control-Allow-Origin': "'*'",
    'Access-Control-Allow-Methods': `'${method}'`,
    'Access-Control-Allow-Headers': `'Content-Type,${credentialHeaders.product}'`,
    'Access-Control-Max-Age': "'3600'",
    'X-Request-Id': 'context.requestId',
  };
  const parameters = (value: (name: string) => string | boolean): Record<string, string | boolean> =>
    Object.fromEntries(Object.keys(headers).map((name) => [`method.response.header.${name}`, value(name)]));
  resource.addMethod(
    'OPTIONS',
    new MockIntegration({
      requestTemplates: { 'application/json': '{"statusCode": 204}' },
      integrationResponses: [
        { statusCode: '204', responseParameters: parameters((name) => headers[name] ?? '') as Record<string, string> },
      ],
    }),
    { methodResponses: [{ statusCode: '204', responseParameters: parameters(() => true) as Record<string, boolean> }] },
  );
}
