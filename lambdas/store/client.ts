import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { CALL_LIMIT_MS } from './table';

/**
 * Creates the table's client. Region, credentials and endpoint come from the environment of the Lambda runtime. The client makes no
 * retries, because the function `retryTransient` retries within the remaining time of the request.
 */
export function tableClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: CALL_LIMIT_MS, throwOnRequestTimeout: true },
    maxAttempts: 1,
    // The SDK caches the middleware only for commands that are sent without options. Therefore the store sends no options with a command.
    cacheMiddleware: true,
    ...config,
  });
  // The logger middleware prepares a log entry for every call, even if no logger is set. That takes a tenth of the call's processor time.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
