import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { warnings } from '../../infra/config';
import { throttleOf } from '../../lambdas/contract/endpoint';
import { errors } from '../../lambdas/contract/errors';
import { receivePayment } from '../../lambdas/contract/payments';
import { indexProblems, type IndexDescription } from '../support/index-changes';
import type { Synthesized } from '../support/stage-synth';
import { certificate, stageConfigs, synthesizedStage, type StageName } from '../support/stages';
import { at, circleIn, ofType, only, references, type Resource, type Template } from '../support/template';

/** Checks how each option changes the template. checks.test.ts checks that every combination can be deployed. */

const root = resolve(__dirname, '../..');

const synthesized = new Map<string, Synthesized>();
const stage = (name: string): Synthesized =>
  synthesized.get(name) ?? { template: { Resources: {}, Outputs: {} }, region: '', terminationProtection: undefined, tags: {} };
const template = (name: string): Template => stage(name).template;

/** The ids of a stage's warnings. checks.test.ts checks that the synth reports them. */
const warningsOf = (name: StageName): string[] => [...warnings(stageConfigs[name])].map(([id]) => id);

beforeAll(async () => {
  for (const name of Object.keys(stageConfigs) as StageName[]) synthesized.set(name, await synthesizedStage(name));
});

const distribution = (name: string): unknown =>
  at(only(template(name), 'AWS::CloudFront::Distribution')[1], 'Properties', 'DistributionConfig');
const output = (name: string, key: string): unknown => at(template(name).Outputs, key, 'Value');

describe('instances that are always ready', () => {
  const aliases = (name: string): Resource[] => ofType(template(name), 'AWS::Lambda::Alias').map(([, alias]) => alias);

  test('the API invokes the alias whose instances are always ready', () => {
    const [alias, ...others] = aliases('special');
    expect(others).toEqual([]);
    expect(at(alias, 'Properties', 'ProvisionedConcurrencyConfig', 'ProvisionedConcurrentExecutions')).toBe(2);
    const [[aliasId]] = ofType(template('special'), 'AWS::Lambda::Alias') as [[string, Resource]];
    const [, gateway] = only(template('special'), 'AWS::ApiGateway::RestApi');
    const uri = at(gateway, 'Properties', 'Body', 'paths', '/v1/products/{id}/validate', 'get', 'x-amazon-apigateway-integration', 'uri');
    expect(references(uri)).toContain(aliasId);
    expect(JSON.stringify(ofType(template('special'), 'AWS::IAM::Role'))).toContain(`{"Ref":"${aliasId}"}`);
  });

  test('by default no instance is always ready, because it would cost money without traffic', () => expect(aliases('plain')).toEqual([]));
});

describe('the option for a restored table', () => {
  test('with a restored table, all permissions and environment variables name it, and the stack has no table of its own', () => {
    const of = template('special');
    expect(ofType(of, 'AWS::DynamoDB::Table')).toEqual([]);
    const names = Object.values(of.Resources).flatMap(
      (resource) => at(resource, 'Properties', 'Environment', 'Variables', 'TABLE_NAME') ?? [],
    );
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names)).toEqual(new Set(['licenses-restored']));
    const granted = JSON.stringify(ofType(of, 'AWS::IAM::Role'));
    expect(granted).toContain(':table/licenses-restored"');
    expect(granted).toContain(':table/licenses-restored/index/list');
  });
});

describe('the option for a region', () => {
  test('a stage is deployed to the configured region, or otherwise to the region of the command line', () =>
    expect([stage('all').region, stage('plain').region]).toEqual(['us-east-1', 'unknown-region']));
});

