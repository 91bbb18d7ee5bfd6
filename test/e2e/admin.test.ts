import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { adminUrl, button, dialog, goTo, heading, main, openAdmin, told, typeSearch } from '../support/admin';
import { freshTabs } from '../support/browser';
import { adminToken, newShop, unique } from '../support/http';
import { startReceiver, type Receiver } from '../support/receiver';

/** Tests an operator's work from the first sign-in, in a real browser with the real service. */

let page: Page;
let backend: Receiver;
freshTabs((opened) => (page = opened));
beforeAll(async () => {
  backend = await startReceiver();
});
afterAll(() => backend?.close());

test('a newcomer signs in and creates a product, a license type and a license without a manual', async () => {
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(adminToken());
  expect(await page.title()).toBe('Sign in · License keys');
  const box = await page.getByRole('main').locator('form').boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0) / 2).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, 0);
  await page.getByLabel('Admin token').press('Enter');
  await heading(page, 'Products').waitFor();
  expect(page.url()).not.toContain(adminToken());

  const slug = unique('aurora');
  await button(page, 'New product').click();
  const product = dialog(page, 'New product');
  await product.getByLabel('Name').fill(`Aurora ${slug}`);
  expect(await product.getByLabel('Slug').inputValue()).toBe(`aurora-${slug}`);
  await product.getByLabel('Slug').fill(slug);
  await button(product, 'Create product').click();

  await heading(page, 'Integration').waitFor();
  const apiKey = await page.getByRole('group', { name: 'API key', exact: true }).textContent();
  expect(apiKey).toMatch(/^pk_/);
  expect(await page.getByRole('group', { name: 'Public key', exact: true }).textContent()).toContain('BEGIN PUBLIC KEY');
  expect(await page.getByRole('group', { name: /Client snippet/ }).textContent()).toContain(apiKey);
  await button(page, 'Copy API key').click();
  await told(page, 'Copied the API key');

  await page.getByRole('link', { name: 'add a license type' }).click();
  await button(main(page), 'New license type').click();
  const type = dialog(page, 'New license type');
  await type.getByRole('textbox', { name: 'Name' }).fill('Pro for a year');
  expect(await type.getByLabel('Duration (days)').inputValue()).toBe('365');
  await type.getByLabel('Lifetime').check();
  expect(await type.getByLabel('Duration (days)').count()).toBe(0);
  await type.getByLabel('Trial').check();
  expect(await type.getByLabel('Duration (days)').inputValue()).toBe('14');
  await type.getByLabel('Subscription').check();
  await type.getByRole('textbox', { name: 'Seats' }).fill('2');
  await button(type, 'Create license type').click();
  await told(page, 'Created the license type Pro for a year');
  expect(await page.getByRole('row', { name: /Pro for a year/ }).textContent()).toMatch(/Subscription.*2 seats.*365 days/);

  await page.getByRole('link', { name: 'Licenses', exact: true }).click();
  await button(main(page), 'New license').first().click();
  const license = dialog(page, 'New license');
  await license.getByLabel(/e-mail/).fill('ada@example.com');
  await license.getByLabel(/Metadata/).fill('{"order": ');
  await license.getByText('This is not valid JSON').waitFor();
  expect(await button(license, 'Issue license').isDisabled()).toBe(true);
  await license.getByLabel(/Metadata/).fill('{"order": "A-1001"}');
  await button(license, 'Issue license').click();
  const key = await license.getByTestId('issued-key').textContent();
  expect(key).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){4}$/);
  await button(license, 'Open the license').click();
  await heading(page, key ?? '').waitFor();
  const text = await main(page).textContent();
  for (const expected of [
    'Active',
    '0 of 2 seats used',
    'Expires in 12 months',
    'ada@example.com',
    '"order": "A-1001"',
    'No device uses this license',
    'Issued',
  ])
    expect(text).toContain(expected);
});

test('in a browser that forbids pages to store anything, an operator can sign in', async () => {
  await page.addInitScript(
    `for (const name of ['localStorage', 'sessionStorage'])
       Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } });`,
  );
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(adminToken());
  await page.getByLabel('Admin token').press('Enter');
  await heading(page, 'Products').waitFor();
});

test('a license is renewed once, even if the button is clicked again while the dialog closes', async () => {
  const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await openAdmin(page, `/licenses/${license.id}`);
  let renewals = 0;
  page.on('request', (request) => (renewals += request.url().endsWith(`/licenses/${license.id}/renew`) ? 1 : 0));
  await button(page, 'Renew').click();
  await dialog(page, 'Renew this license').getByText('New expiry').waitFor();
  await page.evaluate(`new Promise((resolve) => {
    const timer = setInterval(() => {
      const form = document.querySelector('[role="dialog"] form');
      if (form) form.querySelector('[type="submit"]').click();
      else resolve(clearInterval(timer));
    });
  })`);
  await told(page, /Renewed until/);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(renewals).toBe(1);
});

test('a license is found by its key or address in all products, in any spelling, and a single result opens at once', async () => {
  const { license, product } = await newShop({}, { customer_email: `${randomBytes(6).toString('hex')}@example.com` });
  await openAdmin(page);
  const search = (text: string): Promise<void> => typeSearch(page, '/', text, `Find “${text}” in all products`);
  await search(license.key.toLowerCase().replaceAll('-', ' '));
  await heading(page, license.key).waitFor();
  const email = license.customer_email ?? '';
  for (const typed of [email.toUpperCase(), email.slice(0, 9), license.key.slice(0, 11), `Ada Lovelace <${email}>`]) {
    await goTo(page, '/');
    await heading(page, 'Products').waitFor();
    await search(typed);
    await heading(page, license.key).waitFor();
  }
  // A search opens the license if there is only one result. The buyer's page shows a list even if the buyer has only one license.
  await page.getByRole('link', { name: 'Buyer’s page' }).click();
  await page.getByRole('link', { name: license.key }).waitFor();
  await page.getByText(product.name).first().waitFor();
  // The address is random, so that no other test has sold a license to it.
  await goTo(page, `/find?q=${randomBytes(6).toString('hex')}@example.com`);
  await page.getByText('No license found').waitFor();
});
