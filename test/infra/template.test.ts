import { Stack } from 'aws-cdk-lib';
import { ApiDefinition, CfnDeployment, SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endpoints } from '../../lambdas/contract';
import {
  indexes,
  partitions,
  writeActions,
  type ItemAction,
  type Partition,
  type SecretName,
  type SettingName,
  type StoreAccess,
} from '../../lambdas/contract/access';
import { isForApps, sizeOf, throttleOf, usesQueue, type Endpoint } from '../../lambdas/contract/endpoint';
import { accessOf } from '../../lambdas/contract/endpoint-access';
import { errors } from '../../lambdas/contract/errors';
import { bounces, workers, type Worker } from '../../lambdas/contract/workers';
import { apiDefinition } from '../../infra/api-definition';
import { bundle } from '../../infra/bundle';
import { configFor } from '../../infra/config';
import { buildSite } from '../../infra/site';
import { publisherFile } from '../../infra/site-bucket';
import { sizes } from '../../infra/sizing';
import { adminToken } from '../support/http';
import { formsOf } from '../support/secret-forms';
import { synthesizeStage } from '../support/stage-synth';
import { stageConfigs, synthesizedStage } from '../support/stages';
import { BUILDERS_SECRETS, synthesize } from '../support/synth';
import {
  at,
  circleIn,
  ofType,
  only,
  permissionsOf,
  readTemplate,
  references,
  type Permission,
  type Resource,
  type Template,
} from '../support/template';

/** The functions that the test bundles a second time. Bundling all functions would take half a minute. */
const sample = ['lambdas/api/activate.ts', 'lambdas/events/deliver.ts', publisherFile];

const LONGEST_STAGE_NAME = 's'.repeat(24);

let template: Template;
/** A stage that keeps no data and sends mail. */
let dev: Template;

beforeAll(async () => {
  ({ template } = await synthesizedStage('plain'));
  dev = synthesizeStage({
    ...configFor('dev', { mail: { transport: 'ses', from: 'licenses@example.com' } }),
    stage: LONGEST_STAGE_NAME,
  }).template;
});

/** The workers of a stage that does not send mail through Amazon SES. */
const plainWorkers = workers.filter(({ trigger }) => trigger !== 'bounces');

const rows = endpoints.map((row): [string, Endpoint] => [row.name, row]);

/** The only logical id to which a value refers. */
const target = (value: unknown): string => {
  const [id, ...more] = references(value);
  if (id === undefined || more.length > 0) throw new Error(`Expected one reference in ${JSON.stringify(value)}`);
  return id;
};

const resource = (id: string): Resource => {
  const found = template.Resources[id];
  if (!found) throw new Error(`There is no resource ${id}`);
  return found;
};

/** Computes a value at its first use, because hundreds of tests use the same values of the template. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

/** The OpenAPI document that defines the REST API. */
const definition = (): object => only(template, 'AWS::ApiGateway::RestApi')[1].Properties['Body'] as object;

/** All methods of the API by route, such as `GET /v1/products`. */
const allMethods = once(
  (): ReadonlyArray<readonly [string, object]> =>
    Object.entries(at(definition(), 'paths') as Record<string, Record<string, object>>).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
);
const preflightMethods = (): ReadonlyArray<readonly [string, object]> => allMethods().filter(([route]) => route.startsWith('OPTIONS '));
/** The methods of the API without those for preflight requests. */
const methods = once(() => allMethods().filter(([route]) => !route.startsWith('OPTIONS ')));

const INTEGRATION = 'x-amazon-apigateway-integration';

/** The gateway's own responses, by type. */
const gatewayResponses = (): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(at(definition(), 'x-amazon-apigateway-gateway-responses') as object);

/** The account's role with which API Gateway writes access logs. */
const gatewayLogRole = (): string => target(only(template, 'AWS::ApiGateway::Account')[1].Properties['CloudWatchRoleArn']);

/** The function that an invocation URI or a permission names, either by reference or by its fixed name. */
const invoked = (value: unknown): string => {
  const [name] = /(?<=:function:)lks-[\w-]+/.exec(JSON.stringify(value)) ?? [];
  if (name === undefined) return target(value);
  const found = ofType(template, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties['FunctionName'] === name);
  if (found.length !== 1 || !found[0]) throw new Error(`Expected one function named ${name}, found ${found.length}`);
  return found[0][0];
};

/** The function that each method of the API invokes, by route. */
const functions = once(() => new Map(methods().map(([route, method]) => [route, invoked(at(method, INTEGRATION, 'uri'))])));

/** The function of a contract row, found through the row's method in the API. */
const functionOf = (row: Endpoint): string => {
  const found = functions().get(`${row.method} ${row.path}`);
  if (found === undefined) throw new Error(`No method for ${row.name}`);
  return found;
};

const workerFunction = (worker: Worker): string => {
  const [found, ...more] = ofType(template, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties['Description'] === worker.description,
  );
  if (!found || more.length > 0) throw new Error(`Expected one function for ${worker.name}`);
  return found[0];
};

