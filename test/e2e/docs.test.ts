import type { Browser, Locator, Page } from 'playwright-core';
import { adminUrl, button } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser, type Tab } from '../support/browser';
import { adminToken, baseUrl, get, newShop, type Shop } from '../support/http';
import { until } from '../support/until';

/** Tests the page with the API documentation in a browser: a developer reads the documentation and tries out operations. */

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
  await page.locator('h1').waitFor();
});
afterEach(async () => {
  await tab.close();
  expect(tab.faults).toEqual([]);
});

// The page has more than 40,000 elements. A search for a role or a label reads all of them, so tests first choose a part by its attributes.
const operation = (name: string): Locator => page.locator(`article[aria-label="${name}"]`);
const contents = (): Locator => page.locator('nav[aria-label="Contents"]');
const credential = (header: string): Locator => page.locator('section[aria-label="Credentials"]').getByLabel(header);

/**
 * Removes every element that matches the selector and contains only elements like those in a previous match. There are more than a hundred
 * operations, and axe-core would take most of a minute to find the same problem in all of them.
 */
const keepDifferent = (selector: string): Promise<void> =>
  page.evaluate(`(() => {
    const known = new Set();
    const add = (element, path) => {
      const place = path + ' > ' + element.localName + '.' + element.className + (element.open ? '[open]' : '');
      known.add(place);
      for (const child of element.children) add(child, place);
    };
    for (const element of document.querySelectorAll(${JSON.stringify(selector)})) {
      const before = known.size;
      add(element, '');
      if (known.size === before) element.remove();
    }
  })()`);

/** Opens the form of an operation, fills it in, submits it, and waits for the response. */
async function run(name: string, fill: Readonly<Record<string, string>>): Promise<string> {
  const block = operation(name);
  // The browser doesn't render a block outside the visible area.
  await block.scrollIntoViewIfNeeded();
  await button(block, 'Try it').click();
  for (const [parameter, value] of Object.entries(fill)) await block.getByLabel(parameter, { exact: true }).fill(value);
  await block.getByRole('button', { name: /^Send/ }).click();
  const response = block.getByRole('status', { name: 'Response' });
  await response.waitFor();
  return (await response.textContent()) ?? '';
}

test('a visitor tries out a request of an operator and a request of an app in the browser, and nothing is stored', async () => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl()) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });
  await credential('X-Svc-Admin-Token').fill(adminToken());
  await credential('X-API-Key').fill(shop.product.api_key);
  expect(await run('Get a product', { id: String(shop.product.id) })).toMatch(new RegExp(`^200 in [^]*${shop.product.slug}`));
  expect(await run('Check a license', { id: String(shop.product.id), key: shop.license.key, fingerprint: 'b'.repeat(64) })).toMatch(
    /"valid": true/,
  );
  const body = JSON.stringify({ license_type_id: shop.type.id, customer_email: 'no address' });
  expect(await run('Issue a license', { id: String(shop.product.id), 'Request body': body })).toMatch(
    /^422 [^]*invalid_request[^]*customer_email/,
  );
  expect(elsewhere).toEqual([]);
  expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(0);
});

test('axe-core finds no problem on the page, in an operation with its fields, or after a request was sent', async () => {
  await page.evaluate(
    `for (const details of document.querySelectorAll('#createLicense details, #event-license\\\\.activated details')) details.open = true`,
  );
  await run('List licenses', { id: '1' });
  await keepDifferent('article');
  await keepDifferent('nav li');
  // The examples of the operations that remain: an operation with its form and its response, and an event.
  await operation('List licenses').getByRole('status', { name: 'Response' }).waitFor();
  await operation('license.activated').waitFor();
  expect(await page.locator('article').count()).toBeLessThan(40);
  expect(await findings(page, 'the page')).toEqual([]);
});

