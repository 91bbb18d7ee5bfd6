import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { LicenseClient, memoryStorage } from '../../client/src';
import {
  adminUrl,
  button,
  choose,
  clickOutside,
  closeDialog,
  dialog,
  escape,
  goTo,
  heading,
  main,
  openAdmin,
  showOnly,
  told,
  typeSearch,
} from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { adminToken, getLicense, newFingerprint, newLicense, newProduct, newShop, newType, post, unique } from '../support/http';
import { copyLicense } from '../support/many-licenses';
import { until } from '../support/until';

/** Tests daily work on the admin page: several tabs, the browser's Back button, changes by other people, and actions on many licenses. */

let page: Page;
const tabs = freshTabs((opened) => (page = opened));

test('a row opens in a new tab that is signed in, and a sign-out ends the session of all tabs and deletes its data', async () => {
  const { product, license } = await newShop();
  await page.goto(adminUrl(`/products/${product.id}/licenses`));
  await page.getByLabel('Admin token').fill(adminToken());
  await button(page, 'Sign in').click();
  const row = page.getByRole('row', { name: license.key });
  const opened = page.context().waitForEvent('page');
  await row.getByText('Active').click({ modifiers: ['Control'] });
  const other = await opened;
  await heading(other, license.key).waitFor();
  const link = page.context().waitForEvent('page');
  await page.getByRole('link', { name: license.key }).click({ button: 'middle' });
  await heading(await link, license.key).waitFor();

  await button(other, 'Sign out').click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(0);
  expect(await page.textContent('body')).not.toContain(license.key);
  // A sign-in in one tab signs in all tabs.
  await page.getByLabel('Admin token').fill(adminToken());
  await button(page, 'Sign in').click();
  await heading(other, license.key).waitFor();
});