describe('the option for a domain', () => {
  test('the distribution has the domain name, and requires TLS 1.2 or later', () => {
    expect(at(distribution('all'), 'Aliases')).toEqual(['licenses.example.com']);
    expect(at(distribution('all'), 'ViewerCertificate')).toEqual(expect.objectContaining({ MinimumProtocolVersion: 'TLSv1.2_2021' }));
    expect(output('all', 'Url')).toBe('https://licenses.example.com');
  });

  test('the API has a domain name too, so no shipped app depends on a generated URL', () => {
    const [name, { Properties }] = only(template('all'), 'AWS::ApiGateway::DomainName');
    expect(Properties).toEqual(
      expect.objectContaining({
        DomainName: 'api.licenses.example.com',
        SecurityPolicy: 'TLS_1_2',
        RegionalCertificateArn: certificate('us-east-1'),
      }),
    );
    const mapping = only(template('all'), 'AWS::ApiGateway::BasePathMapping')[1];
    expect([references(mapping.Properties['DomainName']), references(mapping.Properties['Stage']), mapping.Properties['BasePath']]).toEqual(
      [[name], [only(template('all'), 'AWS::ApiGateway::Stage')[0]], undefined],
    );
    expect(output('all', 'ApiUrl')).toBe('https://api.licenses.example.com');
    const records = ofType(template('all'), 'AWS::Route53::RecordSet').map(
      ([, record]) => `${String(record.Properties['Type'])} ${String(record.Properties['Name'])}`,
    );
    expect(records.sort()).toEqual(['A api.licenses.example.com.', 'A licenses.example.com.', 'AAAA licenses.example.com.']);
  });

  test("a production stage without a domain gets a warning, and the output with the API's URL warns not to put it into an app", () => {
    expect(warningsOf('plain')).toContain('no-domain');
    expect(at(template('plain').Outputs, 'ApiUrl', 'Description')).toMatch(/never put the URL into an app/);
    const raw = Object.entries(template('plain').Outputs).filter(([, { Value }]) => JSON.stringify(Value).includes('.execute-api.'));
    expect(raw.map(([name]) => name)).toEqual(['ApiUrl']);
    expect(warningsOf('dev')).toEqual([]);
  });

  test('HSTS includes the subdomains only on request, because they may belong to somebody else', () => {
    const subdomains = (name: string): ReadonlySet<unknown> =>
      new Set(
        ofType(template(name), 'AWS::CloudFront::ResponseHeadersPolicy').map(([, policy]) =>
          at(policy, 'Properties', 'ResponseHeadersPolicyConfig', 'SecurityHeadersConfig', 'StrictTransportSecurity', 'IncludeSubdomains'),
        ),
      );
    expect([subdomains('plain'), subdomains('all')]).toEqual([new Set([false]), new Set([true])]);
  });
});

