import type { Browser, Page } from 'playwright-core';
import { de } from '../../admin-site/src/texts/de';
import { adminUrl, button, choose, closeDialog, dialog, goTo, heading, openAdmin, showOnly, told, typeSearch } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { adminToken, getLicense, newFingerprint, newProduct, newShop, newType, post, type Shop } from '../support/http';

/** Tests the admin page by keyboard, for screen readers, on a phone, and in dark colors. */

let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  [browser, shop] = await Promise.all([
    startBrowser(),
    newShop({ max_seats: 3, updates_days: 365 }, { customer_email: 'ada@example.com', metadata: { order: 'A-1' } }),
  ]);
  await shop.client.activate(shop.license.key, newFingerprint(), { platform: 'linux', name: 'Laptop' });
  await post(`/v1/products/${shop.product.id}/webhook`, { url: 'http://127.0.0.1:9/' });
});
afterAll(() => browser?.close());

/** Each page, with a text that appears when the page has loaded. */
const pages = (product: number, license: number): readonly (readonly [route: string, ready: string])[] => [
  ['/', 'Active licenses'],
  [`/products/${product}`, 'Licenses by type'],
  [`/products/${product}/licenses`, 'ada@example.com'],
  [`/products/${product}/licenses?status=revoked`, 'No licenses match these filters'],
  [`/products/${product}/types`, '3 seats'],
  [`/products/${product}/releases`, 'No releases yet'],
  [`/products/${product}/webhooks`, 'license.activated'],
  [`/products/${product}/integration?new=1`, 'In your app'],
  [`/licenses/${license}`, 'Free seat'],
  ['/mail', 'Send a test mail to'],
  ['/tokens', 'New admin token'],
  ['/find?q=ada@example.com', 'ada@example.com'],
  ['/nothing', 'This page does not exist'],
];

/** Restricts the check to the dialog, because the page behind it is checked separately. */
const DIALOG = '[role="dialog"]';

