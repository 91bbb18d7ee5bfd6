import { validate } from '@readme/openapi-parser';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import * as z from 'zod/mini';
import { documented } from '../../../lambdas/contract/schema';
import { endpoints } from '../../../lambdas/contract';
import { credentialHeaders, licenseHeaders, possibleErrors, type Endpoint } from '../../../lambdas/contract/endpoint';
import { errors } from '../../../lambdas/contract/errors';
import { methodNames, openapiDocument, type Operation } from '../../../lambdas/contract/openapi';

const document = openapiDocument({ version: '1.2.3' });

const operationOf = (row: Endpoint): Operation => {
  const operation = document.paths[row.path]?.[methodNames[row.method]];
  if (!operation) throw new Error(`${row.name} is not in the document`);
  return operation;
};

// Without inlined references, a schema that many routes use is compiled once instead of once per route.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
addFormats(ajv);
ajv.addSchema({ $id: 'https://example.com/openapi.json', ...document });

const validators = new Map<string, ValidateFunction>();
/** A validator for the schema at a JSON pointer of the document. */
const schemaAt = (...path: readonly string[]): ValidateFunction => {
  const pointer = path.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validator = validators.get(pointer) ?? ajv.compile({ $ref: `https://example.com/openapi.json#/${pointer}` });
  validators.set(pointer, validator);
  return validator;
};

const expectValid = (validator: ValidateFunction, value: unknown): void => {
  validator(value);
  expect(validator.errors ?? []).toEqual([]);
};

const rows = endpoints.map((row): [string, Endpoint] => [row.name, row]);
const verb = (row: Endpoint): string => row.method.toLowerCase();

