import type { RequestHandler, HttpRequest, HttpResponse } from '@smithy/types';
import { request } from 'node:http';

/**
 * Sends the SDK's requests to the emulator with Node's own HTTP client. All clients of a worker share the connections of Node's global
 * agent. The SDK's handler would open new connections for each client, and would start several timers for each request. The connections
 * stay open when a client is destroyed: Node closes them after five seconds without a request.
 */
export const emulatorHttp: RequestHandler<HttpRequest, HttpResponse> = {
  metadata: { handlerProtocol: 'http/1.1' },
  handle: ({ hostname, port, method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers }, (response) => {
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
      sent.once('error', reject).end(body);
    }),
};
