import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The table's client. Region, credentials and endpoint come from the Lambda runtime's environment. It retries
 * nothing and limits no call but the connecting (ms): `retryTransient` does, by the time that the request has left.
 */
export function documentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000 },
    maxAttempts: 1,
    ...config,
  });
  // It prepares a log entry of every call, a tenth of the call's processor time, for a logger that drops it.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
