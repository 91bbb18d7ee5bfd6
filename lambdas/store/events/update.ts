import type { Action, Update } from '../action';
import { eventKey } from '../keys';
import type { Item } from '../codec';
import { updateItem, type Written } from '../items';
import type { Table } from '../table';

/** An update of an event, and its condition. */
export interface EventUpdate {
  readonly expression: string;
  readonly condition: string;
  readonly names?: Record<string, string>;
  readonly values: Item;
}

const updateOf = (id: string, { expression, condition, names, values }: EventUpdate): Update => ({
  Key: eventKey(id),
  UpdateExpression: expression,
  ConditionExpression: condition,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
});

/** Converts an update into an action of a transaction. */
export const eventUpdate = (id: string, update: EventUpdate): Action => ({ Update: updateOf(id, update) });

/** Updates one event. The result contains the updated item or, if the condition was false, the current item. */
export const updateIf = (table: Table, id: string, update: EventUpdate): Promise<Written> =>
  updateItem(table, updateOf(id, update), 'ALL_NEW');
