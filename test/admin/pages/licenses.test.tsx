import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { screen } from '@testing-library/react';
import { ImportLicenses } from '../../../admin-site/src/pages/import-licenses';
import { IssueMany } from '../../../admin-site/src/pages/issue-many';
import type { LicenseTypeView, LicenseView } from '../../../lambdas/contract/resources';
import { csvLine } from '../../../lambdas/domain/csv';
import { DAY_MS } from '../../../lambdas/domain/time';
import {
  adminToken,
  app,
  get,
  getLicense,
  newAdminToken,
  newFingerprint,
  newLicense,
  newProduct,
  newType,
  patch,
  post,
  send,
} from '../../support/http';
import { root } from '../../support/repository';
import { changeQueries, downloadAfter, hold, intercept, loseNextResponse, openDialog, openPage, type AdminPage, type Form } from '../page';

/** Tests the list of licenses, actions on many licenses, and imports, with the real service and without a browser. */

const SUBSCRIPTION = { kind: 'subscription', duration_days: 300 };
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const open = ({ product_id: id }: LicenseTypeView, query = ''): Promise<AdminPage> => openPage(`/products/${id}/licenses${query}`);
const licensesOf = async ({ product_id: id }: LicenseTypeView): Promise<LicenseView[]> =>
  (await get<LicenseView[]>(`/v1/products/${id}/licenses`)).body;
/** Waits until the list shows exactly these licenses, in this order. */
const lists = (page: AdminPage, ...licenses: readonly LicenseView[]): Promise<void> =>
  page.showsRows(...licenses.map(({ key }) => new RegExp(key)));

