import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { LicenseBridge } from '../../client/example/electron/bridge';
import type { LicenseState } from '../../client/src';
import { openTab, startBrowser } from '../support/browser';
import { buildSample, startSample, type Run } from '../support/electron';
import { baseUrl, getLicense, newShop } from '../support/http';

/** Runs the Electron sample: its main process and its preload script in a simulated Electron, and its page in Chromium. */

const folder = mkdtempSync(join(tmpdir(), 'lks-electron-'));
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

interface App {
  readonly shop: Awaited<ReturnType<typeof newShop>>;
  start(isOnline?: boolean): Promise<Run & { readonly license: LicenseBridge }>;
}

/** The sample with a product's values, in a temporary folder. */
async function install(type: object): Promise<App> {
  const shop = await newShop(type);
  const { product } = shop;
  const app = join(folder, String(product.id));
  buildSample(app, {
    baseUrl: baseUrl(),
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
    audience: product.slug,
  });
  return {
    shop,
    start: async (isOnline) => {
      const run = startSample(app, join(app, 'user-data'), isOnline);
      await run.shown;
      return { ...run, license: run.window['license'] as unknown as LicenseBridge };
    },
  };
}

test('a window activates a key, and the next start is licensed without a network and shows the dates', async () => {
  const { shop, start } = await install({ kind: 'subscription', duration_days: 30 });
  const first = await start();
  const states: LicenseState[] = [];
  const stop = first.license.onState((state) => states.push(state));
  expect(await first.license.state()).toEqual({ status: 'unbound' });
  expect(await first.license.activate('')).toMatchObject({ status: 'invalid_input', field: 'key' });
  expect(first.requests).toEqual([]);
  expect(await first.license.activate(shop.license.key)).toMatchObject({
    status: 'licensed',
    license: { id: shop.license.id, expiresAt: new Date(String(shop.license.expires_at)) },
  });
  expect(states).toMatchObject([{ status: 'licensed', source: 'network' }]);
  stop();
  await first.quit();

  const second = await start(false);
  expect(await second.license.state()).toMatchObject({
    status: 'licensed',
    source: 'cache',
    license: { expiresAt: new Date(String(shop.license.expires_at)) },
  });
  expect(second.requests).toEqual([]);
  await second.quit();
  expect((await getLicense(shop.license.id)).seats.used).toBe(1);

  const third = await start();
  expect(await third.license.deactivate()).toEqual({ status: 'deactivated', freed: true });
  expect(states).toHaveLength(1);
  await third.quit();
});

test('with a floating license the app frees its seat when it is closed, and takes a seat at the next start', async () => {
  const { shop, start } = await install({ kind: 'floating', max_seats: 1, lease_minutes: 60 });
  const first = await start();
  await first.license.activate(shop.license.key);
  expect((await getLicense(shop.license.id)).seats.used).toBe(1);
  await first.quit();
  expect((await getLicense(shop.license.id)).seats.used).toBe(0);
  const second = await start();
  expect(await second.license.state()).toMatchObject({ status: 'licensed' });
  await second.quit();
});

test('the page shows the state of the main process when a key is entered, refused, accepted or deactivated', async () => {
  const { shop, start } = await install({ kind: 'lifetime', features: ['export'] });
  const app = await start();
  const { page, faults, close } = await openTab(browser);
  await page.exposeFunction('callMain', (name: keyof LicenseBridge, ...values: string[]) =>
    (app.license[name] as (...all: string[]) => unknown)(...values),
  );
  await page.addInitScript(() => {
    const page = globalThis as unknown as {
      callMain(name: string, ...values: string[]): Promise<never>;
      license: LicenseBridge;
      tell(state: LicenseState): void;
      tellCode(code: string): void;
    };
    page.license = {
      state: () => page.callMain('state'),
      activate: (key) => page.callMain('activate', key),
      deactivate: () => page.callMain('deactivate'),
      signIn: () => page.callMain('signIn'),
      cancelSignIn: () => page.callMain('cancelSignIn'),
      onState: (listener) => ((page.tell = listener), () => undefined),
      onCode: (listener) => ((page.tellCode = listener), () => undefined),
    };
  });
  await page.route('http://app.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title><div id="root"></div>' }),
  );
  await page.goto('http://app.test/');
  await page.addScriptTag({ content: readFileSync(join(folder, String(shop.product.id), 'page.js'), 'utf8') });
  app.license.onState(
    (state) => void page.evaluate((told) => (globalThis as unknown as { tell(state: LicenseState): void }).tell(told), state),
  );

  const key = page.getByLabel('License key');
  await key.fill('NO-SUCH-KEY');
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('alert').filter({ hasText: 'Not activated: unknown_key' }).waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The product's portal doesn't allow it.
  await page.getByRole('alert').filter({ hasText: 'Not activated: offline_without_token' }).waitFor();
  await key.fill(shop.license.key);
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByText(shop.type.name).waitFor();
  expect(await page.getByRole('button', { name: 'Export' }).isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Deactivate this computer' }).click();
  await key.waitFor();
  expect((await getLicense(shop.license.id)).seats.used).toBe(0);
  await page.evaluate(() => (globalThis as unknown as { tellCode(code: string): void }).tellCode('7KQ2-9MXB'));
  await page.getByText('7KQ2-9MXB').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(faults).toEqual([]);
  await close();
  await app.quit();
});
