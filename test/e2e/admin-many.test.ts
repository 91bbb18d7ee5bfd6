import type { Browser } from 'playwright-core';
import { goTo, openAdmin } from '../support/admin';
import { openTab, startBrowser } from '../support/browser';
import { newProduct, newType } from '../support/http';
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
