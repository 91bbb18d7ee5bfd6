import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configFor, warnings, type StageConfig } from '../../infra/config';
import { throttleOf } from '../../lambdas/contract/endpoint';
import { errors } from '../../lambdas/contract/errors';
import { receivePayment } from '../../lambdas/contract/payments';
import { indexProblems, type IndexDescription } from '../support/index-changes';
import { synthesizeStage, type Synthesized } from '../support/stage-synth';
import { at, circleIn, ofType, only, references, type Resource, type Template } from '../support/template';

/** What each option changes in the template. That every combination can be deployed is for checks.test.ts. */

const root = resolve(__dirname, '../..');
const certificate = (region: string): string => `arn:aws:acm:${region}:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef`;
const domain = {
  name: 'licenses.example.com',
  certificateArn: certificate('us-east-1'),
  hostedZone: { id: 'Z0123456789ABCDEFGHIJ', name: 'example.com' },
};

const synthesized = new Map<string, Synthesized>();
const stage = (name: string): Synthesized =>
  synthesized.get(name) ?? { template: { Resources: {}, Outputs: {} }, region: '', terminationProtection: undefined, tags: {} };
const template = (name: string): Template => stage(name).template;

const configs = {
  plain: configFor('production'),
  all: configFor('production', {
    region: 'us-east-1',
    domain: { ...domain, hstsIncludeSubDomains: true, api: { name: 'api.licenses.example.com', certificateArn: certificate('us-east-1') } },
    firewall: { requestsPer5Minutes: 2000 },
    alarmEmail: 'operator@example.com',
    repositoryUrl: 'https://github.com/acme/licenses',
    mail: { transport: 'ses', from: 'licenses@mail.example.com' },
  }),
  closed: configFor('production', { closeApi: true }),
  restored: configFor('production', { restoredTable: 'licenses-restored' }),
  warm: configFor('production', { warm: { validate: 2 } }),
  dev: configFor('dev'),
} satisfies Readonly<Record<string, StageConfig>>;
/** Of what a stage warns; that the synth reports it is for checks.test.ts. */
const warningsOf = (name: keyof typeof configs): string[] => [...warnings(configs[name])].map(([id]) => id);

beforeAll(() => {
  for (const [name, config] of Object.entries(configs)) synthesized.set(name, synthesizeStage(config));
});

const distribution = (name: string): unknown =>
  at(only(template(name), 'AWS::CloudFront::Distribution')[1], 'Properties', 'DistributionConfig');
const output = (name: string, key: string): unknown => at(template(name).Outputs, key, 'Value');

describe('instances that are always ready', () => {
  const aliases = (name: string): Resource[] => ofType(template(name), 'AWS::Lambda::Alias').map(([, alias]) => alias);

  test('belong to the named function, and the API invokes them', () => {
    const [alias, ...others] = aliases('warm');
    expect(others).toEqual([]);
    expect(at(alias, 'Properties', 'ProvisionedConcurrencyConfig', 'ProvisionedConcurrentExecutions')).toBe(2);
    const [[aliasId]] = ofType(template('warm'), 'AWS::Lambda::Alias') as [[string, Resource]];
    const [, gateway] = only(template('warm'), 'AWS::ApiGateway::RestApi');
    const uri = at(gateway, 'Properties', 'Body', 'paths', '/v1/products/{id}/validate', 'get', 'x-amazon-apigateway-integration', 'uri');
    expect(references(uri)).toContain(aliasId);
    expect(JSON.stringify(ofType(template('warm'), 'AWS::IAM::Role'))).toContain(`{"Ref":"${aliasId}"}`);
  });

  test('do not exist by default, because they cost money without traffic', () => expect(aliases('plain')).toEqual([]));
});

