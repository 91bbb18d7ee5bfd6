import * as z from 'zod/mini';
import type { Stored } from '../domain/stored';
import type { Item } from './codec';

/**
 * Functions that read rows. Each entity has a codec, which consists of two functions next to each other: one writes the entity's rows, the
 * other reads them. If an older version of this service has written a row, some fields may be missing, and the codec uses a default for
 * each of them. If a newer version has written a row, unknown fields are ignored. The field `version` in a row is the version of the row
 * format; a row without `version` has the first format.
 */

/** A row that this version cannot read, because a required field is missing or has another type. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
  constructor(
    readonly key: string,
    readonly field: string,
  ) {
    super(`The row ${key} cannot be read: ${field}`);
  }
}

/**
 * The kind of a row, for messages. Messages never contain the whole key, because keys of rows contain license keys and e-mail addresses.
 */
const kindOf = (item: Item): string => {
  const { pk, sk } = item as { pk?: unknown; sk?: unknown };
  return [pk, sk].map((part) => (typeof part === 'string' ? (part.split('#', 1)[0] ?? '') : '?')).join('/');
};

/**
 * Reads rows with the schema of their entity.
 *
 * @throws UnreadableRow
 */
export function readRow<Schema extends z.ZodMiniType>(schema: Schema, item: Item): Stored<Schema> {
  const { data, error } = z.safeParse(schema, item);
  if (error) throw new UnreadableRow(kindOf(item), error.issues.map(({ path }) => path.join('.')).join(', '));
  return data as Stored<Schema>;
}

/** Reads one field of a row. @throws UnreadableRow */
function readField<Schema extends z.ZodMiniType>(schema: Schema, item: Item, field: string): Stored<Schema> {
  const { data, error } = z.safeParse(schema, item[field]);
  if (error) throw new UnreadableRow(kindOf(item), field);
  return data as Stored<Schema>;
}

const [string, number] = [z.string(), z.number()];

/** A text field of a row. @throws UnreadableRow */
export const stringIn = (item: Item, field: string): string => readField(string, item, field);
/** A number in a row. @throws UnreadableRow */
export const numberIn = (item: Item, field: string): number => readField(number, item, field);

/** Reads the fields of one row, map or list entry, each with the type that the codec expects. */
export class RowReader {
  constructor(
    private readonly item: Item,
    private readonly key: string = kindOf(item),
  ) {}

  /** @throws UnreadableRow */
  refuse(field: string): never {
    throw new UnreadableRow(this.key, field);
  }

  private required<Value>(field: string, is: (value: unknown) => value is Value): Value {
    const value: unknown = this.item[field];
    return is(value) ? value : this.refuse(field);
  }

  /** The value of a field; null if the row does not have the field. */
  private nullable<Value>(field: string, is: (value: unknown) => value is Value): Value | null {
    const value: unknown = this.item[field];
    if (value === undefined || value === null) return null;
    return is(value) ? value : this.refuse(field);
  }

  string = (field: string): string => this.required(field, isString);
  number = (field: string): number => this.required(field, isNumber);
  bytes = (field: string): Uint8Array => this.required(field, isBytes);
  nullableString = (field: string): string | null => this.nullable(field, isString);
  nullableNumber = (field: string): number | null => this.nullable(field, isNumber);
  boolean = (field: string): boolean => this.nullable(field, isBoolean) ?? false;
  /** The numbers in a list; none if the row does not have the field. */
  numbers = (field: string): readonly number[] => this.nullable(field, isNumbers) ?? [];
  nullableStrings = (field: string): readonly string[] | null => this.nullable(field, isStrings);

  /** The numbers in a map; null if the row does not have the field. */
  nullableNumbersByName = (field: string): Readonly<Record<string, number>> | null => this.nullable(field, isNumbersByName);

  /** Whether the row has a value in this field. */
  has = (field: string): boolean => this.item[field] !== undefined && this.item[field] !== null;
  /** The names of all fields. */
  fields = (): string[] => Object.keys(this.item);

  /** The parsed JSON in a text field. The fields of the JSON are not checked. */
  json<Value>(field: string): Value {
    try {
      return JSON.parse(this.string(field)) as Value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.refuse(field);
    }
  }

  /** A text field that must have one of the given values. */
  oneOf<Value extends string>(field: string, values: readonly Value[]): Value {
    const value = this.string(field);
    return values.find((known) => known === value) ?? this.refuse(`${field} has an unknown value`);
  }

  /** Reads a field that contains a map. */
  map(field: string): RowReader {
    return new RowReader(this.required(field, isMap), `${this.key}.${field}`);
  }

  nullableMap(field: string): RowReader | null {
    const value = this.nullable(field, isMap);
    return value && new RowReader(value, `${this.key}.${field}`);
  }

  /** Reads a field that contains a map of texts. */
  strings(field: string): Readonly<Record<string, string>> {
    const entries = Object.keys(this.required(field, isMap));
    const map = this.map(field);
    return Object.fromEntries(entries.map((name) => [name, map.string(name)]));
  }

  /** The maps in a list; empty if the row has no such list. */
  maps(field: string): readonly RowReader[] {
    return (this.nullable(field, isMaps) ?? []).map((entry, index) => new RowReader(entry, `${this.key}.${field}.${index}`));
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isMap = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isNumber);
const isNumbersByName = (value: unknown): value is Readonly<Record<string, number>> => isMap(value) && Object.values(value).every(isNumber);
const isStrings = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isString);
const isMaps = (value: unknown): value is readonly Item[] => Array.isArray(value) && value.every(isMap);

/** The rows that could be read, and the number of rows that could not be read. */
export interface Readable<Entity> {
  readonly entities: readonly Entity[];
  readonly unreadable: number;
}

/** Decodes the rows of a list. A row that cannot be read is left out and counted, so that the other rows are still shown. */
export function readRows<Row, Entity extends object>(rows: readonly Row[], decode: (row: Row) => Entity): Readable<Entity> {
  const reader = new ListReader(decode);
  const entities = rows.map(reader.read).filter((entity) => entity !== undefined);
  return { entities, unreadable: reader.unreadable };
}

/** Decodes the rows of a list one by one, and counts those that cannot be read. */
export class ListReader<Row, Entity extends object> {
  unreadable = 0;

  constructor(private readonly decode: (row: Row) => Entity) {}

  /** Undefined if the row cannot be read. */
  readonly read = (row: Row): Entity | undefined => {
    try {
      return this.decode(row);
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      this.unreadable += 1;
      return undefined;
    }
  };
}