describe('the list of licenses', () => {
  test("the URL contains the list's page, so Back and a reload show the same rows at the same scroll position", async () => {
    const type = await newType(await newProduct());
    const route = `/products/${type.product_id}/licenses`;
    // The two oldest licenses are on the second page.
    await newLicense(type);
    await copyLicense(await newLicense(type), 50);
    await openAdmin(page, route);
    await page.getByText('1–50').waitFor();
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    const place = await page.evaluate<number>('window.scrollY');
    expect(place).toBeGreaterThan(300);
    await until('the place is kept', () => page.evaluate<boolean>(`history.state?.scroll === ${place}`));
    await page.getByRole('row').last().getByRole('link').click();
    await main(page).getByText('License id').waitFor();
    await until('the page starts at its top', () => page.evaluate<boolean>('window.scrollY === 0'));
    await page.goBack();
    await until('the place is found again', () => page.evaluate<boolean>(`window.scrollY === ${place}`));
    await button(page, 'Next').click();
    await page.getByText('51–52').waitFor();
    // When the list shows another page, the window scrolls to the top.
    const firstRow = page.getByRole('row').nth(1);
    await until('the first row is in the window', async () => ((await firstRow.boundingBox())?.y ?? -1) >= 0);
    // The other columns contain times such as "10 seconds ago", which change.
    const keys = page.getByRole('row').getByRole('link');
    const shown = await keys.allTextContents();
    expect(shown).toHaveLength(2);

    await firstRow.getByRole('link').click();
    await main(page).getByText('License id').waitFor();
    await page.goBack();
    await page.getByText('51–52').waitFor();
    expect(await keys.allTextContents()).toEqual(shown);
    await page.reload();
    await page.getByText('51–52').waitFor();
    await button(page, 'Previous').click();
    await page.getByText('1–50').waitFor();

    // Licenses on other pages of the list can be selected, too.
    await page.getByLabel('Select all on this page').check();
    await button(page, 'Select all in the list').click();
    await page.getByRole('region', { name: 'Selected licenses' }).getByText('52 selected').waitFor();
    await button(page, 'Clear selection').click();

    // A filter is a separate step in the browser's history, so Back removes the filter and does not leave the page.
    await page.getByLabel('Status').selectOption('revoked');
    await page.getByText('No licenses match these filters').waitFor();
    await page.goBack();
    await page.getByText('1–50').waitFor();
  });

  test('a row has buttons to copy its key and address, its text can be selected, and only a table that scrolls is a tab stop', async () => {
    const { product, license } = await newShop({}, { customer_email: 'ada@example.com' });
    await openAdmin(page, `/products/${product.id}/licenses`);
    const row = page.getByRole('row', { name: license.key });
    await row.hover();
    await button(row, 'Copy license key').click();
    await told(page, 'Copied the license key');
    await button(row, 'Copy e-mail').click();
    await told(page, 'Copied the e-mail');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error()); document.execCommand = () => false');
    await button(row, 'Copy license key').click();
    await told(page, /could not be copied/);
    await button(page.getByRole('status'), 'Dismiss').click();
    // No element covers the cells, so the mouse pointer reaches the text itself and its tooltip.
    const box = await row.getByText('ada@example.com').boundingBox();
    expect(await page.evaluate(`document.elementFromPoint(${(box?.x ?? 0) + 4}, ${(box?.y ?? 0) + 4}).closest('[title]').title`)).toBe(
      'ada@example.com',
    );
    await page.mouse.move((box?.x ?? 0) + 2, (box?.y ?? 0) + 8);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 8, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString()')).toMatch(/ada|example/);
    await heading(page, 'Licenses').waitFor();
    await page.evaluate('getSelection().removeAllRanges()');

    await page.setViewportSize({ width: 1440, height: 900 });
    const table = page.getByRole('group', { name: 'Licenses' });
    await until('it is no tab stop', async () => (await table.getAttribute('tabindex')) === null);
    await page.setViewportSize({ width: 700, height: 800 });
    await until('it is a tab stop', async () => (await table.getAttribute('tabindex')) === '0');
    expect(
      await page.evaluate(
        `(() => { const box = document.querySelector('[role=group][aria-label=Licenses]'); return box.scrollWidth > box.clientWidth; })()`,
      ),
    ).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });

    await row.getByText('Active').click();
    await heading(page, license.key).waitFor();
  });

  test("filters by day use the operator's time zone, and filters from charts use UTC days", async () => {
    await tabs.reopen({ timezoneId: 'Pacific/Auckland' });
    const type = await newType(await newProduct());
    // This time is January 20 in Auckland and January 19 in UTC.
    const license = await newLicense(type, { created_at: '2026-01-19T20:00:00Z' });
    const list = `/products/${type.product_id}/licenses`;
    await openAdmin(page, `${list}?issued_from=2026-01-20&issued_to=2026-01-20`);
    await page.getByRole('link', { name: license.key }).waitFor();
    await page.getByText('Days are in your time zone.').waitFor();
    await page.getByLabel('Issued from').fill('2026-01-19');
    await page.getByLabel('Issued until').fill('2026-01-19');
    await page.getByLabel('Issued until').press('Enter');
    await page.getByText('No licenses match these filters').waitFor();
    await goTo(page, `${list}?issued_from=2026-01-19Z&issued_to=2026-01-19Z`);
    await page.getByRole('link', { name: license.key }).waitFor();
    await page.getByText('These days are UTC').waitFor();
    await page.getByRole('link', { name: license.key }).click();
    await page.getByText('Jan 20, 2026, 9:00 AM').waitFor();
    // A day in UTC is shown as the same day in every time zone.
    for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
      await tabs.reopen({ timezoneId });
      await openAdmin(page, `/products/${type.product_id}/webhooks?day=2026-01-19`);
      await page.getByText('Only Jan 19, 2026 (UTC).').waitFor();
      const day = page.getByLabel('Deliveries of one day (UTC)');
      expect(await day.inputValue()).toBe('2026-01-19');
      await day.fill('2026-01-20');
      await day.press('Enter');
      await page.getByText('Only Jan 20, 2026 (UTC).').waitFor();
    }
  });

  test('a filter can be saved with a name and columns can be chosen, and both remain after a reload', async () => {
    const type = await newType(await newProduct(), { kind: 'subscription', duration_days: 300 });
    const [first, second] = [await newLicense(type), await newLicense(type)];
    await openAdmin(page, `/products/${type.product_id}/licenses?status=active&sort=created_at`);
    const keys = async (): Promise<string[]> =>
      (await page.getByRole('row').getByRole('link').allTextContents()).filter((text) => /^[0-9A-Z]{5}-/.test(text));
    await until('the oldest is first', async () => String(await keys()) === String([first.key, second.key]));
    await button(page, 'More filters').click();
    await button(page, 'Save this filter').click();
    const form = dialog(page, 'Save this filter');
    await form.getByLabel('Name').fill('Oldest active');
    await form.getByLabel('Name').press('Enter');
    await form.waitFor({ state: 'detached' });

    const header = page.getByRole('columnheader');
    await button(page, 'Choose columns').press('Enter');
    const columns = dialog(page, 'Columns');
    await columns.getByLabel('Type').uncheck();
    await columns.getByLabel('Id').check();
    expect(await findings(page, 'columns', '[role="dialog"]')).toEqual([]);
    await button(columns, 'Done').click();
    const names = async (): Promise<string[]> => (await header.allTextContents()).map((text) => text.split(' ')[0] ?? '');
    expect((await names()).slice(1)).toEqual(['Key', 'Id', 'Status', 'Covers', 'Expiry', 'Buyer', 'Seats']);

    await goTo(page, `/products/${type.product_id}/licenses`);
    await page.reload();
    await until('the newest is first', async () => String(await keys()) === String([second.key, first.key]));
    expect((await names()).slice(1)).not.toContain('Type');
    await button(page, 'More filters').click();
    await page.getByLabel('Saved filters').selectOption('Oldest active');
    await until('the saved filter applies', async () => String(await keys()) === String([first.key, second.key]));
    expect(page.url()).toContain('status=active&sort=created_at');
    for (const width of [1600, 1280, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(await findings(page, 'saved filters')).toEqual([]);
    await button(page, 'Remove this saved filter').click();
    await page.getByLabel('Saved filters').waitFor({ state: 'detached' });
  });
});