test('axe-core finds no problem on any page or dialog, in light and in dark colors', async () => {
  const { page, close, faults } = await openTab(browser);
  await showOnly(page, shop.product);
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').waitFor();
  const found = await findings(page, 'sign-in');
  await page.getByLabel('Admin token').fill(adminToken());
  await button(page, 'Sign in').click();
  for (const [route, ready] of pages(shop.product.id, shop.license.id)) {
    await goTo(page, route);
    await page.getByText(ready).first().waitFor();
    found.push(...(await findings(page, route)));
  }
  const ofLicense = `/licenses/${shop.license.id}`;
  const ofProduct = `/products/${shop.product.id}`;
  for (const [route, action, title] of [
    [ofLicense, 'Edit', 'Edit this license'],
    [ofLicense, 'Renew', 'Renew this license'],
    [ofLicense, 'Renew updates', 'Renew the updates'],
    [ofLicense, 'Offline token', 'Create an offline token'],
    [ofLicense, /^Free seat of/, 'Free this seat?'],
    ['/', 'New product', 'New product'],
    ['/tokens', 'New admin token', 'New admin token'],
    [`${ofProduct}/types`, 'New license type', 'New license type'],
    [`${ofProduct}/licenses`, 'New license', 'New license'],
    [`${ofProduct}/licenses`, 'Issue many', 'Issue many licenses'],
    [`${ofProduct}/licenses`, 'Import', 'Import licenses'],
    [`${ofProduct}/webhooks`, 'Clear', 'Clear the webhook?'],
    [`${ofProduct}/webhooks`, 'Choose events', 'Choose events'],
    [`${ofProduct}/webhooks`, 'Send many again', 'Send many events again'],
  ] as const) {
    await goTo(page, route);
    await button(page, action).click();
    await dialog(page, title).waitFor();
    found.push(...(await findings(page, title, DIALOG)));
    await closeDialog(dialog(page, title));
  }
  for (const [action, title] of [
    ['Suspend', 'Suspend this license?'],
    ['Reissue key', 'Reissue the key?'],
    ['Free all seats', 'Free all seats?'],
    ['Revoke', 'Revoke this license?'],
  ] as const) {
    await goTo(page, ofLicense);
    await button(page, 'More').click();
    // The menu is the same for all actions, so it is checked only once.
    if (action === 'Suspend') found.push(...(await findings(page, 'More')));
    await page.getByRole('menuitem', { name: action }).click();
    await dialog(page, title).waitFor();
    found.push(...(await findings(page, title, DIALOG)));
    await closeDialog(dialog(page, title));
  }
  await page.keyboard.press('Control+k');
  await dialog(page, 'Search and go to').waitFor();
  found.push(...(await findings(page, 'the palette')));
  await closeDialog(dialog(page, 'Search and go to'));
  await goTo(page, `${ofProduct}/webhooks`);
  await page.getByRole('link', { name: 'license.activated' }).click();
  await dialog(page, 'license.activated').getByText('Payload').first().waitFor();
  found.push(...(await findings(page, 'Delivery')));
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('with the keyboard alone, an operator searches for a license, frees its seats, and returns', async () => {
  const { page, close } = await openTab(browser);
  const { license, client } = await newShop();
  await client.activate(license.key, newFingerprint(), { name: 'Desk' });
  await openAdmin(page);
  await heading(page, 'Products').waitFor();
  const focused = (): Promise<string> =>
    page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

  // A dialog moves the focus shortly after it opens or closes, so the test waits.
  const hasFocus = (text: string): Promise<void> => page.locator(':focus', { hasText: text }).waitFor();

  await page.keyboard.press('Tab');
  await hasFocus('Skip to the content');
  await typeSearch(page, '/', license.key, `Find “${license.key}” in all products`);
  await heading(page, license.key).waitFor();
  // A new page gets the focus.
  await page.locator('main:focus').waitFor();

  // From there, the Tab key moves to the button of the action.
  for (let presses = 0; (await focused()) !== 'More'; presses += 1) {
    expect(presses).toBeLessThan(20);
    await page.keyboard.press('Tab');
  }
  // The element with the focus must be marked visibly.
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  const choose = async (): Promise<void> => {
    await page.keyboard.press('Enter');
    await hasFocus('Suspend');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await hasFocus('Free all seats');
    await page.keyboard.press('Enter');
  };
  await choose();
  const form = dialog(page, 'Free all seats?');
  await form.waitFor();
  // In a dialog for a destructive action, Cancel has the focus, so that Enter alone does no harm.
  await hasFocus('Cancel');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await hasFocus('More');

  await choose();
  await form.waitFor();
  await hasFocus('Cancel');
  await page.keyboard.press('Tab');
  await hasFocus('Free all seats');
  // The Tab key does not leave the dialog.
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
  await form.getByRole('button', { name: 'Free all seats' }).focus();
  await page.keyboard.press('Enter');
  await told(page, 'Freed 1 seat');
  expect((await getLicense(license.id)).seats.used).toBe(0);
  await close();
});

test('when the form of a dialog is replaced by its result, the focus stays in the dialog', async () => {
  const { page, close } = await openTab(browser);
  const { license } = await newShop();
  await openAdmin(page, `/products/${license.product_id}/licenses`);
  const opener = button(page, 'New license').first();
  await opener.focus();
  await page.keyboard.press('Enter');
  const form = dialog(page, 'New license');
  await button(form, 'Issue license').focus();
  await page.keyboard.press('Enter');
  await form.getByTestId('issued-key').waitFor();
  await closeDialog(form);
  await page.locator(':focus', { hasText: 'New license' }).waitFor();
  await close();
});

test('after a dialog the focus returns to the element that opened it, or to the content of the page if that element is gone', async () => {
  const { page, close } = await openTab(browser);
  const { license } = await newShop();
  await post(`/v1/licenses/${license.id}/notes`, { text: 'Called on Monday' });
  await openAdmin(page, `/licenses/${license.id}`);
  await button(page, 'Delete the note “Called on Monday”').focus();
  await page.keyboard.press('Enter');
  const form = dialog(page, 'Delete this note?');
  await button(form, 'Delete permanently').focus();
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'detached' });
  await page.locator('main:focus').waitFor();

  await goTo(page, `/products/${license.product_id}/webhooks`);
  const opener = page.getByRole('link', { name: 'license.created' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const event = dialog(page, 'license.created');
  await closeDialog(event);
  await page.locator('a:focus', { hasText: 'license.created' }).waitFor();
  await close();
});

test('a slash in a field is typed, and does not move the focus to the search', async () => {
  const { page, close } = await openTab(browser);
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}/webhooks`);
  await page.getByLabel('URL').focus();
  await page.keyboard.type('https://example.com/hook');
  expect(await page.getByLabel('URL').inputValue()).toBe('https://example.com/hook');
  await close();
});

test('on a phone no page is wider than the screen, and the menu opens and closes', async () => {
  const { page, close } = await openTab(browser, { viewport: { width: 360, height: 740 }, hasTouch: true });
  await showOnly(page, shop.product);
  await openAdmin(page);
  for (const [route, ready] of pages(shop.product.id, shop.license.id)) {
    await goTo(page, route);
    await page.getByText(ready).first().waitFor();
    expect([route, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([route, 360]);
  }
  // The button for copying the key must not cover the link or the checkbox.
  await goTo(page, `/products/${shop.product.id}/licenses`);
  const row = page.getByRole('row').filter({ hasText: shop.license.key });
  await row.waitFor();
  const boxes = await Promise.all(
    [row.getByRole('button', { name: 'Copy license key' }), row.getByRole('link'), row.getByRole('checkbox')].map((part) =>
      part.boundingBox(),
    ),
  );
  const [copy, link, check] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  expect(copy?.x).toBeGreaterThanOrEqual((link?.x ?? 0) + (link?.width ?? 0));
  expect((copy?.x ?? 0) + (copy?.width ?? 0)).toBeLessThanOrEqual(check?.x ?? 0);
  await goTo(page, `/products/${shop.product.id}`);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.waitFor({ state: 'hidden' });
  await button(page, 'Open the menu').click();
  await menu.getByRole('link', { name: 'Webhooks' }).click();
  await heading(page, 'Webhooks').waitFor();
  await menu.waitFor({ state: 'hidden' });
  await button(page, 'Open the menu').click();
  await menu.waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  await close();
});

test('on a phone, a dialog about a long address does not scroll sideways', async () => {
  const { page, close } = await openTab(browser, { viewport: { width: 360, height: 740 } });
  const { license } = await newShop({}, { customer_email: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example` });
  await openAdmin(page, `/licenses/${license.id}`);
  await choose(page, 'Revoke');
  const form = dialog(page, 'Revoke this license?');
  await form.waitFor();
  const { width = 0 } = (await form.boundingBox()) ?? {};
  expect(await page.evaluate<number>(`document.querySelector('[role=dialog]').scrollWidth`)).toBeLessThanOrEqual(width);
  await close();
});

