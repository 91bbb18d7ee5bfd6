import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { endpoints } from '../../../lambdas/contract';
import type { Endpoint } from '../../../lambdas/contract/endpoint';
import { isFailure } from '../../../lambdas/contract/errors';
import { SchemaCollector, type JsonSchema } from '../../../lambdas/contract/json-schema';
import { describeProblems, wording } from '../../../lambdas/contract/problems';
import { parseRequest } from '../../../lambdas/runtime/http/request';

/** A wrong request gets a response that names the wrong field and its requirement, in the service's own words. */

/** Words that occur in the error texts of zod and of JavaScript. */
const FOREIGN_WORDS = /Invalid|expected|received|Too (small|big)|Unrecognized|undefined|NaN|\[object|safeint/;

type Fields = Readonly<Record<string, unknown>>;

const collector = new SchemaCollector();

/** Resolves a schema's reference. If the schema also allows null, removes this alternative and sets `isNullable`. */
function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  const own = name === undefined ? schema : { ...collector.components()[name], ...schema, $ref: undefined };
  if (Array.isArray(own.type) && own.type.length === 2 && own.type[1] === 'null') return { ...own, type: own.type[0], isNullable: true };
  const forms = (own.anyOf ?? []).filter((form) => form.type !== 'null');
  return forms.length === 1 && forms[0] ? { ...resolved(forms[0]), isNullable: true } : own;
}

/**
 * Values that a field of this schema refuses, each with the reason. All values in a query are texts, so a query gets no values of other
 * types.
 */
function wrongValues(schema: JsonSchema, isQuery: boolean): [string, unknown][] {
  const { type, minimum, maximum, minLength, maxLength, maxItems, pattern, format, items } = schema;
  const wrong: [string, unknown][] = [];
  const kind = schema.enum ? 'enum' : type;
  if (!isQuery)
    wrong.push(
      ...[5.5, 'x \u0000', true, [5], { a: 1 }]
        .filter(
          (value) => !(typeof value === type || (Array.isArray(value) && type === 'array') || (type === 'object' && !Array.isArray(value))),
        )
        .map((value): [string, unknown] => ['of another type', value]),
    );
  if (!isQuery && schema['isNullable'] !== true) wrong.push(['null', null]);
  if (isQuery) wrong.push(['given twice', ['a', 'b']]);
  if (kind === 'enum') wrong.push(['none of those allowed', 'no such value']);
  if (type === 'integer') {
    for (const edge of [minimum === undefined ? undefined : minimum - 1, maximum === undefined ? undefined : maximum + 1])
      if (edge !== undefined) wrong.push(['out of range', isQuery ? String(edge) : edge]);
    wrong.push(['a fraction', isQuery ? '1.5' : 1.5]);
  }
  if (type === 'string' && kind !== 'enum') {
    if (maxLength !== undefined && maxLength < 60_000) wrong.push(['too long', 'x'.repeat(maxLength + 1)]);
    if (minLength !== undefined && minLength > 0) wrong.push(['too short', 'x'.repeat(minLength - 1)]);
    if (pattern !== undefined || format === 'email' || format === 'date-time') wrong.push(['of another form', 'ä ö']);
  }
  if (type === 'array' && typeof items === 'object') {
    const item = resolved(items as JsonSchema);
    if (maxItems !== undefined)
      wrong.push(['too many', Array.from({ length: maxItems + 1 }, (_, place) => (item.type === 'string' ? `x${place}` : item.enum?.[0]))]);
    wrong.push(...wrongValues(item, false).map(([what, value]): [string, unknown] => [`with an entry ${what}`, [value]]));
  }
  return wrong;
}

/** Query parameters that a row requires. */
const neededQuery: Fields = { order: 'A-1001', key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z', fingerprint: 'b'.repeat(64) };

/** The refusal of a request; undefined if the request is well-formed. */
function refusal(row: Endpoint, body: Fields | undefined, query: Fields): string | undefined {
  const event = {
    body: body ? JSON.stringify(body) : null,
    headers: {},
    pathParameters: Object.fromEntries(
      [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, name === 'id' ? '1' : 'a'.repeat(43)]),
    ),
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()])),
  } as unknown as APIGatewayProxyEvent;
  const parsed = parseRequest(row, event);
  return isFailure(parsed) && parsed.failure === 'invalid_request' ? parsed.detail : undefined;
}

function expectNamed(what: string, detail: string | undefined, field: string): void {
  expect([what, detail]).toEqual([what, expect.stringMatching(new RegExp(`^${field}(\\[\\d+\\])?(\\.\\w+)* (is|must|does|has|cannot) `))]);
  expect(detail).not.toMatch(FOREIGN_WORDS);
  expect(detail).not.toMatch(/\.$/);
}

const withBody = endpoints.filter(({ body }) => body);
const withQuery = endpoints.filter(({ query }) => query);

test('routes with a body and with a query are checked', () => expect([withBody.length > 20, withQuery.length > 8]).toEqual([true, true]));

test.each(withBody.map((row) => [row.name, row] as const))(
  '%s: if a field of the body is wrong, the response names it first',
  (_name, row) => {
    const example: Fields = row.examples.request ?? {};
    const { properties = {}, required = [] } = resolved(collector.input(row.body as z.ZodMiniType));
    expect(refusal(row, example, {})).toBeUndefined();
    for (const [field, schema] of Object.entries(properties)) {
      const { [field]: _, ...without } = example;
      if (required.includes(field)) expect(refusal(row, without, {})).toMatch(new RegExp(`^${field} is required`));
      for (const [what, value] of wrongValues(resolved(schema as JsonSchema), false)) {
        // A license type id of 0 is well-formed but unknown, so the response is 404.
        if (row.name === 'createLicense' && value === 0) continue;
        expectNamed(`${field} ${what}`, refusal(row, { ...example, [field]: value }, {}), field);
      }
    }
  },
);