describe('the option for a firewall', () => {
  /** The statuses that AWS WAF accepts for a custom response, from its developer guide ("Supported status codes for custom response"). */
  const accepted = [
    ...[200, 201, 202, 204, 206, 300, 301, 302, 303, 304, 307, 308],
    ...[400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 416, 421, 429],
    ...[500, 501, 502, 503, 504, 505],
  ];
  const acls = (): ReadonlyMap<unknown, readonly [string, Resource]> =>
    new Map(ofType(template('all'), 'AWS::WAFv2::WebACL').map(([id, acl]) => [acl.Properties['Scope'], [id, acl]]));
  const rules = (scope: string): readonly unknown[] => at(acls().get(scope)?.[1], 'Properties', 'Rules') as unknown[];

  test("the firewall protects the distribution and the API's own URL", () => {
    expect([...acls().keys()].sort()).toEqual(['CLOUDFRONT', 'REGIONAL']);
    expect(references(at(distribution('all'), 'WebACLId'))).toEqual([acls().get('CLOUDFRONT')?.[0]]);
    const [, association] = only(template('all'), 'AWS::WAFv2::WebACLAssociation');
    expect(references(association.Properties['WebACLArn'])).toEqual([acls().get('REGIONAL')?.[0]]);
    expect(references(association.Properties['ResourceArn'])).toEqual(
      expect.arrayContaining([only(template('all'), 'AWS::ApiGateway::Stage')[0]]),
    );
    expect(ofType(template('plain'), 'AWS::WAFv2::WebACL')).toEqual([]);
  });

  test.each(['CLOUDFRONT', 'REGIONAL'])(
    "%s: the firewall blocks with statuses that AWS WAF accepts, and with the service's errors, which any origin may read",
    (scope) => {
      const bodies = at(acls().get(scope)?.[1], 'Properties', 'CustomResponseBodies');
      expect(rules(scope).map((rule) => at(rule, 'Priority'))).toEqual([0, 1, 2, 3]);
      for (const rule of rules(scope)) {
        const response = at(rule, 'Action', 'Block', 'CustomResponse');
        expect(accepted).toContain(at(response, 'ResponseCode'));
        const headers = new Map(
          (at(response, 'ResponseHeaders') as { Name: string; Value: string }[]).map(({ Name, Value }) => [Name.toLowerCase(), Value]),
        );
        expect([headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual(['*', 'no-store']);
        expect(headers.get('x-request-id')).toMatch(/./);
        const body = JSON.parse(String(at(bodies, String(at(response, 'CustomResponseBodyKey')), 'Content'))) as { detail: string };
        expect(Object.values(errors)).toContainEqual(
          expect.objectContaining({ code: headers.get('x-svc-error-code'), detail: body.detail }),
        );
      }
      expect(rules(scope).map((rule) => at(rule, 'Action', 'Block', 'CustomResponse', 'ResponseCode'))).toEqual([401, 429, 429, 413]);
    },
  );

  /**
   * A request as AWS WAF sees it. A request through CloudFront contains the origin secret. The path of a request to the API's own URL
   * contains the stage's name.
   */
  interface Seen {
    readonly method: string;
    readonly path: string;
    readonly throughCloudFront?: boolean;
    readonly kilobytes?: number;
  }
  const secretSent = (): unknown => {
    const [origin] = (at(distribution('all'), 'Origins') as unknown[]).filter(
      (candidate) => at(candidate, 'OriginCustomHeaders') !== undefined,
    );
    return (at(origin, 'OriginCustomHeaders') as { HeaderName: string; HeaderValue: unknown }[]).find(
      ({ HeaderName }) => HeaderName === 'Referer',
    )?.HeaderValue;
  };
  const matches = (statement: unknown, seen: Seen): boolean => {
    const [[kind, inner] = ['', undefined]] = Object.entries(statement as object) as [string, unknown][];
    const parts = (at(inner, 'Statements') ?? []) as unknown[];
    switch (kind) {
      case 'AndStatement':
        return parts.every((part) => matches(part, seen));
      case 'NotStatement':
        return !matches(at(inner, 'Statement'), seen);
      case 'RegexMatchStatement':
        expect(inner).toMatchObject({ FieldToMatch: { UriPath: {} }, TextTransformations: [{ Type: 'URL_DECODE' }] });
        return new RegExp(String(at(inner, 'RegexString'))).test(decodeURIComponent(seen.path));
      case 'ByteMatchStatement':
        expect(at(inner, 'PositionalConstraint')).toBe('EXACTLY');
        if (at(inner, 'FieldToMatch', 'Method')) return at(inner, 'SearchString') === seen.method;
        expect([at(inner, 'FieldToMatch'), at(inner, 'SearchString')]).toEqual([{ SingleHeader: { Name: 'referer' } }, secretSent()]);
        return seen.throughCloudFront === true;
      case 'SizeConstraintStatement':
        expect(inner).toMatchObject({ FieldToMatch: { Body: { OversizeHandling: 'MATCH' } }, ComparisonOperator: 'GT' });
        return 1024 * (seen.kilobytes ?? 0) > Number(at(inner, 'Size'));
      case 'RateBasedStatement':
        expect(at(inner, 'AggregateKeyType')).toBe('IP');
        return matches(at(inner, 'ScopeDownStatement'), seen);
      default:
        throw new Error(`Unknown statement ${kind}`);
    }
  };
  /** The names of the rules that match a request, whether they block it or only count it. */
  const rulesFor = (scope: string, seen: Seen): unknown[] =>
    rules(scope)
      .filter((rule) => matches(at(rule, 'Statement'), seen))
      .map((rule) => at(rule, 'Name'));
  const token = 'A-_9'.repeat(11).slice(0, 43);

  test.each(['CLOUDFRONT', 'REGIONAL'])(
    '%s: notifications have a separate limit and may have 1 MB, and impossible notification addresses are refused first',
    (scope) => {
      const stage = scope === 'REGIONAL' ? '/production' : '';
      const looked = (method: string, path: string, kilobytes = 0): unknown[] =>
        rulesFor(scope, { method, path: `${stage}${path}`, kilobytes });
      expect(looked('POST', `/v1/payments/${token}`, 1024)).toEqual(['too-many-notifications']);
      for (const made of ['made-up', '', `${token}A`, '%2e'.repeat(43)])
        expect(looked('POST', `/v1/payments/${made}`)).toEqual(['impossible-address', 'too-many-notifications']);
      expect(looked('POST', `/v1/%70ayments/made-up`)).toContain('impossible-address');
      // The following two paths begin like notification addresses, but belong to routes of the operator.
      expect(looked('GET', `/v1/payments/${token}`)).toEqual(['too-many-requests']);
      expect(looked('POST', '/v1/payments/5f0c8a9b/process')).toEqual(['too-many-requests']);
      expect(looked('POST', '/v1/products/1/activate', 65)).toEqual(['too-many-requests', 'too-large']);
    },
  );

  test("one IP address can't use up the limit of all notifications, and the limit of an address is high enough for a processor", () => {
    for (const scope of ['CLOUDFRONT', 'REGIONAL']) {
      const limit = rules(scope)
        .map((rule) => at(rule, 'Statement', 'RateBasedStatement'))
        .find((statement) => at(statement, 'EvaluationWindowSec') === 60);
      const perSecond = Number(at(limit, 'Limit')) / 60;
      expect(perSecond).toBeLessThanOrEqual(throttleOf(receivePayment).rate / 10);
      expect(perSecond).toBeGreaterThanOrEqual(20);
    }
  });

  test("requests through CloudFront are counted only by CloudFront's firewall, because behind it they have CloudFront's IP addresses", () => {
    for (const [method, path] of [
      ['GET', '/v1/licenses/1'],
      ['POST', `/v1/payments/${token}`],
    ] as const) {
      expect(rulesFor('REGIONAL', { method, path: `/production${path}`, throughCloudFront: true })).toEqual([]);
      expect(rulesFor('REGIONAL', { method, path: `/production${path}` })).toHaveLength(1);
      expect(rulesFor('CLOUDFRONT', { method, path })).toHaveLength(1);
    }
    expect(JSON.stringify(secretSent())).toContain('{{resolve:secretsmanager:');
  });

  test("the API's firewall is created after the distribution sends the secret, because it would otherwise count all of its requests as one caller's", () => {
    expect(only(template('all'), 'AWS::WAFv2::WebACLAssociation')[1].DependsOn).toContain(
      only(template('all'), 'AWS::CloudFront::Distribution')[0],
    );
    expect(circleIn(template('all'))).toBeUndefined();
  });

  test("the firewall's metrics have the stage's name, so another stage in the region does not add to them", () => {
    for (const [, acl] of acls().values())
      expect(at(acl.Properties, 'VisibilityConfig', 'MetricName')).toBe('license-key-service-production');
  });
});

describe('the option `closeApi`', () => {
  test('a closed API refuses requests that did not come through CloudFront with "not found", before a function runs', () => {
    const [, api] = only(template('special'), 'AWS::ApiGateway::RestApi');
    const statements = at(api.Properties, 'Body', 'x-amazon-apigateway-policy', 'Statement') as unknown[];
    const [origin] = (at(distribution('special'), 'Origins') as unknown[]).filter(
      (candidate) => at(candidate, 'OriginCustomHeaders') !== undefined,
    );
    const secret = (at(origin, 'OriginCustomHeaders') as { HeaderName: string; HeaderValue: unknown }[]).find(
      ({ HeaderName }) => HeaderName === 'Referer',
    )?.HeaderValue;
    expect(secret).toBeDefined();
    expect(statements).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'execute-api:Invoke' }),
      expect.objectContaining({ Effect: 'Deny', Action: 'execute-api:Invoke', Condition: { StringNotEquals: { 'aws:Referer': secret } } }),
    ]);
    expect(at(api.Properties, 'Body', 'x-amazon-apigateway-gateway-responses', 'ACCESS_DENIED', 'statusCode')).toBe(404);
    expect(at(only(template('plain'), 'AWS::ApiGateway::RestApi')[1].Properties, 'Body', 'x-amazon-apigateway-policy')).toBeUndefined();
  });

  test('the API is closed after the distribution sends the secret, because a stage in use would otherwise refuse all requests for minutes', () => {
    const [id] = only(template('special'), 'AWS::CloudFront::Distribution');
    expect(only(template('special'), 'AWS::ApiGateway::Deployment')[1].DependsOn).toContain(id);
    expect(only(template('plain'), 'AWS::ApiGateway::Deployment')[1].DependsOn ?? []).not.toContain(id);
    expect(circleIn(template('special'))).toBeUndefined();
  });
});

