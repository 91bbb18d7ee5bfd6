import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { button, dialog, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { getLicense, newFingerprint, newLicense, newShop, newType, unique } from '../support/http';

/** A buyer asks what is stored about them, and to have it removed. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('all that is stored about an address is given out as a file, and erased only after a second look; the license stays valid', async () => {
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