const secretId = (name: SecretName): string => {
  const descriptions: Record<SecretName, RegExp> = {
    adminToken: /X-Svc-Admin-Token/,
    originSecret: /^Proves to the API/,
    signingKey: /^Encrypts the products' signing keys/,
    encryptionKey: /^Encrypts API keys/,
    portalKey: /^Hashes the sign-in codes/,
    smtpUrl: /SMTP/,
  };
  const found = ofType(template, 'AWS::SecretsManager::Secret').filter(([, { Properties }]) =>
    descriptions[name].test(String(Properties['Description'])),
  );
  if (found.length !== 1 || !found[0]) throw new Error(`Expected one secret for ${name}, found ${found.length}`);
  return found[0][0];
};

/** The event queue, which is the queue with a dead-letter queue. */
const eventQueue = (): readonly [string, Resource] => {
  const [found, ...more] = ofType(template, 'AWS::SQS::Queue').filter(([, { Properties }]) => Properties['RedrivePolicy'] !== undefined);
  if (!found || more.length > 0) throw new Error('Expected one queue with a dead-letter queue');
  return found;
};

/** Permissions as sorted lines of text, which a test can compare. */
const lines = (all: readonly Permission[]): readonly string[] =>
  [
    ...new Set(
      all.map(
        ({ action, resource: on, leadingKey = '', among = [] }) =>
          `${action} ${JSON.stringify(on)} ${leadingKey} ${[...among].sort().join()}`,
      ),
    ),
  ].sort();

const roleOf = (fn: string): string => target(resource(fn).Properties['Role']);
const permissions = (fn: string): readonly string[] => lines(permissionsOf(template, roleOf(fn)));

/** The functions that each role may invoke, except the gateway's role for access logs, which has a managed policy. */
const invocable = once(
  () =>
    new Map(
      ofType(template, 'AWS::IAM::Role').flatMap(([id]): [string, readonly string[]][] => {
        if (id === gatewayLogRole()) return [];
        const permitted = permissionsOf(template, id).filter(({ action }) => action === 'lambda:InvokeFunction');
        return [[id, permitted.map(({ resource: on }) => invoked(on))]];
      }),
    ),
);

const queueArn = (): unknown => ({ 'Fn::GetAtt': [eventQueue()[0], 'Arn'] });

