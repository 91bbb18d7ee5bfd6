/** A function that only reads two items. It shows the cost of the SDK alone at a cold start. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = async (): Promise<{ statusCode: number; body: string }> => {
  const Keys = ['LICENSE', 'DEVICE#1'].map((sk) => ({ pk: 'LICENSE#0#NONE', sk }));
  await client.send(new BatchGetCommand({ RequestItems: { [process.env['TABLE_NAME'] ?? '']: { Keys, ConsistentRead: true } } }));
  return { statusCode: 200, body: '{}' };
};
