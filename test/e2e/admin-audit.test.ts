import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { button, goTo, main, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { newLicense, newShop, patch, post, type Shop } from '../support/http';
import { until } from '../support/until';

/** Tests the audit log on the admin page: who changed what, and all other changes of the same person. */

let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await startBrowser();
  shop = await newShop();
  await post(`/v1/licenses/${shop.license.id}/suspend`, { reason: 'asked for' });
});
afterAll(() => browser?.close());

test('the page of a license links to its audit log, and from there to all changes of the product or of the same person', async () => {
  const { page, close, faults } = await openTab(browser);
  await openAdmin(page, `/licenses/${shop.license.id}`);
  await main(page).getByRole('link', { name: 'Audit log' }).click();
  const rows = main(page).getByRole('row');
  // The log names the license by its key.
  await rows.filter({ hasText: 'Suspend' }).getByRole('link', { name: shop.license.key }).waitFor();
  expect(await rows.count()).toBe(3);
  await main(page).getByText(`Only license ${shop.license.id}`).waitFor();

  await goTo(page, `/products/${shop.product.id}/audit`);
  for (const what of ['Create a product', 'Create a license type', 'Suspend']) await rows.filter({ hasText: what }).first().waitFor();

  await rows.getByRole('link', { name: 'deployment' }).first().click();
  await until('the actor is chosen', async () => (await page.getByLabel('Person or service').inputValue()) === 'deployment');
  await main(page).getByRole('link', { name: 'Show everything' }).click();
  await main(page).getByRole('link', { name: 'Show everything' }).waitFor({ state: 'detached' });
  await rows.nth(1).waitFor();
  expect(await findings(page, 'audit log')).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('the audit log describes a change with old and new values at every window width, can be filtered, and can be exported', async () => {
  const { id, key } = shop.license;
  const { status } = await patch(`/v1/licenses/${id}`, {
    customer_email: 'ada.with-a-long-name.of-a-large-company@department.example.com',
    max_seats: 7,
    metadata: { order: 'A-1' },
    features: ['sync', 'a-feature-with-a-very-long-name', 'another-feature-with-a-very-long-name'],
    max_major: 3,
    expires_at: '2099-01-01T12:00:00Z',
  });
  expect(status).toBe(200);
  // Creates many entries, each about another license, like an import.
  await Promise.all(Array.from({ length: 12 }, () => newLicense(shop.type, { customer_email: `${'x'.repeat(50)}@example.com` })));
  const { page, close, faults } = await openTab(browser);
  await openAdmin(page, `/audit?product=${shop.product.id}`);
  const rows = main(page).getByRole('row');
  const changed = rows.filter({ hasText: 'Change a license' });
  for (const width of [1600, 1280, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await changed.waitFor();
    const words = (await changed.getByRole('listitem').allTextContents()).join('\n');
    for (const line of [/^Seats: .+ → 7$/m, /^Expiry: never → Jan 1, 2099$/m, /^Major version: none → 3$/m, /^Changed: buyer, metadata$/m])
      expect([width, words]).toEqual([width, expect.stringMatching(line)]);
    expect(words).not.toMatch(/_/);
    // No cell is wider than its column, and no two texts overlap.
    const overlaps = await page.evaluate<string[]>(`(() => {
      const cells = [...document.querySelectorAll('main td')].filter((cell) => cell.offsetParent !== null);
      const wide = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => 'wide: ' + cell.textContent);
      const boxes = cells.map((cell) => [cell.getBoundingClientRect(), cell.textContent]);
      return [...wide, ...boxes.flatMap(([a, text], at) => boxes.slice(at + 1)
        .filter(([b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        .map(([, other]) => text + ' lies on ' + other))];
    })()`);
    expect([width, overlaps]).toEqual([width, []]);
    expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width]);
    expect(await findings(page, `audit log at ${width}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByLabel('Action').selectOption({ label: 'Suspend a license' });
  await until('only the suspension is shown', async () => (await rows.count()) === 2);
  await changed.waitFor({ state: 'detached' });
  await rows.getByRole('link', { name: key }).waitFor();
  expect(page.url()).toContain('action=suspendLicense');
  // The export uses the filters of the page.
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(new RegExp(`suspendLicense.*status: active → suspended.*${key}`));

  await page.getByLabel('Period from').fill('2099-01-01');
  await page.getByLabel('Period from').press('Enter');
  await page.getByText('No changes match these filters').waitFor();
  await page.getByRole('link', { name: 'Show everything' }).click();
  // Without filters the log shows all products, and all tests of a run share one log.
  await until('more is shown again', async () => (await rows.count()) > 2);
  expect(await page.getByLabel('Period from').inputValue()).toBe('');
  expect(faults).toEqual([]);
  await close();
});
