import fc from 'fast-check';
import { anyCharacter } from '../support/any-text';

/**
 * Generates values from the document's schemas. A value is JSON text, so that values which JavaScript can't represent are generated too.
 */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const text = (value: unknown): string => JSON.stringify(value);
/** The JSON of an object whose values are JSON texts. */
const json = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${text(name)}:${value}`)
    .join()}}`;

/** Texts that mix ASCII characters with accented letters, a Chinese character and an emoji. */
const words = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(...'aZ09 -_.äß漢🙂é'), minLength: min, maxLength: Math.min(max, min + 40) })
    .map((value) => value.trim().padEnd(min, 'x'));

const moment = fc
  .date({ min: new Date('2027-01-01T00:00:00Z'), max: new Date('9000-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Values that match a schema. */
export function fitting(schema: Schema): fc.Arbitrary<string> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting));
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type })));
  if (schema.enum) return fc.constantFrom(...schema.enum.map(text));
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER, minLength = 0, maxLength = 1000, pattern, format } = schema;
  switch (schema.type) {
    case 'null':
      return fc.constant('null');
    case 'integer':
      return fc
        .oneof(
          fc.integer({ min: minimum, max: Math.min(maximum, minimum + 500) }),
          fc.constantFrom(minimum, maximum),
          fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) }),
        )
        .map(text);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'array':
      if (!schema.items) throw new Error(`The array schema has no items: ${text(schema)}`);
      return fc
        .uniqueArray(fitting(schema.items), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 5, 5) })
        .map((items) => `[${items.join()}]`);
    case 'object':
      if (schema.properties) {
        const { properties, required = [] } = schema;
        return fc
          .record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fitting(field)])), {
            requiredKeys: [...required],
          })
          .map(json);
      }
      if (typeof schema.additionalProperties === 'object')
        return fc
          .dictionary(fc.stringMatching(new RegExp(schema.propertyNames?.pattern ?? '')), fitting(schema.additionalProperties), {
            maxKeys: 5,
          })
          .map(
            (entries) =>
              `{${Object.entries(entries)
                .map(([name, value]) => `${text(name)}:${value}`)
                .join()}}`,
          );
      return fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 }).map(text);
    case 'string':
      if (format === 'email')
        return fc
          .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/), fc.stringMatching(/^[a-z]{1,10}$/))
          .map(([user, host]) => text(`${user}@${host}.example.com`));
      if (format === 'date-time') return moment.map(text);
      if (pattern !== undefined)
        return fc
          .stringMatching(new RegExp(pattern))
          .filter((value) => value.length >= minLength && value.length <= maxLength)
          .map(text);
      return words(minLength, maxLength).map(text);
    case undefined:
    default:
      throw new Error(`No value can be generated from the schema ${text(schema)}`);
  }
}

/** Values at the limits of a schema: valid values, and invalid values just outside the limits. */
export function edges(schema: Schema): readonly string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(edges);
  const { type, minimum, maximum, minLength, maxLength } = schema;
  if (type === 'integer') return [minimum, maximum].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1])).map(text);
  if (type === 'string')
    return [minLength, maxLength]
      .flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]))
      .flatMap((length) => (length < 0 ? [] : ['x', '🙂', '\u0301'].map((letter) => text(letter.repeat(length)))));
  return [];
}

/** Unusual JSON, which matches few schemas, and texts that are not JSON. */
export const odd: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      'false',
      '0',
      '-0',
      '-1',
      '1.5',
      '1e400',
      '-1e400',
      '1e-400',
      '9007199254740993',
      '12345678901234567890123',
      '1.0',
      '1e2',
      '[]',
      '{}',
      '""',
      '" "',
      '"\\u0000"',
      '"a\\u0000b"',
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\\uFFFD"',
      '"e\\u0301"',
      '"\\u00e9"',
      '"\\u212b"',
      '"\\u202e\\u2066"',
      '"\\u0085"',
      '"__proto__"',
      '"constructor"',
      '"<script>alert(1)</script>"',
      '"\'; DROP TABLE x; --"',
      '"${7*7}{{7*7}}"',
      '"../../etc/passwd"',
      '"%00"',
      '"\\n"',
      '"2027-02-30T00:00:00Z"',
      '"9999-12-31T23:59:59.999Z"',
      '"0000-01-01T00:00:00Z"',
      '"http://[::1]:0/"',
      '"javascript:alert(1)"',
      '"https://user:pass@example.invalid/"',
      '{"__proto__":{"a":1}}',
      '{"constructor":{"prototype":{"a":1}}}',
      '[[]]',
      '[null]',
      '["x"]',
      'NaN',
      'Infinity',
      'undefined',
      "'x'",
      '01',
      '+1',
      '.5',
      '1.',
      '0x10',
      '"\t"',
      '"\\x"',
      '"\\u12"',
      '"',
      '',
      ' ',
      '}',
      ']',
    ),
  },
  fc.jsonValue({ maxDepth: 5 }).map(text),
  fc.string({ unit: anyCharacter, maxLength: 300 }).map(text),
  fc.integer({ min: 10, max: 17 }).map((power) => text('x'.repeat(2 ** power))),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)),
  fc.double().map((value) => text(value)),
);
