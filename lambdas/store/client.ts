import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The table's client. Region, credentials and endpoint come from the environment of the Lambda runtime. It does not
 * retry, and limits only the time for connecting (ms): `retryTransient` does the rest, within the time that the request
 * has left.
 */
export function documentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000 },
    maxAttempts: 1,
    ...config,
  });
  // The logger middleware prepares a log entry for every call, which takes a tenth of the call's processor time, although no logger is set.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
