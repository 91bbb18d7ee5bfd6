/**
 * Protects the local AWS services. The services listen on loopback addresses. Every program on this computer can connect to these
 * addresses, and so can every web page in a browser on this computer. Therefore callers must send this run's credential, and on
 * Linux other programs can't guess the addresses.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer } from 'node:net';
import { RUN_TOKEN, TOKEN_HEADER } from './aws';
import type { Service } from '../../test/support/permissions';
import { accessDenied } from './access-denied';

/**
 * Returns a loopback address. On Linux the address is random (127.0.0.0/8), so other programs can't guess it. Other systems have only
 * the loopback address 127.0.0.1.
 */
export const loopbackAddress = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : '127.0.0.1';

/** Finds a free port of a loopback address. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Compares a caller's credential in constant time. */
export const isSame = (sent: unknown, credential: string): boolean =>
  typeof sent === 'string' && timingSafeEqual(hash(sent), hash(credential));

/**
 * Returns the reason to refuse a request, or undefined to accept the request. Two headers show that a request is from a web page. Browsers
 * send an `Origin` header with every request of a web page that could change data. If the host name of the page resolves to this address
 * (DNS rebinding), the `Host` header contains that host name.
 *
 * @param host the expected host and port
 * @param credential the credential that callers must send
 */
export function refusal(headers: IncomingHttpHeaders, host: string, credential = RUN_TOKEN): string | undefined {
  if (headers.origin !== undefined) return 'Web pages may not call this service';
  if (headers.host !== host) return 'The Host header does not name this service';
  if (!isSame(headers[TOKEN_HEADER], credential)) return 'The security token included in the request does not belong to this run';
  return undefined;
}

/**
 * Listens on a free port of a loopback address.
 *
 * @returns the server's base address
 */
export async function listen(server: NetServer, host = loopbackAddress()): Promise<string> {
  server.listen(0, host);
  await once(server, 'listening');
  return addressOf(server);
}

const addressOf = (server: NetServer): string => {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

/** Stops a server. It closes all connections, even those with requests in progress. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Makes a server check each caller before it handles the request. A refusal has the format of the service's protocol. */
export function guard(server: Server, service: Service): void {
  const serve = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { address, port } = server.address() as AddressInfo;
    const reason = refusal(request.headers, `${address}:${port}`);
    if (reason === undefined) return serve.forEach((handle) => handle.call(server, request, response));
    const { status, type, body } = accessDenied(service, reason);
    request.resume();
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  });
}