test('the charts show issued, renewed and expiring licenses, and their bars lead to the licenses, by keyboard too', async () => {
  const day = 86_400_000;
  const { product, type, license } = await newShop({ kind: 'subscription', duration_days: 300 });
  const other = await newShop();
  const ending = await newLicense(type, { expires_at: new Date(Date.now() + 50 * day).toISOString() });
  await post(`/v1/licenses/${license.id}/renew`, { days: 1 });
  await showOnly(page, product, other.product);
  await openAdmin(page, `/products/${product.id}`);
  await page.getByRole('region', { name: 'Expiring, next 30 days' }).getByText('No license expires on these days').waitFor();
  await page.getByRole('region', { name: 'Issued, last 30 days' }).getByText('Issued 2').waitFor();
  await page.getByRole('link', { name: '90 days' }).click();
  await page
    .getByRole('region', { name: 'Expiring, next 90 days' })
    .getByRole('link', { name: /: 1 expiring$/ })
    .click();
  await heading(page, 'Licenses').waitFor();
  await page.getByRole('row', { name: ending.key }).waitFor();
  expect(await page.getByRole('row', { name: license.key }).count()).toBe(0);
  await page.goBack();

  // A chart is a single tab stop. The arrow keys move between the bars that have a link. The selected day is shown below the chart.
  const renewed = page.getByRole('region', { name: 'Renewed, last 90 days' });
  const bar = renewed.getByRole('link', { name: /: 1 renewed$/ });
  await bar.press('ArrowLeft');
  await renewed.locator('strong', { hasText: /: 1 renewed$/ }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Webhooks').waitFor();
  await page.getByText(/^Only .* \(UTC\)/).waitFor();
  await page.getByRole('row', { name: 'license.renewed' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);

  // On the first page, one bar can count licenses of several products. The bar leads to a list of these products.
  await goTo(page, '/');
  const issued = page.getByRole('region', { name: 'Issued, last 30 days' });
  await issued.waitFor();
  // If the statistics of an event are recorded while the service reads the numbers, the response may not include the event.
  await until('three issued licenses', async () => {
    if ((await issued.getByText('Issued 3').count()) > 0) return true;
    if ((await issued.getByText(/^Issued \d/).count()) > 0) await page.reload();
    return false;
  });
  await page.getByRole('region', { name: 'Issued, last 30 days' }).getByRole('link').last().click();
  const made = page.getByRole('region', { name: /^Issued on / });
  await made.getByRole('link', { name: other.product.name }).waitFor();
  await made.getByRole('link', { name: product.name }).click();
  await page.getByRole('row', { name: ending.key }).waitFor();
});

test('what others do is shown without a reload: a new device of a license, and a new API key', async () => {
  const { product, license, client } = await newShop();
  await openAdmin(page, `/licenses/${license.id}`);
  await page.getByText('No device uses this license').waitFor();
  const other = await page.context().newPage();
  await openAdmin(other, `/products/${product.id}/integration`);
  const key = other.getByRole('group', { name: 'API key', exact: true });
  await key.getByText(product.api_key).waitFor();
  await client.activate(license.key, newFingerprint(), { name: 'New desk' });
  const { body } = await post<{ api_key: string }>(`/v1/products/${product.id}/api-key/rotate`, { overlap_hours: 0 });
  await page.getByRole('cell', { name: 'New desk', exact: true }).waitFor();
  await key.getByText(body.api_key).waitFor();
});

test('the request of an offline device opens its license, is refused on another license, and becomes a token that the app accepts', async () => {
  const { product, license } = await newShop({ max_seats: 1 });
  const fingerprint = newFingerprint();
  const app = new LicenseClient({
    baseUrl: 'http://127.0.0.1:9',
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
    storage: memoryStorage(),
    fingerprint: () => fingerprint,
  });
  const request = await app.offlineRequest(license.key.toLowerCase(), { name: 'Lab 3', platform: 'linux' });
  const text = request.status === 'request' ? request.text : '';

  const another = await newShop();
  await openAdmin(page, `/licenses/${another.license.id}`);
  await button(page, 'Offline token').click();
  const form = dialog(page, 'Create an offline token');
  await form.getByLabel('Device request').fill(text);
  await form.getByText(/is for product/).waitFor();
  expect(await button(form, 'Create token').isDisabled()).toBe(true);
  await form.getByLabel('Device request').fill('LKS1-REQUEST.nonsense');
  await form.getByText('Not a device request').waitFor();
  await form.getByLabel('Device request').fill('');
  await escape(form);
  await button(form, 'Discard').click();
  await form.waitFor({ state: 'detached' });

  // The palette on any page accepts the request too, even if a mail program has inserted line breaks.
  await typeSearch(page, 'Control+k', text.replace(/(.{60})/g, '$1 '), /Device request from Lab 3/);
  await heading(page, license.key).waitFor();
  for (const said of [fingerprint, 'Lab 3', 'Linux']) await form.getByText(said, { exact: true }).waitFor();
  await form.getByLabel('Valid for (days)').fill('90');
  await button(form, 'Create token').click();
  await form.getByText('Content', { exact: true }).waitFor();
  for (const said of [product.slug, 'Works until', 'license-key-service', `License${license.id}`])
    expect(await form.textContent()).toContain(said);
  const download = page.waitForEvent('download');
  await button(form, 'Download').click();
  const token = (await (await (await download).createReadStream()).toArray()).join('');
  expect(await app.importToken(token)).toMatchObject({ status: 'licensed', source: 'cache' });
  expect((await getLicense(license.id)).activations).toMatchObject([{ fingerprint, name: 'Lab 3', platform: 'linux' }]);
  await button(form, 'Done').click();
  await form.waitFor({ state: 'detached' });

  // The request can be a file, and the device may already have its seat.
  await button(page, 'Offline token').click();
  await form
    .getByLabel('File with the request')
    .setInputFiles({ name: 'request.txt', mimeType: 'text/plain', buffer: Buffer.from(`${text}\r\n`) });
  await form.getByText('Lab 3', { exact: true }).waitFor();
  await button(form, 'Create token').click();
  await form.getByRole('group', { name: 'Offline token' }).waitFor();
  expect((await getLicense(license.id)).seats.used).toBe(1);
});

describe('forms on the admin page', () => {
  test('a click outside of a form or Escape does not discard its input', async () => {
    await openAdmin(page);
    await button(page, 'New product').click();
    const form = dialog(page, 'New product');
    await clickOutside(form);
    await form.waitFor({ state: 'detached' });

    await button(page, 'New product').click();
    await form.getByLabel('Name').fill('Half a thought');
    await clickOutside(form);
    await form.getByText('Discard your changes?').waitFor();
    await button(form, 'Keep editing').click();
    expect(await form.getByLabel('Name').inputValue()).toBe('Half a thought');
    await escape(form);
    await button(form, 'Discard').click();
    await form.waitFor({ state: 'detached' });
  });

  test('a file is read again after it was corrected', async () => {
    const type = await newType(await newProduct(), { name: 'Pro' });
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    const folder = mkdtempSync(join(tmpdir(), 'admin-import-'));
    const path = join(folder, 'buyers.csv');
    const text = 'customer_email,license_type,metadata,order\najla@example.com,Pro,"{""name"":""Ajla Müller""}",A-1\n';
    for (const [opener, title, result] of [
      ['Import', 'Import licenses', '1 row: 1 to import'],
      ['Issue many', 'Issue many licenses', '1 to issue'],
    ] as const) {
      await button(page, opener).click();
      const form = dialog(page, title);
      const give = async (encoding: BufferEncoding): Promise<void> => {
        writeFileSync(path, Buffer.from(text, encoding));
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), form.locator('input[type=file]').click()]);
        await chooser.setFiles(path);
      };
      await give('latin1');
      await form.getByRole('alert').getByText('The file is not a text in UTF-8').waitFor();
      await give('utf8');
      await form.getByText(result).waitFor();
      await button(form, 'Cancel').click();
      await form.waitFor({ state: 'detached' });
    }
    rmSync(folder, { recursive: true });
  });
});

