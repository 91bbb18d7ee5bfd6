import fc from 'fast-check';
import { anyCharacter } from '../support/any-text';
import { updaterParams } from '../support/releases';
import type { Route } from './document';
import { edges, fitting, odd, type Schema } from './schema';

/** Generates requests that follow the document, and requests that violate it. */

/** A request to a route. Its texts may contain `{{names}}` of existing rows (see {@link World.resolve}). */
export interface Plan {
  readonly route: Route;
  /** A number that selects the product. */
  readonly product: number;
  /** A number that selects rows of the product, such as a license. */
  readonly pick: number;
  readonly credential: Presented;
  /** The path parameters by name, encoded as in the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Names and values, encoded. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  /** The names of the body's fields, and the values as JSON; undefined if no body is sent. */
  readonly fields: readonly (readonly [string, string])[] | undefined;
  /** A text that is sent instead of the fields. */
  readonly text?: string;
  readonly chunked: boolean;
  /** The mistake in the request; undefined for a valid request. */
  readonly twist?: string;
}

const presented = ['right', 'none', 'wrong', 'foreign', 'other kind', 'doubled'] as const;
export type Presented = (typeof presented)[number];

type Pairs = Plan['query'];

/** Fields that name existing rows; all other fields are generated from their schema. */
const named: Readonly<Record<string, fc.Arbitrary<string>>> = {
  license_type_id: fc.constant('{{type}}'),
  product_id: fc.constant('{{product}}'),
  key: fc.constant('"{{key}}"'),
  fingerprint: fc.oneof(
    { weight: 3, arbitrary: fc.constant('"{{fingerprint}}"') },
    { weight: 1, arbitrary: fc.stringMatching(/^[\x21-\x7e]{8,128}$/).map((value) => JSON.stringify(value)) },
  ),
  url: fc.constantFrom('"{{webhook}}"', '"{{webhook}}?x=%C3%A4"', '""'),
  customer_email: fc.constantFrom('"ada@example.com"', '"nobody@example.com"'),
  request: fc.constant('"{{offlineRequest}}"'),
  // No request of a campaign uploads an image.
  logo: fc.constant('null'),
};

const valueOf = (name: string, schema: Schema): fc.Arbitrary<string> => named[name] ?? fitting(schema);

/** Applies rules between fields that the document's schemas can't express. */
function agree(route: string, fields: Pairs): Pairs {
  const value = (name: string): string => fields.find(([field]) => field === name)?.[1] ?? 'null';
  if (route === 'createLicenseType') {
    const others = fields.filter(([name]) => name !== 'duration_days');
    const days = value('duration_days');
    return /subscription|trial/.test(value('kind')) ? [...others, ['duration_days', days === 'null' ? '30' : days]] : others;
  }
  if (route === 'createPortalSession') return [['token', '"{{link}}"']];
  if (route === 'renewLicense' && value('days') !== 'null') return fields.filter(([name]) => name !== 'expires_at');
  return fields;
}

/** Values for all required fields or parameters, and for a random selection of the optional ones. */
const pairsOf = (properties: readonly (readonly [string, fc.Arbitrary<string>, boolean])[]): fc.Arbitrary<Pairs> =>
  fc
    .tuple(
      ...properties.map(([name, value, required]) =>
        (required ? value : fc.option(value)).map((made): Pairs => (made === null ? [] : [[name, made]])),
      ),
    )
    .map((pairs) => pairs.flat());

/** Percent-encodes a text. Lone surrogates have no encoding and are left out. */
const encodeText = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, ''));
const encode = (json: string): string =>
  encodeURIComponent(json.replace(/^"(.*)"$/s, (_, inner: string) => String(JSON.parse(`"${inner}"`)))).replaceAll(
    /%7B%7B(\w+)%7D%7D/g,
    '{{$1}}',
  );

/** Whether a route belongs to the portal, in which buyers manage their own licenses. */
export const isOfPortal = ({ path }: Route): boolean => path.startsWith('/v1/portal/');

/** The kind of row to which `{id}` in a path belongs, by the path segment before `{id}`. After any other segment, the id is a product's. */
const idsOf: Readonly<Record<string, string>> = { licenses: '{{license}}', 'license-types': '{{type}}', releases: '{{release}}' };
const idOf = (route: Route): string => (isOfPortal(route) ? '{{own}}' : namedId(route));
const namedId = ({ path }: Route): string => idsOf[/\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ''] ?? '{{product}}';