test('on a phone, what a license type covers is shown in full', async () => {
  const { page, close } = await openTab(browser, { viewport: { width: 375, height: 700 } });
  const type = await newType(await newProduct(), { kind: 'subscription', duration_days: 30, updates_days: 10, max_major: 3 });
  await openAdmin(page, `/products/${type.product_id}/types`);
  await page.getByText('10 days of updates, and all versions up to 3.x').waitFor();
  expect(await page.evaluate<boolean>(`[...document.querySelectorAll('td')].every((cell) => cell.scrollWidth <= cell.clientWidth)`)).toBe(
    true,
  );
  await close();
});

describe('the admin page in German', () => {
  const german = (text: string): string => {
    const translation = de[text];
    return typeof translation === 'string' ? translation : text;
  };
  /**
   * Finds English texts on a page, visible or for screen readers. Texts that are marked as code or as another language are not checked. The
   * pages also show what other tests have created, so no test may use a text of the page as a name.
   */
  const leftovers = async (page: Page): Promise<string[]> => {
    const shown = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('body *')].filter((element) => !element.closest('body [lang], script, code')).flatMap((element) => [
      ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
      ...['aria-label', 'title', 'placeholder', 'data-label'].map((name) => element.getAttribute(name)),
    ]).filter(Boolean)`);
    const english = Object.entries(de).flatMap(([text, translation]) =>
      typeof translation === 'string' ? (translation === text ? [] : [text]) : [text.replace('{count}', '0'), text.replace('{count}', '1')],
    );
    const known = new Set(english);
    return [...new Set(shown.map((text) => text.trim().replace(/^\d+(?= )/, '1')))].filter((text) => known.has(text));
  };
  const PHONE = { width: 390, height: 844 };

  test('no page in German has an English text, is wider than a phone, or has a problem that axe-core finds', async () => {
    const { page, close, faults } = await openTab(browser, { locale: 'de-AT', viewport: PHONE, hasTouch: true });
    await showOnly(page, shop.product);
    await page.goto(adminUrl());
    await page.getByLabel('Admin-Token').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    const found = [...(await leftovers(page)), ...(await findings(page, 'sign-in'))];
    await page.getByLabel('Admin-Token').fill(adminToken());
    await button(page, 'Anmelden').click();
    const ofProduct = `/products/${shop.product.id}`;
    for (const [route, ready] of [
      ...pages(shop.product.id, shop.license.id),
      [`${ofProduct}/payments`, 'No processor is connected'],
      [`${ofProduct}/portal`, 'Buyers may'],
      [`${ofProduct}/audit`, 'Person or service'],
    ] as const) {
      await goTo(page, route);
      await page
        .getByText(ready === '3 seats' ? '3 Plätze' : german(ready))
        .first()
        .waitFor();
      found.push(...(await leftovers(page)).map((text) => `${route}: ${text}`), ...(await findings(page, route)));
      expect([route, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([route, PHONE.width]);
    }
    for (const [route, action, title] of [
      [`/licenses/${shop.license.id}`, 'Edit', 'Edit this license'],
      [`/licenses/${shop.license.id}`, 'Renew', 'Renew this license'],
      [`${ofProduct}/types`, 'New license type', 'New license type'],
      [`${ofProduct}/licenses`, 'New license', 'New license'],
      [`${ofProduct}/licenses`, 'Issue many', 'Issue many licenses'],
      [`${ofProduct}/payments`, 'Connect a processor', 'Connect a processor'],
      [`${ofProduct}/releases`, 'New release', 'New release'],
      ['/tokens', 'New admin token', 'New admin token'],
    ] as const) {
      await goTo(page, route);
      await button(page, german(action)).first().click();
      await dialog(page, german(title)).waitFor();
      found.push(...(await leftovers(page)).map((text) => `${title}: ${text}`));
      await closeDialog(dialog(page, german(title)));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test('the language can be changed, and the browser stores the choice', async () => {
    const { page, close } = await openTab(browser, { locale: 'de-DE' });
    await page.goto(adminUrl());
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await heading(page, 'Products').waitFor();
    await page.reload();
    await heading(page, 'Products').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    // A change of the language does not sign the operator out.
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await heading(page, 'Produkte').waitFor();
    await close();
  });

  test("the page is in English if the German texts can't be loaded", async () => {
    const { page, close, faults } = await openTab(browser, { locale: 'de-DE' });
    await page.route('**/assets/*.js', async (route) => {
      const response = await route.fetch();
      await ((await response.text()).includes('Angemeldet mit') ? route.abort() : route.fulfill({ response }));
    });
    await openAdmin(page);
    await heading(page, 'Products').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(faults).toEqual([expect.stringMatching(/^console: .*Failed to fetch dynamically imported module/)]);
    await close();
  });
});
