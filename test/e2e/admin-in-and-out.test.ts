import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { LicenseView } from '../../lambdas/contract/resources';
import { csvLine, parseCsv } from '../../lambdas/domain/csv';
import { button, dialog, goTo, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { get, newLicense, newProduct, newType, post } from '../support/http';

/** Tests export and import on the admin page (docs/spec/operator.md, Export and import). */

const folder = mkdtempSync(join(tmpdir(), 'admin-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

let page: Page;
freshTabs((opened) => (page = opened));

let files = 0;
async function give(form: Locator, rows: readonly (readonly string[])[]): Promise<void> {
  const path = join(folder, `file-${(files += 1)}.csv`);
  writeFileSync(path, rows.map(csvLine).join(''));
  await form.getByLabel('CSV file').setInputFiles(path);
}
const licensesOf = async (productId: number): Promise<LicenseView[]> =>
  (await get<LicenseView[]>(`/v1/products/${productId}/licenses`)).body;

test('an export contains all pages of the filtered list', async () => {
  const type = await newType(await newProduct());
  const licenses = await Promise.all([1, 2, 3].map(() => newLicense(type)));
  await post(`/v1/licenses/${licenses[0]?.id}/revoke`);
  // Limits the responses of the API to few rows, so that a short list has several pages.
  await page.route('**/licenses?**', async (route) => {
    const url = route.request().url();
    await route.continue({ url: url.includes('limit') ? url : `${url}&limit=1` });
  });
  await openAdmin(page, `/products/${type.product_id}/licenses?status=active`);
  const download = page.waitForEvent('download');
  await button(page, 'Export').click();
  const file = await download;
  const [head, ...rows] = parseCsv((await (await file.createReadStream()).toArray()).join('')).map(({ cells }) => cells);
  expect(file.suggestedFilename()).toMatch(/-licenses-\d{4}-\d\d-\d\d\.csv$/);
  expect(head?.slice(0, 2)).toEqual(['key', 'license_type']);
  expect(rows.map(([key]) => key)).toEqual(
    licenses
      .slice(1)
      .sort((a, b) => b.id - a.id)
      .map(({ key }) => key),
  );
});

test('the import recognizes a file of another system by its first line, and shows equal problems as one line', async () => {
  const type = await newType(await newProduct(), { name: 'Another' });
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  await button(page, 'Import').click();
  const form = dialog(page, 'Import licenses');
  for (const [file, label] of [
    ['keygen', 'Keygen'],
    ['gumroad', 'Gumroad'],
    ['cryptlex', 'Cryptlex'],
    ['lemonsqueezy', 'Lemon Squeezy'],
    ['woocommerce', 'License Manager for WooCommerce'],
  ]) {
    await form.getByLabel('CSV file').setInputFiles(resolve(__dirname, `../../docs/migration/${file}.csv`));
    await form.getByLabel('The file comes from').locator('option:checked', { hasText: label }).waitFor({ state: 'attached' });
  }
  await give(form, [['key', 'license_type'], ...Array.from({ length: 7 }, (_, row) => [`AAAA-BBBB-000${row}`, 'Gone'])]);
  await form.getByText('7 rows: license_type: the product has no license type "Gone" (lines 2, 3, 4, 5, 6 and 2 more)').waitFor();
  expect(await form.getByLabel('The file comes from').inputValue()).toBe('own');
});

test('the import shows the problems of a file by line before it writes anything, and then a result for each row', async () => {
  const type = await newType(await newProduct(), { name: 'Team' });
  const id = type.product_id;
  await newLicense(type, { key: 'THERE-KEY-0001' });
  await openAdmin(page, `/products/${id}/licenses`);
  await button(page, 'Import').click();
  const form = dialog(page, 'Import licenses');
  await give(form, [
    ['key', 'license_type', 'customer_email', 'status'],
    ['NEW-KEY-0001', 'Team', 'ada@example.com', 'suspended'],
    ['NEW-KEY-0002', 'Pro', 'grace@example.com', ''],
    ['NEW-KEY-0003', 'Team', 'nobody', ''],
    ['THERE-KEY-0001', 'Team', '', ''],
  ]);
  await form.getByText('4 rows: 2 to import, 2 refused').waitFor();
  await form.getByText('line 3: license_type: the product has no license type "Pro"').waitFor();
  await form.getByText('line 4: customer_email: must be a valid e-mail address').waitFor();
  await form.getByRole('row').filter({ hasText: 'NEW-KEY-0001' }).getByText('suspended').waitFor();
  expect(await findings(page, 'import')).toEqual([]);
  expect(await button(form, 'Import 2 licenses').isDisabled()).toBe(true);
  expect(await licensesOf(id)).toHaveLength(1);

  await form.getByLabel('License type for “Pro”').selectOption('Team');
  await form.getByText('4 rows: 3 to import, 1 refused').waitFor();
  await form.getByLabel('Import the valid rows anyway').check();
  await button(form, 'Import 3 licenses').click();
  await form.getByText('3 of 3 done').waitFor();
  await form.getByRole('listitem').filter({ hasText: 'Line 2' }).getByText('imported').waitFor();
  await form.getByRole('listitem').filter({ hasText: 'Line 5' }).getByText('already existed').waitFor();
  await button(form, 'Done').click();
  await page.getByRole('row').filter({ hasText: 'NEW-KEY-0001' }).getByText('Suspended').waitFor();
  expect((await licensesOf(id)).map(({ key, status }) => [key, status]).sort()).toEqual([
    ['NEW-KEY-0001', 'suspended'],
    ['NEW-KEY-0002', 'active'],
    ['THERE-KEY-0001', 'active'],
  ]);
});

test("the import does not start if the service can't read the existing orders, because an order could be issued twice", async () => {
  const type = await newType(await newProduct(), { name: 'Team' });
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  await page.route('**/licenses', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-svc-unreadable': '1' } });
  });
  await button(page, 'Import').click();
  const form = dialog(page, 'Import licenses');
  await give(form, [
    ['key', 'license_type'],
    ['NEW-KEY-0001', 'Team'],
  ]);
  await button(form, 'Import 1 license').click();
  await form.getByText('The service cannot read some licenses of this product').waitFor();
  expect(await licensesOf(type.product_id)).toEqual([]);
});

test('a file of another service is read by its own columns, and the operator can choose columns', async () => {
  const type = await newType(await newProduct(), { name: 'Personal' });
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  await button(page, 'Import').click();
  const form = dialog(page, 'Import licenses');
  await form.getByLabel('The file comes from').selectOption('Lemon Squeezy');
  await form.getByLabel('CSV file').setInputFiles(resolve(__dirname, '../../docs/migration/lemonsqueezy.csv'));
  for (const name of ['Photo Studio', 'Photo Studio, yearly']) await form.getByLabel(`License type for “${name}”`).selectOption('Personal');
  await form.getByText('4 rows: 4 to import').waitFor();
  await form.getByText('Columns', { exact: true }).click();
  await form.getByLabel('customer_email').selectOption('user_name');
  await form.getByText('4 rows: 0 to import, 4 refused').waitFor();
  await form.getByLabel('customer_email').selectOption('');
  await button(form, 'Import 4 licenses').click();
  await form.getByText('4 of 4 done').waitFor();
  expect((await licensesOf(type.product_id)).map(({ customer_email }) => customer_email).sort()).toEqual([
    'ada@example.com',
    'grace@example.com',
    'linus@example.com',
    'mallory@example.com',
  ]);
});

test('if the dialog is closed while the existing licenses are read, nothing is imported', async () => {
  const type = await newType(await newProduct(), { name: 'Pro' });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  await button(page, 'Import').click();
  const form = dialog(page, 'Import licenses');
  await give(form, [
    ['key', 'license_type'],
    ['OLD-KEY-0001', 'Pro'],
  ]);
  await page.route('**/licenses', async (route) => {
    await held;
    await route.continue();
  });
  await button(form, 'Import 1 license').click();
  await form.getByText('Reading the existing licenses').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  const read = page.waitForResponse('**/licenses');
  release();
  await (await read).finished();
  // If the import continued, the page would now send the request to issue the license. This request would come before the requests of the
  // next page.
  await goTo(page, `/products/${type.product_id}/webhooks`);
  await page.getByText('No events yet').waitFor();
  expect(await licensesOf(type.product_id)).toEqual([]);
});

test('a file that is not in UTF-8 is refused, and the same file is read again after it was corrected', async () => {
  const type = await newType(await newProduct(), { name: 'Pro' });
  await openAdmin(page, `/products/${type.product_id}/licenses`);
  const path = join(folder, 'buyers.csv');
  const text = 'customer_email,license_type,metadata,order\najla@example.com,Pro,"{""name"":""Ajla Müller""}",A-1\n';
  for (const [opener, title, field] of [
    ['Import', 'Import licenses', 'CSV file:'],
    ['Issue many', 'Issue many licenses', 'Or a CSV file:'],
  ] as const) {
    await button(page, opener).click();
    const form = dialog(page, title);
    const choose = async (bytes: Buffer): Promise<void> => {
      writeFileSync(path, bytes);
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), form.locator('input[type=file]').click()]);
      await chooser.setFiles(path);
    };
    await form.getByText(field).waitFor();
    await choose(Buffer.from(text, 'latin1'));
    await form.getByRole('alert').getByText('The file is not a text in UTF-8').waitFor();
    await choose(Buffer.from(`\ufeff${text}`, 'utf16le'));
    await form.getByRole('alert').getByText('The file is not a text in UTF-8').waitFor();
    await choose(Buffer.from(text, 'utf8'));
    await form.getByText(opener === 'Import' ? '1 row: 1 to import' : '1 to issue').waitFor();
    expect(await form.getByRole('alert').count()).toBe(0);
    await button(form, 'Cancel').click();
    await form.waitFor({ state: 'detached' });
  }
});