/** Generates a valid request. */
function sound(route: Route): fc.Arbitrary<Plan> {
  const query = route.parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.entries(route.body?.schema.properties ?? {});
  const required = route.body?.schema.required ?? [];
  const bodies = pairsOf(properties.map(([name, schema]) => [name, valueOf(name, schema), required.includes(name)])).map((fields) =>
    agree(route.name, fields),
  );
  return fc.record({
    route: fc.constant(route),
    product: fc.nat({ max: 99 }),
    pick: fc.nat({ max: 9999 }),
    credential: fc.constant<Presented>('right'),
    params: fc.constant({
      ...updaterParams(route, '{{slug}}'),
      id: idOf(route),
      slug: '{{slug}}',
      ref: '{{ownRef}}',
      filename: '{{file}}',
      event_id: '{{event}}',
      fingerprint: '{{fingerprint}}',
      kid: 'x'.repeat(43),
      payment: 'x'.repeat(43),
      note: '0'.repeat(24),
      token: 'x'.repeat(43),
    }),
    // Cursors are left out, because they can't be generated.
    query: pairsOf(
      query
        .filter(({ name }) => name !== 'cursor')
        .map(({ name, schema, required: must }) => [name, valueOf(name, schema).map(encode), must]),
    ),
    headers: fc.constant<Pairs>(route.name === 'endPortalSession' ? [['X-Portal-Session', '{{session}}']] : []),
    fields: route.body === undefined ? fc.constant(undefined) : route.body?.required ? bodies : fc.option(bodies, { nil: undefined }),
    chunked: fc.boolean(),
  });
}

type Twist = fc.Arbitrary<(plan: Plan) => Plan>;

const without = (pairs: Pairs, place: number): Pairs => pairs.filter((_, at) => at !== place % pairs.length);
const replaced = (pairs: Pairs, place: number, value: string): Pairs =>
  pairs.map(([name, before], at) => [name, at === place % pairs.length ? value : before]);

const oddName = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'id',
    'status',
    'key',
    'api_key',
    'sealed',
    'pk',
    '',
    ' ',
    '$ref',
    'x'.repeat(5000),
    '\u0000',
    'é',
  ),
  fc.string({ maxLength: 20 }),
);
const oddSegment = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '01',
    '+1',
    '1.0',
    '1e3',
    '9007199254740991',
    '9007199254740992',
    '1'.repeat(300),
    '%00',
    '%0a',
    '%20',
    '%',
    '%zz',
    '%c0%af',
    '%ff',
    '%F0%9F%99%82',
    '%2e%2e',
    '..',
    '.',
    '%2F',
    '%5c',
    '__proto__',
    'constructor',
    '{id}',
    '*',
    '~',
    '%EF%BC%91',
    '{{otherProduct}}',
    '{{license}}',
    '{{event}}',
    '{{product}}%20',
    '%3{{product}}',
    'f'.repeat(32),
    'F'.repeat(32),
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }).map((text) => encodeText(text)),
);
const oddQueryValue = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1001',
    '1.5',
    '01',
    '+5',
    'x',
    '%00',
    '%',
    '%zz',
    '%ff',
    '%ed%a0%80',
    '%F0%9F',
    'ACTIVE',
    '[]',
    'x'.repeat(7000),
    '%20',
    '+',
    '__proto__',
    'LTE',
    'MQ',
    'OTk5OTk5OTk5OTk5OTk5OQ',
    '{{otherKey}}',
    '%0d%0aX-Injected:%201',
  ),
  fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => encodeText(text)),
);
const oddHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'Content-Type',
      'Accept',
      'Accept-Encoding',
      'Origin',
      'Cookie',
      'Authorization',
      'Idempotency-Key',
      'X-Svc-Base-Path',
      'X-Forwarded-For',
      'X-HTTP-Method-Override',
      'Range',
      'If-None-Match',
      'Content-Encoding',
      'X-Amzn-Trace-Id',
      'Forwarded',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'toString',
    ),
    fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,40}$/),
  ),
  fc.constantFrom<(readonly [string, string])[]>(
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Encoding', 'gzip'],
    ['X-Svc-Base-Path', '/'],
    ['X-Svc-Base-Path', '//evil.example'],
    ['Origin', 'https://evil.example'],
    ['Idempotency-Key', 'again'],
    ['Idempotency-Key', ''],
    ['Idempotency-Key', 'x'.repeat(256)],
    ['X-Large', 'x'.repeat(8000)],
  ),
  fc
    .tuple(fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,30}$/), fc.stringMatching(/^[\x20-\x7e]{0,200}$/))
    .filter(([name]) => !/^(host|connection|content-length|transfer-encoding|expect|upgrade|trailer|te|keep-alive)$/i.test(name)),
);

