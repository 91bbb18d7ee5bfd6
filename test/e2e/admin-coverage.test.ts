import type { Page } from 'playwright-core';
import type { LicenseTypeView } from '../../lambdas/contract/resources';
import { DAY_MS } from '../../lambdas/domain/time';
import { button, dialog, heading, main, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { get, getLicense, newFingerprint, newLicense, newProduct, newShop, newType } from '../support/http';

/** Tests how the admin page shows and changes what a license covers, when its term starts, and which devices use it. */

let page: Page;
freshTabs((opened) => (page = opened));

const shown = (ms: number): string => new Date(ms).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });

test('an operator creates and edits a license type with updates, and its licenses show what they cover', async () => {
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}/types`);
  await button(main(page), 'New license type').click();
  const form = dialog(page, 'New license type');
  await form.getByLabel('Name').fill('Boxed');
  await form.getByLabel('The term starts').selectOption({ label: 'with the first activation' });
  await form.getByLabel(/^Days of updates/).fill('365');
  await form.getByLabel(/^Up to major version/).fill('3');
  await form.getByLabel('Expired licenses keep their downloads').check();
  expect(await findings(page, 'type', '[role="dialog"]')).toEqual([]);
  await button(form, 'Create license type').click();
  await told(page, 'Created the license type Boxed');
  const [type] = (await get<LicenseTypeView[]>(`/v1/products/${product.id}/license-types`)).body;
  expect(type).toMatchObject({ updates_days: 365, max_major: 3, starts: 'activation', downloads_when_expired: true });
  expect(await page.getByRole('row', { name: /Boxed/ }).textContent()).toMatch(
    /1 year from activation.*1 year of updates, and all versions up to 3\.x/,
  );

  await button(page, 'Edit Boxed').click();
  const edit = dialog(page, 'Edit this license type');
  await edit.getByLabel(/^Up to major version/).fill('');
  await button(edit, 'Save changes').click();
  await told(page, 'Changed the license type Boxed');
  expect((await get<LicenseTypeView[]>(`/v1/products/${product.id}/license-types`)).body[0]).toMatchObject({
    updates_days: 365,
    max_major: null,
    starts: 'activation',
  });

  await page.getByRole('link', { name: 'Licenses', exact: true }).click();
  await button(main(page), 'New license').first().click();
  const license = dialog(page, 'New license');
  await license.getByText('Valid for 1 year from the first activation').waitFor();
  await license.getByText('Terms that differ from the type').click();
  await license.getByLabel('Seats (optional)').fill('5');
  await license.getByLabel('Features (optional)').fill('sync export');
  await button(license, 'Issue license').click();
  await license.getByText('Starts with the first activation, for 1 year').waitFor();
  await button(license, 'Open the license').click();
  await page.getByText('0 of 5 seats used').waitFor();
  const text = await main(page).textContent();
  expect(text).toContain('Starts with the first activation, for 1 year');
  expect(text).toContain('1 year of updates from the first activation');
  expect(text).toContain('export sync');

  await page.getByRole('link', { name: /^Licenses of/ }).click();
  await page.getByLabel('Status').selectOption({ label: 'Not started yet' });
  await page.getByText('1 year from activation').waitFor();
  await button(page, /More filters/).click();
  await page.getByLabel('Devices', { exact: true }).selectOption({ label: 'None seen for 90 days' });
  await page.getByText('No licenses match these filters').waitFor();
});

describe('the updates of a license', () => {
  test('updates are renewed as the license type says, after the page has shown the new end, and the license is never called expired', async () => {
    const { license } = await newShop({ updates_days: 365 }, { updates_until: new Date(Date.now() - 10 * DAY_MS).toISOString() });
    await openAdmin(page, `/licenses/${license.id}`);
    await page.getByText('Updates ended 10 days ago. The license stays valid for the releases it covers.').waitFor();
    expect(await main(page).textContent()).not.toContain('Expired');
    await button(page, 'Renew updates').click();
    const form = dialog(page, 'Renew the updates');
    await form.getByText(shown(Date.now() + 365 * DAY_MS)).waitFor();
    expect(await findings(page, 'renew updates', '[role="dialog"]')).toEqual([]);
    await button(form, 'Renew').click();
    await told(page, /Extended the update period until/);
    await page.getByText('Updates end in 12 months.').waitFor();
    await page.getByText('Updates renewed').first().waitFor();
    const { updates, expires_at } = await getLicense(license.id);
    expect([Math.round((Date.parse(updates.until ?? '') - Date.now()) / DAY_MS), expires_at]).toEqual([365, null]);

    await button(page, 'Renew updates').click();
    await form.getByLabel('Renew', { exact: true }).selectOption({ label: 'until a date' });
    await form.getByLabel('Until').fill('2020-01-01T00:00');
    await button(form, 'Renew').click();
    await form.getByText('This must not move the end of updates back.').waitFor();
  });

  test('updates can be edited, removed, and limited to a version', async () => {
    const { license } = await newShop({ updates_days: 30 });
    await openAdmin(page, `/licenses/${license.id}`);
    await button(page, 'Edit').click();
    const form = dialog(page, 'Edit this license');
    await form.getByLabel('No date').check();
    await form.getByLabel('Covers up to major version').fill('2');
    await button(form, 'Save changes').click();
    await told(page, 'Changed the license');
    await page.getByText('All versions up to 2.x').waitFor();
    expect((await getLicense(license.id)).updates).toEqual({ until: null, max_major: 2 });
    expect(await button(page, 'Renew updates').count()).toBe(0);
  });
});

test('on a phone, what a license type covers is shown in full', async () => {
  const product = await newProduct();
  await newType(product, { kind: 'subscription', duration_days: 30, updates_days: 10, max_major: 3 });
  await page.setViewportSize({ width: 375, height: 700 });
  await openAdmin(page, `/products/${product.id}/types`);
  await page.getByText('10 days of updates, and all versions up to 3.x').waitFor();
  expect(await page.evaluate<boolean>(`[...document.querySelectorAll('td')].every((cell) => cell.scrollWidth <= cell.clientWidth)`)).toBe(
    true,
  );
});

describe('the devices of a license', () => {
  test('each device shows when it was last seen', async () => {
    const { license, client } = await newShop({ max_seats: 3 });
    await client.activate(license.key, newFingerprint(), { name: 'Desk' });
    await openAdmin(page, `/licenses/${license.id}`);
    const row = page.getByRole('row', { name: /Desk/ });
    await row.getByText('today').waitFor();
    expect(await button(page, /not seen for 90 days/).count()).toBe(0);
  });

  test('all devices that were not seen for 90 days can be freed together, each with its result, and other devices stay', async () => {
    const { license, client } = await newShop({ max_seats: 3 });
    for (const name of ['Old laptop', 'Old desktop', 'New laptop']) await client.activate(license.key, newFingerprint(), { name });
    // Other tests share this stack, so this test can't advance the stack's clock. Instead, the page receives responses with old dates.
    await page.route(`**/v1/licenses/${license.id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { activations: { name: string; last_seen_on: string }[] };
      for (const device of body.activations) if (device.name.startsWith('Old')) device.last_seen_on = '2020-01-31';
      await route.fulfill({ response, json: body });
    });
    await openAdmin(page, `/licenses/${license.id}`);
    await button(page, 'Free the seats of 2 devices not seen for 90 days').click();
    const form = dialog(page, 'Free unused seats?');
    await form.getByRole('listitem').first().waitFor();
    expect(await form.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('Old laptop, seen'),
      expect.stringContaining('Old desktop, seen'),
    ]);
    expect(await findings(page, 'free unused seats', '[role="dialog"]')).toEqual([]);
    await button(form, 'Free 2 seats').click();
    await form.getByText('2 of 2 done').waitFor();
    await button(form, 'Done').click();
    expect((await getLicense(license.id)).activations.map(({ name }) => name)).toEqual(['New laptop']);
  });
});