test('an operator edits a license, suspends and reinstates it, replaces its key, and frees a device', async () => {
  const { license, client } = await newShop(
    { kind: 'subscription', duration_days: 30, max_seats: 2, features: ['export'] },
    { customer_email: 'ada@exmaple.com', metadata: { order: 'A-1' } },
  );
  await client.activate(license.key, newFingerprint(), { name: 'Desk' });
  await openAdmin(page, `/licenses/${license.id}`);
  const saved = (): Promise<void> => told(page, 'Changed the license');
  const edit = dialog(page, 'Edit this license');
  await button(page, 'Edit').click();
  await edit.getByLabel(/e-mail/).fill('ada@example.com');
  await edit.getByRole('textbox', { name: 'Seats' }).fill('5');
  await edit.getByRole('textbox', { name: /Features/ }).fill('sync export');
  await edit.getByLabel('Never expires').check();
  await button(edit, 'Save changes').click();
  await saved();
  expect(await getLicense(license.id)).toMatchObject({
    customer_email: 'ada@example.com',
    expires_at: null,
    features: ['export', 'sync'],
    metadata: { order: 'A-1' },
    seats: { used: 1, max: 5 },
  });
  await page.getByText('1 of 5 seats used').waitFor();

  await choose(page, 'Suspend');
  await dialog(page, 'Suspend this license?')
    .getByLabel(/Reason/)
    .fill('Invoice 7 is open');
  await button(dialog(page, 'Suspend this license?'), 'Suspend').click();
  await told(page, 'Suspended the license');
  await main(page).getByText('“Invoice 7 is open”').waitFor();
  expect(await button(page, 'Offline token').isDisabled()).toBe(true);
  await button(page, 'Reinstate').click();
  await told(page, 'Reinstated the license');
  expect((await getLicense(license.id)).status).toBe('active');

  await button(page, 'Free seat of Desk').click();
  await button(dialog(page, 'Free this seat?'), 'Free the seat').click();
  await told(page, 'Freed the seat of Desk');

  await choose(page, 'Reissue key');
  await button(dialog(page, 'Reissue the key?'), 'Reissue the key').click();
  await told(page, /The new key is/);
  const { key } = await getLicense(license.id);
  expect(key).not.toBe(license.key);
  await heading(page, key).waitFor();
  for (const words of ['Issued', 'Changed', 'Suspended', 'Reinstated', 'Seat freed'])
    await page.getByRole('region', { name: 'History' }).getByText(words).first().waitFor();
});