/** Changes of a request that add one mistake or unusual feature. */
function twists({ body, method, path }: Route): fc.Arbitrary<readonly [string, (plan: Plan) => Plan]> {
  const place = fc.nat({ max: 9 });
  const all: Record<string, Twist> = {
    credential: fc.constantFrom(...presented.slice(1)).map((credential) => (plan) => ({ ...plan, credential })),
    header: oddHeader.map((header) => (plan) => ({ ...plan, headers: [header] })),
    'query, another': fc.tuple(oddName, oddQueryValue).map(([name, value]) => (plan) => ({
      ...plan,
      query: [...plan.query, [encodeText(name), value]],
    })),
    'query, known': fc
      .tuple(
        fc.constantFrom('limit', 'cursor', 'status', 'order', 'key', 'fingerprint', 'license_type_id', 'customer_email'),
        oddQueryValue,
      )
      .map(([name, value]) => (plan) => ({ ...plan, query: [...plan.query.filter(([known]) => known !== name), [name, value]] })),
    'query, less': place.map((at) => (plan) => ({ ...plan, query: without(plan.query, at) })),
    'query, twice': place.map((at) => (plan) => ({
      ...plan,
      query: [...plan.query, ...plan.query.slice(at % Math.max(1, plan.query.length))],
    })),
  };
  if (path.includes('{'))
    all['path'] = oddSegment.map((segment) => (plan) => ({
      ...plan,
      params: {
        ...Object.fromEntries([...plan.route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, segment])),
        ...(isOfPortal(plan.route) && { slug: '{{slug}}' }),
      },
    }));
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') {
    all['body, no object'] = odd.map((text) => (plan) => ({ ...plan, text }));
    all['body, cut'] = fc.nat({ max: 60 }).map((length) => (plan) => ({ ...plan, text: textOf(plan).slice(0, length) }));
    all['body, large'] = fc
      .integer({ min: 65_500, max: 70_000 })
      .map((length) => (plan) => ({ ...plan, text: textOf(plan).padEnd(length) }));
    all['field, another'] = fc.tuple(oddName, odd).map(([name, value]) => (plan) => ({
      ...plan,
      fields: [...(plan.fields ?? []), [name, value]],
    }));
  }
  if (body) {
    const schemas = Object.entries(body.schema.properties ?? {});
    const edge = schemas.flatMap(([name, schema]) => edges(schema).map((value): [string, string] => [name, value]));
    const set = (plan: Plan, name: string, value: string): Plan => ({
      ...plan,
      fields: [...(plan.fields ?? []).filter(([field]) => field !== name), [name, value]],
    });
    all['field, less'] = place.map((at) => (plan) => ({ ...plan, fields: without(plan.fields ?? [], at) }));
    all['field, odd'] = fc.tuple(place, odd).map(([at, value]) => (plan) => ({ ...plan, fields: replaced(plan.fields ?? [], at, value) }));
    all['field, twice'] = fc.tuple(place, odd).map(([at, value]) => (plan) => ({
      ...plan,
      fields: [...(plan.fields ?? []), ...replaced(plan.fields ?? [], at, value)],
    }));
    all['field, any'] = fc.tuple(fc.constantFrom(...schemas.map(([name]) => name)), odd).map(
      ([name, value]) =>
        (plan) =>
          set(plan, name, value),
    );
    if (edge.length > 0)
      all['field, edge'] = fc.constantFrom(...edge).map(
        ([name, value]) =>
          (plan) =>
            set(plan, name, value),
      );
    all['field, foreign'] = fc.constantFrom<[string, string][]>(['key', '"{{otherKey}}"'], ['license_type_id', '{{otherType}}']).map(
      ([name, value]) =>
        (plan) =>
          set(plan, name, value),
    );
  }
  return fc.oneof(...Object.entries(all).map(([name, twist]) => twist.map((apply) => [name, apply] as const)));
}

/** The body that a plan sends. */
export const textOf = ({ text, fields }: Plan): string =>
  text ?? (fields ? `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}` : '');

/** Requests to any of the routes: two in five are valid, the others have one mistake. */
export const plans = (routes: readonly Route[]): fc.Arbitrary<Plan> =>
  fc.oneof(
    ...routes.map((route) =>
      fc.oneof(
        { weight: 2, arbitrary: sound(route) },
        { weight: 3, arbitrary: fc.tuple(sound(route), twists(route)).map(([plan, [twist, apply]]): Plan => ({ ...apply(plan), twist })) },
      ),
    ),
  );