test("an operator can allow a product's apps to list devices", async () => {
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}/integration`);
  await heading(page, 'Integration').waitFor();
  const box = page.getByLabel(/^Apps may list the devices/);
  await box.waitFor();
  // The check mark must not disappear while the request is in progress, not even for one frame. Microtasks run before a frame is drawn.
  const isTicked = await box.evaluate(async (input: { click(): void; readonly checked?: boolean }) => {
    input.click();
    for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
    return input.checked;
  });
  expect(isTicked).toBe(true);
  await told(page, 'Apps may list the devices of a license');
  expect((await get<{ list_devices: boolean }>(`/v1/products/${product.id}`)).body.list_devices).toBe(true);
});

test('a bulk renewal renews each license as its type says, unless the operator chooses a number of days', async () => {
  const product = await newProduct();
  const yearly = await newType(product, { name: 'Yearly', kind: 'subscription', duration_days: 365 });
  const trial = await newType(product, { name: 'Trial', kind: 'trial', duration_days: 14 });
  const lifetime = await newType(product, { name: 'Lifetime', updates_days: 730 });
  const licenses = [await newLicense(yearly), await newLicense(trial), await newLicense(lifetime)];
  await openAdmin(page, `/products/${product.id}/licenses`);
  await page.getByLabel('Select all on this page').check();
  await button(page, 'Renew').click();
  const form = dialog(page, 'Renew the selected licenses');
  await form.getByText('1 × left out').waitFor();
  expect((await form.getByRole('list', { name: 'What is renewed' }).getByRole('listitem').allTextContents()).sort()).toEqual([
    '1 × Trial, for 14 days',
    '1 × Yearly, for 1 year',
    '1 × left out: they never expire',
  ]);
  await button(form, 'Renew 2 licenses').click();
  await form.getByText('2 of 2 done').waitFor();
  await button(form, 'Done').click();

  await button(page, 'Renew updates').click();
  const updates = dialog(page, 'Renew the updates of the selected licenses');
  await updates.getByText('1 × Lifetime, for 2 years').waitFor();
  await button(updates, 'Renew the updates of 1 license').click();
  await updates.getByText('1 of 1 done').waitFor();
  const days = await Promise.all(
    licenses.map(async ({ id }) => {
      const { expires_at: end, updates: renewed } = await getLicense(id);
      return Math.round((Date.parse(end ?? renewed.until ?? '') - Date.now()) / DAY_MS);
    }),
  );
  expect(days).toEqual([730, 28, 1460]);
});