test('the page shows every operation and event of the contract with code in several languages and an example, and the filter finds them', async () => {
  const { paths, webhooks } = (
    await get<{ paths: Record<string, Record<string, { operationId: string }>>; webhooks: object }>('/openapi.json')
  ).body;
  const ids = Object.values(paths).flatMap((rows) => Object.values(rows).map(({ operationId }) => operationId));
  const wanted = [...ids, ...Object.keys(webhooks).map((event) => `event-${event}`)];
  // One call of `evaluate` for all operations is ten times as fast as a locator for each operation.
  const shown = await page.evaluate<unknown[]>(`${JSON.stringify(wanted)}.map((id) => {
    const blocks = document.querySelectorAll('[id="' + id + '"]');
    return [id, blocks.length, blocks[0]?.querySelector('[role="group"]') != null];
  })`);
  expect(shown).toEqual(wanted.map((id) => [id, 1, true]));
  const activate = operation('Activate a license on a device');
  for (const [language, sign] of [
    ['curl', "curl -sS -X POST 'http"],
    ['JavaScript', 'await fetch('],
    ['Python', 'urlopen(request)'],
    ['Go', 'http.NewRequest("POST"'],
    ['PHP', 'curl_setopt_array'],
  ] as const) {
    await activate.getByLabel('Language').selectOption(language);
    await activate.getByText(sign).first().waitFor();
  }
  expect(
    await page
      .locator('[id="event-license.activated"]')
      .getByRole('group', { name: /Payload/ })
      .textContent(),
  ).toMatch(/"event": "license.activated"[^]*"sequence"[^]*"fingerprint"/);
  await contents().getByRole('searchbox').fill('revoke');
  await contents()
    .getByRole('link', { name: /Revoke a license/ })
    .waitFor();
  // Operations whose name matches come before operations whose description mentions the word.
  expect(await contents().getByRole('link').first().textContent()).toMatch(/Revoke/);
});

test('with the keyboard alone, a visitor goes from the contents to an operation, whose URL also works after a reload', async () => {
  const link = contents().getByRole('link', { name: /Create a product/ });
  await link.focus();
  await page.keyboard.press('Enter');
  await until('it is in the address', () => page.url().endsWith('#createProduct'));
  await page.reload();
  await operation('Create a product').waitFor();
  await until('it is in sight', async () => {
    const y = (await operation('Create a product').boundingBox())?.y ?? -1;
    return y >= 0 && y < 700;
  });
});

test('on a phone nothing is wider than the screen, not even an operation with its response', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await run('List licenses', { id: '1' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

test('the filter finds descriptions, fields and error codes, and a response names its fields', async () => {
  const search = contents().getByRole('searchbox');
  for (const [words, found] of [
    ['too_many_devices', /Activate a license on a device/],
    ['max_major', /Issue a license/],
    ['takes a seat', /Activate a license on a device/],
  ] as const) {
    await search.fill(words);
    await contents().getByRole('link', { name: found }).first().waitFor();
    expect([words, (await contents().getByRole('link').count()) < 60]).toEqual([words, true]);
  }
  await search.fill('no such word anywhere');
  await contents().getByText('No operation matches').waitFor();
  const block = operation('Get a license');
  await block.scrollIntoViewIfNeeded();
  await block.getByText(/^200 A License object\.$/).waitFor();
  await operation('List the audit log')
    .getByText(/^200 An array of AuditEntry objects\.$/)
    .waitFor({ state: 'attached' });
});

test('on a phone the contents are folded, open by keyboard, and close after a click on a link', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const link = contents().getByRole('link', { name: 'Create a product' });
  expect(await link.isVisible()).toBe(false);
  const fold = contents().getByRole('button', { name: 'Contents' });
  await fold.press('Enter');
  await link.waitFor();
  await link.click();
  await until('the contents are folded', async () => !(await link.isVisible()));
  expect(await fold.getAttribute('aria-expanded')).toBe('false');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

  // axe-core reads the whole document even if it checks only a part of it. Without the operations, the check takes a tenth of the time.
  await page.evaluate(`for (const article of document.querySelectorAll('article')) article.remove()`);
  await fold.press('Enter');
  await link.waitFor();
  expect(await findings(page, 'unfolded', 'nav.contents')).toEqual([]);
});

test('a user who is signed in on the admin page needs no token here, and after a sign-out the token is deleted', async () => {
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(adminToken());
  await button(page, 'Sign in').click();
  await button(page, 'Sign out').first().waitFor();
  const admin = page;
  // The page opens in a new tab, as it does from the link on the admin page.
  page = await tab.page.context().newPage();
  await page.goto(`${baseUrl()}/docs`);
  await page.getByText('You are signed in on the admin page').waitFor();
  expect(await run('Get a product', { id: String(shop.product.id) })).toMatch(new RegExp(`^200 in [^]*${shop.product.slug}`));
  await button(admin, 'Sign out').first().click();
  await page.getByText('You are signed in on the admin page').waitFor({ state: 'detached' });
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test("the page links to the admin page, and shows an error if the API document can't be loaded", async () => {
  await page.getByRole('link', { name: 'Admin page', exact: true }).click();
  await page.getByLabel('Admin token').waitFor();
  await page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }));
  await page.goto(`${baseUrl()}/docs`);
  await page.getByRole('alert').getByText('could not be loaded').waitFor();
});
