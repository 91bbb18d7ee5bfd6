import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { createLicense } from '../../../lambdas/contract/licenses';
import { endpoint } from '../../../lambdas/contract/endpoint';
import { isFailure } from '../../../lambdas/contract/errors';
import { inexactNumber } from '../../../lambdas/domain/exact-numbers';
import { idempotentRequest } from '../../../lambdas/runtime/http/idempotency';
import { header, parseRequest } from '../../../lambdas/runtime/http/request';

/** A request in the form in which API Gateway passes it. */
const eventOf = (body: string, headers: Readonly<Record<string, string>> = {}): APIGatewayProxyEvent =>
  ({ body, isBase64Encoded: false, headers, pathParameters: { id: '1' } }) as unknown as APIGatewayProxyEvent;

test('a header is found whatever the case of its name is, in the request and in the code', () => {
  for (const sent of ['X-Svc-Token', 'x-svc-token', 'X-SVC-TOKEN'])
    for (const name of ['X-Svc-Token', 'x-svc-token']) expect(header(eventOf('', { [sent]: 'text' }), name)).toBe('text');
});

describe('a content type', () => {
  const problem = (type: string): string | undefined => {
    const input = parseRequest(createLicense, eventOf('{"license_type_id":1}', { 'content-type': type }));
    return isFailure(input) ? input.detail : undefined;
  };

  test.each([
    'application/json',
    'Application/JSON',
    ' application/json ',
    'application/json;',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8";',
    'application/json ; charset = utf8',
  ])('%j is JSON', (type) => expect(problem(type)).toBeUndefined());
  test.each([
    '',
    'text/plain',
    'application/jsonx',
    'application/json x',
    'application/json; charset=utf-16',
    'application/json; charset',
    'application/json; charset=utf-8=utf-8',
    'application/json; boundary=x',
    'text/plain; application/json',
  ])('%j is not JSON', (type) => expect(problem(type)).toBe('Content-Type must be application/json'));
  test.each([' ', ';', '; ', 'application/json; charset=', '='])(
    'of a megabyte of %j is checked at once: a quadratic pattern would take minutes',
    (part) => {
      expect(problem(`application/json${part.repeat(1_000_000 / part.length)}x`)).toMatch(/Content-Type/);
    },
  );
});

describe('numbers that must be stored exactly', () => {
  const inMetadata = (value: string): string | undefined => inexactNumber(`{"metadata":${value}}`, 'metadata');

  test.each([
    '3.141592653589793238',
    '1e-400',
    '9007199254740993.0',
    '0.1000000000000000055511151231257827',
    '123456789012345678e-3',
    '1e400',
    '9007199254740993',
    '-9007199254740992',
    '2.2250738585072011e-308',
  ])('%s would lose digits, at any place in the metadata', (number) => {
    for (const value of [number, `[1,${number}]`, `{"a":{"b":[{"c":${number}}]},"d":1}`]) expect(inMetadata(value)).toBe(number);
  });
  test.each([
    '0',
    '-0',
    '0.0',
    '0e99999',
    '0.1',
    '1.10',
    '100e-2',
    '3.141592653589793',
    '1e21',
    '1E+5',
    '-1.5E-7',
    '5e-324',
    '1.7976931348623157e308',
    '9007199254740991',
    '"9007199254740993"',
    '"\\"12345678901234567890"',
    'true',
    'null',
  ])('%s would lose no digits', (value) => expect(inMetadata(`{"a":[${value}]}`)).toBeUndefined());
  test('every fraction that JavaScript writes is accepted', () => {
    const fraction = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
    fc.assert(fc.property(fraction, (number) => expect(inMetadata(JSON.stringify({ a: number }))).toBeUndefined()));
  });

  test.each([
    ['an ignored field', '{"ignored":[9007199254740993,{"metadata":1e400}],"metadata":{"a":1}}'],
    ['a field after it', '{"metadata":{"a":1},"b":1e400}'],
    ['a text', '{"b":"\\"metadata\\":","metadata":{"a":"1e400"}}'],
    ['a name that is given again', '{"metadata":{"a":1e400},"metadata":{"a":1}}'],
  ])('do not include a big number in %s', (_where, json) => expect(inexactNumber(json, 'metadata')).toBeUndefined());

  test('a name that is written with an escape is the same name', () =>
    expect(inexactNumber('{"meta\\u0064ata":{"a":1e400}}', 'metadata')).toBe('1e400'));
  test('a request with such a number is refused with the reason', () => {
    const input = parseRequest(createLicense, eventOf('{"license_type_id":1,"metadata":{"pi":3.141592653589793238}}'));
    expect(input).toMatchObject({ detail: 'metadata cannot keep the number 3.141592653589793238 exactly: send it as text' });
  });
  test('a long number takes time in proportion to its length', () =>
    expect(inMetadata(`0.${'0'.repeat(500_000)}1${'0'.repeat(500_000)}1`)).toMatch(/^0\.0/));
});

describe('a request that is repeated with its Idempotency-Key', () => {
  const hash = <Row extends Parameters<typeof parseRequest>[0]>(row: Row, body: object | string): string | undefined => {
    const input = parseRequest(row, eventOf(typeof body === 'string' ? body : JSON.stringify(body), { 'Idempotency-Key': 'once' }));
    if (isFailure(input)) throw new Error(input.detail);
    return idempotentRequest({ row, ...input })?.bodyHash;
  };
  const sale = { license_type_id: 1, customer_email: 'ada@example.com', metadata: { b: [{ y: 1, x: 2 }], a: { d: 1, c: null } } };

  test.each<[string, object | string]>([
    [
      'its fields in another order',
      { metadata: { a: { c: null, d: 1 }, b: [{ x: 2, y: 1 }] }, customer_email: 'ada@example.com', license_type_id: 1 },
    ],
    ['fields that nobody knows', { ...sale, ignored: { metadata: 1 } }],
    ['spaces around a value', { ...sale, customer_email: ' ada@example.com ' }],
    ['another layout', JSON.stringify(sale, null, 2)],
  ])('is the same with %s', (_how, again) => expect(hash(createLicense, again)).toBe(hash(createLicense, sale)));

  test.each<[string, object]>([
    ['another value', { ...sale, license_type_id: 2 }],
    ['another order of a list', { ...sale, metadata: { ...sale.metadata, b: [{ x: 2, y: 1 }, 1] } }],
    ['a field more', { ...sale, expires_at: '2030-01-01T00:00:00Z' }],
    ['a field less', { license_type_id: 1 }],
    ['null for what was left out', { ...sale, expires_at: null }],
    ['other metadata of an odd name', { ...sale, metadata: JSON.parse('{"__proto__":{"a":1}}') as object }],
  ])('is another request with %s', (_how, other) => expect(hash(createLicense, other)).not.toBe(hash(createLicense, sale)));

  test('is the same after a deployment whose contract row has one more field with a default', () => {
    const next = endpoint(() => ({ ...createLicense, body: z.extend(createLicense.body, { mail: z._default(z.boolean(), true) }) }));
    expect(hash(next, sale)).toBe(hash(createLicense, sale));
    expect(hash(next, { ...sale, mail: true })).not.toBe(hash(next, sale));
  });
});