/** The permissions that a function must have according to its declaration in the contract. */
const declared = (
  fn: string,
  store: StoreAccess,
  secrets: readonly SecretName[],
  sends: boolean,
  more: readonly Permission[] = [],
): readonly string[] => {
  const table = { 'Fn::GetAtt': [only(template, 'AWS::DynamoDB::Table')[0], 'Arn'] };
  const { indexes: queried = [], ...actions } = store;
  const log = { 'Fn::GetAtt': [target(at(resource(fn), 'Properties', 'LoggingConfig', 'LogGroup')), 'Arn'] };
  return lines([
    ...(Object.entries(actions) as [ItemAction, readonly Partition[]][]).flatMap(([action, touched]) =>
      touched.map((partition) => ({
        action: `dynamodb:${action}`,
        resource: table,
        leadingKey: `${partitions[partition]}*`,
        // When AWS checks the permission for one item of a transaction, it may use only the key of this item, or the keys of all items. The
        // condition allows both.
        among: [...new Set(writeActions.includes(action) ? writeActions.flatMap((write) => actions[write] ?? []) : touched)].map(
          (together) => `${partitions[together]}*`,
        ),
      })),
    ),
    ...queried.map((index) => ({ action: 'dynamodb:Query', resource: { 'Fn::Join': ['', [table, `/index/${index}`]] } })),
    ...secrets.flatMap((name) =>
      ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'].map((action) => ({ action, resource: { Ref: secretId(name) } })),
    ),
    ...(sends ? ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'] : []).map((action) => ({ action, resource: queueArn() })),
    ...['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => ({ action, resource: log })),
    ...['xray:PutTraceSegments', 'xray:PutTelemetryRecords'].map((action) => ({ action, resource: '*' })),
    ...more,
  ]);
};

describe('CloudFormation can deploy the template', () => {
  test('every reference in the template names an existing resource or parameter', () => {
    const known = new Set([...Object.keys(template.Resources), ...Object.keys(template.Parameters ?? {})]);
    expect(references(template).filter((id) => !known.has(id))).toEqual([]);
  });

  test('no resources depend on one another in a circle', () => {
    expect(circleIn(template)).toBeUndefined();
  });

  test('an endpoint adds two resources, so 120 endpoints stay below 350 of the 500 resources that a stack may have', () => {
    const others = Object.keys(template.Resources).length - 2 * endpoints.length;
    expect(others + 2 * 120).toBeLessThan(350);
  });

  test('few functions have a fixed name, and no fixed name is longer than AWS allows, even with the longest stage name', () => {
    const names = ofType(dev, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
      typeof Properties['FunctionName'] === 'string' ? [Properties['FunctionName']] : [],
    );
    expect(names).toHaveLength(endpoints.filter((row) => accessOf(row).settings?.includes('publicUrl')).length);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  });

  test('the policies of every role have less than the 10,240 characters that AWS allows, even with the longest names', () => {
    const longestArn = `arn:aws-us-gov:lambda:ap-southeast-2:${'0'.repeat(12)}:function:${'n'.repeat(64)}`;
    for (const [id] of ofType(template, 'AWS::IAM::Role')) {
      const policies = JSON.stringify(resource(id).Properties['Policies'] ?? []);
      expect([id, policies.replace(/\{"Fn::GetAtt":\["\w+","Arn"\]\}/g, `"${longestArn}"`).length < 10_240]).toEqual([id, true]);
    }
  });

  describe('the same source always builds the same template, so a deployment without a change changes nothing', () => {
    const codeOf = (of: Template): ReadonlyMap<string, unknown> =>
      new Map(ofType(of, 'AWS::Lambda::Function').map(([id, fn]) => [id, at(fn, 'Properties', 'Code', 'S3Key')]));
    const withoutCode = ({ Resources, ...rest }: Template): object => ({
      ...rest,
      Resources: Object.fromEntries(
        Object.entries(Resources).map(([id, one]) => [
          id,
          one.Type === 'AWS::Lambda::Function' ? { ...one, Properties: { ...one.Properties, Code: undefined }, Metadata: undefined } : one,
        ]),
      ),
    });

    test('two synths give the same template', () =>
      expect(withoutCode(synthesizeStage(stageConfigs.plain).template)).toEqual(withoutCode(template)));

    describe('a synth in another process and folder', () => {
      const assembly = synthesize({ stage: 'dev' });
      afterAll(() => rmSync(assembly, { recursive: true }));

      test('gives the same template and code', () => {
        const theirs = readTemplate(assembly);
        const code = { bundles: bundle(sample, { sourceMaps: true }), pages: buildSite() };
        const ours = synthesizeStage(configFor('dev'), code).template;
        const [first, second] = [codeOf(theirs), codeOf(ours)];
        expect([...first].filter(([id, key]) => second.get(id) === key)).toHaveLength(sample.length);
        expect(withoutCode(ours)).toEqual(withoutCode(theirs));
      });

      test('its files contain no secret of the computer that built them, or of the running service', () => {
        const files = readdirSync(assembly, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const forms = [...Object.values(BUILDERS_SECRETS), adminToken()].flatMap(formsOf);
        const found = files.filter((file) => {
          const bytes = readFileSync(join(file.parentPath, file.name));
          return forms.some((form) => bytes.includes(form));
        });
        expect(found.map(({ name }) => name)).toEqual([]);
        // The files include the pages and every function.
        expect(files.length).toBeGreaterThan(endpoints.length);
      });
    });

    test('the same source gives the same source maps', () => {
      const files = (): unknown =>
        // A small function suffices, because all functions are bundled in the same way.
        [...bundle(['lambdas/api/get-openapi.ts'], { sourceMaps: true }).values()].map((folder) =>
          readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
        );
      const [first, second] = [files(), files()];
      // The test compares the texts with `===`, because Jest's report of a difference would contain megabytes of text.
      expect(JSON.stringify(first) === JSON.stringify(second)).toBe(true);
      expect(JSON.stringify(first)).toContain('index.js.map');
    });
  });

  test('an unknown stage ends the synth with an error message instead of a stack trace', async () => {
    const failure = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
      cwd: resolve(__dirname, '../..'),
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'prod' }) },
    }).catch((error: unknown) => error);
    expect(failure).toEqual(
      expect.objectContaining({ code: 1, stderr: expect.stringMatching(/^There is no stage "prod"\. Choose one of .*\n$/) as unknown }),
    );
  });

  test('the template contains no paths of the computer that built it', () => {
    expect(JSON.stringify(template)).not.toContain(tmpdir());
    expect(JSON.stringify(template)).not.toContain(process.cwd());
  });
});