describe('a restored table', () => {
  test('takes the place of the own one, which stays, in every grant and every environment', () => {
    const of = template('restored');
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

describe('a region', () => {
  test('is where the stage goes, or else where the command line points', () =>
    expect([stage('all').region, stage('plain').region]).toEqual(['us-east-1', 'unknown-region']));
});

test.each(['docs/deploy.md', 'docs/operations.md'])(
  'every command of CDK in %s names the stage: without it, that of dev and the region of the profile are meant',
  (file) => {
    const commands = [...readFileSync(join(root, file), 'utf8').matchAll(/npx cdk \w+[^\n`]*/g)].map(([command]) => command);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(command).toMatch(/ -c stage=\w/);
  },
);

describe('a domain', () => {
  test('names the distribution, with TLS 1.2 or later', () => {
    expect(at(distribution('all'), 'Aliases')).toEqual(['licenses.example.com']);
    expect(at(distribution('all'), 'ViewerCertificate')).toEqual(expect.objectContaining({ MinimumProtocolVersion: 'TLSv1.2_2021' }));
    expect(output('all', 'Url')).toBe('https://licenses.example.com');
  });

  test('names the API as well, so that no shipped app depends on a generated address', () => {
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

  test('is missed in production, and its output warns against shipping the address of the API', () => {
    expect(warningsOf('plain')).toContain('no-domain');
    expect(at(template('plain').Outputs, 'ApiUrl', 'Description')).toMatch(/never ship it/);
    const raw = Object.entries(template('plain').Outputs).filter(([, { Value }]) => JSON.stringify(Value).includes('.execute-api.'));
    expect(raw.map(([name]) => name)).toEqual(['ApiUrl']);
    expect(warningsOf('dev')).toEqual([]);
  });

  test('extends HSTS to the names below it only on request: they may be somebody else’s', () => {
    const subdomains = (name: string): ReadonlySet<unknown> =>
      new Set(
        ofType(template(name), 'AWS::CloudFront::ResponseHeadersPolicy').map(([, policy]) =>
          at(policy, 'Properties', 'ResponseHeadersPolicyConfig', 'SecurityHeadersConfig', 'StrictTransportSecurity', 'IncludeSubdomains'),
        ),
      );
    expect([subdomains('plain'), subdomains('all')]).toEqual([new Set([false]), new Set([true])]);
  });
});

describe('a firewall', () => {
  /** The statuses that AWS WAF accepts for a custom response, from its developer guide ("Supported status codes for custom response"). */
  const accepted = [
    ...[200, 201, 202, 204, 206, 300, 301, 302, 303, 304, 307, 308],
    ...[400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 416, 421, 429],
    ...[500, 501, 502, 503, 504, 505],
  ];
  const acls = (): ReadonlyMap<unknown, readonly [string, Resource]> =>
    new Map(ofType(template('all'), 'AWS::WAFv2::WebACL').map(([id, acl]) => [acl.Properties['Scope'], [id, acl]]));
  const rules = (scope: string): readonly unknown[] => at(acls().get(scope)?.[1], 'Properties', 'Rules') as unknown[];

  test('stands before the distribution and before the API’s own address', () => {
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
    '%s: blocks with statuses that AWS WAF accepts, in the service’s words and readable by any origin',
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
   * A request as AWS WAF sees it: what came through CloudFront has the origin secret, and the stage is in the path of the API's own
   * address.
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
    const [[kind = '', inner] = []] = Object.entries(statement as object) as [string, unknown][];
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
  /** The rules that look at a request: those that block it, and those that count it. */
  const rulesFor = (scope: string, seen: Seen): unknown[] =>
    rules(scope)
      .filter((rule) => matches(at(rule, 'Statement'), seen))
      .map((rule) => at(rule, 'Name'));
  const token = 'A-_9'.repeat(11).slice(0, 43);

  test.each(['CLOUDFRONT', 'REGIONAL'])(
    '%s: notifications have a limit of their own, and may be 1 MB long; addresses that no connection has are refused first',
    (scope) => {
      const stage = scope === 'REGIONAL' ? '/production' : '';
      const looked = (method: string, path: string, kilobytes = 0): unknown[] =>
        rulesFor(scope, { method, path: `${stage}${path}`, kilobytes });
      expect(looked('POST', `/v1/payments/${token}`, 1024)).toEqual(['too-many-notifications']);
      for (const made of ['made-up', '', `${token}A`, '%2e'.repeat(43)])
        expect(looked('POST', `/v1/payments/${made}`)).toEqual(['impossible-address', 'too-many-notifications']);
      expect(looked('POST', `/v1/%70ayments/made-up`)).toContain('impossible-address');
      // The operator's routes begin alike.
      expect(looked('GET', `/v1/payments/${token}`)).toEqual(['too-many-requests']);
      expect(looked('POST', '/v1/payments/5f0c8a9b/process')).toEqual(['too-many-requests']);
      expect(looked('POST', '/v1/products/1/activate', 65)).toEqual(['too-many-requests', 'too-large']);
    },
  );

  test('one address cannot use up the limit of all notifications, and a processor never meets the limit of an address', () => {
    for (const scope of ['CLOUDFRONT', 'REGIONAL']) {
      const limit = rules(scope)
        .map((rule) => at(rule, 'Statement', 'RateBasedStatement'))
        .find((statement) => at(statement, 'EvaluationWindowSec') === 60);
      const perSecond = Number(at(limit, 'Limit')) / 60;
      expect(perSecond).toBeLessThanOrEqual(throttleOf(receivePayment).rate / 10);
      expect(perSecond).toBeGreaterThanOrEqual(20);
    }
  });

  test('counts what came through CloudFront there and not again behind it, where it all has CloudFront’s addresses', () => {
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

  test('stands before the API only once the distribution sends the secret, and would until then count its callers as one', () => {
    expect(only(template('all'), 'AWS::WAFv2::WebACLAssociation')[1].DependsOn).toContain(
      only(template('all'), 'AWS::CloudFront::Distribution')[0],
    );
    expect(circleIn(template('all'))).toBeUndefined();
  });

  test('has metrics of its own, which another stage in the same region does not add to', () => {
    for (const [, acl] of acls().values())
      expect(at(acl.Properties, 'VisibilityConfig', 'MetricName')).toBe('license-key-service-production');
  });
});

describe('a closed API', () => {
  test('refuses what did not come through CloudFront before a function runs, as if it were not there', () => {
    const [, api] = only(template('closed'), 'AWS::ApiGateway::RestApi');
    const statements = at(api.Properties, 'Body', 'x-amazon-apigateway-policy', 'Statement') as unknown[];
    const [origin] = (at(distribution('closed'), 'Origins') as unknown[]).filter(
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

  test('closes after the distribution sends the secret: a stage that is in use would otherwise refuse everything for minutes', () => {
    const [id] = only(template('closed'), 'AWS::CloudFront::Distribution');
    expect(only(template('closed'), 'AWS::ApiGateway::Deployment')[1].DependsOn).toContain(id);
    expect(only(template('plain'), 'AWS::ApiGateway::Deployment')[1].DependsOn ?? []).not.toContain(id);
    expect(circleIn(template('closed'))).toBeUndefined();
  });
});

describe('costs', () => {
  test('a budget warns by mail before the month is over', () => {
    const [, budget] = only(template('all'), 'AWS::Budgets::Budget');
    expect(at(budget.Properties, 'Budget')).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 100, Unit: 'USD' } });
    const warned = at(budget.Properties, 'NotificationsWithSubscribers') as unknown[];
    expect(warned.map((entry) => [at(entry, 'Notification', 'NotificationType'), at(entry, 'Subscribers')])).toEqual(
      ['ACTUAL', 'FORECASTED'].map((type) => [type, [{ SubscriptionType: 'EMAIL', Address: 'operator@example.com' }]]),
    );
  });

  test('an alarm rings when an hour costs what a day may', () => {
    const alarm = ofType(template('plain'), 'AWS::CloudWatch::Alarm').find(([, { Properties }]) =>
      String(Properties['AlarmName']).endsWith('-cost-rate'),
    )?.[1].Properties;
    expect(alarm?.['Threshold']).toBeCloseTo(100 / 30);
    const counted = (alarm?.['Metrics'] as unknown[]).flatMap((metric) => at(metric, 'MetricStat', 'Metric', 'MetricName') ?? []);
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

describe('alarms', () => {
  const descriptions = (name: string): readonly string[] =>
    ofType(template(name), 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => JSON.stringify(Properties['AlarmDescription']));

  test('link to the runbook where the repository is known, and to the log', () => {
    for (const text of descriptions('all')) {
      expect(text).toMatch(/https:\/\/github\.com\/acme\/licenses\/blob\/main\/docs\/runbook\.md#[\w-]+ /);
      expect(text).toMatch(/https:\/\/console\.aws\.amazon\.com\/cloudwatch\/home\?region=.*#logsV2:logs-insights\$3FqueryDetail\$3D~/);
      expect(text).toContain(ofType(template('all'), 'AWS::Logs::LogGroup').find(([id]) => id.startsWith('Logs'))?.[0]);
    }
  });

  test('fit into the 1,024 characters that CloudWatch shows', () => {
    for (const text of descriptions('all')) expect(text.length + 64).toBeLessThan(1024);
  });

  test('that nobody hears are warned of in production', () => {
    expect(warningsOf('plain')).toContain('no-alarm-email');
    expect(warningsOf('all')).toEqual([]);
    expect([ofType(template('plain'), 'AWS::SNS::Subscription').length, ofType(template('all'), 'AWS::SNS::Subscription').length]).toEqual([
      0, 1,
    ]);
  });
});

/**
 * SES also asks about the recipient's identity if it is verified in the same account, which is the case for everyone in
 * the sandbox, and about an identity's default configuration set: a new account would otherwise send no mail at all.
 */
test('mail may be sent from the one address, regardless of what else SES asks about', () => {
  const statement = ofType(template('all'), 'AWS::IAM::Role')
    .flatMap(([, role]) => (at(role, 'Properties', 'Policies', 0, 'PolicyDocument', 'Statement') ?? []) as unknown[])
    .find((candidate) => [at(candidate, 'Action')].flat().includes('ses:SendEmail'));
  const resources = (at(statement, 'Resource') as unknown[]).map((arn) => /:([\w-]+\/[^"]+)"/.exec(JSON.stringify(arn))?.[1]);
  expect(resources.sort()).toEqual(['configuration-set/*', 'identity/*']);
  expect(at(statement, 'Condition')).toEqual({ StringEquals: { 'ses:FromAddress': 'licenses@mail.example.com' } });
});

test('the stack carries its service and stage as tags, for everything in it', () =>
  expect([stage('plain').tags, stage('dev').tags]).toEqual(
    ['production', 'dev'].map((name) => ({ service: 'license-key-service', stage: name })),
  ));

describe('nothing is replaced or lost by accident', () => {
  test('every feature flag that CDK recommends is set: one that is set later may replace what is deployed', () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
    const recommended = read(require.resolve('aws-cdk-lib/recommended-feature-flags.json')) as Record<string, unknown>;
    expect(Object.keys(recommended).length).toBeGreaterThan(50);
    expect(at(read(join(root, 'cdk.json')), 'context')).toMatchObject(recommended);
  });

  test('a stack whose data is kept refuses to be deleted', () =>
    expect([stage('plain').terminationProtection, stage('dev').terminationProtection]).toEqual([true, false]));

  /**
   * CloudFormation replaces what changes its logical id: a table or a secret would start empty, an address would
   * change. If this fails, a construct has moved: move it back, or plan how its content moves.
   */
  test('what holds data or an address keeps its logical id', () => {
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

  /** CloudFormation refuses any other change of indexes, and the deployment of the whole release with it. */
  test('one deployment can turn the indexes of the last release into those of the table', () => {
    const table = only(template('plain'), 'AWS::DynamoDB::Table')[1];
    const indexes = table.Properties['GlobalSecondaryIndexes'] as IndexDescription[];
    const released = JSON.parse(readFileSync(join(root, 'infra/released-indexes.json'), 'utf8')) as {
      readonly release: string | null;
      readonly indexes: readonly IndexDescription[];
    };
    // Nobody has a table before the first release.
    if (released.release !== null) expect(indexProblems(released.indexes, indexes)).toEqual([]);
  });

  const [one, two, three] = ['one', 'two', 'three'].map(
    (IndexName): IndexDescription => ({
      IndexName,
      KeySchema: [{ AttributeName: `${IndexName}_pk`, KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }),
  ) as [IndexDescription, IndexDescription, IndexDescription];
  test.each<[string, readonly IndexDescription[], readonly IndexDescription[], readonly string[]]>([
    ['none', [one, two], [two, one], []],
    ['one that is added', [one], [one, two], []],
    ['one that is removed', [one, two], [two], []],
    ['two that are added', [one], [one, two, three], ['A deployment adds or removes one index, not 2: two, three']],
    ['one that takes the place of another', [one, two], [one, three], ['A deployment adds or removes one index, not 2: two, three']],
    [
      'another projection',
      [one],
      [{ ...one, Projection: { ProjectionType: 'ALL' } }],
      ['The index one is changed: add one with another name instead'],
    ],
    ['another key', [one], [{ ...one, KeySchema: two.KeySchema }], ['The index one is changed: add one with another name instead']],
  ])('changes of indexes: %s', (_change, before, after, problems) => expect(indexProblems(before, after)).toEqual(problems));
});
