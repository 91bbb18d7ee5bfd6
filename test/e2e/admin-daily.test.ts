import { readFileSync } from 'node:fs';
import type { Locator, Page, Request } from 'playwright-core';
import { LicenseClient, memoryStorage } from '../../client/src';
import type { LicenseView } from '../../lambdas/contract/resources';
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
import {
  adminToken,
  app,
  get,
  getLicense,
  newAdminToken,
  newFingerprint,
  newLicense,
  newProduct,
  newShop,
  newType,
  post,
  send,
  unique,
} from '../support/http';
import { copyLicense } from '../support/many-licenses';
import { startReceiver, type Receiver } from '../support/receiver';
import { until } from '../support/until';

/** Tests daily work on the admin page: several tabs, the browser's Back button, changes by other people, and actions on many licenses. */

let page: Page;
let backend: Receiver;
const tabs = freshTabs((opened) => (page = opened));
beforeAll(async () => {
  backend = await startReceiver();
});
afterAll(() => backend?.close());

/** Collects the URLs of the API that the page requests from now on. */
function asked(method = 'GET'): string[] {
  const all: string[] = [];
  page.on('request', (request: Request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === method && pathname.startsWith('/v1/')) all.push(pathname);
  });
  return all;
}

/** Clicks a button twice before the browser updates the page. */
const clickTwice = (target: Locator): Promise<void> =>
  target.evaluate((element: { click(): void }) => {
    element.click();
    element.click();
  });

describe('the admin page in several tabs', () => {
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
    // A sign-in in one tab signs in all tabs.
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await heading(other, license.key).waitFor();
  });
});