describe('warnings about costs', () => {
  test('a budget warns by mail before the end of the month', () => {
    const [, budget] = only(template('all'), 'AWS::Budgets::Budget');
    expect(at(budget.Properties, 'Budget')).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 100, Unit: 'USD' } });
    const warned = at(budget.Properties, 'NotificationsWithSubscribers') as unknown[];
    expect(warned.map((entry) => [at(entry, 'Notification', 'NotificationType'), at(entry, 'Subscribers')])).toEqual(
      ['ACTUAL', 'FORECASTED'].map((type) => [type, [{ SubscriptionType: 'EMAIL', Address: 'operator@example.com' }]]),
    );
  });

  test('an alarm goes off when an hour costs more than the budget permits for a day', () => {
    const alarm = ofType(template('plain'), 'AWS::CloudWatch::Alarm').find(([, { Properties }]) =>
      String(Properties['AlarmName']).endsWith('-cost-rate'),
    )?.[1].Properties;
    // A day of the budget is a thirtieth of it.
    expect(alarm!['Threshold']).toBe(100);
    expect(at(alarm!['Metrics'], 0, 'Expression')).toMatch(/^30 \* \(.*\)$/);
    const counted = (alarm!['Metrics'] as unknown[]).flatMap((metric) => at(metric, 'MetricStat', 'Metric', 'MetricName') ?? []);
    expect(counted.sort()).toEqual([
      'BytesDownloaded',
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      'Count',
      'IncomingBytes',
      'IncomingBytes',
    ]);
  });
});

