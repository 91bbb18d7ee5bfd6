import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { endpoints } from '../../lambdas/contract';
import { ADMIN_TOKEN, startHarness, type Harness } from '../support/harness';
import { ownTable } from '../support/own-table';

/** Answers the HTTP tests of the API with the handlers of this process, where what is changed in them is seen. */

/*
 * Before any test: a module that the first test of a run loaded would count as covered by it, though what is
 * changed where a module loads is never seen, for it loads once.
 */
for (const folder of ['api', 'events']) {
  const handlers = resolve(__dirname, '../../lambdas', folder);
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- at once.
  for (const file of readdirSync(handlers)) require(join(handlers, file));
}

const NOT_FOUND = { status: 404, headers: {}, body: { detail: 'There is no such route' } };

/** The row that serves a path, and what its parameters are. */
function match(method: string | undefined, path: string): { name: string; params: Record<string, string> } | undefined {
  for (const row of endpoints) {
    const pattern = new RegExp(`^${row.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const groups = row.method === method ? pattern.exec(path)?.groups ?? (row.path === path ? {} : undefined) : undefined;
    if (groups) return { name: row.name, params: Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)])) };
  }
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? Buffer.concat(chunks).toString() : undefined;
}

/** Starts the server before the tests of the surrounding group, and ends it behind them. */
export function useInProcessApi(): void {
  let server: Server;
  let harness: Harness;
  beforeAll(async () => {
    // One run's rows are not another's to walk through.
    process.env['LKS_TABLE'] = process.env['LKS_STACK_TABLE'] = await ownTable();
    process.env['LKS_ADMIN_TOKEN'] = ADMIN_TOKEN;
    harness = startHarness({ clock: Date.now });
    server = createServer((request, response) => {
      void (async () => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
        const found = match(request.method, pathname);
        const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
        // The harness knows the operator: only what is sent may count.
        const credentials = { 'X-Svc-Admin-Token': headers['x-svc-admin-token'] ?? '' };
        const answer = found
          ? await harness.call(found.name, { params: found.params, query: Object.fromEntries(searchParams), body: await bodyOf(request), headers: { ...headers, ...credentials } })
          : NOT_FOUND;
        response.writeHead(answer.status, { ...answer.headers, 'X-Request-Id': randomUUID() }).end(JSON.stringify(answer.body));
      })();
    });
    server.keepAliveTimeout = 65_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env['LKS_BASE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    harness.close();
  });
}
