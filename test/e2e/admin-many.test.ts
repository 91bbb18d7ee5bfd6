import type { Browser } from 'playwright-core';
import { goTo, heading, openAdmin } from '../support/admin';
import { openTab, startBrowser } from '../support/browser';
import { newFingerprint, newLicense, newProduct, newShop, newType, unique } from '../support/http';
import { manyLicenses } from '../support/many-licenses';

/** The number of licenses, which is too high for one response. */
const COUNT = 1100;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('every view of a long list requests only one page of licenses, with one request', async () => {
  const product = await newProduct();
  const [type, other] = [await newType(product, { name: 'Pro' }), await newType(product, { name: 'Never sold' })];
  await manyLicenses(type, COUNT);
  const { page, close, faults } = await openTab(browser);
  const route = `/products/${product.id}/licenses`;
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

  const search = page.getByRole('searchbox', { name: 'Key or e-mail', exact: true });
  await page.keyboard.press('/');
  await page.keyboard.type('buyer-42@example.com');
  await once(async () => {
    await page.keyboard.press('Enter');
    await page.getByText('buyer-42@example.com').waitFor();
  });
  expect(await page.getByRole('row').count()).toBe(2);

  await search.fill('');
  await page.getByLabel('Status').selectOption('revoked');
  await page.getByText('buyer-609@example.com').waitFor();
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
  const type = await newType(await newProduct());
  await manyLicenses(type, COUNT);
  const { page, close, faults } = await openTab(browser);
  // Requests are simulated, because 1,100 real changes would take minutes.
  const changed = new Set<string>();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/v1\/licenses\/\d+$/, async (route) => {
    if (changed.size === 40) await held;
    changed.add(route.request().url());
    await route.fulfill({ json: { seats: { used: 0, max: 7 } } });
  });
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
  release();
  const next = form.getByRole('button', { name: /^Continue with the other / });
  await next.waitFor();
  const begun = changed.size;
  expect(begun).toBeLessThan(60);
  await next.click();
  await form.getByRole('button', { name: 'Done' }).waitFor();
  await next.waitFor({ state: 'detached' });
  expect(await form.getByRole('status').textContent()).toMatch(/^([\d,]+) of \1 done/);
  expect(changed.size).toBeGreaterThan(900);
  expect(faults).toEqual([]);
  await close();
});

describe('the search in all products', () => {
  test('the search for a key, an order or a device takes three requests, regardless of the number of products', async () => {
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
      expect(asked.sort()).toEqual(['fingerprint', 'order', 'q']);
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
    await page.getByText('50 and more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('region', { name: other.name }).getByRole('row').nth(1).waitFor();
    expect(await found.getByRole('row').count()).toBe(52);
    expect(faults).toEqual([]);
    await close();
  });
});
