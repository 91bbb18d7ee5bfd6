import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Stored } from '../domain/stored';
import type { Item } from './codec';

/**
 * Converts entities to rows and back, with the schemas of the entities (lambdas/domain/stored.ts). The field `version` of a row is the
 * version of the row's format; a row without `version` has the first format.
 */

/**
 * The fields of an entity in its row. A field is left out if a row without the field means the same, because the size of a row determines
 * its cost.
 */
export const rowFields = (schema: { readonly shape: Readonly<Record<string, z.core.$ZodType>> }, entity: object): Item =>
  Object.fromEntries(
    Object.entries(entity).filter(([name, value]) => {
      const field = schema.shape[name];
      return !(field instanceof z.ZodMiniDefault && isDeepStrictEqual(field._zod.def.defaultValue, value));
    }),
  );

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
