import type { Browser } from 'playwright-core';
import type { LicenseTypeView } from '../../lambdas/contract/resources';
import { goTo, heading, openAdmin } from '../support/admin';
import { openTab, startBrowser } from '../support/browser';
import { newFingerprint, newLicense, newProduct, newShop, newType, unique } from '../support/http';
import { manyLicenses } from '../support/many-licenses';

/** The number of licenses. One response contains at most 1,000. */
const COUNT = 1010;
let browser: Browser;
/** The type of the many licenses, and another type of the same product without licenses. The tests only read them. */
let type: LicenseTypeView;
let other: LicenseTypeView;
beforeAll(async () => {
  browser = await startBrowser();
  const product = await newProduct();
  type = await newType(product, { name: 'Pro' });
  other = await newType(product, { name: 'Never sold' });
  await manyLicenses(type, COUNT);
});
afterAll(() => browser?.close());

test('every view of a long list requests only one page of licenses, with one request', async () => {
  const { page, close, faults } = await openTab(browser);
  const route = `/products/${type.product_id}/licenses`;
  await openAdmin(page);
  // The list repeats the same request regularly to stay up to date, so repeated requests are not counted.
  const asked = new Set<string>();
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/licenses')) asked.add(request.url());
  });
  /** Fails if an action sends more than one request for licenses, or requests more licenses than the page shows. */
  const once = async (action: () => Promise<unknown>): Promise<void> => {
    asked.clear();
    await action();
    const [limit, ...more] = [...asked].map((url) => new URL(url).searchParams.get('limit'));
    expect([limit, more]).toEqual(['50', []]);
  };

  await once(async () => {
    await goTo(page, route);
    await page.getByText(`buyer-${COUNT - 1}@example.com`).waitFor();
  });
  expect(await page.getByRole('row').count()).toBe(51);

  await once(async () => {
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–100').waitFor();
  });
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText(`buyer-${COUNT - 1}@example.com`).waitFor();

  const search = page.getByRole('searchbox', { name: 'Key, e-mail, name, order or device', exact: true });
  await page.keyboard.press('/');
  await search.and(page.locator(':focus')).pressSequentially('model@exam');
  await once(async () => {
    await search.press('Enter');
    await page.getByText('model@example.com').waitFor();
  });
  expect(await page.getByRole('row').count()).toBe(2);

  await search.fill('');
  await page.getByLabel('Status').selectOption('revoked');
  await page.getByText('buyer-519@example.com').waitFor();
  expect(await page.getByRole('row', { name: /Active/ }).count()).toBe(0);
  expect(await page.getByRole('row').count()).toBe(51);

  // The page says that nothing matches, and sends no further requests.
  await page.getByLabel('License type').selectOption({ label: other.name });
  await page.getByText('No licenses match these filters').waitFor();
  // The URL contains the filters and the page of the list.
  expect(page.url()).toContain(`status=revoked&type=${other.id}`);
  expect(faults).toEqual([]);
  await close();
});

test('more than a thousand licenses are selected and changed together with progress, and an interrupted change can be continued', async () => {
  const { page, close, faults } = await openTab(browser);
  // The page itself responds to the changes, because 1,000 real changes would take minutes. From the 41st on, they wait for `release`.
  await page.addInitScript(`
    window.changed = new Set();
    const held = new Promise((resolve) => (window.release = resolve));
    const { fetch } = window;
    window.fetch = async (url, init) => {
      if (!/\\/v1\\/licenses\\/\\d+$/.test(url)) return fetch(url, init);
      if (changed.size === 40) await held;
      changed.add(url);
      return Response.json({ seats: { used: 0, max: 7 } });
    };`);
  const changed = (): Promise<number> => page.evaluate<number>('changed.size');
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Select all in the list' }).click();
  const bar = page.getByRole('region', { name: 'Selected licenses' });
  await bar.getByText(/^1,\d\d\d selected/).waitFor();
  await bar.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('menuitem', { name: 'Seats' }).click();
  const form = page.getByRole('dialog', { name: 'Change the seats of the selected licenses' });
  await form.getByLabel('Seats', { exact: true }).fill('2');
  await form.getByRole('button', { name: /^Change the seats of 1,?\d+ licenses|^Change the seats of \d+ licenses/ }).click();
  await form.getByText(/^[34]\d of /).waitFor();
  await form.getByRole('button', { name: 'Stop' }).click();
  await page.evaluate('release()');
  const next = form.getByRole('button', { name: /^Continue with the other / });
  await next.waitFor();
  expect(await changed()).toBeLessThan(60);
  await next.click();
  await form.getByRole('button', { name: 'Done' }).waitFor();
  await next.waitFor({ state: 'detached' });
  expect(await form.getByRole('status').textContent()).toMatch(/^([\d,]+) of \1 done/);
  // Every tenth license is revoked, so it can't be changed.
  expect(await changed()).toBeGreaterThan(900);
  expect(faults).toEqual([]);
  await close();
});

describe('the search in all products', () => {
  test('the search for a key or a device takes one request, regardless of the number of products', async () => {
    const { license, client } = await newShop();
    const fingerprint = newFingerprint();
    await client.activate(license.key, fingerprint);
    const { page, close, faults } = await openTab(browser);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/v1/licenses') asked.push([...searchParams.keys()].filter((name) => name !== 'limit').join());
    });
    for (const search of [license.key.toLowerCase().replaceAll('-', ' '), fingerprint]) {
      asked.length = 0;
      await openAdmin(page, `/find?q=${encodeURIComponent(search)}`);
      await heading(page, license.key).waitFor();
      expect(asked).toEqual(['q']);
    }
    expect(faults).toEqual([]);
    await close();
  });

  test('the search says if there are more results than it shows, and links to them', async () => {
    const [product, other] = [await newProduct(), await newProduct()];
    const type = await newType(product);
    const email = `${unique()}@example.com`;
    await Promise.all(Array.from({ length: 51 }, () => newLicense(type, { customer_email: email })));
    await newLicense(await newType(other), { customer_email: email });
    const { page, close, faults } = await openTab(browser);
    await openAdmin(page, `/find?q=${email}`);
    const found = page.getByRole('region', { name: product.name });
    await found.getByRole('row').nth(50).waitFor();
    await page.getByText('50 licenses and more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('region', { name: other.name }).getByRole('row').nth(1).waitFor();
    expect(await found.getByRole('row').count()).toBe(52);
    expect(faults).toEqual([]);
    await close();
  });
});
