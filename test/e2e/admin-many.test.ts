import type { Browser } from 'playwright-core';
import { goTo, main, openAdmin } from '../support/admin';
import { openTab, startBrowser } from '../support/browser';
import { newLicense, newProduct, newShop, newType, unique } from '../support/http';
import { manyLicenses } from '../support/many-licenses';

jest.setTimeout(240_000);
const COUNT = 10_000;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Milliseconds that something takes. */
async function took(action: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await action();
  return performance.now() - begun;
}

test('with 10,000 licenses the list opens, pages, filters and finds at once', async () => {
  const product = await newProduct();
  const [type, other] = [await newType(product, { name: 'Pro' }), await newType(product, { name: 'Never sold' })];
  await manyLicenses(type, COUNT);
  const { page, close, faults } = await openTab(browser);
  const route = `/products/${product.id}/licenses`;
  await openAdmin(page);
  // Generous for a loaded machine, and still far from what reading 10,000 would take.
  const AT_ONCE = 6000;

  expect(await took(async () => {
    await goTo(page, route);
    await page.getByText('buyer-9999@example.com').waitFor();
  })).toBeLessThan(AT_ONCE);
  expect(await page.getByRole('row').count()).toBe(51);

  expect(await took(async () => {
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–100').waitFor();
  })).toBeLessThan(AT_ONCE);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('buyer-9999@example.com').waitFor();

  const search = page.getByRole('searchbox', { name: 'Key or e-mail', exact: true });
  await page.keyboard.press('/');
  await page.keyboard.type('buyer-42@example.com');
  expect(await took(async () => {
    await page.keyboard.press('Enter');
    await page.getByText('buyer-42@example.com').waitFor();
  })).toBeLessThan(AT_ONCE);
  expect(await page.getByRole('row').count()).toBe(2);

  await search.fill('');
  await page.getByLabel('Status').selectOption('revoked');
  await page.getByText('buyer-9509@example.com').waitFor();
  expect(await page.getByRole('row', { name: /Active/ }).count()).toBe(0);
  expect(await page.getByRole('row').count()).toBe(51);

  // What is not there is known to be not there.
  await page.getByLabel('License type').selectOption({ label: other.name });
  await page.getByText('No license fits').waitFor();
  // The view is in the address.
  expect(page.url()).toContain(`status=revoked&type=${other.id}`);
  expect(faults).toEqual([]);
  await close();
});

describe('the search over all products', () => {
  test('looks beyond the first page of them, and does not take a failure there for the end', async () => {
    await newProduct();
    const { license } = await newShop();
    const { page, close, faults } = await openTab(browser);
    // The first page is cut short, so that two products are two pages.
    let isDown = true;
    await page.route('**/v1/products?*', (route) => {
      const url = route.request().url();
      if (!url.includes('cursor')) return route.continue({ url: url.replace('limit=100', 'limit=1') });
      return isDown ? route.abort() : route.continue();
    });
    await openAdmin(page, `/find?q=${license.key}`);
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    expect(await main(page).textContent()).not.toMatch(/No license found|so far/);
    isDown = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: license.key }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  test('asks a few products at a time, and says how far it is', async () => {
    const model = await newProduct();
    const { page, close, faults } = await openTab(browser);
    const pageOf = (first: number) => Array.from({ length: 20 }, (_, place) => ({ ...model, id: first + place }));
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    await page.route('**/v1/products?*', async (route) => {
      if (!route.request().url().includes('cursor')) return route.fulfill({ json: pageOf(1), headers: { Link: '</v1/products?cursor=second>; rel="next"' } });
      await held;
      return route.fulfill({ json: pageOf(21) });
    });
    const asked = new Set<string>();
    let [open, most] = [0, 0];
    await page.route('**/licenses?*', async (route) => {
      asked.add(new URL(route.request().url()).pathname);
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
      await route.fulfill({ json: [] });
    });
    await openAdmin(page, '/find?q=nobody@example.com');
    await page.getByRole('status').getByText('20 products').waitFor();
    expect(await page.getByText('No license found').count()).toBe(0);
    finish();
    await page.getByText('No license found').waitFor();
    expect(await main(page).textContent()).toContain('in 40 products');
    expect(asked.size).toBe(40);
    expect(most).toBeLessThanOrEqual(6);
    expect(faults).toEqual([]);
    await close();
  });

  test('says where there are more than it shows, and leads to them', async () => {
    const [product, other] = [await newProduct(), await newProduct()];
    const type = await newType(product);
    const email = `${unique()}@example.com`;
    await Promise.all(Array.from({ length: 51 }, () => newLicense(type, { customer_email: email })));
    await newLicense(await newType(other), { customer_email: email });
    const { page, close, faults } = await openTab(browser);
    await openAdmin(page, `/find?q=${email}`);
    const found = page.getByRole('region', { name: product.name });
    await found.getByText('The newest 50 are shown').waitFor();
    expect(await page.getByRole('region', { name: other.name }).getByRole('link').count()).toBe(1);
    await found.getByRole('link', { name: 'See all' }).click();
    await page.getByText('1–50').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Key or e-mail', exact: true }).inputValue()).toBe(email);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–51').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
