import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { eventKey } from '../keys';
import { retryTransient, type Item, type Table } from '../table';
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

/** Updates one event. If the condition fails, the result contains the current item. */
export async function updateIf(table: Table, id: string, update: EventUpdate): Promise<{ item: Item } | { refusedBy: Item | undefined }> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: eventKey(id),
    UpdateExpression: update.expression,
    ConditionExpression: update.condition,
    ExpressionAttributeNames: update.names,
    ExpressionAttributeValues: update.values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await retryTransient(table, (options) => table.client.send(command, options));
    return { item: Attributes ?? {} };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refusedBy: error.Item && unmarshall(error.Item) };
  }
}
