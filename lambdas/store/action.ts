import type { Key } from './keys';
import type { Item } from './table';

/** What must hold for an action to be carried out. */
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
