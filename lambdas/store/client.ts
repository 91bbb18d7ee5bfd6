import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The table's client. Region, credentials and endpoint come from the Lambda runtime's environment. Waits are
 * short (ms), so that a call that hangs is tried again within the request.
 */
export function documentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
    maxAttempts: 3,
    ...config,
  });
  // It prepares a log entry of every call, a tenth of the call's processor time, for a logger that drops it.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
