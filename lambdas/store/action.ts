import type { Item } from './codec';
import type { Key } from './keys';

/** The condition under which a write is executed. */
export interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Item;
}

export interface Put extends Condition {
  readonly Item: Item;
}
export interface Update extends Condition {
  readonly Key: Key;
  readonly UpdateExpression: string;
}
export interface Delete extends Condition {
  readonly Key: Key;
}

/** Changes nothing. The transaction fails if the condition is false. */
export interface Check extends Condition {
  readonly Key: Key;
}

/** An action of a transaction. The function `transact` adds the table's name. */
export type Action = { readonly Put: Put } | { readonly Update: Update } | { readonly Delete: Delete } | { readonly Check: Check };

/** The action that puts an item. The transaction fails if the item already exists. */
export const create = (item: Item): Action => ({ Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } });

/** The part of an update that gives fields new values. A field whose value is null or undefined is removed. */
export function assign(fields: Item): Omit<Update, 'Key' | 'ConditionExpression'> {
  const names = Object.keys(fields);
  const set = names.filter((name) => fields[name] != null);
  const removed = names.filter((name) => fields[name] == null);
  return {
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${set.map((name) => `#${name} = :${name}`).join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
    ].join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    // DynamoDB refuses an update with an empty object of values.
    ...(set.length > 0 && { ExpressionAttributeValues: Object.fromEntries(set.map((name) => [`:${name}`, fields[name] as unknown])) }),
  };
}