describe('the list of licenses', () => {
  test('it shows the licenses of one member, until this filter is cleared', async () => {
    const type = await newType(await newProduct(), { kind: 'lifetime', binding: 'user', max_seats: 2 });
    const [team, other] = [await newLicense(type), await newLicense(type)];
    const headers = { 'X-Svc-Admin-Token': adminToken() };
    expect((await send(`/v1/licenses/${team.id}/members`, { method: 'PUT', body: { email: 'ada@example.com' }, headers })).status).toBe(
      201,
    );
    const page = await open(type);
    await lists(page, other, team);
    await page.press('More filters');
    await page.fill('Member', 'ada@example.com');
    await page.user.keyboard('{Enter}');
    await lists(page, team);
    await page.press('Clear these filters');
    await lists(page, other, team);
  });

  test('it shows expired licenses and licenses that expire soon, can be sorted by expiry, and is exported as it is shown', async () => {
    const product = await newProduct();
    const type = await newType(product, SUBSCRIPTION);
    const [late, soon, lapsed, noticed] = [
      await newLicense(type),
      await newLicense(type, { expires_at: inDays(10) }),
      await newLicense(type),
      await newLicense(type),
    ];
    await patch(`/v1/licenses/${lapsed.id}`, { expires_at: inDays(-2) });
    // An app's check has noticed the expiry of this license, so its status is `expired`. The list must show the same word for licenses
    // whose expiry no app has noticed yet.
    await patch(`/v1/licenses/${noticed.id}`, { expires_at: inDays(-3) });
    await app(product).validate(noticed.key, newFingerprint());
    expect((await getLicense(noticed.id)).status).toBe('expired');
    const page = await open(type, '?status=expired');
    // The license with the latest expiry comes first. The header of the column states this order.
    await lists(page, lapsed, noticed);
    const order = (): string | null | undefined => screen.getByText('Expiry').closest('th')?.getAttribute('aria-sort');
    expect(order()).toBe('descending');
    const { name, text } = await downloadAfter(() => page.press('Export'));
    expect(name).toMatch(new RegExp(`^${product.slug}-licenses-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(text.split('\r\n').map((line) => line.split(',')[0])).toEqual(['key', lapsed.key, noticed.key, '']);
    await page.choose('Status', 'active');
    await lists(page, soon, late);
    await page.choose('Status', 'expiring');
    await lists(page, soon);
    await page.choose('Status', '');
    await page.press(/^Expiry/);
    await lists(page, noticed, lapsed, soon, late);
    await page.press(/^Expiry/);
    await lists(page, late, soon, lapsed, noticed);
    page.go(`/products/${product.id}`);
    await page.shows(`${type.name}: 2 active, 0 suspended, 2 expired, 0 revoked`);
  });

  test('it can be filtered by full or unused licenses and by days, and a filter by expiry leaves out revoked licenses', async () => {
    const product = await newProduct();
    const type = await newType(product, { ...SUBSCRIPTION, max_seats: 1 });
    const [fresh, full, old] = [
      await newLicense(type),
      await newLicense(type, { created_at: inDays(-40) }),
      await newLicense(type, { created_at: inDays(-80) }),
    ];
    await app(product).activate(full.key, newFingerprint());
    const page = await open(type);
    await page.press('More filters');
    await page.choose('Seats', 'full');
    await lists(page, full);
    await page.choose('Seats', 'unused');
    await lists(page, old, fresh);
    await page.fill('Issued until', old.created_at.slice(0, 10));
    await page.user.keyboard('{Enter}');
    await lists(page, old);
    await page.press('Clear these filters');
    await lists(page, old, full, fresh);
    await post(`/v1/licenses/${old.id}/revoke`);
    const day = (at: string | null): string => (at ?? '').slice(0, 10);
    page.go(`/products/${product.id}/licenses?expires_from=${day(old.expires_at)}&expires_to=${day(full.expires_at)}`);
    await lists(page, full);
  });

  test('an export contains all pages of the filtered list', async () => {
    const type = await newType(await newProduct());
    const licenses = [await newLicense(type), await newLicense(type), await newLicense(type)];
    await post(`/v1/licenses/${licenses[0]?.id}/revoke`);
    const page = await open(type, '?status=active');
    await page.hasRows(2);
    // Limits the responses of the API to one row, so that a short list has several pages.
    changeQueries((path) => path.replace('/licenses?', '/licenses?limit=1&'));
    const { text } = await downloadAfter(() => page.press('Export'));
    expect(text.split('\r\n').map((line) => line.split(',')[0])).toEqual(['key', licenses[2]?.key, licenses[1]?.key, '']);
  });

  test('a license whose term starts with the first activation says so, and can be found', async () => {
    const type = await newType(await newProduct(), { ...SUBSCRIPTION, duration_days: 365, updates_days: 365, starts: 'activation' });
    const page = await open(type);
    await page.press('New license');
    const form = await page.dialog('New license');
    await form.shows('Valid for 365 days from the first activation');
    await form.press('Issue license');
    await form.shows('Starts with the first activation, for 365 days');
    await form.press('Open the license');
    await page.shows('365 days of updates from the first activation');
    page.go(`/products/${type.product_id}/licenses?status=pending`);
    await page.showsRows(/365 days from activation/);
    await page.press('More filters');
    await page.choose('Devices', 'None seen for 90 days');
    await page.shows('No licenses match these filters');
  });

  test('a new license has a paid type by default, not a newer trial', async () => {
    const product = await newProduct();
    const type = await newType(product, { ...SUBSCRIPTION, name: 'Sold' });
    await newType(product, { name: 'Trial', kind: 'trial', duration_days: 14 });
    const page = await open(type);
    await page.press('New license');
    const form = await page.dialog('New license');
    await form.shows('Valid for 300 days');
    expect(form.field('License type').value).toBe(String(type.id));
  });
});

describe('an action on selected licenses', () => {
  /** Selects all licenses, and opens the dialog of an action or of a change from the menu. */
  async function act(page: AdminPage, action: string, title: string): Promise<Form> {
    if (!page.field('Select all on this page').checked) await page.check('Select all on this page');
    if (['Seats', 'Features', 'License type'].includes(action)) {
      await page.press('Change');
      await page.user.click(await page.within.findByRole('menuitem', { name: action }));
    } else await page.press(action);
    return page.dialog(title);
  }
  async function finish(form: Form, submit: string, result: string | RegExp = /(\d) of \1 done/): Promise<void> {
    await form.press(submit);
    await form.shows(result);
    await form.press('Done');
    await form.closed();
  }

  test('a renewal renews each license as its type says, and its result says what failed, even if the list is then empty', async () => {
    const product = await newProduct();
    const yearly = await newType(product, { name: 'Yearly', kind: 'subscription', duration_days: 365 });
    const trial = await newType(product, { name: 'Trial', kind: 'trial', duration_days: 14 });
    const lifetime = await newType(product, { name: 'Lifetime', updates_days: 730 });
    const licenses = [await newLicense(yearly, { expires_at: inDays(9) }), await newLicense(trial), await newLicense(lifetime)];
    const [year, , life] = licenses as [LicenseView, LicenseView, LicenseView];
    const page = await open(yearly);
    await page.hasRows(3);
    const renew = await act(page, 'Renew', 'Renew the selected licenses');
    await renew.shows('1 × left out: they never expire');
    await renew.shows('1 × Trial, for 14 days');
    await renew.shows('1 × Yearly, for 365 days');
    await finish(renew, 'Renew 2 licenses');
    const updates = await act(page, 'Renew updates', 'Renew the updates of the selected licenses');
    await updates.shows('1 × Lifetime, for 730 days');
    await finish(updates, 'Renew the updates of 1 license');
    const ends = await Promise.all(licenses.map(({ id }) => getLicense(id)));
    expect(
      ends.map(({ expires_at: end, updates: { until } }) => Math.round((Date.parse(end ?? until ?? '') - Date.now()) / DAY_MS)),
    ).toEqual([9 + 365, 28, 1460]);

    await patch(`/v1/licenses/${year.id}`, { expires_at: inDays(5) });
    page.go(`/products/${product.id}/licenses?status=expiring`);
    await page.hasRows(2);
    const days = await act(page, 'Renew', 'Renew the selected licenses');
    await days.choose('Renew', 'days');
    await days.fill('Days', '300');
    // Another person revokes one of the two licenses in the meantime.
    await post(`/v1/licenses/${year.id}/revoke`);
    await days.press('Renew 2 licenses');
    await page.shows('No licenses match these filters');
    await days.shows('1 of 2 done');
    await days.shows(new RegExp(`${year.key}[^-]*revoked`));
    await days.shows(/until /);
    expect(days.button('Try failed ones again').disabled).toBe(false);
    expect((await getLicense(life.id)).expires_at).toBeNull();
  });

  test('with a token whose renewals are limited, it leaves out the licenses that the service would refuse to renew', async () => {
    const type = await newType(await newProduct(), { name: 'Monthly', kind: 'subscription', duration_days: 30 });
    await newLicense(type, { expires_at: inDays(2) });
    await newLicense(type, { expires_at: inDays(20) });
    const page = await openPage(`/products/${type.product_id}/licenses`, await newAdminToken({ scopes: ['support'], renewal_days: 40 }));
    await page.hasRows(2);
    const renew = await act(page, 'Renew', 'Renew the selected licenses');
    await renew.shows('1 × left out: this token may not renew for so long');
    await finish(renew, 'Renew 1 license');
  });

  test('a change of seats or features starts from the present licenses, also of a selection that was changed before', async () => {
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
    const page = await open(type);
    await page.hasRows(3);
    for (const [added, result] of [
      ['3', /5 seats.*8 seats|8 seats.*5 seats/],
      ['1', /6 seats.*9 seats|9 seats.*6 seats/],
    ] as const) {
      const seats = await act(page, 'Seats', 'Change the seats of the selected licenses');
      await seats.shows('1 revoked license is left out.');
      await seats.fill('Seats', added);
      await finish(seats, 'Change the seats of 2 licenses', result);
    }
    // Somebody else changes a selected license.
    await patch(`/v1/licenses/${second.id}`, { features: ['ai', 'sync'] });
    const features = await act(page, 'Features', 'Change the features of the selected licenses');
    await features.fill('Features', 'print');
    await finish(features, 'Change the features of 2 licenses');
    expect([(await getLicense(first.id)).features, (await getLicense(second.id)).features]).toEqual([
      ['print', 'sync'],
      ['ai', 'print', 'sync'],
    ]);

    const types = await act(page, 'License type', 'Change the type of the selected licenses');
    await types.choose('New license type', other.name);
    await finish(types, 'Change the type of 2 licenses');
    expect((await getLicense(second.id)).license_type.name).toBe(other.name);

    const mail = await act(page, 'Mail keys', 'Mail the keys of the selected licenses');
    await mail.shows('2 licenses without a buyer’s address are left out.');
    await finish(mail, 'Mail 1 key', 'mailed to ada@example.com');

    await finish(await act(page, 'Suspend', 'Suspend the selected licenses?'), 'Suspend 3 licenses', '2 of 3 done');
    const { text } = await downloadAfter(() => page.press('Export CSV'));
    expect(text.match(/,suspended,/g)).toHaveLength(2);
  });

  test('it is not stopped by Escape before the operator confirms it', async () => {
    const type = await newType(await newProduct());
    const licenses = await Promise.all(Array.from({ length: 5 }, () => newLicense(type)));
    const page = await open(type);
    await page.hasRows(5);
    await page.check('Select all on this page');
    await page.check(`Select license ${licenses[0]!.key}`);
    await page.shows('4 selected');
    await page.check(`Select license ${licenses[0]!.key}`);
    const release = hold(/\/revoke$/);
    let form = await act(page, 'Revoke', 'Revoke the selected licenses?');
    await form.press('Revoke 5 licenses permanently');
    await form.user.keyboard('{Escape}');
    await form.shows('The action has not ended. Stop it?');
    await form.press('Let it continue');
    await form.user.keyboard('{Escape}');
    release();
    await form.shows('5 of 5 done');
    // The question disappears when the action has ended.
    await form.hides('The action has not ended. Stop it?');
    expect((await Promise.all(licenses.map(({ id }) => getLicense(id)))).every(({ status }) => status === 'revoked')).toBe(true);
    await form.user.keyboard('{Escape}');
    await form.closed();

    const releaseAgain = hold(/\/revoke$/);
    form = await act(page, 'Revoke', 'Revoke the selected licenses?');
    await form.press('Revoke 5 licenses permanently');
    await form.user.keyboard('{Escape}');
    await form.press('Stop and close');
    await form.closed();
    releaseAgain();
  });
});

const upload = async (form: Form, label: string, name: string, bytes: Buffer | string): Promise<void> =>
  form.user.upload(await form.within.findByLabelText<HTMLInputElement>(label), new File([new Uint8Array(Buffer.from(bytes))], name));

test('many licenses are issued from a list of addresses, even with lost responses and invalid lines', async () => {
  const type = await newType(await newProduct());
  const form = await openDialog((opened, onClose) => <IssueMany productId={type.product_id} opened={opened} onClose={onClose} />);
  await form.fill('Buyers', 'order;email\nA-1;ada@example.com\nA-2;nobody\n"A-3";grace@example.com\n');
  await form.shows('no address on line 3: skipped');
  loseNextResponse();
  await form.press('Issue 2 licenses');
  await form.shows('1 of 2 done');
  await form.press('Try failed ones again');
  await form.shows('2 of 2 done');
  const { text } = await downloadAfter(() => form.press('Download keys'));
  const made = await licensesOf(type);
  expect(new Set(made.map(({ customer_email: email, metadata }) => `${email} ${String(metadata['order'])}`))).toEqual(
    new Set(['ada@example.com A-1', 'grace@example.com A-3']),
  );
  for (const { key, customer_email: email, metadata } of made) expect(text).toContain(`${email},${key},${String(metadata['order'])}`);
});

/** Tests the import on the page (docs/spec/operator.md, Export and import). */
describe('the import', () => {
  const openImport = ({ product_id: id }: LicenseTypeView): Promise<Form> =>
    openDialog((opened, onClose) => <ImportLicenses productId={id} opened={opened} onClose={onClose} />);
  const give = (form: Form, ...rows: readonly (readonly string[])[]): Promise<void> =>
    upload(form, 'CSV file:', 'licenses.csv', rows.map(csvLine).join(''));
  const example = (name: string): Buffer => readFileSync(resolve(root, `docs/migration/${name}.csv`));

  test('it recognizes a file of another system by its first line, and shows equal problems as one line', async () => {
    const form = await openImport(await newType(await newProduct(), { name: 'Another' }));
    for (const [file, label] of [
      ['keygen', 'Keygen'],
      ['gumroad', 'Gumroad'],
      ['cryptlex', 'Cryptlex'],
      ['lemonsqueezy', 'Lemon Squeezy'],
      ['woocommerce', 'License Manager for WooCommerce'],
    ] as const) {
      await upload(form, 'CSV file:', `${file}.csv`, example(file));
      await form.within.findByDisplayValue(label);
    }
    await give(form, ['key', 'license_type', 'company', 'colour'], ['AAAA-BBBB-0001', 'Another', 'Example GmbH', 'red']);
    await form.shows('1 row: 1 to import');
    await form.shows('Columns that are not imported: colour');
    await give(form, ['key', 'license_type'], ...Array.from({ length: 7 }, (_, row) => [`AAAA-BBBB-000${row}`, 'Gone']));
    await form.shows('7 rows: license_type: the product has no license type "Gone" (lines 2, 3, 4, 5, 6 and 2 more)');
    expect(form.field('The file comes from').value).toBe('own');
  });

  test('it shows the problems of a file by line before it writes anything, and then a result for each row', async () => {
    const type = await newType(await newProduct(), { name: 'Team' });
    await newLicense(type, { key: 'THERE-KEY-0001' });
    const form = await openImport(type);
    await give(
      form,
      ['key', 'license_type', 'customer_email', 'status'],
      ['NEW-KEY-0001', 'Team', 'ada@example.com', 'suspended'],
      ['NEW-KEY-0002', 'Pro', 'grace@example.com', ''],
      ['NEW-KEY-0003', 'Team', 'nobody', ''],
      ['THERE-KEY-0001', 'Team', '', ''],
    );
    await form.shows('4 rows: 2 to import, 2 refused');
    await form.shows('line 3: license_type: the product has no license type "Pro"');
    await form.shows('line 4: customer_email: must be a valid e-mail address');
    await form.shows(/NEW-KEY-0001.*Suspended/);
    expect(form.button('Import 2 licenses').disabled).toBe(true);
    expect(await licensesOf(type)).toHaveLength(1);

    await form.choose('License type for “Pro”', 'Team');
    await form.shows('4 rows: 3 to import, 1 refused');
    await form.check('Import the valid rows anyway');
    await form.press('Import 3 licenses');
    await form.shows('3 of 3 done');
    await form.shows('Line 2imported');
    await form.shows('Line 5already existed');
    expect(Object.fromEntries((await licensesOf(type)).map(({ key, status }) => [key, status]))).toEqual({
      'NEW-KEY-0001': 'suspended',
      'NEW-KEY-0002': 'active',
      'THERE-KEY-0001': 'active',
    });
  });

  test("it does not start if the service can't read the existing orders, because an order could be issued twice", async () => {
    const type = await newType(await newProduct(), { name: 'Team' });
    const form = await openImport(type);
    intercept(/\/licenses/, async (pass) => {
      const response = await pass();
      return new Response(await response.text(), { headers: { 'X-Svc-Unreadable': '1' } });
    });
    await give(form, ['key', 'license_type'], ['NEW-KEY-0001', 'Team']);
    await form.press('Import 1 license');
    await form.shows('The service cannot read some licenses of this product');
    expect(await licensesOf(type)).toEqual([]);
  });

  test('a file of another service is read by its own columns, and the operator can choose columns', async () => {
    const type = await newType(await newProduct(), { name: 'Personal' });
    const form = await openImport(type);
    await upload(form, 'CSV file:', 'lemonsqueezy.csv', example('lemonsqueezy'));
    for (const name of ['Photo Studio', 'Photo Studio, yearly']) await form.choose(`License type for “${name}”`, 'Personal');
    await form.shows('4 rows: 4 to import');
    await form.choose('customer_email', 'user_name');
    await form.shows('4 rows: 0 to import, 4 refused');
    await form.choose('customer_email', '');
    await form.press('Import 4 licenses');
    await form.shows('4 of 4 done');
    expect(new Set((await licensesOf(type)).map(({ customer_email: email }) => email?.split('@')[0]))).toEqual(
      new Set(['ada', 'grace', 'linus', 'mallory']),
    );
  });

  test('if the dialog is closed while the existing licenses are read, nothing is imported', async () => {
    const type = await newType(await newProduct(), { name: 'Pro' });
    const form = await openImport(type);
    await give(form, ['key', 'license_type'], ['OLD-KEY-0001', 'Pro']);
    const release = hold(/\/licenses/);
    await form.press('Import 1 license');
    await form.shows('Reading the existing licenses');
    await form.user.keyboard('{Escape}');
    await form.closed();
    release();
    // If the import continued, the page would now send the request to issue the license.
    for (let turn = 0; turn < 5; turn += 1) expect(await licensesOf(type)).toEqual([]);
  });

  test('a file that is not in UTF-8 is refused, and is read after it was corrected', async () => {
    const form = await openImport(await newType(await newProduct(), { name: 'Pro' }));
    const text = 'customer_email,license_type,metadata,order\najla@example.com,Pro,"{""name"":""Ajla Müller""}",A-1\n';
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      await upload(form, 'CSV file:', 'buyers.csv', bytes);
      await form.shows('The file is not a text in UTF-8');
    }
    await upload(form, 'CSV file:', 'buyers.csv', text);
    await form.shows('1 row: 1 to import');
    await form.hides('The file is not a text in UTF-8');
  });
});