test('Ctrl-K finds a page of any product and a license by its id or key, opens dialogs, and changes the color scheme', async () => {
  const { product, license } = await newShop();
  await openAdmin(page, `/products/${product.id}`);
  await heading(page, product.name).waitFor();
  const search = (text: string, entry: string): Promise<void> => typeSearch(page, 'Control+k', text, entry);
  await search('webh', 'Webhooks');
  await heading(page, 'Webhooks').waitFor();

  await search(String(license.id), `License ${license.id}`);
  await heading(page, license.key).waitFor();

  await goTo(page, '/');
  await heading(page, 'Products').waitFor();
  await search(license.key, `Find “${license.key}” in all products`);
  await heading(page, license.key).waitFor();

  await goTo(page, '/');
  await heading(page, 'Products').waitFor();
  await search(`${product.name} webh`, `${product.name}: Webhooks`);
  await heading(page, 'Webhooks').waitFor();
  expect(page.url()).toContain(`/products/${product.id}/webhooks`);
  await search('new license', 'New license');
  await closeDialog(dialog(page, 'New license'));
  expect(page.url()).toMatch(/\/licenses$/);

  await search('theme: dark', 'Theme: dark');
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  await page.reload();
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  await page.getByLabel('Same as system').check();
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor();
  await button(page, 'Compact rows').click();
  await page.locator('html[data-density="compact"]').waitFor();
});