describe('the list of licenses', () => {
  test("the URL contains the list's page, so Back and a reload show the same rows", async () => {
    const type = await newType(await newProduct());
    const route = `/products/${type.product_id}/licenses`;
    // The two oldest licenses are on the second page.
    await newLicense(type);
    await copyLicense(await newLicense(type), 50);
    await openAdmin(page, route);
    await page.getByText('1–50').waitFor();
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
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

  test('Back returns to the list at the same scroll position', async () => {
    const type = await newType(await newProduct());
    await copyLicense(await newLicense(type), 29);
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    await page.getByText('30 licenses').waitFor();
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    const place = await page.evaluate<number>('window.scrollY');
    expect(place).toBeGreaterThan(300);
    await until('the place is kept', () => page.evaluate<boolean>(`history.state?.scroll === ${place}`));
    await page.getByRole('row').last().getByRole('link').click();
    await main(page).getByText('License id').waitFor();
    await until('the page starts at its top', () => page.evaluate<boolean>('window.scrollY === 0'));
    await page.goBack();
    await until('the place is found again', () => page.evaluate<boolean>(`window.scrollY === ${place}`));
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

  test('the list shows expired licenses and licenses that expire soon, and can be sorted by expiry', async () => {
    const product = await newProduct();
    const type = await newType(product, { kind: 'subscription', duration_days: 300 });
    const day = 86_400_000;
    const at = (days: number): string => new Date(Date.now() + days * day).toISOString();
    const [late, soon, lapsed] = [
      await newLicense(type),
      await newLicense(type, { expires_at: at(10) }),
      await newLicense(type, { expires_at: at(400) }),
    ];
    await send(`/v1/licenses/${lapsed.id}`, {
      method: 'PATCH',
      body: { expires_at: at(-2) },
      headers: { 'X-Svc-Admin-Token': adminToken() },
    });
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    const keys = async (): Promise<string[]> =>
      (await page.getByRole('row').getByRole('link').allTextContents()).filter((text) => /^[0-9A-Z]{5}-/.test(text));
    // An app's check has noticed the expiry of this license, so its status is `expired`. The list must show the same word for licenses
    // whose expiry no app has noticed yet.
    const noticed = await newLicense(type);
    await send(`/v1/licenses/${noticed.id}`, {
      method: 'PATCH',
      body: { expires_at: at(-3) },
      headers: { 'X-Svc-Admin-Token': adminToken() },
    });
    await app(product).validate(noticed.key, newFingerprint());
    expect((await getLicense(noticed.id)).status).toBe('expired');
    await page.getByLabel('Status').selectOption({ label: 'Expired' });
    await until('both expired ones are shown', async () => String(await keys()) === String([lapsed.key, noticed.key]));
    // The license with the latest expiry comes first. The header of the column states this order, and its button reverses the order.
    const sorted = (): Promise<string | null> => page.getByRole('columnheader', { name: 'Expiry' }).getAttribute('aria-sort');
    expect(await sorted()).toBe('descending');
    await button(page, 'Expiry').click();
    await until('the order is reversed', async () => (await sorted()) === 'ascending');
    await button(page, 'Expiry').click();
    await until('the order is as before', async () => (await sorted()) === 'descending');
    await goTo(page, `/products/${type.product_id}/licenses?status=expired`);
    const download = page.waitForEvent('download');
    await button(page, 'Export').click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect(
      csv
        .trim()
        .split(/\r?\n/)
        .map((line) => line.split(',')[0]),
    ).toEqual(['key', lapsed.key, noticed.key]);
    await page.getByLabel('Status').selectOption({ label: 'Active' });
    await until('no expired one is shown as active', async () => String(await keys()) === String([soon.key, late.key]));
    await page.getByLabel('Status').selectOption({ label: 'Expiring within 30 days' });
    await until('only the expiring one is shown', async () => String(await keys()) === soon.key);
    await page.getByLabel('Status').selectOption('');
    await page.getByRole('button', { name: /^Expiry/ }).click();
    await until('they are sorted', async () => String(await keys()) === String([noticed.key, lapsed.key, soon.key, late.key]));
    await page.getByRole('button', { name: /^Expiry/ }).click();
    await until(
      'they are sorted the other way',
      async () => String(await keys()) === String([late.key, soon.key, lapsed.key, noticed.key]),
    );
    await page.goBack();
    await page
      .getByRole('columnheader', { name: /Expiry/ })
      .and(page.locator('[aria-sort="ascending"]'))
      .waitFor();
    await goTo(page, `/products/${product.id}`);
    await page
      .getByRole('listitem')
      .filter({ hasText: `${type.name}: 2 active, 0 suspended, 2 expired, 0 revoked` })
      .waitFor();
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
  });

  test('a day in UTC is shown as the same day in every time zone', async () => {
    const { product } = await newShop();
    const name = unique('Night shift');
    const token = await newAdminToken({ name, scopes: ['read'] });
    await get('/v1/tokens/current', { 'X-Svc-Admin-Token': token });
    for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
      await tabs.reopen({ timezoneId });
      await openAdmin(page, `/products/${product.id}/webhooks?day=2026-01-19`);
      await page.getByText('Only Jan 19, 2026 (UTC).').waitFor();
      await goTo(page, '/tokens');
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('cell', { name: 'today' })
        .waitFor();
    }
  });

  test('the list can be filtered by full or unused licenses and by days, and the export uses the filters', async () => {
    const type = await newType(await newProduct(), { kind: 'subscription', duration_days: 300, max_seats: 1 });
    const licenses: LicenseView[] = [];
    for (const days of [0, 40, 80])
      licenses.push(await newLicense(type, { created_at: new Date(Date.now() - days * 86_400_000).toISOString() }));
    const [fresh, full, old] = licenses as [LicenseView, LicenseView, LicenseView];
    const { api_key: apiKey } = (await get<{ api_key: string }>(`/v1/products/${type.product_id}`)).body;
    await send(`/v1/products/${type.product_id}/activate`, {
      method: 'POST',
      body: { key: full.key, fingerprint: newFingerprint() },
      headers: { 'X-API-Key': apiKey },
    });
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    const shown = (keys: readonly LicenseView[]): Promise<unknown> =>
      until(
        'these are shown',
        async () =>
          String((await page.getByRole('row').getByRole('link').allTextContents()).filter((text) => /^[0-9A-Z]{5}-/.test(text))) ===
          String(keys.map(({ key }) => key)),
      );
    await button(page, 'More filters').click();
    await page.getByLabel('Seats').selectOption({ label: 'Full' });
    await shown([full]);
    const download = page.waitForEvent('download');
    await button(page, 'Export').click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect([csv.includes(full.key), csv.includes(old.key)]).toEqual([true, false]);
    await page.getByLabel('Seats').selectOption({ label: 'Unused' });
    await shown([old, fresh]);
    await page.getByLabel('Issued until').fill(old.created_at.slice(0, 10));
    await page.getByLabel('Issued until').press('Enter');
    await shown([old]);
    // The URL contains the filters, so a reload and Back keep them.
    await page.reload();
    await shown([old]);
    await button(page, 'More filters (2)').waitFor();
    await page.goBack();
    await shown([old, fresh]);
    await button(page, 'Clear these filters').click();
    await shown([old, full, fresh]);
  });

  test('the result of a bulk action stays visible even if the list becomes empty, and says what failed and why', async () => {
    const type = await newType(await newProduct(), { kind: 'subscription', duration_days: 20 });
    const [first, second] = [await newLicense(type), await newLicense(type)];
    await openAdmin(page, `/products/${type.product_id}/licenses?status=expiring`);
    await page.getByLabel('Select all on this page').check();
    await button(page, 'Renew').click();
    const renew = dialog(page, 'Renew the selected licenses');
    await renew.getByLabel('Renew', { exact: true }).selectOption({ label: 'all for a number of days' });
    await renew.getByLabel('Days').fill('300');
    // Another person revokes one of the two licenses in the meantime.
    await post(`/v1/licenses/${second.id}/revoke`);
    await button(renew, 'Renew 2 licenses').click();
    await page.getByText('No licenses match these filters').waitFor({ state: 'attached' });
    await renew.getByText('1 of 2 done').waitFor();
    await renew.getByRole('listitem').filter({ hasText: first.key }).getByText(/until/).waitFor();
    await renew
      .getByRole('listitem')
      .filter({ hasText: second.key })
      .getByText(/revoked/)
      .waitFor();
    await button(renew, 'Try failed ones again').waitFor();
    await button(renew, 'Done').click();
    await renew.waitFor({ state: 'detached' });
  });

  test('selected licenses are renewed, freed, revoked and exported together, each with its result', async () => {
    const type = await newType(await newProduct(), { kind: 'subscription', duration_days: 30 });
    const [first, second, third] = (await Promise.all([1, 2, 3].map(() => newLicense(type, { customer_email: '=cmd@example.com' })))) as [
      LicenseView,
      LicenseView,
      LicenseView,
    ];
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    await page.getByLabel('Select all on this page').check();
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    await bar.getByText('3 selected').waitFor();
    await page.getByLabel(`Select license ${third.key}`).uncheck();
    await bar.getByText('2 selected').waitFor();

    const download = page.waitForEvent('download');
    await button(bar, 'Export CSV').click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect(csv).toContain(`${first.key},${type.name},'=cmd@example.com,{},`);
    expect(csv).not.toContain(third.key);

    // Another person has revoked one of the licenses in the meantime.
    await post(`/v1/licenses/${second.id}/revoke`);
    await button(bar, 'Renew').click();
    const renew = dialog(page, 'Renew the selected licenses');
    await renew.getByLabel('Renew', { exact: true }).selectOption({ label: 'all for a number of days' });
    await renew.getByLabel('Days').fill('10');
    await button(renew, 'Renew 2 licenses').click();
    await renew.getByText('1 of 2 done').waitFor();
    await renew
      .getByRole('listitem')
      .filter({ hasText: second.key })
      .getByText(/revoked/)
      .waitFor();
    await renew.getByRole('listitem').filter({ hasText: first.key }).getByText(/until/).waitFor();
    await button(renew, 'Done').click();
    const days = (Date.parse((await getLicense(first.id)).expires_at ?? '') - Date.parse(first.expires_at ?? '')) / 86_400_000;
    expect(days).toBe(10);

    await button(bar, 'Revoke').click();
    await button(dialog(page, 'Revoke the selected licenses?'), 'Revoke 2 licenses permanently').click();
    await dialog(page, /Revoke/)
      .getByText('2 of 2 done')
      .waitFor();
    expect((await getLicense(first.id)).status).toBe('revoked');
    expect((await getLicense(third.id)).status).toBe('active');
  });

  test('selected licenses get other seats, other features, another type, or a mail with their key together, each with its result', async () => {
    const product = await newProduct();
    const [type, other] = [
      await newType(product, { max_seats: 2, features: ['sync'] }),
      await newType(product, { name: 'Team', max_seats: 9 }),
    ];
    const [first, second, revoked] = [
      await newLicense(type, { customer_email: 'ada@example.com' }),
      await newLicense(type, { max_seats: 5 }),
      await newLicense(type),
    ];
    await post(`/v1/licenses/${revoked.id}/revoke`);
    await openAdmin(page, `/products/${product.id}/licenses`);
    await page.getByLabel('Select all on this page').check();
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    const change = async (what: string): Promise<void> => {
      await button(bar, 'Change').click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await change('Seats');
    const seats = dialog(page, 'Change the seats of the selected licenses');
    await seats.getByText('1 revoked license is left out.').waitFor();
    await seats.getByLabel('Seats', { exact: true }).fill('2');
    expect(await findings(page, 'bulk change', '[role="dialog"]')).toEqual([]);
    await button(seats, 'Change the seats of 2 licenses').click();
    await seats.getByRole('listitem').filter({ hasText: first.key }).getByText('4 seats').waitFor();
    await seats.getByRole('listitem').filter({ hasText: second.key }).getByText('7 seats').waitFor();
    await button(seats, 'Done').click();

    await change('Features');
    const features = dialog(page, 'Change the features of the selected licenses');
    await features.getByLabel('Features', { exact: true }).fill('export');
    await button(features, 'Change the features of 2 licenses').click();
    await features.getByText('2 of 2 done').waitFor();
    await button(features, 'Done').click();
    expect((await getLicense(first.id)).features).toEqual(['export', 'sync']);

    await change('License type');
    const types = dialog(page, 'Change the type of the selected licenses');
    await types.getByLabel('New license type').selectOption({ label: other.name });
    await button(types, 'Change the type of 2 licenses').click();
    await types.getByText('2 of 2 done').waitFor();
    await button(types, 'Done').click();
    expect((await getLicense(second.id)).license_type.name).toBe(other.name);

    await button(bar, 'Mail keys').click();
    const mail = dialog(page, 'Mail the keys of the selected licenses');
    await mail.getByText('2 licenses without a buyer’s address are left out.').waitFor();
    await button(mail, 'Mail 1 key').click();
    await mail.getByText('mailed to ada@example.com').waitFor();
    await button(mail, 'Done').click();
  });

  test('a second action for the same selection starts from the present licenses, not from those that were selected', async () => {
    const type = await newType(await newProduct(), { max_seats: 2, features: ['sync'] });
    const [first, second] = [await newLicense(type), await newLicense(type)];
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    await page.getByLabel('Select all on this page').check();
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    const change = async (what: 'seats' | 'features', value: string): Promise<void> => {
      await button(bar, 'Change').click();
      await page.getByRole('menuitem', { name: what === 'seats' ? 'Seats' : 'Features' }).click();
      const form = dialog(page, `Change the ${what} of the selected licenses`);
      await form.getByLabel(what === 'seats' ? 'Seats' : 'Features', { exact: true }).fill(value);
      await button(form, `Change the ${what} of 2 licenses`).click();
      await form.getByText('2 of 2 done').waitFor();
      await button(form, 'Done').click();
      await form.waitFor({ state: 'detached' });
    };
    await change('seats', '3');
    await change('seats', '1');
    await change('features', 'export');
    // Somebody else changes a selected license.
    await send(`/v1/licenses/${second.id}`, {
      method: 'PATCH',
      headers: { 'X-Svc-Admin-Token': adminToken() },
      body: { features: ['ai', 'export', 'sync'] },
    });
    await change('features', 'print');
    const [one, other] = [await getLicense(first.id), await getLicense(second.id)];
    expect([one.seats.max, one.features]).toEqual([6, ['export', 'print', 'sync']]);
    expect([other.seats.max, other.features]).toEqual([6, ['ai', 'export', 'print', 'sync']]);

    await button(bar, 'Suspend').click();
    const suspend = dialog(page, 'Suspend the selected licenses?');
    await button(suspend, 'Suspend 2 licenses').click();
    await suspend.getByText('2 of 2 done').waitFor();
    await button(suspend, 'Done').click();
    await button(bar, 'Reinstate').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), button(bar, 'Export CSV').click()]);
    expect(readFileSync(await file.path(), 'utf8').match(/,suspended,/g)).toHaveLength(2);
  });

  test('a running action for many licenses is not stopped by Escape or a click outside before the operator confirms it', async () => {
    const type = await newType(await newProduct());
    const licenses = await Promise.all(Array.from({ length: 5 }, () => newLicense(type)));
    const revoked = async (): Promise<number> =>
      (await Promise.all(licenses.map(({ id }) => getLicense(id)))).filter(({ status }) => status === 'revoked').length;
    let release = (): void => undefined;
    let held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/revoke', async (route) => {
      await held;
      await route.continue();
    });
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    await page.getByLabel('Select all on this page').check();
    await button(page, 'Revoke').click();
    const form = dialog(page, 'Revoke the selected licenses?');
    await button(form, 'Revoke 5 licenses permanently').click();
    await button(form, 'Stop').waitFor();
    await page.keyboard.press('Escape');
    await form.getByText('The action has not ended. Stop it?').waitFor();
    await button(form, 'Let it continue').click();
    await page.mouse.click(5, 5);
    await form.getByText('The action has not ended. Stop it?').waitFor();
    release();
    await form.getByText('5 of 5 done').waitFor();
    // The question disappears when the action has ended.
    expect(await form.getByText('The action has not ended. Stop it?').count()).toBe(0);
    expect(await revoked()).toBe(5);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    held = new Promise((resolve) => (release = resolve));
    await button(page, 'Revoke').click();
    await button(form, 'Revoke 5 licenses permanently').click();
    await button(form, 'Stop').waitFor();
    await page.keyboard.press('Escape');
    await button(form, 'Stop and close').click();
    await form.waitFor({ state: 'detached' });
    release();
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

  test('many licenses are issued from a list of addresses, even with lost responses and invalid lines', async () => {
    const type = await newType(await newProduct());
    await openAdmin(page, `/products/${type.product_id}/licenses`);
    await button(page, 'Issue many').click();
    const form = dialog(page, 'Issue many licenses');
    await form.getByLabel('Buyers').fill('order;email\nA-1;ada@example.com\nA-2;nobody\n"A-3";grace@example.com\n');
    await form.getByText('no address on line 3: skipped').waitFor();
    await page.route('**/licenses', async (route) => ((await route.fetch()).ok() ? route.abort() : undefined), { times: 1 });
    await button(form, 'Issue 2 licenses').click();
    await form.getByText('1 of 2 done').waitFor();
    await button(form, 'Try failed ones again').click();
    await form.getByText('2 of 2 done').waitFor();
    const download = page.waitForEvent('download');
    await button(form, 'Download keys').click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    const made = (await get<LicenseView[]>(`/v1/products/${type.product_id}/licenses`)).body;
    expect(made.map(({ customer_email: email, metadata }) => [email, metadata['order']]).sort()).toEqual([
      ['ada@example.com', 'A-1'],
      ['grace@example.com', 'A-3'],
    ]);
    for (const { key, customer_email: email, metadata } of made) expect(csv).toContain(`${email},${key},${String(metadata['order'])}`);
  });
});

describe('the charts with one bar for each day', () => {
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
});

describe('changes while a page is open', () => {
  test('a license whose expiry has passed is shown as expired in the list and on its page, before any app checks it', async () => {
    const { product, license } = await newShop(
      { kind: 'subscription', duration_days: 30 },
      { expires_at: new Date(Date.now() + 1500).toISOString() },
    );
    await openAdmin(page, `/licenses/${license.id}`);
    await heading(page, license.key).waitFor();
    await main(page).getByText('Expired', { exact: true }).waitFor();
    await page.getByText(/^Expired /).waitFor();
    expect(await button(page, 'Offline token').isDisabled()).toBe(true);
    await goTo(page, `/products/${product.id}/licenses`);
    await page.getByRole('row', { name: /Expired.*Expired/ }).waitFor();
    expect((await getLicense(license.id)).status).toBe('active');
  });

  test('what others do with a license is shown without a reload: a revocation that made an action fail, and a new device', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
    await openAdmin(page, `/licenses/${license.id}`);
    await heading(page, license.key).waitFor();
    await button(page, 'Renew').click();
    await post(`/v1/licenses/${license.id}/revoke`);
    const form = dialog(page, 'Renew this license');
    await button(form, 'Renew').click();
    await form
      .getByRole('alert')
      .getByText(/revoked/)
      .waitFor();
    await main(page).getByText('Revoked', { exact: true }).first().waitFor();

    const another = await newShop();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await goTo(page, `/licenses/${another.license.id}`);
    await heading(page, another.license.key).waitFor();
    await another.client.activate(another.license.key, newFingerprint(), { name: 'New desk' });
    await page.getByRole('cell', { name: 'New desk', exact: true }).waitFor();
  });

  test("a product's API key is current even if somebody else has rotated it", async () => {
    const { product } = await newShop();
    await openAdmin(page, `/products/${product.id}/integration`);
    const key = page.getByRole('group', { name: 'API key', exact: true });
    await key.getByText(product.api_key).waitFor();
    const { body } = await post<{ api_key: string }>(`/v1/products/${product.id}/api-key/rotate`, { overlap_hours: 0 });
    await key.getByText(body.api_key).waitFor();
  });

  test('the forms of a license type and of the mail send only changed fields, so that the changes of somebody else are kept', async () => {
    const { product, type } = await newShop({ max_seats: 1, features: ['sync'] });
    const patch = (path: string, method: string, body: object): Promise<unknown> =>
      send(path, { method, body, headers: { 'X-Svc-Admin-Token': adminToken() } });
    await openAdmin(page, `/products/${product.id}/types`);
    await button(page, `Edit ${type.name}`).click();
    const form = dialog(page, 'Edit this license type');
    expect(await button(form, 'Save changes').isDisabled()).toBe(true);
    await form.getByLabel(/Features/).fill('sync export');
    await patch(`/v1/license-types/${type.id}`, 'PATCH', { max_seats: 3 });
    await button(form, 'Save changes').click();
    await form.waitFor({ state: 'detached' });
    expect((await get(`/v1/license-types/${type.id}`)).body).toMatchObject({ max_seats: 3, features: ['export', 'sync'] });

    await goTo(page, `/products/${product.id}/payments`);
    // The list of processors moves the button when it is loaded, and a click on a moving button can miss it.
    await page.getByText('No processor is connected').waitFor();
    await button(page, 'Edit the mail').click();
    const mail = dialog(page, 'Edit the mail with the key');
    await mail.getByLabel('Reply-to address (optional)').fill('help@example.com');
    await patch(`/v1/products/${product.id}/mail`, 'POST', { send_keys: true });
    await button(mail, 'Save').click();
    await mail.waitFor({ state: 'detached' });
    expect((await get(`/v1/products/${product.id}/mail`)).body).toMatchObject({ send_keys: true, reply_to: 'help@example.com' });
  });

  test('after an outage every page recovers automatically', async () => {
    const { product } = await newShop();
    await page.route('**/v1/**', (route) => route.abort());
    await openAdmin(page, `/products/${product.id}`);
    await page.getByRole('alert').getByText('cannot be reached').first().waitFor();
    await page.unroute('**/v1/**');
    await page.getByText('Licenses by type').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('the log of deliveries updates only its first page, and shows new deliveries above the loaded ones', async () => {
    const { product, license } = await newShop();
    // Each page of the log contains five deliveries instead of fifty.
    await page.route('**/deliveries?*', (route) => route.continue({ url: route.request().url().replace('limit=50', 'limit=5') }));
    for (let times = 0; times < 8; times += 1) await post(`/v1/licenses/${license.id}/reset`);
    await openAdmin(page, `/products/${product.id}/webhooks`);
    await button(page, 'Show older').click();
    await page.getByRole('row').nth(9).waitFor();
    const rows = await page.getByRole('row').count();
    const cursors: boolean[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/deliveries?')) cursors.push(request.url().includes('cursor='));
    });
    await post(`/v1/licenses/${license.id}/revoke`);
    await page.getByRole('row', { name: /license\.revoked/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(rows + 1);
    expect(cursors).not.toContain(true);
  });
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
  for (const said of [fingerprint, 'Lab 3', 'linux']) await form.getByText(said, { exact: true }).waitFor();
  await form.getByLabel('Valid for (days)').fill('90');
  await button(form, 'Create token').click();
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
  test('a double click sends a form only once', async () => {
    const { product, license } = await newShop();
    await post(`/v1/products/${product.id}/webhook`, { url: backend.url });
    await openAdmin(page, `/products/${product.id}/webhooks`);
    const posted = asked('POST');
    await clickTwice(button(page, 'Send a test event'));
    await dialog(page, 'webhook.test').getByText('Delivered', { exact: true }).waitFor();
    expect(posted).toEqual([`/v1/products/${product.id}/webhook/test`]);

    await goTo(page, `/licenses/${license.id}`);
    await choose(page, 'Free all seats');
    await clickTwice(button(dialog(page, 'Free all seats?'), 'Free all seats'));
    await told(page, 'Freed 0 seats');
    expect(posted.slice(1)).toEqual([`/v1/licenses/${license.id}/reset`]);
  });

  test('an action reports its result even if its dialog was closed while it ran', async () => {
    const { license } = await newShop();
    await openAdmin(page, `/licenses/${license.id}`);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/reset', async (route) => {
      await held;
      await route.fulfill({ status: 503, json: { detail: 'The service is busy, try again' } });
    });
    await choose(page, 'Free all seats');
    const form = dialog(page, 'Free all seats?');
    await button(form, 'Free all seats').click();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    answer();
    await told(page, 'The service is busy, try again');
  });

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
});

describe('changes to licenses, products, webhooks and license types', () => {
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
    await edit.getByLabel(/Features/).fill('sync export');
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

  test('an operator renames a product, and rotates its API key, webhook secret and signing key', async () => {
    const product = await newProduct();
    await openAdmin(page, `/products/${product.id}`);
    await button(page, 'Rename').click();
    const rename = dialog(page, 'Rename this product');
    await rename.getByLabel('Name').fill(`${product.name} renamed`);
    await button(rename, 'Rename').click();
    await heading(page, `${product.name} renamed`).waitFor();

    await goTo(page, `/products/${product.id}/integration`);
    await button(page, 'Rotate').click();
    const rotation = dialog(page, 'Rotate the API key?');
    // The dialog names the time until which the old key is valid, even if this time is less than a day away. No input breaks the dialog.
    const hours = rotation.getByLabel('Keep the old key valid for (hours)');
    await hours.fill('9'.repeat(15));
    await hours.fill('');
    expect(await rotation.getByText('The old key will be valid until').count()).toBe(0);
    await hours.fill('0');
    await rotation.getByText('The old key stops working after at most 60 seconds.').waitFor();
    expect(await rotation.getByText('The old key will be valid until').count()).toBe(0);
    await hours.fill('2');
    await rotation.getByText('The old key will be valid until').waitFor();
    await button(rotation, 'Rotate the API key').click();
    await told(page, 'The product has a new API key');
    const key = page.getByRole('group', { name: 'API key', exact: true });
    await until('the new key is shown', async () => (await key.textContent()) !== product.api_key);
    await button(page, 'Create the next key').click();
    await told(page, 'Published the next signing key');
    await button(page, 'Activate').click();
    await button(dialog(page, 'Activate this signing key?'), 'Activate the key').click();
    await told(page, 'The new key is active');
    await page.getByRole('row', { name: /Previous/ }).waitFor();

    await goTo(page, `/products/${product.id}/webhooks`);
    await button(page, 'Reveal the secret').click();
    const secret = page.getByRole('group', { name: 'Signing secret' });
    const before = await secret.textContent();
    await button(page, 'Rotate').click();
    await button(dialog(page, 'Rotate the signing secret?'), 'Rotate the secret').click();
    await told(page, /The webhook has a new secret/);
    await until('the new one is shown', async () => (await secret.textContent()) !== before);
  });

  test('a webhook can exclude events, and after an outage all failed or skipped events can be sent again at once', async () => {
    const { product, license } = await newShop();
    await openAdmin(page, `/products/${product.id}/webhooks`);
    await page.getByLabel('URL').fill(backend.url);
    await button(page, 'Save').click();
    await told(page, 'Saved the webhook');
    await button(page, 'Choose events').click();
    const choice = dialog(page, 'Choose events');
    await button(choice, 'None').click();
    await choice.getByLabel(/license\.revoked/).check();
    await button(choice, 'Save').click();
    await told(page, 'Saved the selection of events');
    await main(page).getByText('Only these events are sent: license.revoked.').waitFor();
    await post(`/v1/licenses/${license.id}/reset`);
    await page.getByRole('row', { name: /license\.reset.*Skipped/ }).waitFor();

    await button(page, 'Choose events').click();
    await button(choice, 'All').click();
    await button(choice, 'Save').click();
    await main(page).getByText('All events are sent.').waitFor();
    await button(page, 'Send many again').click();
    const form = dialog(page, 'Send many events again');
    await form.getByLabel('Status', { exact: true }).selectOption('skipped');
    await button(form, 'Send them again').click();
    await told(page, /sent again/);
    await page.getByRole('row', { name: /license\.reset.*Delivered/ }).waitFor();
  });

  test('a license type gets features, a lease and a limit, and is archived, after which no license can be issued of it', async () => {
    const product = await newProduct();
    await openAdmin(page, `/products/${product.id}/types`);
    await button(main(page), 'New license type').first().click();
    const form = dialog(page, 'New license type');
    await form.getByLabel('Name').fill('Team');
    await form.getByLabel('Floating').check();
    await form.getByLabel(/Lease/).fill('2');
    await form.getByLabel(/Features/).fill('export');
    await button(form, 'Create license type').click();
    await form
      .getByText(/^This must be .*5/)
      .or(form.getByText(/^This .*5/))
      .first()
      .waitFor();
    await form.getByLabel(/Lease/).fill('60');
    await form.getByLabel(/New devices allowed/).fill('3');
    await button(form, 'Create license type').click();
    await told(page, 'Created the license type Team');
    const types = async () => (await get<Record<string, unknown>[]>(`/v1/products/${product.id}/license-types`)).body;
    expect(await types()).toMatchObject([
      { name: 'Team', kind: 'floating', lease_minutes: 60, new_devices_per_week: 3, features: ['export'], archived: false },
    ]);
    await button(page, 'Edit Team').click();
    const edit = dialog(page, 'Edit this license type');
    await edit.getByLabel(/Lease/).fill('');
    await edit.getByLabel('Archived').check();
    await button(edit, 'Save changes').click();
    await told(page, 'Changed the license type Team');
    expect(await types()).toMatchObject([{ lease_minutes: null, archived: true, features: ['export'] }]);
    await goTo(page, `/products/${product.id}/licenses`);
    await button(main(page), 'New license').first().click();
    await dialog(page, 'New license').getByText('Add a license type first').waitFor();
  });
});

test('the products page sends four requests, regardless of the number of products', async () => {
  await Promise.all([newProduct(), newProduct(), newProduct()]);
  const all = asked();
  await openAdmin(page);
  await page.getByRole('row').nth(1).waitFor();
  expect(await page.getByRole('cell', { name: 'Unknown' }).count()).toBe(0);
  await page.getByText('All products, day by day').scrollIntoViewIfNeeded();
  await page.getByRole('region', { name: 'Issued, last 30 days' }).waitFor();
  await page.getByText(/^(Needs attention|All is well)/).waitFor();
  // The page requests the numbers of each product, and the list of products that need attention.
  expect(all.toSorted()).toEqual(['/v1/overview', '/v1/overview', '/v1/products', '/v1/products']);
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

test('the message about an action stays while the pointer is on it, so that its buttons can be used without haste', async () => {
  const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
  await page.clock.install();
  await openAdmin(page, `/licenses/${license.id}`);
  await button(page, 'Renew').click();
  await button(dialog(page, 'Renew this license'), 'Renew').click();
  await button(page, 'Copy as curl').hover();
  await page.clock.runFor(60_000);
  expect(await button(page, 'Copy as curl').count()).toBe(1);
  await page.mouse.move(0, 0);
  await page.clock.runFor(60_000);
  await button(page, 'Copy as curl').waitFor({ state: 'detached' });
});

test('the last action can be copied as a command that does the same and does not contain the token', async () => {
  const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openAdmin(page, `/licenses/${license.id}`);
  await button(page, 'Renew').click();
  await button(dialog(page, 'Renew this license'), 'Renew').click();
  await told(page, /Renewed until/);
  await button(page, 'Copy as curl').click();
  await told(page, /Copied as curl/);
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(command).toContain(`/v1/licenses/${license.id}/renew'`);
  expect(command).toContain('"X-Svc-Admin-Token: $SVC_ADMIN_TOKEN"');
  expect(command).not.toContain(adminToken());
});

test('a license with many devices shows twenty at a time, and finds a device by its name or fingerprint', async () => {
  const { license, client } = await newShop({ max_seats: 0 });
  const fingerprints = Array.from({ length: 45 }, () => newFingerprint());
  for (let first = 0; first < 45; first += 15)
    await Promise.all(
      fingerprints
        .slice(first, first + 15)
        .map((fingerprint, place) => client.activate(license.key, fingerprint, { name: `Desk ${first + place}`, platform: 'linux' })),
    );
  await openAdmin(page, `/licenses/${license.id}`);
  const devices = page.getByRole('region', { name: 'Devices' });
  await devices.getByText('1–20 of 45').waitFor();
  expect(await devices.getByRole('row').count()).toBe(21);
  await button(devices, 'Next').click();
  await devices.getByText('21–40 of 45').waitFor();
  await devices.getByRole('searchbox').fill(fingerprints[44]!.slice(0, 20));
  await devices.getByRole('cell', { name: 'Desk 44', exact: true }).waitFor();
  expect(await devices.getByRole('row').count()).toBe(2);
});

describe("how many actions a support request takes, when the operator has copied the buyer's address from a mail", () => {
  const email = 'ada.of.the.tasks@example.com';
  let done = 0;
  /** Counts each click, key press and pasted text as one action. */
  const act = async (action: Promise<unknown>): Promise<void> => {
    done += 1;
    await action;
  };
  const press = (key: string): Promise<void> => act(page.keyboard.press(key));
  const click = (name: string | RegExp, scope: Parameters<typeof button>[0] = page): Promise<void> => act(button(scope, name).click());
  const item = (name: string): Promise<void> => act(page.getByRole('menuitem', { name, exact: true }).click());
  const paste = (text: string): Promise<void> =>
    act(
      page.evaluate(
        `(() => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', ${JSON.stringify(text)}); document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })); })()`,
      ),
    );

  /** Creates a license of a new buyer, and opens the first page. */
  async function begin(terms: object = {}): Promise<{ license: LicenseView; address: string }> {
    const address = `${Date.now()}.${email}`;
    const { license, client } = await newShop(
      { kind: 'subscription', duration_days: 365, max_seats: 1, ...terms },
      { customer_email: address },
    );
    await client.activate(license.key, newFingerprint(), { name: 'Old laptop' });
    await openAdmin(page);
    done = 0;
    return { license, address };
  }
  async function find(terms?: object): Promise<LicenseView> {
    const { license, address } = await begin(terms);
    await paste(`Ada <${address}>`);
    await dialog(page, 'Search and go to').locator('input:focus').waitFor();
    await press('Enter');
    await heading(page, license.key).waitFor();
    return license;
  }

  test('the answer to "my key does not work" takes 3 actions', async () => {
    await find();
    await page.getByRole('region', { name: 'Why was it refused?' }).waitFor();
    expect(done).toBeLessThanOrEqual(3);
  });

  test('moving a license to a new laptop takes 4 actions', async () => {
    const license = await find();
    await click(/^Free seat of/);
    await click('Free the seat', dialog(page, 'Free this seat?'));
    await until('the seat is free', async () => (await getLicense(license.id)).seats.used === 0);
    expect(done).toBeLessThanOrEqual(4);
  });

  test('revoking a license after a refund takes 5 actions', async () => {
    const license = await find();
    await click('More');
    await item('Revoke');
    await click(/^Revoke/, dialog(page, 'Revoke this license?'));
    await until('it is revoked', async () => (await getLicense(license.id)).status === 'revoked');
    expect(done).toBeLessThanOrEqual(5);
  });

  test('correcting a wrong address and mailing the key again takes 6 actions', async () => {
    const license = await find();
    const right = `right.${email}`;
    await click('Edit');
    const form = dialog(page, 'Edit this license');
    await act(form.getByLabel(/e-mail/).fill(right));
    await act(form.getByLabel(`Mail the key to ${right}`).check());
    await click('Save changes', form);
    await told(page, `The key will be mailed to ${right}`);
    expect((await getLicense(license.id)).customer_email).toBe(right);
    expect(done).toBeLessThanOrEqual(6);
  });

  test('mailing a lost key takes 5 actions', async () => {
    await find();
    await click('More');
    await item('Mail the key');
    await click('Mail the key', dialog(page, 'Mail the key?'));
    await told(page, /will be mailed/);
    expect(done).toBeLessThanOrEqual(5);
  });

  test('renewing all licenses that expire takes 4 actions', async () => {
    const { license } = await begin({ duration_days: 20 });
    await goTo(page, `/products/${license.product_id}`);
    await act(page.getByRole('link', { name: 'Expiring within 30 days' }).click());
    await act(page.getByLabel('Select all on this page').check());
    await click('Renew');
    await click('Renew 1 license', dialog(page, 'Renew the selected licenses'));
    await until('it is renewed', async () => (await getLicense(license.id)).expires_at !== license.expires_at);
    expect(done).toBeLessThanOrEqual(4);
  });

  test('sending all failed deliveries again takes 3 actions', async () => {
    const { license } = await begin();
    await goTo(page, `/products/${license.product_id}`);
    await act(page.getByRole('link', { name: 'Webhooks' }).click());
    await click('Send many again');
    await click('Send them again', dialog(page, 'Send many events again'));
    await told(page, /sent again/);
    expect(done).toBeLessThanOrEqual(3);
  });
});
