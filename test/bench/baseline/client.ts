/** A function that does nothing but read one item: what the SDK alone costs at a cold start. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = async (): Promise<{ statusCode: number; body: string }> => {
  await client.send(new GetCommand({ TableName: process.env['TABLE_NAME'], Key: { pk: 'NOTHING', sk: 'NOTHING' } }));
  return { statusCode: 200, body: '{}' };
};
