import { buildSync } from 'esbuild';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { openTab, startBrowser } from '../support/browser';
import { getLicense, newShop, post } from '../support/http';

/** Tests the client in a real browser. As with an app's page, the origin of the page differs from the service's origin. */

const script = buildSync({
  absWorkingDir: resolve(__dirname, '../..'),
  stdin: {
    contents: `export { LicenseClient } from './client/src'; export { browserStorage } from './client/src/browser';`,
    resolveDir: resolve(__dirname, '../..'),
    loader: 'ts',
  },
  bundle: true,
  minify: true,
  // The bundle leaves out the fallback, because the browser has Ed25519.
  platform: 'browser',
  format: 'iife',
  globalName: 'licensing',
  write: false,
}).outputFiles[0]!.text;

interface Licensing {
  readonly LicenseClient: typeof import('../../client/src').LicenseClient;
  readonly browserStorage: typeof import('../../client/src/browser').browserStorage;
}
type Call = readonly ['check' | 'validate' | 'deactivate' | 'fingerprint'] | readonly ['activate', string];

let browser: Browser;
const server = createServer((request, response) => {
  const isScript = request.url === '/app.js';
  response
    .writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    .end(isScript ? script : '<!doctype html><title>App</title><script src="/app.js"></script>');
});

beforeAll(async () => {
  browser = await startBrowser();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

test('a page activates a license, starts offline from localStorage after a reload, notices the revocation, and frees its seat', async () => {
  const { product, license } = await newShop({ max_seats: 1 });
  const { page, faults, close } = await openTab(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const settings = {
    baseUrl: process.env['LKS_BASE_URL'] ?? '',
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
    audience: product.slug,
    retryDelayMs: 0,
  };

  /** Simulates a fresh start of the app in the page: every call creates a new client. */
  const call = (...[method, key]: Call): Promise<unknown> =>
    page.evaluate(
      async ({ options, name, argument }) => {
        const { licensing } = globalThis as unknown as { licensing: Licensing };
        const client = new licensing.LicenseClient({ ...options, storage: licensing.browserStorage() });
        const result = name === 'activate' ? await client.activate(argument ?? '', { platform: 'browser' }) : await client[name]();
        await client.idle();
        return result;
      },
      { options: settings, name: method, argument: key },
    );

  expect(await call('check')).toEqual({ status: 'unbound' });
  expect(await call('activate', 'nonsense')).toEqual({ status: 'unknown_key' });
  expect(await call('activate', license.key)).toMatchObject({ status: 'licensed', source: 'network', license: { id: license.id } });
  const fingerprint = await call('fingerprint');
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect((await getLicense(license.id)).activations).toMatchObject([{ fingerprint, platform: 'browser' }]);

  await page.reload();
  await page.context().setOffline(true);
  expect(await call('check')).toMatchObject({ status: 'licensed', source: 'cache' });
  expect(await call('validate')).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'unreachable' } });
  await page.context().setOffline(false);

  // Another browser profile is another device. The license has only one seat, which is taken.
  const other = await openTab(browser);
  await other.page.goto(page.url());
  expect(
    await other.page.evaluate(
      async ({ options, key }) => {
        const { licensing } = globalThis as unknown as { licensing: Licensing };
        return (await new licensing.LicenseClient({ ...options, storage: licensing.browserStorage() }).activate(key)).status;
      },
      { options: settings, key: license.key },
    ),
  ).toBe('no_seats');
  await other.close();

  await page.evaluate(
    (name) =>
      (globalThis as unknown as { localStorage: { setItem(name: string, value: string): void } }).localStorage.setItem(
        name,
        '{"v":1,"key":',
      ),
    `license-key-service.${product.id}.${new URL(settings.baseUrl).host.replace(':', '_')}`,
  );
  expect(await call('check')).toEqual({ status: 'unbound' });
  expect(await call('activate', license.key)).toMatchObject({ status: 'licensed' });

  await post(`/v1/licenses/${license.id}/revoke`);
  expect(await call('check')).toMatchObject({ status: 'licensed', source: 'cache' });
  expect(await call('validate')).toEqual({ status: 'revoked' });
  expect(await call('check')).toEqual({ status: 'revoked' });
  expect(await call('deactivate')).toEqual({ status: 'deactivated', freed: true });
  expect((await getLicense(license.id)).seats.used).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('two tabs that start for the first time at the same time are one device', async () => {
  const { product } = await newShop();
  const { page, faults, close } = await openTab(browser);
  const tabs = [page, await page.context().newPage()];
  for (const tab of tabs) await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const options = {
    baseUrl: process.env['LKS_BASE_URL'] ?? '',
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
  };
  for (let round = 0; round < 5; round += 1) {
    const ids = await Promise.all(
      tabs.map((tab) =>
        tab.evaluate(
          async (given) => {
            const { licensing } = globalThis as unknown as { licensing: Licensing };
            return new licensing.LicenseClient({ ...given, storage: licensing.browserStorage() }).fingerprint();
          },
          { ...options, storageName: `first-start-${round}` },
        ),
      ),
    );
    expect(ids[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(ids[1]).toBe(ids[0]);
  }
  expect(faults).toEqual([]);
  await close();
});

test('React components follow the state of the license with useLicense, and share one client', async () => {
  const app = buildSync({
    absWorkingDir: resolve(__dirname, '../..'),
    stdin: {
      contents: `
        import { createRoot } from 'react-dom/client';
        import { LicenseClient } from './client/src';
        import { useLicense } from './client/src/react';
        let renders = 0;
        function View({ client, id }: { client: LicenseClient; id: string }) {
          const { state, isLicensed, has } = useLicense(client);
          renders += 1;
          return <p id={id}>{[state?.status ?? 'loading', isLicensed, has('export')].join(' ')}</p>;
        }
        export function start(options: ConstructorParameters<typeof LicenseClient>[0]) {
          const client = new LicenseClient(options);
          const root = createRoot(document.getElementById('app')!);
          root.render(<><View client={client} id="first" /><View client={client} id="second" /></>);
          return { client, root, renders: () => renders };
        }`,
      resolveDir: resolve(__dirname, '../..'),
      loader: 'tsx',
    },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'app',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  }).outputFiles[0]!.text;
  const { product, license } = await newShop();
  const { page, faults, close } = await openTab(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.setContent('<div id="app"></div>');
  await page.addScriptTag({ content: app });
  const settings = {
    baseUrl: process.env['LKS_BASE_URL'] ?? '',
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
  };
  await page.evaluate((options) => {
    const global = globalThis as unknown as { app: { start(options: object): unknown }; running: unknown };
    global.running = global.app.start(options);
  }, settings);
  for (const id of ['first', 'second']) await page.locator(`#${id}`, { hasText: 'unbound false false' }).waitFor();
  const during = (key: string): Promise<number> =>
    page.evaluate(async (text) => {
      const { running } = globalThis as unknown as {
        running: { client: { activate(key: string): Promise<unknown>; check(): Promise<unknown> }; renders(): number };
      };
      await running.client.activate(text);
      const before = running.renders();
      await running.client.check();
      await running.client.check();
      return running.renders() - before;
    }, key);
  const more = await during(license.key);
  for (const id of ['first', 'second']) await page.locator(`#${id}`, { hasText: 'licensed true false' }).waitFor();
  // Each component renders once for the change from "by network" to "by cache". If the state does not change, no component renders.
  expect(more).toBeLessThanOrEqual(4);
  expect(faults).toEqual([]);
  await close();
});
