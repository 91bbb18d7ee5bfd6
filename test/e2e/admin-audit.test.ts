import type { Browser } from 'playwright-core';
import { goTo, main, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { newShop, post, type Shop } from '../support/http';

/** The audit log on the admin page: who did what, to what, and everything else that they did. */

let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await startBrowser();
  shop = await newShop();
  await post(`/v1/licenses/${shop.license.id}/suspend`, { reason: 'asked for' });
});
afterAll(() => browser?.close());

test('a license leads to what was done to it, and that to everything of its product and of who did it', async () => {
  const { page, close, faults } = await openTab(browser);
  await openAdmin(page, `/licenses/${shop.license.id}`);
  await main(page).getByRole('link', { name: 'Audit log' }).click();
  const rows = main(page).getByRole('row');
  await rows
    .filter({ hasText: 'Suspend' })
    .getByRole('link', { name: `License ${shop.license.id}` })
    .waitFor();
  expect(await rows.count()).toBe(3);
  await main(page).getByText(`Only license ${shop.license.id}`).waitFor();

  await goTo(page, `/products/${shop.product.id}/audit`);
  for (const what of ['Create a product', 'Create a license type', 'Suspend']) await rows.filter({ hasText: what }).first().waitFor();

  await rows.getByRole('link', { name: 'deployment' }).first().click();
  await main(page).getByText('changes by deployment').waitFor();
  await main(page).getByRole('link', { name: 'Show everything' }).click();
  await main(page).getByText(/^Only/).waitFor({ state: 'detached' });
  await rows.nth(1).waitFor();
  expect(await findings(page, 'audit log')).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
