import type { Browser } from 'playwright-core';
import { goTo, main, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { adminToken, newShop, post, send, type Shop } from '../support/http';

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

  // A change of many fields is read in words, and nothing lies on anything else.
  const changed = await send(`/v1/licenses/${shop.license.id}`, {
    method: 'PATCH',
    body: {
      customer_email: 'ada@example.com',
      max_seats: 7,
      metadata: { order: 'A-1' },
      features: ['sync'],
      max_major: 3,
      expires_at: '2099-01-01T00:00:00Z',
    },
    headers: { 'X-Svc-Admin-Token': adminToken() },
  });
  expect(changed.status).toBe(200);
  await goTo(page, `/audit?product=${shop.product.id}`);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const cell = rows.getByRole('cell').filter({ hasText: /^Change a license: .*buyer/ });
    await cell.waitFor();
    expect(await cell.textContent()).not.toMatch(/_/);
    const overflow = await page.evaluate<number>(
      `(() => { const cell = [...document.querySelectorAll('td')].find((one) => one.textContent.startsWith('Change a license: ')); return cell.scrollWidth - cell.clientWidth; })()`,
    );
    expect([width, overflow]).toEqual([width, 0]);
  }
  await rows.getByRole('link', { name: shop.product.name }).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