describe('the routes of API Gateway', () => {
  test('API Gateway has exactly the routes of the contract', () => {
    expect(
      methods()
        .map(([route]) => route)
        .sort(),
    ).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('only the routes for apps answer preflight requests, for any origin and only for their own method and headers', () => {
    const preflights = preflightMethods().map(([route, method]) => {
      const answer = at(method, INTEGRATION, 'responses', 'default', 'responseParameters');
      const header = (name: string): unknown => at(answer, `method.response.header.Access-Control-Allow-${name}`);
      return [route.replace('OPTIONS ', ''), header('Origin'), header('Methods'), String(header('Headers')).toLowerCase()];
    });
    const client = endpoints.filter(isForApps);
    const allowed = (row: Endpoint): string =>
      [
        'content-type',
        'x-api-key',
        ...(row.credential === 'license' ? ['x-license-key', 'x-license-token'] : []),
        ...(row.name === 'validate' ? ['x-svc-token'] : []),
      ].join(',');
    expect(client.length).toBeGreaterThanOrEqual(3);
    expect(preflights.sort()).toEqual(client.map((row) => [row.path, "'*'", `'${row.method}'`, `'${allowed(row)}'`]).sort());
  });

  test("no route lets API Gateway check an API key, a signature or the request, because its errors would differ from the service's", () => {
    for (const [, operation] of methods())
      expect(
        Object.keys(operation)
          .filter((key) => key !== 'parameters')
          .sort(),
      ).toEqual(['responses', INTEGRATION]);
    expect(Object.keys(definition()).sort()).toEqual(['info', 'openapi', 'paths', 'x-amazon-apigateway-gateway-responses']);
  });

  test('an update overwrites the whole API, so a route that was removed from the contract disappears', () => {
    const { Properties } = only(template, 'AWS::ApiGateway::RestApi')[1];
    expect(Properties).toEqual(
      expect.objectContaining({
        Mode: 'overwrite',
        EndpointConfiguration: { Types: ['REGIONAL'] },
        Parameters: { endpointConfigurationTypes: 'REGIONAL' },
      }),
    );
  });

  test('every change of the API creates a new deployment, because the change would not take effect without one', () => {
    const deployments = [endpoints, endpoints.slice(1)].map((rows) => {
      const stack = new Stack();
      new SpecRestApi(stack, 'Api', {
        apiDefinition: ApiDefinition.fromInline(
          apiDefinition({ title: 'any', endpoints: rows, invocationOf: () => ({ uri: 'uri', credentials: 'role' }), policy: undefined }),
        ),
      });
      return stack.resolve(
        (stack.node.findAll().find((construct) => construct instanceof CfnDeployment) as CfnDeployment).logicalId,
      ) as string;
    });
    expect(new Set(deployments).size).toBe(2);
  });

  test("the gateway's own error responses have the format of the service's errors", () => {
    const detail = new Set<string>([...Object.values(errors).map((error) => error.detail), 'body is too large']);
    const codes = new Set<string>(Object.values(errors).map((error) => `'${error.code}'`));
    for (const [type, shaped] of gatewayResponses()) {
      const templates = at(shaped, 'responseTemplates') as Record<string, string>;
      expect([type, Object.keys(templates)]).toEqual([type, ['application/json']]);
      const body = JSON.parse(templates['application/json'] ?? '') as Record<string, string>;
      expect(Object.keys(body)).toEqual(['detail']);
      expect(detail).toContain(body['detail']);
      const header = (name: string): unknown => at(shaped, 'responseParameters', `gatewayresponse.header.${name}`);
      expect(codes).toContain(header('X-Svc-Error-Code'));
      expect(header('X-Request-Id')).toBe('context.requestId');
      expect(header('Cache-Control')).toBe("'no-store'");
    }
  });

  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 404],
    ['INVALID_SIGNATURE', 404],
    ['RESOURCE_NOT_FOUND', 404],
    ['REQUEST_TOO_LARGE', 422],
    ['BAD_REQUEST_BODY', 422],
    ['THROTTLED', 429],
    ['INTEGRATION_FAILURE', 500],
    ['INTEGRATION_TIMEOUT', 504],
    ['DEFAULT_4XX', undefined],
    ['DEFAULT_5XX', undefined],
  ])("the gateway's own response %s has the status %s", (type, status) => {
    const shaped = new Map(gatewayResponses()).get(type);
    expect(shaped).toBeDefined();
    expect(at(shaped, 'statusCode')).toBe(status);
  });

  test('API Gateway refuses a flood of requests before a function runs', () => {
    const [, stage] = only(template, 'AWS::ApiGateway::Stage');
    const settings = stage.Properties['MethodSettings'] as Record<string, unknown>[];
    const routeOf = ({ HttpMethod, ResourcePath }: Record<string, unknown>): string =>
      `${String(HttpMethod)} ${String(ResourcePath).replaceAll('~1', '/')}`;
    const limits = new Map(
      settings.map((setting) => [
        routeOf(setting).replace(/\/\//, '/'),
        [Number(setting['ThrottlingRateLimit']), Number(setting['ThrottlingBurstLimit'])] as const,
      ]),
    );
    expect([...limits.keys()].sort()).toEqual(['* /*', ...endpoints.map(({ method, path }) => `${method} ${path}`)].sort());
    for (const [rate, burst] of limits.values()) expect(burst).toBeGreaterThanOrEqual(rate);
    const [most] = limits.get('* /*') ?? [0];
    for (const [route, [rate]] of limits) expect([route, rate > 0 && rate <= most]).toEqual([route, true]);
    // Activations have a much lower limit than validations, because an attacker would use activations to guess license keys.
    for (const row of endpoints) expect(limits.get(`${row.method} ${row.path}`)).toEqual([throttleOf(row).rate, throttleOf(row).burst]);
    // Anyone can send requests without a credential. All routes without a credential together use at most a tenth of the account's limit.
    const open = endpoints.filter(({ credential }) => credential === 'none').reduce((sum, row) => sum + throttleOf(row).rate, 0);
    expect(open).toBeLessThan(10_000 / 10);
    const rateOf = (operation: string): number => limits.get(operation)?.[0] ?? Infinity;
    expect(rateOf('POST /v1/products/{id}/activate')).toBeLessThan(rateOf('GET /v1/products/{id}/validate') / 5);
  });

  test('any origin may read the gateway errors that client apps must distinguish, but only the API\'s own origin may read "no such route"', () => {
    const readable = gatewayResponses()
      .filter(([, shaped]) => at(shaped, 'responseParameters', 'gatewayresponse.header.Access-Control-Allow-Origin') !== undefined)
      .map(([type]) => type);
    expect(readable).toEqual(expect.arrayContaining(['THROTTLED', 'DEFAULT_5XX', 'INTEGRATION_TIMEOUT', 'REQUEST_TOO_LARGE']));
    for (const type of ['MISSING_AUTHENTICATION_TOKEN', 'INVALID_SIGNATURE', 'RESOURCE_NOT_FOUND']) expect(readable).not.toContain(type);
  });

  test('the access log contains the route of every request, and nothing that the caller sent', () => {
    const [, stage] = only(template, 'AWS::ApiGateway::Stage');
    expect(resource(target(at(stage.Properties, 'AccessLogSetting', 'DestinationArn'))).Type).toBe('AWS::Logs::LogGroup');
    const fields = Object.values(JSON.parse(String(at(stage.Properties, 'AccessLogSetting', 'Format'))) as Record<string, string>);
    expect(fields).toEqual(
      expect.arrayContaining(['$context.requestId', '$context.resourcePath', '$context.status', '$context.error.responseType']),
    );
    for (const field of fields) expect(field).not.toMatch(/\$context\.path$|query|header|authorizer|apiKey|\$input/i);
    // Execution logs would contain whole requests, and the gateway's traces would contain whole URLs.
    for (const settings of stage.Properties['MethodSettings'] as Record<string, unknown>[])
      expect([settings['LoggingLevel'], settings['DataTraceEnabled'] ?? false]).toEqual([undefined, false]);
    expect(stage.Properties['TracingEnabled']).toBe(false);
  });
});