describe('the descriptions and recipients of alarms', () => {
  const descriptions = (name: string): readonly string[] =>
    ofType(template(name), 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => JSON.stringify(Properties['AlarmDescription']));

  test("the description of an alarm links to the log, and to the runbook if the repository's address is configured", () => {
    for (const text of descriptions('all')) {
      expect(text).toMatch(/https:\/\/github\.com\/acme\/licenses\/blob\/main\/docs\/runbook\.md#[\w-]+ /);
      expect(text).toMatch(/https:\/\/console\.aws\.amazon\.com\/cloudwatch\/home\?region=.*#logsV2:logs-insights\$3FqueryDetail\$3D~/);
      expect(text).toContain(ofType(template('all'), 'AWS::Logs::LogGroup').find(([id]) => id.startsWith('Logs'))?.[0]);
    }
  });

  test('the description of an alarm has at most 1,024 characters, which CloudWatch can show', () => {
    for (const text of descriptions('all')) expect(text.length + 64).toBeLessThan(1024);
  });

  test('a production stage without an e-mail address for alarms gets a warning', () => {
    expect(warningsOf('plain')).toContain('no-alarm-email');
    expect(warningsOf('all')).toEqual([]);
    const recipients = (name: 'plain' | 'all'): unknown[] =>
      ofType(template(name), 'AWS::SNS::Subscription').filter(([, { Properties }]) => Properties['Protocol'] === 'email');
    expect([recipients('plain').length, recipients('all').length]).toEqual([0, 1]);
  });
});

/**
 * A function that sends mail needs a permission for each resource that SES checks: the sender's identity, the default configuration set of
 * an identity, and the recipient's identity if it is verified in the same account. In the sandbox every recipient's identity is verified.
 * So without all these permissions, a new account could not send any mail.
 */
test('mail may be sent from the configured address only, for all resources that SES checks', () => {
  const statement = ofType(template('all'), 'AWS::IAM::Role')
    .flatMap(([, role]) => (at(role, 'Properties', 'Policies', 0, 'PolicyDocument', 'Statement') ?? []) as unknown[])
    .find((candidate) => [at(candidate, 'Action')].flat().includes('ses:SendEmail'));
  const resources = (at(statement, 'Resource') as unknown[]).map((arn) => /:([\w-]+\/[^"]+)"/.exec(JSON.stringify(arn))?.[1]);
  expect(resources.sort()).toEqual(['configuration-set/*', 'identity/*']);
  expect(at(statement, 'Condition')).toEqual({ StringEquals: { 'ses:FromAddress': 'licenses@mail.example.com' } });
});

test('the stack has tags with its service and stage, which apply to all of its resources', () =>
  expect([stage('plain').tags, stage('dev').tags]).toEqual(
    ['production', 'dev'].map((name) => ({ service: 'license-key-service', stage: name })),
  ));

describe('deployments replace or delete nothing by accident', () => {
  test('every feature flag that CDK recommends is set, because setting a flag later may replace deployed resources', () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
    const recommended = read(require.resolve('aws-cdk-lib/recommended-feature-flags.json')) as Record<string, unknown>;
    expect(Object.keys(recommended).length).toBeGreaterThan(50);
    expect(at(read(join(root, 'cdk.json')), 'context')).toMatchObject(recommended);
  });

  test("a stack that retains its data can't be deleted by accident", () =>
    expect([stage('plain').terminationProtection, stage('dev').terminationProtection]).toEqual([true, false]));

  /**
   * CloudFormation replaces a resource whose logical id changes: a table or a secret would be empty, an address would change. If this test
   * fails, a construct was moved. Move it back, or plan how to migrate its content.
   */
  test('resources with data or with an address keep their logical ids', () => {
    const kept = {
      'AWS::DynamoDB::Table': ['DataTableFDBAD0F2'],
      'AWS::SecretsManager::Secret': ['OriginSecret6E72B3A6', 'SecretsAdminToken5812E3BC', 'SecretsEncryptionKeyBE59B073'],
      'AWS::SQS::Queue': ['EventsDeadLetters8A90034E', 'EventsQueue7396B467'],
      'AWS::ApiGateway::RestApi': ['HttpGateway7EBA6944'],
      'AWS::ApiGateway::Stage': ['HttpGatewayDeploymentStageproduction89AC17CB'],
      'AWS::ApiGateway::DomainName': ['HttpGatewayDomainE316C7B1'],
      'AWS::CloudFront::Distribution': ['EdgeDistribution0060737B'],
      'AWS::S3::Bucket': ['SiteBucket978D4AEB'],
      'AWS::Logs::LogGroup': ['HttpAccessLogC8763DB1', 'Logs6819BB44'],
      'AWS::SNS::Topic': ['AlarmsTopic3A2DFEBA'],
    };
    for (const [type, ids] of Object.entries(kept))
      expect(ofType(template('all'), type).map(([id]) => id)).toEqual(expect.arrayContaining(ids));
  });

  /**
   * CloudFormation refuses some changes of indexes in a single deployment. The deployment of the whole release then fails. `npm run
   * test:deploy` compares the indexes of the last release with those of the table.
   */
  const [one, two, three] = ['one', 'two', 'three'].map(
    (IndexName): IndexDescription => ({
      IndexName,
      KeySchema: [{ AttributeName: `${IndexName}_pk`, KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }),
  ) as [IndexDescription, IndexDescription, IndexDescription];
  test.each<[string, readonly IndexDescription[], readonly IndexDescription[], readonly string[]]>([
    ['the same indexes in another order', [one, two], [two, one], []],
    ['an added index', [one], [one, two], []],
    ['a removed index', [one, two], [two], []],
    ['two added indexes', [one], [one, two, three], ['Add or remove one index per deployment, not 2: two, three']],
    ['a replaced index', [one, two], [one, three], ['Add or remove one index per deployment, not 2: two, three']],
    [
      'another projection',
      [one],
      [{ ...one, Projection: { ProjectionType: 'ALL' } }],
      ['The index one has changed: add an index with another name instead'],
    ],
    ['another key', [one], [{ ...one, KeySchema: two.KeySchema }], ['The index one has changed: add an index with another name instead']],
  ])("CloudFormation's limits for changes of indexes: %s", (_change, before, after, problems) =>
    expect(indexProblems(before, after)).toEqual(problems),
  );
});
