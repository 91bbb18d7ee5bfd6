import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { intercept } from './intercept';

/** Measures the cost of calls to the table: the number of calls, and the capacity that DynamoDB charges. */

export interface Spent {
  /** The names of the called operations, in the order of the calls. */
  readonly calls: string[];
  readUnits: number;
  writeUnits: number;
  /** The largest number of simultaneous calls. The value 1 means that each call is a separate round trip. */
  parallel: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

/**
 * Makes DynamoDB report the consumed capacity of every later call, and adds up the reported numbers. `take` returns the sum and resets it.
 */
export function meter(client: DynamoDBDocumentClient): { take(): Spent } {
  const nothing = (): Spent => ({ calls: [], readUnits: 0, writeUnits: 0, parallel: 0 });
  let spent = nothing();
  let underWay = 0;
  intercept(client, async ({ operation, input }, next) => {
    spent.calls.push(operation);
    spent.parallel = Math.max(spent.parallel, (underWay += 1));
    input['ReturnConsumedCapacity'] = 'INDEXES';
    const output = (await next().finally(() => (underWay -= 1))) as { ConsumedCapacity?: Consumed | Consumed[] };
    for (const { CapacityUnits = 0, WriteCapacityUnits } of [output.ConsumedCapacity ?? []].flat()) {
      const writes = WriteCapacityUnits !== undefined || /Update|Put|Delete|Write/.test(operation);
      if (writes) spent.writeUnits += CapacityUnits;
      else spent.readUnits += CapacityUnits;
    }
    return output;
  });
  return {
    take: () => {
      const sum = spent;
      spent = nothing();
      return sum;
    },
  };
}

/** Size of a number as DynamoDB counts it: about one byte for two significant digits, plus one byte. */
function numberSize(value: number): number {
  const digits = Math.abs(value)
    .toString()
    .replace(/^0+|\.|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (value < 0 ? 1 : 0);
}

/** Size of a value in bytes, according to DynamoDB's published rules. */
export function valueSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberSize(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Array.isArray(value) ? value.map(valueSize) : [itemSize(value as Record<string, unknown>)];
  return 3 + inner.reduce((sum, size) => sum + size, 0) + Object.keys(value).length;
}

/** Size of an item in bytes, according to DynamoDB's published rules. */
export const itemSize = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

/** The units for writing an item of this size to the table in a transaction. A write to an index costs half as many units. */
export const transactionUnits = (bytes: number): number => 2 * Math.ceil(bytes / 1024);