describe.each(rows)('the endpoint %s', (_name, row) => {
  const fn = (): Resource => resource(functionOf(row));

  test('the endpoint has its own function with its own role', () => {
    expect(endpoints.filter((other) => functionOf(other) === functionOf(row))).toEqual([row]);
    const role = target(fn().Properties['Role']);
    expect(resource(role).Type).toBe('AWS::IAM::Role');
    const sharing = ofType(template, 'AWS::Lambda::Function').filter(([, { Properties }]) => target(Properties['Role']) === role);
    expect(sharing).toHaveLength(1);
  });

  test("only API Gateway may invoke the function, and only with the role that it has for the route's tag", () => {
    const direct = ofType(template, 'AWS::Lambda::Permission').filter(([, { Properties }]) =>
      references(Properties['FunctionName']).includes(functionOf(row)),
    );
    expect(direct).toEqual([]);
    const allowed = [...invocable()].filter(([, functionsOfRole]) => functionsOfRole.includes(functionOf(row)));
    const [, method] = methods().find(([route]) => route === `${row.method} ${row.path}`) ?? [];
    expect(allowed.map(([id]) => id)).toEqual([target(at(method, INTEGRATION, 'credentials'))]);
    const ofTag = endpoints.filter(({ tag }) => tag === row.tag).map(functionOf);
    expect(allowed.flatMap(([, functionsOfRole]) => functionsOfRole).sort()).toEqual(ofTag.sort());
  });

  test("the function runs on Node 24 on arm64, and its timeout ends before the gateway's", () => {
    expect(fn().Properties).toEqual(expect.objectContaining({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' }));
    expect(fn().Properties['Timeout']).toBeLessThan(29);
  });

  test('the function has the size, the timeout and the settings of its contract row', () => {
    const { memoryMb, timeoutSeconds } = sizes[sizeOf(row)];
    expect([fn().Properties['MemorySize'], fn().Properties['Timeout']]).toEqual([memoryMb, timeoutSeconds]);
    const variables: Record<SettingName, string> = {
      deviceTokenDays: 'DEVICE_TOKEN_DAYS',
      offlineTokenDays: 'OFFLINE_TOKEN_DAYS',
      expiringDays: 'EXPIRING_DAYS',
      webhookAllowPrivate: 'WEBHOOK_ALLOW_PRIVATE',
      publicUrl: 'PUBLIC_URL',
      processorApis: 'PROCESSOR_APIS',
      mailsPerSecond: 'MAILS_PER_SECOND',
    };
    const environment = Object.keys(at(fn(), 'Properties', 'Environment', 'Variables') as object);
    expect(environment.filter((name) => Object.values(variables).includes(name)).sort()).toEqual(
      (row.settings ?? [])
        .filter((name) => name !== 'processorApis')
        .map((name) => variables[name])
        .sort(),
    );
  });

  test("the function's log is kept for 90 days", () => {
    const log = resource(target(at(fn(), 'Properties', 'LoggingConfig', 'LogGroup')));
    expect([log.Type, log.Properties['RetentionInDays'], log.DeletionPolicy]).toEqual(['AWS::Logs::LogGroup', 90, 'RetainExceptOnCreate']);
  });

  test('the function has exactly the permissions that its contract row declares', () => {
    const { store, secrets = [], queue = false } = accessOf(row);
    // files.test.ts checks the permissions for files.
    const granted = permissions(functionOf(row)).filter((line) => !line.startsWith('s3:'));
    expect(granted).toEqual(declared(functionOf(row), store, secrets, queue));
  });

  test("the function's environment names exactly the resources that its contract row declares", () => {
    const environment = at(fn(), 'Properties', 'Environment', 'Variables') as Record<string, unknown>;
    const declares = (name: SecretName): boolean => accessOf(row).secrets?.includes(name) ?? false;
    const reads = (name: SecretName): unknown => (declares(name) ? { Ref: secretId(name) } : undefined);
    expect(environment['TABLE_NAME']).toEqual(
      Object.keys(accessOf(row).store).length > 0 ? { Ref: only(template, 'AWS::DynamoDB::Table')[0] } : undefined,
    );
    expect(environment['EVENT_QUEUE_URL']).toEqual(usesQueue(row) ? { Ref: eventQueue()[0] } : undefined);
    expect(environment['ADMIN_TOKEN_SECRET_ARN']).toEqual(reads('adminToken'));
    expect(environment['ORIGIN_SECRET_ARN']).toEqual(reads('originSecret'));
    expect(environment['SIGNING_KEY_SECRET_ARN']).toEqual(reads('signingKey'));
    expect(environment['ENCRYPTION_KEY_SECRET_ARN']).toEqual(reads('encryptionKey'));
    expect(environment['PORTAL_KEY_SECRET_ARN']).toEqual(reads('portalKey'));
    for (const value of Object.values(environment)) expect(JSON.stringify(value)).not.toMatch(/resolve:secretsmanager/);
  });
});

describe.each(plainWorkers.map((worker): [string, Worker] => [worker.name, worker]))('the worker %s', (_name, worker) => {
  const fn = (): string => workerFunction(worker);
  const sources = (): readonly Resource[] =>
    ofType(template, 'AWS::Lambda::EventSourceMapping')
      .map(([, source]) => source)
      .filter(({ Properties }) => target(Properties['FunctionName']) === fn());

  test('the worker has exactly the permissions that it declares, and may receive messages only if the queue starts it', () => {
    const consumes = [
      'sqs:ReceiveMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueUrl',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
    ];
    const taken = sources().length > 0 ? consumes.map((action) => ({ action, resource: queueArn() })) : [];
    expect(permissions(fn())).toEqual(declared(fn(), worker.store, worker.secrets ?? [], worker.queue === true, taken));
  });

  test('either the queue or a schedule starts the worker', () => {
    const rules = ofType(template, 'AWS::Events::Rule').filter(([, { Properties }]) => references(Properties['Targets']).includes(fn()));
    expect([sources().length, rules.length]).toEqual(worker.trigger === 'queue' ? [1, 0] : [0, 1]);
  });

  test('a failed run is not repeated, and a run that has to wait is dropped when the next run is due', () => {
    const settings = ofType(template, 'AWS::Lambda::EventInvokeConfig')
      .map(([, { Properties }]) => Properties)
      .filter(({ FunctionName }) => target(FunctionName) === fn())
      .map(({ MaximumRetryAttempts, MaximumEventAgeInSeconds }) => [MaximumRetryAttempts, MaximumEventAgeInSeconds]);
    expect(settings).toEqual(typeof worker.trigger === 'string' ? [] : [[0, worker.trigger.everyMinutes * 60]]);
  });
});

test('only Amazon SES of this account may report bounces, and the functions that send mails name the configuration set that reports them', () => {
  const [id, set] = only(dev, 'AWS::SES::ConfigurationSet');
  const [, destination] = only(dev, 'AWS::SES::ConfigurationSetEventDestination');
  expect(target(destination.Properties['ConfigurationSetName'])).toBe(id);
  expect(at(destination.Properties, 'EventDestination', 'MatchingEventTypes')).toEqual(['bounce', 'complaint']);
  const topic = target(at(destination.Properties, 'EventDestination', 'SnsDestination', 'TopicARN'));
  const [, policy] = ofType(dev, 'AWS::SNS::TopicPolicy').find(([, { Properties }]) => references(Properties['Topics']).includes(topic))!;
  const publishers = (at(policy.Properties, 'PolicyDocument', 'Statement') as Record<string, unknown>[]).filter(
    ({ Effect }) => Effect === 'Allow',
  );
  expect(publishers).toMatchObject([
    {
      Principal: { Service: 'ses.amazonaws.com' },
      Action: 'sns:Publish',
      Condition: { StringEquals: { 'AWS:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
  const named = ofType(dev, 'AWS::Lambda::Function').map(([, { Properties }]) =>
    at(Properties, 'Environment', 'Variables', 'MAIL_CONFIGURATION_SET'),
  );
  const names = named.filter((name) => name !== undefined);
  expect(names.length).toBeGreaterThan(0);
  const [, { Properties: subscription }] = only(dev, 'AWS::SNS::Subscription');
  expect([subscription['Protocol'], target(subscription['TopicArn'])]).toEqual(['lambda', topic]);
  expect(dev.Resources[target(subscription['Endpoint'])]?.Properties['Description']).toBe(bounces.description);
  expect(new Set(names)).toEqual(new Set([set.Properties['Name']]));
});

test('Lambda allows a recursive loop only to the delivery function, which sends to the queue that starts it', () => {
  const allowed = ofType(template, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties['RecursiveLoop'] !== undefined);
  const [, source] = only(template, 'AWS::Lambda::EventSourceMapping');
  expect(allowed.map(([id, { Properties }]) => [id, Properties['RecursiveLoop']])).toEqual([
    [target(source.Properties['FunctionName']), 'Allow'],
  ]);
});

test('after a failed batch only the failed events are retried, no other function handles them meanwhile, and concurrency is limited', () => {
  const [, source] = only(template, 'AWS::Lambda::EventSourceMapping');
  expect(source.Properties['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
  expect(at(source.Properties, 'ScalingConfig', 'MaximumConcurrency')).toBeGreaterThanOrEqual(2);
  const timeout = Number(resource(target(source.Properties['FunctionName'])).Properties['Timeout']);
  expect(Number(eventQueue()[1].Properties['VisibilityTimeout'])).toBeGreaterThanOrEqual(6 * timeout);
});

test('mail is sent only from the configured address, only by the functions that declare it, and only if mail is configured', () => {
  const statements = ofType(dev, 'AWS::IAM::Role')
    .flatMap(([, role]) => at(role, 'Properties', 'Policies', 0, 'PolicyDocument', 'Statement') as unknown[])
    .filter((statement) => JSON.stringify(at(statement, 'Action') ?? '').includes('ses:'));
  // One statement belongs to the function for test mails, and the other statement belongs to the delivery function.
  const allowed = expect.objectContaining({
    Action: ['ses:SendEmail', 'ses:SendRawEmail'],
    Condition: { StringEquals: { 'ses:FromAddress': 'licenses@example.com' } },
  }) as unknown;
  expect(statements).toEqual([allowed, allowed]);
  const inProduction = ofType(template, 'AWS::IAM::Role').flatMap(([role]) => permissionsOf(template, role).map(({ action }) => action));
  expect(inProduction.filter((action) => action.startsWith('ses:'))).toEqual([]);
});

describe('the permissions of all roles together', () => {
  /** The actions that are allowed on every resource, and the reason why they can't be limited to certain resources. */
  const exceptions: Readonly<Record<string, string>> = {
    'xray:PutTraceSegments': 'traces belong to no resource that could be named',
    'xray:PutTelemetryRecords': 'traces belong to no resource that could be named',
    's3:PutObject': 'every object of the one bucket that holds the pages, or the files of releases',
    's3:DeleteObject': 'every object of the one bucket that holds the pages, or the files of releases',
    's3:DeleteObjectVersion': 'every object of the one bucket that holds the pages',
    's3:GetObject': 'every object of the one bucket that holds the files of releases',
  };

  const roles = (): ReadonlyArray<readonly [string, Resource]> => ofType(template, 'AWS::IAM::Role');

  test('no action contains a wildcard, and only the listed exceptions have a wildcard in their resource', () => {
    const all = roles()
      .filter(([id]) => id !== gatewayLogRole())
      .flatMap(([id]) => permissionsOf(template, id));
    expect(all.length).toBeGreaterThan(0);
    for (const { action, resource: on } of all) {
      expect(action).not.toContain('*');
      if (JSON.stringify(on).includes('*')) expect([action, Object.keys(exceptions)]).toEqual([action, expect.arrayContaining([action])]);
    }
  });

  test('no role has a managed policy or a separate policy resource, which the other tests would not see', () => {
    for (const [id, { Properties }] of roles()) {
      // API Gateway accepts only this managed policy for the role of its access logs.
      const managed =
        id === gatewayLogRole()
          ? [
              expect.objectContaining({
                'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(/AmazonAPIGatewayPushToCloudWatchLogs$/)])],
              }),
            ]
          : undefined;
      expect([id, Properties['ManagedPolicyArns']]).toEqual([id, managed]);
    }
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) expect(ofType(template, type)).toEqual([]);
  });

  test('each role has exactly the declared access to each partition of the table, and no other role can access the table', () => {
    const stores = new Map(
      [
        ...endpoints.map((row) => [functionOf(row), accessOf(row).store] as const),
        ...plainWorkers.map((worker) => [workerFunction(worker), worker.store] as const),
      ].map(([fn, store]) => [roleOf(fn), store]),
    );
    const named = new Map(Object.entries(partitions).map(([name, prefix]) => [`${prefix}*`, name]));
    const pairs = roles().flatMap(([role]) => {
      const items = permissionsOf(template, role).filter(
        ({ action, resource: on }) => action.startsWith('dynamodb:') && !JSON.stringify(on).includes('/index/'),
      );
      return items.map(
        ({ action, leadingKey = '' }) => `${role}: ${action.replace('dynamodb:', '')} ${named.get(leadingKey) ?? leadingKey}`,
      );
    });
    const wanted = [...stores].flatMap(([role, { indexes: _, ...actions }]) =>
      Object.entries(actions).flatMap(([action, touched]) => touched.map((partition) => `${role}: ${action} ${partition}`)),
    );
    expect(pairs.sort()).toEqual(wanted.sort());
    expect(pairs.filter((pair) => /(Update|Delete)Item audit$/.test(pair))).toEqual([]);
    expect(pairs.filter((pair) => / PutItem audit$/.test(pair)).length).toBeGreaterThan(30);
  });

  test('either Lambda or API Gateway can assume a role, but never both', () => {
    const gateways = new Set([gatewayLogRole(), ...methods().map(([, method]) => target(at(method, INTEGRATION, 'credentials')))]);
    expect(gateways.size).toBe(1 + new Set(endpoints.map(({ tag }) => tag)).size);
    for (const [id, { Properties }] of roles()) {
      expect(at(Properties, 'AssumeRolePolicyDocument', 'Statement')).toEqual([
        {
          Action: 'sts:AssumeRole',
          Effect: 'Allow',
          Principal: { Service: gateways.has(id) ? 'apigateway.amazonaws.com' : 'lambda.amazonaws.com' },
        },
      ]);
    }
  });
});

describe('the DynamoDB table', () => {
  const table = (of: Template): Resource => only(of, 'AWS::DynamoDB::Table')[1];

  test('the table bills on demand, can be restored to any second, deletes expired rows, and is encrypted', () => {
    expect(table(template).Properties).toEqual(
      expect.objectContaining({
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        SSESpecification: { SSEEnabled: true },
      }),
    );
  });

  test("the table can't be deleted by accident in production, and is deleted together with a dev stack", () => {
    expect([
      table(template).Properties['DeletionProtectionEnabled'],
      table(template).DeletionPolicy,
      table(template).UpdateReplacePolicy,
    ]).toEqual([true, 'Retain', 'Retain']);
    expect([table(dev).Properties['DeletionProtectionEnabled'], table(dev).DeletionPolicy]).toEqual([false, 'Delete']);
  });

  test('the table has exactly the indexes of the contract', () => {
    const found = (table(template).Properties['GlobalSecondaryIndexes'] as unknown[]).map((index) => [
      at(index, 'IndexName'),
      at(index, 'KeySchema', 0, 'AttributeName'),
      at(index, 'KeySchema', 1, 'AttributeName'),
    ]);
    expect(found).toEqual(Object.entries(indexes).map(([name, { partitionKey, sortKey }]) => [name, partitionKey, sortKey]));
  });

  test('no index contains an attribute that an activation changes on its license, because each activation would cost an additional write', () => {
    const copied = JSON.stringify(table(template).Properties['GlobalSecondaryIndexes']);
    expect(copied).not.toMatch(/seats_used|sequence|"ALL"/);
  });
});

describe('the queues, the secrets and the logs', () => {
  test("a message that can't be handled moves to the dead-letter queue, which keeps it longer than the event queue", () => {
    const [, queue] = eventQueue();
    const deadLetters = resource(target(queue.Properties['RedrivePolicy']));
    expect(deadLetters.Type).toBe('AWS::SQS::Queue');
    expect(Number(deadLetters.Properties['MessageRetentionPeriod'])).toBeGreaterThan(Number(queue.Properties['MessageRetentionPeriod']));
  });

  test('every queue is encrypted and refuses connections without TLS', () => {
    for (const [id, queue] of ofType(template, 'AWS::SQS::Queue')) {
      expect(queue.Properties['SqsManagedSseEnabled']).toBe(true);
      const statements = ofType(template, 'AWS::SQS::QueuePolicy')
        .filter(([, policy]) => references(policy.Properties['Queues']).includes(id))
        .flatMap(([, policy]) => at(policy, 'Properties', 'PolicyDocument', 'Statement') as unknown[]);
      expect(statements).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sqs:*',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });

  test("secrets are generated in the account and remain after the production stack is deleted, because the data can't be decrypted without them", () => {
    // The origin secret is not included, because it encrypts no data. A new stack generates a new one.
    const secrets = ofType(template, 'AWS::SecretsManager::Secret').filter(([id]) => id !== secretId('originSecret'));
    expect(secrets).toHaveLength(4);
    for (const [, { Properties, DeletionPolicy }] of secrets) {
      expect(at(Properties, 'GenerateSecretString', 'PasswordLength')).toBeGreaterThanOrEqual(40);
      expect([Properties['SecretString'], DeletionPolicy]).toEqual([undefined, 'RetainExceptOnCreate']);
    }
  });

  test('all functions write to one log group and the gateway to another log group, and both keep logs for 90 days', () => {
    const groups = ofType(template, 'AWS::Logs::LogGroup');
    const logging = ofType(template, 'AWS::Lambda::Function').map(([, fn]) => target(at(fn, 'Properties', 'LoggingConfig', 'LogGroup')));
    const access = target(at(only(template, 'AWS::ApiGateway::Stage')[1], 'Properties', 'AccessLogSetting', 'DestinationArn'));
    expect(groups.map(([id]) => id).sort()).toEqual([...new Set(logging), access].sort());
    for (const [, { Properties }] of groups) expect(Properties['RetentionInDays']).toBe(90);
  });
});
