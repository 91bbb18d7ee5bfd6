import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { HttpRequest, HttpResponse, RequestHandler } from '@smithy/types';
import * as http from 'node:http';
import * as https from 'node:https';
import { tableClient } from '../../lambdas/store/client';

/** The SDK's client for a database emulator. It needs half of the processor time of the SDK's usual client. */

/** Maximum time of a call in ms, as in a deployment. */
const TIMEOUT_MS = 3000;

/**
 * Sends requests with Node's own HTTP client. All clients share the connections of Node's global agent, which closes a connection after
 * five seconds without a request. The SDK's handler would open new connections for each client, and start several timers for each request.
 */
const requestHandler: RequestHandler<HttpRequest, HttpResponse> = {
  metadata: { handlerProtocol: 'http/1.1' },
  handle: ({ protocol, hostname, port, method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const { request } = protocol === 'https:' ? https : http;
      const sent = request({ hostname, port, method, path, headers, timeout: TIMEOUT_MS }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('error', reject)
          .once('end', () =>
            resolve({
              response: {
                statusCode: response.statusCode ?? 0,
                headers: response.headers as Record<string, string>,
                body: Buffer.concat(chunks),
              },
            }),
          );
      });
      sent
        .once('timeout', () => sent.destroy(Object.assign(new Error('The database does not respond'), { name: 'TimeoutError' })))
        .once('error', reject)
        .end(body);
    }),
};

/**
 * Sends a fixed signature, because emulators don't check signatures. Real signatures would take a quarter of each call's processor time. An
 * emulator may keep separate data for each access key, so the access key is always the same.
 */
const signer: DynamoDBClientConfig['signer'] = {
  sign: (request) => {
    request.headers['Authorization'] =
      'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';
    request.headers['X-Amz-Date'] = '20260101T000000Z';
    return Promise.resolve(request);
  },
};

/** The settings of a client. The SDK would look for most of them in the environment and in files, for each client again. */
export const emulatorConfig = (endpoint: string): DynamoDBClientConfig => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  signer,
  requestHandler,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  accountIdEndpointMode: 'disabled',
  authSchemePreference: [],
});

/**
 * Removes middleware that prepares log entries and headers which emulators don't read. It takes a quarter of a call's processor time. The
 * HTTP client sets the headers `Host` and `Content-Length`.
 */
export function removeNeedless({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>): void {
  for (const name of [
    'loggerMiddleware',
    'recursionDetectionMiddleware',
    'getUserAgentMiddleware',
    'contentLengthMiddleware',
    'hostHeaderMiddleware',
  ])
    middlewareStack.remove(name);
  // Other middleware is placed relative to this one, so it is replaced instead of removed. The store itself retries calls.
  middlewareStack.add((next) => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high', override: true });
}

/** The client with which the local run accesses its table. */
export function localClient(endpoint: string): DynamoDBClient {
  const client = tableClient(emulatorConfig(endpoint));
  removeNeedless(client);
  return client;
}