test.each(withQuery.map((row) => [row.name, row] as const))(
  '%s: if a query parameter is wrong, the response names it first',
  (_name, row) => {
    const { properties = {}, required = [] } = resolved(collector.input(row.query as z.ZodMiniType));
    const sound = Object.fromEntries(required.map((name) => [name, neededQuery[name]]));
    const body = row.examples.request;
    expect(refusal(row, body, sound)).toBeUndefined();
    for (const [field, schema] of Object.entries(properties)) {
      const { [field]: _, ...without } = sound;
      if (required.includes(field)) expect(refusal(row, body, without)).toMatch(new RegExp(`^${field} is required`));
      for (const [what, value] of wrongValues(resolved(schema as JsonSchema), true))
        expectNamed(`${field} ${what}`, refusal(row, body, { ...sound, [field]: value }), field);
    }
  },
);

test.each<[string, Fields, string]>([
  ['createLicense', {}, 'license_type_id is required'],
  ['createLicense', { license_type_id: 1, customer_email: 'ada' }, 'customer_email must be a valid e-mail address'],
  ['createProduct', { name: '', slug: 'a' }, 'name must be 1 to 200 characters'],
  ['createProduct', {}, 'name is required; slug is required'],
  ['createLicenseType', { name: 'A', kind: 'forever' }, 'kind must be lifetime, subscription, floating or trial'],
  ['createLicenseType', { name: 'A', kind: 'trial', duration_days: 0 }, 'duration_days must be an integer from 1 to 36500'],
  [
    'createPaymentConnection',
    { processor: 'stripe', plans: [{ ref: 'a', license_type_id: 1 }, { license_type_id: '1' }] },
    'plans[1].ref is required; plans[1].license_type_id must be an integer of at least 1',
  ],
  ['updateLicense', { max_seats: 2 ** 53 }, 'max_seats must be an integer from 0 to 9007199254740991'],
  ['updateLicense', { max_seat: 3 }, 'max_seat is not a known field; body must name at least one field to change'],
  ['updateLicense', {}, 'body must name at least one field to change'],
  ['updateLicense', { features: Array.from({ length: 51 }, (_, place) => `f${place}`) }, 'features must have at most 50 entries'],
  [
    'updateLicense',
    { features: ['A', 'B', 'C', 'D', 'E', 'F', 'G'] },
    `${[0, 1, 2, 3, 4].map((place) => `features[${place}] must be 1 to 64 of a-z, 0-9, ".", "_" and "-"`).join('; ')}; and 2 more`,
  ],
  ['updateLicense', { ['x'.repeat(5000)]: 1 }, `${'x'.repeat(40)} is not a known field; body must name at least one field to change`],
])('%s with %j is told: %s', (name, body, detail) =>
  expect(refusal(endpoints.find((row) => row.name === name) as Endpoint, body, {})).toBe(detail),
);

test('for any schema of a future route, no response contains an error text of zod', () => {
  const schemas: [string, z.ZodMiniType, unknown][] = [
    ['must be a string', z.string(), 1],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be an array', z.array(z.string()), {}],
    ['must be an object', z.object({}), []],
    ['must be an object', z.record(z.string(), z.string()), 5],
    ['must be null', z.null(), 5],
    ['must be a number', z.number(), 'x'],
    ['must be a number', z.number(), Number.NaN],
    ['must be a number of at least 2', z.number().check(z.minimum(2)), 1],
    ['must be a number of at most 2', z.number().check(z.maximum(2)), 3],
    ['must be of the type date', z.date(), 1],
    ['must be at least 2 characters', z.string().check(z.minLength(2)), 'a'],
    ['must be 2 to 3 characters', z.string().check(z.minLength(2), z.maxLength(3)), 'abcd'],
    ['must have at least 1 entry', z.array(z.string()).check(z.minLength(1)), []],
    ['must be a', z.literal('a'), 'b'],
    ['must be a multiple of 5', z.number().check(z.multipleOf(5)), 3],
    ['is not a known field', z.strictObject({}), { a: 1 }],
    ['has the wrong format', z.string().check(z.regex(/^a$/)), 'b'],
    ['has the wrong format', z.uuid(), 'b'],
    ['matches none of the allowed forms', z.union([z.string(), z.boolean()]), 5],
    ['has a name that is not allowed', z.record(z.string().check(z.maxLength(1)), z.string()), { ab: 'x' }],
    ['must be a string', z.set(z.string()), new Set([5])],
    ['is not valid', z.map(z.object({}), z.string()), new Map([[{}, 5]])],
    ['is not valid', z.string().check(z.refine(() => false)), 'a'],
  ];
  for (const [rule, schema, value] of schemas) {
    const { error } = z.object({ field: schema }).safeParse({ field: value }, { error: wording });
    expect(describeProblems(error?.issues ?? [], 'body')).toMatch(new RegExp(`^field(\\.\\w+)? ${rule}$`));
    const { error: missing } = z.object({ field: schema }).safeParse({}, { error: wording });
    expect(describeProblems(missing?.issues ?? [], 'body')).toBe('field is required');
  }
});
