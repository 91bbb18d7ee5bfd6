import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { button, dialog, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { getLicense, newFingerprint, newLicense, newShop, newType, unique } from '../support/http';

/** Tests requests of buyers who want to know which data is stored about them, or want the data removed. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('all data about an address can be exported to a file, and is erased only after a confirmation; the license stays valid', async () => {
  const email = `${unique()}@example.com`;
  const [first, second] = [await newShop(), await newShop()];
  const licenses = [
    await newLicense(first.type, { customer_email: email, metadata: { note: 'likes cats' } }),
    await newLicense(await newType(second.product), { customer_email: email }),
  ];
  const [license] = licenses;
  if (!license) throw new Error('There is no license');
  await first.client.activate(license.key, newFingerprint(), { name: 'the laptop of the buyer' });
  const { page, close, faults } = await openTab(browser);
  await openAdmin(page, `/find?q=${email}`);
  for (const { key } of licenses) await page.getByRole('link', { name: key }).waitFor();
  await page.getByText('1 device').first().waitFor();
  expect(await findings(page, 'buyer')).toEqual([]);

  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export data').click()]);
  const given = JSON.parse(readFileSync(await file.path(), 'utf8')) as {
    customer_email: string;
    licenses: { id: number }[];
    events: unknown[];
  };
  expect(given).toMatchObject({ customer_email: email, licenses: licenses.map(({ id }) => ({ id })) });
  expect(JSON.stringify(given)).toContain('the laptop of the buyer');

  await button(page, 'Erase data').click();
  const form = dialog(page, 'Erase this buyer’s data?');
  expect(await button(form, 'Erase').isDisabled()).toBe(true);
  await form.getByRole('checkbox').check();
  await button(form, 'Erase').click();
  await told(page, /Erased the buyer’s data of 2 licenses/);
  await page.getByText('No license found').waitFor();
  const erased = await getLicense(license.id);
  expect(erased).toMatchObject({ status: 'active', key: license.key, customer_email: null, metadata: {} });
  expect(JSON.stringify(erased)).not.toContain('the laptop');
  expect(faults).toEqual([]);
  await close();
});

test('the page of a buyer shows what happened in all products in one timeline, mails all keys, and changes the address everywhere', async () => {
  const email = `${unique()}@example.com`;
  const [first, second] = [await newShop({ max_seats: 1 }), await newShop()];
  const licenses = [
    await newLicense(first.type, { customer_email: email }),
    await newLicense(await newType(second.product), { customer_email: email }),
  ];
  const [license, other] = licenses;
  if (!license || !other) throw new Error('There is no license');
  await first.client.activate(license.key, newFingerprint());
  await first.client.activate(license.key, newFingerprint()).catch(() => undefined);
  const { page, close, faults } = await openTab(browser);
  await openAdmin(page, `/find?q=${email}`);
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const timeline = region('Timeline');
  await timeline.getByText(/^Refused: No free seat/).waitFor();
  await timeline.getByText(/^Activated/).waitFor();
  await region('Orders').getByText('No orders.').waitFor();
  await timeline.getByRole('link', { name: 'Mails' }).click();
  await timeline.getByText('Nothing in the last 30 days.').waitFor();
  for (const width of [390, 768, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  expect(await findings(page, 'buyer with details')).toEqual([]);

  await button(page, 'Mail all keys').press('Enter');
  const mail = dialog(page, 'Mail all keys');
  await button(mail, 'Mail the keys of 2 licenses').press('Enter');
  await mail.getByText('2 of 2 done').waitFor();
  await button(mail, 'Done').click();
  await timeline
    .getByText(/^Key mailed/)
    .nth(1)
    .waitFor();
  // The page can be limited to one product.
  await page.getByRole('navigation', { name: 'Products shown' }).getByRole('link', { name: first.product.name }).click();
  await page.getByRole('link', { name: other.key }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: license.key }).waitFor();

  const next = `${unique()}@example.com`;
  await button(page, 'Change address').click();
  const form = dialog(page, 'Change the address everywhere');
  await form.getByLabel('New e-mail').fill(next);
  expect(await findings(page, 'change address', '[role="dialog"]')).toEqual([]);
  await button(form, 'Change the address of 2 licenses').click();
  await form.getByText('2 of 2 done').waitFor();
  await button(form, 'Done').click();
  await page.getByText(`Licenses for “${next}”`).waitFor();
  for (const { id, key } of licenses) {
    await page.getByRole('link', { name: key }).waitFor();
    expect((await getLicense(id)).customer_email).toBe(next);
  }
  expect(faults).toEqual([]);
  await close();
});
