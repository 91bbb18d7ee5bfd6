import { createApi } from '../../infra/local/api';
import * as server from '../../infra/local/server';
import { parseConfig } from '../../lambdas/runtime/config';
import { startFiles } from './files';
import { handle, startHarness, tableName } from './harness';
import { adminToken, requestsGoTo } from './http';
import { captureLogs } from './logs';
import { startMailServer } from './mail-server';
import { ownTable } from './own-table';
import { clockStart } from './start';

/**
 * Sends the requests of a test file (see http.ts) to a separate server with handlers in the same process, whose clock the test controls.
 * `handle` refuses any access to the table that the row of a route does not declare.
 *
 * @returns the clock that the handlers use
 */
export function serveInProcess(): { advance(ms: number): void } {
  captureLogs();
  let ahead = clockStart() - Date.now();
  const now = (): number => Date.now() + ahead;
  const closers: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    // The common table also contains products of other test files. This test file cannot decrypt the secrets of those products, so it uses
    // its own table.
    const common = tableName();
    process.env['LKS_TABLE'] = await ownTable();
    closers.push(() => void (process.env['LKS_TABLE'] = common));
    const mail = await startMailServer();
    closers.push(mail.close);
    const { files, close: closeFiles } = await startFiles(now);
    closers.push(closeFiles);
    const service = startHarness({
      config: {
        ...parseConfig({ TABLE_NAME: tableName() }),
        webhookAllowPrivate: true,
        mail: { transport: 'smtp', from: 'licenses@example.com' },
      },
      fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? adminToken() : name === 'smtpUrl' ? mail.url : `test-${name}`),
      files,
      clock: now,
    });
    closers.push(service.close);
    const { baseUrl, stop } = await server.start({
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      routeOf: () => undefined,
      api: createApi({ app: service.app, throttle: false, run: (row, event, { app }) => handle(row, app, event) }),
      report: (error) => console.error(error),
    });
    closers.push(() => stop(0));
    requestsGoTo(baseUrl, now);
  });
  afterAll(async () => {
    requestsGoTo(undefined);
    for (const close of closers.splice(0).reverse()) await close();
  });
  return { advance: (ms) => void (ahead += ms) };
}
