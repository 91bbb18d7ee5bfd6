import type { Key } from './keys';
import type { Item } from './table';

/** The condition under which an action is executed. */
export interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

/** An action of a transaction. The function `transact` adds the table's name. */
export type Action =
  | { readonly Put: Condition & { readonly Item: Item } }
  | { readonly Update: Condition & { readonly Key: Key; readonly UpdateExpression: string } }
  | { readonly Delete: Condition & { readonly Key: Key } };

/** The action that puts an item. The transaction fails if the item already exists. */
export const create = (item: Item): Action => ({ Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } });
