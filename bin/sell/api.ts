import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Shop } from './shop';

/** A running imitation of a payment processor's API. */
export interface Api {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Serves a shop's API on this computer, for example at the URL in `STRIPE_API_BASE`. A request without an API key gets 401.
 *
 * @param seen called after each request with its path and the status of the response
 */
export async function serveApi(shop: Shop, port: number, seen: (path: string, status: number) => void = () => undefined): Promise<Api> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const authorized = /^Bearer .+/.test(request.headers.authorization ?? '');
    const found = request.method === 'GET' && authorized ? shop.api(url) : undefined;
    const status = !authorized ? 401 : found === undefined ? 404 : 200;
    seen(`${request.method} ${decodeURIComponent(`${url.pathname}${url.search}`)}`, status);
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(found ?? { success: false, message: status === 401 ? 'No API key.' : 'Not found.' }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
