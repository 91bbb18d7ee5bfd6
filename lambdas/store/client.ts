import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Creates the table's client. Region, credentials and endpoint come from the environment of the Lambda runtime. The client makes no retries
 * and limits only the time to connect. The function `retryTransient` makes the retries and limits the total time to the remaining time of
 * the request.
 */
export function documentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000 },
    maxAttempts: 1,
    ...config,
  });
  // The logger middleware prepares a log entry for every call, even if no logger is set. That takes a tenth of the call's processor time.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
