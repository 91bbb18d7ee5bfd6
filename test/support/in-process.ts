import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as edge from '../../infra/local/edge';
import * as gateway from '../../infra/local/gateway';
import * as lambda from '../../infra/local/lambda';
import { functionStatements } from '../../infra/local/roles';
import { loadTemplate } from '../../infra/local/template';
import { endpoints } from '../../lambdas/contract';
import { parseConfig } from '../../lambdas/runtime/config';
import { startFiles } from './files';
import { handle, startHarness, tableName } from './harness';
import { adminToken, requestsGoTo } from './http';
import { captureLogs } from './logs';
import { startMailServer } from './mail-server';
import { ownTable } from './own-table';
import { clockStart } from './start';

/**
 * Sends the requests of a test file (see http.ts) through a separate gateway to handlers in the same process, for tests that try many cases
 * on every route. Such a request is much cheaper than a request to the stack, where each function is a thread with its own bundle and role.
 * test/api/security.test.ts checks that all routes also work in the stack.
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
    const { files, close: closeFiles } = await startFiles({ advancedMs: () => ahead });
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
    const template = loadTemplate(process.env['LKS_ASSEMBLY'] ?? '');
    lambda.defineFunctions(template);
    edge.defineEdge(template);
    functionStatements(template);
    const invoke: lambda.Functions['invoke'] = async (_function, event) => {
      const { httpMethod, resource } = event as APIGatewayProxyEvent;
      const row = endpoints.find(({ method, path }) => method === httpMethod && path === resource);
      if (!row) throw new Error(`The contract has no ${httpMethod} ${resource}`);
      return { payload: JSON.stringify(await handle(row, service.app, event as APIGatewayProxyEvent)) };
    };
    const { baseUrl, stop } = await gateway.start(template, {
      functions: { invoke, busy: false, env: {}, stop: () => Promise.resolve() },
      host: '127.0.0.1',
      port: 0,
      throttle: false,
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