/** Every object in the document, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (Array.isArray(value)) for (const [at, inner] of value.entries()) yield* objectsIn(inner, `${path}/${at}`);
  else if (typeof value === 'object' && value !== null) {
    yield [path, value as Record<string, unknown>];
    for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`);
  }
}

describe('tools can read the document', () => {
  test('it follows the rules of OpenAPI 3.1', async () => {
    const result = await validate(JSON.parse(JSON.stringify(document)) as Parameters<typeof validate>[0]);
    expect(result).toEqual(expect.objectContaining({ valid: true, warnings: [] }));
  });

  test('every reference has a target, and every component is used', () => {
    const references = new Set([...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    const named = Object.entries(document.components)
      .filter(([section]) => section !== 'securitySchemes')
      .flatMap(([section, members]) => Object.keys(members).map((name) => `#/components/${section}/${name}`));
    expect([...references].sort()).toEqual(named.sort());
  });

  // The admin page's filter of the audit log lists the actions by their summaries.
  test('no two operations have the same summary', () => {
    const summaries = endpoints.map(({ summary }) => summary);
    expect(summaries.filter((summary, place) => summaries.indexOf(summary) !== place)).toEqual([]);
  });

  test('every schema describes its values', () => {
    const empty = [...objectsIn(document)].filter(
      ([path, value]) =>
        /\/(schema|items|properties\/[^/]+)$/.test(path) &&
        !path.includes('/example') &&
        Object.keys(value).every((key) => key === 'description'),
    );
    expect(empty.map(([path]) => path)).toEqual([]);
  });

  test('integers have bounds, responses are closed objects, times have a format', () => {
    for (const [path, value] of objectsIn(document)) {
      if (path.includes('/example')) continue;
      if (value['type'] === 'integer') {
        expect([path, typeof value['minimum'], typeof value['maximum'], value['pattern']]).toEqual([path, 'number', 'number', undefined]);
      }
      if (path.startsWith('/components/schemas/') && value['type'] === 'object') {
        const others = value['additionalProperties'];
        if (/\/limits$/.test(path)) expect(others).toMatchObject({ type: 'integer' });
        else expect([path, others]).toEqual([path, /(Metadata|OpenApiDocument|payload|payload\/anyOf\/0)$/.test(path)]);
      }
    }
    const properties = [...objectsIn(document.components.schemas)].filter(([path]) => path.endsWith('_at'));
    expect(properties.length).toBeGreaterThan(5);
    for (const [path, property] of properties)
      expect([path, JSON.stringify(property)]).toEqual([path, expect.stringContaining('date-time')]);
  });

  test('it consists of plain JSON values, so that nothing is lost when it is sent to a client', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('it names its version and server', () => {
    expect(document.info).toEqual(expect.objectContaining({ version: '1.2.3' }));
    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
    expect(openapiDocument({ version: '1', server: 'https://example.com/dev' }).servers).toEqual([
      expect.objectContaining({ url: 'https://example.com/dev' }),
    ]);
  });

  test('two different schemas with the same name are an error', () => {
    const [first, second] = endpoints.filter(({ name }) => name === 'getHealth' || name === 'resetLicense');
    if (!first || !second) throw new Error('The contract has no row getHealth or no row resetLicense');
    const renamed = { ...second, response: documented(second.response, { id: 'Health' }) };
    expect(() => openapiDocument({ version: '1', rows: [first, renamed] })).toThrow('Two different schemas are named Health');
  });
});

describe.each(rows)('%s', (_name, row) => {
  const operation = operationOf(row);

  test('is described as in its row, with its credential and every parameter', () => {
    expect(operation).toEqual(
      expect.objectContaining({ operationId: row.name, tags: [row.tag], summary: row.summary, description: row.description }),
    );
    expect(document.tags.map(({ name }) => name)).toContain(row.tag);
    expect(row.description).not.toBe('');

    // The document names the credential that the service checks.
    const schemes = new Set(operation.security.flatMap((requirement) => Object.keys(requirement)));
    const headers = [...schemes]
      .map((scheme) => document.components.securitySchemes[scheme])
      .map((scheme) =>
        z
          .object({ type: z.literal('apiKey'), in: z.literal('header'), name: z.string() })
          .parse(scheme)
          .name.toLowerCase(),
      );
    const byKey = [licenseHeaders.key, ...(row.path.includes('{slug}') ? [] : [credentialHeaders.product])];
    const expected = {
      none: [],
      signature: [],
      admin: [credentialHeaders.admin],
      product: [credentialHeaders.product],
      portal: [credentialHeaders.portal],
      license: [...byKey, licenseHeaders.token],
    };
    expect(headers).toEqual(expected[row.credential]);
    // Public routes need no credential.
    expect(operation.security.some((requirement) => Object.keys(requirement).length === 0)).toBe(row.credential === 'license');
    expect(operation.security.flatMap((requirement) => Object.values(requirement).flat())).toEqual(
      row.scope === undefined ? [] : [row.scope].flat(),
    );

    const own = (operation.parameters ?? []).flatMap((parameter) => ('name' in parameter ? [parameter] : []));
    const named = (place: string): string[] => own.filter((parameter) => parameter.in === place).map(({ name }) => name);
    expect(named('path')).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(own.filter((parameter) => parameter.in === 'path' && !parameter.required)).toEqual([]);
    const references = (operation.parameters ?? []).flatMap((parameter) => ('$ref' in parameter ? [parameter.$ref] : []));
    expect(references).toEqual(row.idempotent ? ['#/components/parameters/IdempotencyKey'] : []);
    for (const parameter of own) {
      if (parameter.in === 'query') expect(row.query?.safeParse({ [parameter.name]: [] }).success).toBe(false);
    }
  });

  test('has a request example that is accepted, and a response example that its schema accepts without a change', () => {
    expect(Boolean(operation.requestBody)).toBe(Boolean(row.body));
    expect(Boolean(row.examples.request)).toBe(Boolean(row.body));
    if (row.body) {
      expect(operation.requestBody?.required).toBe(!row.bodyOptional);
      expect(row.body.safeParse(row.examples.request).error).toBeUndefined();
      expect(row.body.safeParse({}).success || !row.bodyOptional).toBe(true);
      expectValid(schemaAt('paths', row.path, verb(row), 'requestBody', 'content', 'application/json', 'schema'), row.examples.request);
    }
    expect(row.response.parse(row.examples.response)).toEqual(row.examples.response);
    if (row.status === 302) return;
    expectValid(
      schemaAt('paths', row.path, verb(row), 'responses', String(row.status), 'content', row.mediaType ?? 'application/json', 'schema'),
      row.examples.response,
    );
  });

  test('lists every error with its code and an example, and the headers of its responses', () => {
    const expected = new Set(possibleErrors(row).map((name) => errors[name].status));
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([...expected].map(String)));
    expect(Object.keys(operation.responses)).toHaveLength(expected.size + 1 + [row.repeatedStatus, row.emptyStatus].filter(Boolean).length);
    for (const name of possibleErrors(row)) {
      const { status, code, detail } = errors[name];
      const response = operation.responses[status];
      expect(response?.headers['X-Svc-Error-Code']).toEqual(
        expect.objectContaining({ schema: { type: 'string', enum: expect.arrayContaining([code]) as unknown } }),
      );
      const { schema, examples = {} } = response?.content?.['application/json'] ?? { schema: {} };
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
      expect(examples[name]?.value).toEqual({ detail });
      expectValid(schemaAt('components', 'schemas', 'Error'), examples[name]?.value);
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      expect('X-Request-Id' in response.headers).toBe(true);
      const isKept = row.maxAgeSeconds !== undefined && Number(status) === row.status;
      expect('Cache-Control' in response.headers).toBe(isKept || /^\/(v1|feeds)\//.test(row.path));
    }
    expect('Link' in (operation.responses[row.status]?.headers ?? {})).toBe(
      row.query instanceof z.ZodMiniObject && 'cursor' in row.query.shape,
    );
  });
});

describe('every form of a validation is described', () => {
  const validator = schemaAt('components', 'schemas', 'Validation');
  const valid = endpoints.find(({ name }) => name === 'validate')?.examples.response as Record<string, unknown>;
  const { device: _device, offline_token: _token, ...unbound } = valid;

  test.each<[string, unknown, boolean]>([
    ['valid and bound', valid, true],
    ['valid, the fingerprint unbound', unbound, true],
    ['invalid', { valid: false, status: 'invalid' }, true],
    ['revoked', { valid: false, status: 'revoked' }, true],
    ['expired', { valid: false, status: 'expired' }, true],
    ['a refusal that leaks the license', { ...valid, valid: false, status: 'revoked' }, false],
    ['a refusal that calls itself active', { valid: false, status: 'active' }, false],
    ['an approval that shows no license', { valid: true, status: 'active' }, false],
    ['a leak of the buyer', { ...valid, license: { ...(valid['license'] as object), customer_email: 'ada@example.com' } }, false],
  ])('%s', (_case, answer, described) => expect(validator(answer)).toBe(described));
});

test('the document describes which lists are also available as CSV, and their columns', () => {
  const content = (name: string): object =>
    Object.values(operationOf(endpoints.find((row) => row.name === name) as Endpoint).responses)[0]?.content ?? {};
  expect(Object.keys(content('listProducts'))).toEqual(['application/json']);
  expect(Object.keys(content('listLicenses'))).toEqual(['application/json', 'text/csv', 'application/x-ndjson']);
  expect(JSON.stringify(content('listLicenses'))).toContain('`customer_email`');
});
