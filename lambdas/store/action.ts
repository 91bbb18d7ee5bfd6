import type { Key } from './keys';
import type { Item } from './table';

/** The condition under which an action is executed. */
export interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

/** One action of a transaction; `transact` adds the table. */
export type Action =
  | { readonly Put: Condition & { readonly Item: Item } }
  | { readonly Update: Condition & { readonly Key: Key; readonly UpdateExpression: string } }
  | { readonly Delete: Condition & { readonly Key: Key } };

/** Puts an item that must not exist yet. */
export const create = (item: Item): Action => ({ Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } });
