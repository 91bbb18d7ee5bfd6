import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../infra/local/files';
import type { FileStore } from '../../lambdas/runtime/file-store';

/** The file store of the local run, with a server for its addresses. */
export interface TestFiles {
  readonly files: FileStore;
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * @param now the time, in epoch ms, that decides whether an address has expired
 * @param kept a folder that remains after the store is closed; by default a temporary folder is used
 */
export async function startFiles(now: () => number, kept?: string): Promise<TestFiles> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'lks-files-'));
  const { store, routeOf } = open(folder, now, () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const server = createServer((request, response) => {
    const route = routeOf(request.url ?? '');
    if (!route) return void response.writeHead(404).end();
    Promise.resolve(route(request, response)).catch(() => (response.headersSent ? response.destroy() : response.writeHead(500).end()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    files: store,
    folder,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
