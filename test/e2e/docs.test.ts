import type { Browser, Page } from 'playwright-core';
import { button } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser, type Tab } from '../support/browser';
import { adminToken, baseUrl, newShop, type Shop } from '../support/http';

/** The documentation of the API, as a developer reads it and tries it out. */

jest.setTimeout(240_000);
let browser: Browser;
let shop: Shop;
let tab: Tab;
let page: Page;
beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), newShop()]);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  tab = await openTab(browser);
  ({ page } = tab);
  await page.goto(`${baseUrl()}/docs`);
  await page.getByText('Activate a license on a machine').waitFor();
});
afterEach(async () => {
  await tab.close();
  expect(tab.faults).toEqual([]);
});

/** The dialog for credentials, and the part of it for one of them. */
const dialog = () => page.getByRole('dialog', { name: 'Available authorizations' });
const credential = (name: string) => dialog().getByRole('group', { name });

async function authorize(credentials: Readonly<Record<string, string>>): Promise<void> {
  await button(page, 'Authorize').click();
  for (const [name, value] of Object.entries(credentials)) {
    await credential(name).getByLabel('Value:').fill(value);
    await button(credential(name), 'Authorize').click();
  }
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

/** Opens an operation, fills its parameters, executes it, and waits for the answer. */
async function run(operation: string, fill: Readonly<Record<string, string>>): Promise<string> {
  const block = page.locator(`[id$="-${operation}"]`);
  await block.getByRole('heading', { level: 3 }).getByRole('button').click();
  for (const [name, value] of Object.entries(fill)) await block.getByRole('textbox', { name, exact: true }).fill(value);
  await block.getByRole('button', { name: 'Execute' }).click();
  const live = block.locator('.live-responses-table .response').first();
  await live.waitFor();
  return (await live.textContent()) ?? '';
}

test('tries out an operator’s and an app’s request with their credentials, in this browser, from this origin', async () => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl()) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });
  await authorize({ AdminToken: adminToken(), ProductKey: shop.product.api_key });
  expect(await run('getProduct', { id: String(shop.product.id) })).toContain(shop.product.slug);
  expect(await run('validate', { id: String(shop.product.id), key: shop.license.key, fingerprint: 'b'.repeat(64) })).toMatch(/"valid":\s*true/);
  expect(elsewhere).toEqual([]);
});

test('axe-core finds nothing on the page, in the dialog for credentials, or in operations with their answers', async () => {
  const found = await findings(page, 'the page');
  await button(page, 'Authorize').click();
  await dialog().waitFor();
  found.push(...(await findings(page, 'the dialog', 'dialog')));
  await credential('AdminToken').getByLabel('Value:').fill(adminToken());
  await button(credential('AdminToken'), 'Authorize').click();
  await button(credential('AdminToken'), 'Logout').waitFor();
  found.push(...(await findings(page, 'the dialog, authorized', 'dialog')));
  await page.keyboard.press('Escape');
  await run('listLicenses', { id: String(shop.product.id) });
  await run('createProduct', {});
  found.push(...(await findings(page, 'operations', '#operations')));
  expect(found).toEqual([]);
});

test('with the keyboard alone: the dialog keeps the focus and gives it back, an operation opens and is in the address', async () => {
  await button(page, 'Authorize').focus();
  await page.keyboard.press('Enter');
  await dialog().getByRole('textbox').first().and(page.locator(':focus')).waitFor();
  for (let presses = 0; presses < 10; presses += 1) {
    await page.keyboard.press('Tab');
    // Between the last and the first part of the dialog comes the browser itself.
    expect(await page.evaluate('document.activeElement === document.body || document.activeElement.closest("dialog") !== null')).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await button(page, 'Authorize').and(page.locator(':focus')).waitFor();

  const operation = page.getByRole('heading', { level: 3, name: 'Create a product' }).getByRole('button');
  await operation.focus();
  await page.keyboard.press('Enter');
  await button(page, 'Execute').waitFor();
  expect(page.url()).toMatch(/#\/Products\/createProduct$/);
  await page.reload();
  await button(page, 'Execute').waitFor();
});

test('on a phone nothing sticks out, also of an operation with its answer', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await run('getHealth', {});
  await run('listLicenses', { id: '1' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

test('is dark where the system is, follows it, and leads to the admin page', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark-mode').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not(.dark-mode)').waitFor();
  await page.getByRole('link', { name: 'Admin page' }).click();
  await page.getByLabel('Admin token').waitFor();
});