test('the message about an action stays while the pointer is on it, and offers the action as a command without the token', async () => {
  const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.clock.install();
  await openAdmin(page, `/licenses/${license.id}`);
  const renew = async (): Promise<void> => {
    await button(page, 'Renew').click();
    await button(dialog(page, 'Renew this license'), 'Renew').click();
    await button(page, 'Copy as curl').hover();
  };
  await renew();
  await page.clock.runFor(60_000);
  expect(await button(page, 'Copy as curl').count()).toBe(1);
  await page.mouse.move(0, 0);
  await page.clock.runFor(60_000);
  await button(page, 'Copy as curl').waitFor({ state: 'detached' });

  await renew();
  await button(page, 'Copy as curl').click();
  await told(page, /Copied as curl/);
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(command).toContain(`/v1/licenses/${license.id}/renew'`);
  expect(command).toContain('"X-Svc-Admin-Token: $SVC_ADMIN_TOKEN"');
  expect(command).not.toContain(adminToken());
});

test("support requests take few actions, when the operator has copied the buyer's address from a mail", async () => {
  let address = `${unique('ada')}@example.com`;
  const { product, license, client } = await newShop(
    { kind: 'subscription', duration_days: 20, max_seats: 1 },
    { customer_email: address },
  );
  await client.activate(license.key, newFingerprint(), { name: 'Old laptop' });
  let done = 0;
  /** Counts each click, key press and pasted text as one action. */
  const act = async (action: Promise<unknown>): Promise<void> => {
    done += 1;
    await action;
  };
  const click = (name: string | RegExp, scope: Parameters<typeof button>[0] = page): Promise<void> => act(button(scope, name).click());
  const item = (name: string): Promise<void> => act(page.getByRole('menuitem', { name, exact: true }).click());
  const find = async (): Promise<void> => {
    await goTo(page, '/');
    await heading(page, 'Products').waitFor();
    const paste = `(() => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', 'Ada <${address}>'); document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })); })()`;
    await act(page.evaluate(paste));
    await dialog(page, 'Search and go to').locator('input:focus').waitFor();
    await act(page.keyboard.press('Enter'));
    await heading(page, license.key).waitFor();
  };
  const takes = async (most: number, what: string, task: () => Promise<unknown>): Promise<void> => {
    done = 0;
    await task();
    expect([what, done <= most]).toEqual([what, true]);
  };
  await openAdmin(page);
  await takes(2, 'the reply to "my key does not work"', async () => {
    await find();
    await page.getByRole('region', { name: 'Why was it refused?' }).waitFor();
  });
  await takes(4, 'moving a license to a new laptop', async () => {
    await find();
    await click(/^Free seat of/);
    await click('Free the seat', dialog(page, 'Free this seat?'));
    await told(page, 'Freed the seat of Old laptop');
  });
  await takes(6, 'correcting a wrong address and mailing the key again', async () => {
    await find();
    address = `right.${address}`;
    await click('Edit');
    const form = dialog(page, 'Edit this license');
    await act(form.getByLabel(/e-mail/).fill(address));
    await act(form.getByLabel(`Mail the key to ${address}`).check());
    await click('Save changes', form);
    await told(page, `The key will be mailed to ${address}`);
  });
  await takes(5, 'mailing a lost key', async () => {
    await find();
    await click('More');
    await item('Mail the key');
    await click('Mail the key', dialog(page, 'Mail the key?'));
    await dialog(page, 'Mail the key?').waitFor({ state: 'detached' });
  });
  await goTo(page, `/products/${product.id}`);
  await takes(4, 'renewing all licenses that expire', async () => {
    await act(page.getByRole('link', { name: 'Expiring within 30 days' }).click());
    await act(page.getByLabel('Select all on this page').check());
    await click('Renew');
    await click('Renew 1 license', dialog(page, 'Renew the selected licenses'));
    await dialog(page, 'Renew the selected licenses').getByText('1 of 1 done').waitFor();
  });
  await goTo(page, `/products/${product.id}`);
  await takes(3, 'sending all failed deliveries again', async () => {
    await act(page.getByRole('link', { name: 'Webhooks' }).click());
    await click('Send many again');
    await click('Send them again', dialog(page, 'Send many events again'));
    await told(page, /sent again/);
  });
  await takes(5, 'revoking a license after a refund', async () => {
    await find();
    await click('More');
    await item('Revoke');
    await click(/^Revoke/, dialog(page, 'Revoke this license?'));
    await told(page, 'Revoked the license');
  });
});
