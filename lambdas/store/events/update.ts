import { eventKey } from '../keys';
import type { Item } from '../codec';
import { updateItem, type Written } from '../items';
import type { Table } from '../table';
import type { Action } from '../transaction';

/** An update of an event, and its condition. */
export interface EventUpdate {
  readonly expression: string;
  readonly condition: string;
  readonly names?: Record<string, string>;
  readonly values: Item;
}

/** Converts an update into an action of a transaction. */
export const eventUpdate = (id: string, { expression, condition, names, values }: EventUpdate): Action => ({
  Update: {
    Key: eventKey(id),
    UpdateExpression: expression,
    ConditionExpression: condition,
    ...(names && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: values,
  },
});

/** Updates one event. The result contains the updated item or, if the condition was false, the current item. */
export const updateIf = (table: Table, id: string, { expression, condition, names, values }: EventUpdate): Promise<Written> =>
  updateItem(
    table,
    {
      Key: eventKey(id),
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
    'ALL_NEW',
  );
