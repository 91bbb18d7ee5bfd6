import { screen, waitFor } from '@testing-library/react';
import { shops } from '../../../bin/sell/scenarios';
import type { LicenseTypeView, LicenseView, ProductView } from '../../../lambdas/contract/resources';
import { parseCsv } from '../../../lambdas/domain/csv';
import { deliveriesOf, orderOf, SECRETS } from '../../support/counter';
import { get, newProduct, newType, patch, post, unique } from '../../support/http';
import { downloadAfter, failing, hold, intercept, openPage, sentRequests, told, type AdminPage } from '../page';

/** Tests the pages for payments with the real service, without a browser. */

/** Creates a product with one license type and without sales. */
async function newShop(terms: object = {}): Promise<{ product: ProductView; type: LicenseTypeView; path: string }> {
  const product = await newProduct();
  return { product, type: await newType(product, terms), path: `/products/${product.id}/payments` };
}

interface Connection {
  readonly id: number;
  readonly url: string;
}

const connect = async ({ id }: ProductView, fields: object = {}): Promise<Connection> =>
  (await post<Connection>(`/v1/products/${id}/payment-connections`, { processor: 'stripe', signing_secret: SECRETS.stripe, ...fields }))
    .body;
const connectionOf = async (id: number) => (await get(`/v1/payment-connections/${id}`)).body;
const licensesOf = async ({ id }: ProductView): Promise<LicenseView[]> => (await get<LicenseView[]>(`/v1/products/${id}/licenses`)).body;

/** Sends all notifications of a sale by Stripe. */
async function sell({ url }: Connection, fields: Parameters<typeof orderOf>[2] = {}, expected = 200): Promise<void> {
  for (const { body, headers } of deliveriesOf(shops.stripe(), 'sale', orderOf('stripe', Date.now(), fields), Date.now()))
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(expected);
}

test('the integration page shows what to paste at each processor, or leads to the page for connecting a processor', async () => {
  const { product } = await newShop();
  const page = await openPage(`/products/${product.id}/integration`);
  const link = await page.within.findByText(/^Connect a processor/);
  expect(link.getAttribute('href')).toContain(`/products/${product.id}/payments`);
  page.go('/mail');
  const stripe = await connect(product, { name: 'Main account' });
  const paddle = await connect(product, { processor: 'paddle', signing_secret: SECRETS.paddle, mode: 'test' });
  page.go(`/products/${product.id}/integration`);
  await page.choose('Payment connection', 'Paddle (test)');
  await page.shows('transaction.completed');
  await page.press('Reveal the address');
  await page.shows(paddle.url);
  // If another connection is chosen, its URL must be hidden again.
  await page.choose('Payment connection', 'Main account');
  await page.hides(paddle.url);
  await page.press('Reveal the address');
  await page.shows(stripe.url);
});

// Without its place, the operator would have to find the wrong one among many plans.
test('a refused value of a plan is marked at its field, and so is that of a sale that is held', async () => {
  const { product, type, path } = await newShop();
  const plan = (ref: string) => ({ ref, license_type_id: type.id });
  const connection = await connect(product, { plans: [plan('price_1'), plan('price_2')] });
  const page = await openPage(`${path}/${connection.id}`);
  const second = await page.part('group', 'Plan 2');
  await second.fill('Perpetual after (months)', '500');
  await page.press('Save the plans');
  await second.says(/^This must be .*120/);
  expect(second.field('Perpetual after (months)').getAttribute('aria-invalid')).toBe('true');
  expect(page.within.queryByText(/plans\[1\]/)).toBeNull();

  await sell(connection, { ref: 'price_3' });
  const [order] = (await get<{ order_id: string }[]>(`/v1/products/${product.id}/orders`)).body;
  page.go(`${path}?order=${order?.order_id ?? ''}`);
  const dialog = await page.dialog('Order');
  await dialog.choose(/^Add a plan for price_3/, type.name);
  intercept(/payment-connections/, (pass, { method }) =>
    method === 'PATCH' ? failing(422, 'plans[2].license_type_id must be a type that is not archived') : pass(),
  );
  await dialog.press('Add and process');
  await dialog.says('This must be a type that is not archived.');
});

test('a leaked signing secret can be replaced so that the service refuses it from then on', async () => {
  const { product, path } = await newShop();
  const connection = await connect(product);
  const page = await openPage(`${path}/${connection.id}`);
  await page.fill('Signing secret', `whsec_${unique()}-${unique()}`);
  await page.check(/^The old secret has leaked/);
  await page.press('Save the signing secret');
  await told('Saved the signing secret');
  await sell(connection, {}, 401);
});

test('a sale without a matching plan is held with the reason, and its license is issued after a plan matches', async () => {
  const { product, type, path } = await newShop();
  const connection = await connect(product);
  await sell(connection, { ref: 'price_new' });
  const page = await openPage(`${path}?status=held`);
  await page.shows('No plan has the ref price_new');
  await page.user.click((await page.within.findAllByText('invoice.paid'))[0]!);
  const shown = await page.dialog('invoice.paid');
  await shown.press('Process again');
  await told('It is still held');
  page.go(`${path}/${connection.id}`);
  await page.choose('For other sales', String(type.id));
  await page.press('Save the plans');
  await told('Saved the plans');
  page.go(`${path}?status=held`);
  await page.press('Process all held notifications');
  await told(/Processed \d; 0 sales are still held/);
  await page.shows('No notification is held');
  const licenses = await licensesOf(product);
  expect(licenses).toHaveLength(1);

  // An operator who corrects the address would look for the order at the new one.
  page.go(`/licenses/${licenses[0]?.id ?? ''}`);
  await page.press('Edit');
  const edit = await page.dialog('Edit this license');
  const notice = /stay with the previous address/;
  await edit.fill(/e-mail/, licenses[0]!.customer_email!.toUpperCase());
  await edit.hides(notice);
  await edit.fill(/e-mail/, 'new@example.com');
  await edit.says('The order and its payments stay with the previous address.');
});

test('an order is found by any of its ids, in the payments log, in the list of licenses and in the search', async () => {
  const { product, type, path } = await newShop();
  const connection = await connect(product, { default_license_type_id: type.id });
  await sell(connection, { recurring: true });
  await sell(connection);
  const wanted = (await licensesOf(product)).find(({ order }) => order?.subscription_id !== null)!;
  const subscription = wanted.order?.subscription_id ?? '';
  const page = await openPage(`${path}?view=log`);
  const rows = (count: number, list = 'Payments log'): Promise<void> =>
    waitFor(() => expect(screen.getByRole('group', { name: list }).querySelectorAll('tbody tr')).toHaveLength(count));
  const all = (await get<object[]>(`/v1${path}`)).body.length;
  await rows(all);
  // The field always shows the order to which the log is limited.
  const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Order' });
  await page.user.type(field, `${subscription}{Enter}`);
  await rows(3);
  page.go(`${path}?view=log`);
  await rows(all);
  expect(field.value).toBe('');
  page.go(`${path}?view=log&order=${subscription}`);
  await rows(3);
  expect(field.value).toBe(subscription);
  await page.user.clear(field);
  await rows(all);

  page.go(path);
  await rows(2, 'Orders');
  await page.user.type(screen.getByRole('searchbox', { name: 'Buyer or order' }), `${subscription}{Enter}`);
  await rows(1, 'Orders');
  page.go(`/products/${product.id}/licenses?q=${subscription}`);
  await page.showsRows(new RegExp(wanted.key));
  page.go(`/find?q=${wanted.order?.order_id ?? ''}`);
  await page.shows('License id');
  await page.shows(wanted.key);
});

test('the mails to buyers have their own list, in which one can be read and sent again', async () => {
  const { product, type, path } = await newShop();
  await post(`/v1/products/${product.id}/mail`, { send_keys: true });
  const buyer = `${unique('grace')}@example.com`;
  const { body: license } = await post<LicenseView>(`/v1/products/${product.id}/licenses`, {
    license_type_id: type.id,
    customer_email: buyer,
  });
  const page = await openPage(path);
  await page.user.click((await page.within.findAllByText('Sent mails'))[0]!);
  await page.shows(/Key mailed.*Delivered/);
  await page.user.click(await page.within.findByText(buyer));
  const mail = await page.dialog('Key mailed');
  await mail.shows('This is the mail as it would be sent now');
  const frame = await mail.within.findByTitle<HTMLIFrameElement>('The mail');
  expect(frame.srcdoc).toContain(license.key);
  // The mail's links and markup must not act within the admin page.
  expect(frame.getAttribute('sandbox')).toBe('allow-same-origin');
  await mail.press('Send again');
  await told('Sending the event again');
});

test("the amount, the country and a link to the processor are in the payments log, on the license, and in the accountant's file", async () => {
  const { product, type, path } = await newShop();
  await sell(await connect(product, { default_license_type_id: type.id }), { recurring: true, quantity: 2 });
  const [license] = await licensesOf(product);
  const page = await openPage(`${path}?view=log`);
  await page.shows(/invoice\.paid.*\$98\.00/);
  await page.user.click(await page.within.findByText('invoice.paid'));
  const shown = await page.dialog('invoice.paid');
  await shown.shows(/Amount\$98\.00.*CountryNetherlands/);
  const link = (name: string): string => screen.getByText(name).closest('a')?.href ?? '';
  expect(link('Show the subscription at Stripe')).toMatch(/^https:\/\/dashboard\.stripe\.com\/subscriptions\/sub_/);
  const { name, text } = await downloadAfter(() => page.press('Export CSV'));
  expect(name).toMatch(new RegExp(`^${product.slug}-payments-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
  const [head = [], ...rows] = parseCsv(text).map(({ cells }) => cells);
  const amounts = rows.map((cells) => ['type', 'direction', 'amount', 'currency'].map((column) => cells[head.indexOf(column)]));
  expect(amounts).toContainEqual(['invoice.paid', 'paid', '9800', 'USD']);

  // Three notifications report the same payment, so the payment is counted once.
  page.go(`/licenses/${license!.id}`);
  await page.shows('$98.00 paid, Netherlands');
  expect(link('Show the order at Stripe')).toMatch(/dashboard\.stripe\.com/);
});

describe('the forms of a connection', () => {
  async function openConnection(): Promise<{ page: AdminPage; id: number; type: LicenseTypeView }> {
    const { product, type, path } = await newShop();
    const { id } = await connect(product, { name: 'Shop' });
    return { page: await openPage(`${path}/${id}`), id, type };
  }

  test('the settings, the API key and reconciling can be set and removed, and errors are sentences', async () => {
    const { page, id } = await openConnection();
    await page.fill('Grace period (days)', '61');
    await page.press('Save the settings');
    await page.says(/^This .*60/);
    await page.fill('Grace period (days)', '7');
    await page.choose('Opened dispute', 'revoke');
    await page.choose('Mode', 'test');
    await page.check(/^Enabled/);
    await page.press('Save the settings');
    await told('Saved the settings');
    await page.shows('Stripe, test mode, disabled');
    expect(await connectionOf(id)).toMatchObject({ mode: 'test', grace_days: 7, on_dispute: 'revoke', enabled: false });
    expect(page.within.queryByText('Reconcile now')).toBeNull();
    await page.fill('API key', 'rk_live_1');
    await page.press('Save the API key');
    await told('Saved the API key');
    await page.fill('Search from (optional)', '2026-01-31');
    const sent = sentRequests();
    await page.press('Reconcile now');
    await told(/Searching for missed notifications/);
    expect(sent.find(({ path }) => path.endsWith('/reconcile'))?.body).toEqual({ since: '2026-01-31T00:00:00.000Z' });
    await page.press('Remove it');
    await waitFor(async () => expect(await connectionOf(id)).toMatchObject({ api_key_set: false }));
  });

  test('saving one form keeps the unsaved input of the other forms', async () => {
    const { page, id } = await openConnection();
    await page.press('Add a plan');
    await page.fill('Id of the product sold', 'price_1');
    await page.fill('Name', 'Shop in Berlin');
    await page.fill('API key', 'rk_live_1');
    await page.press('Save the API key');
    await told('Saved the API key');
    await page.press('Save the plans');
    await told('Saved the plans');
    await page.press('Save the settings');
    await told('Saved the settings');
    expect(await connectionOf(id)).toMatchObject({ name: 'Shop in Berlin', plans: [{ ref: 'price_1' }] });
  });

  test('they keep what somebody else has changed in the meantime, even before the page shows it', async () => {
    const { page, id, type } = await openConnection();
    const path = `/v1/payment-connections/${id}`;
    await page.press('Add a plan');
    // The page still shows the old connection, as if it had not been loaded again yet.
    const before = await connectionOf(id);
    const end = intercept(new RegExp(`${path}$`), (pass, { method }) => (method === 'GET' ? Response.json(before) : pass()));
    await page.fill('Id of the product sold', 'price_mine');
    await page.fill('Grace period (days)', '7');
    const theirs = { name: 'Theirs', plans: [{ ref: 'price_theirs', license_type_id: type.id }] };
    await patch(path, theirs);
    await page.press('Save the settings');
    await told('Saved the settings');
    end();
    await page.press('Save the plans');
    await page.shows('Not saved, because somebody else has changed the same data in the meantime');
    expect(page.field('Id of the product sold').value).toBe('price_mine');
    expect(await connectionOf(id)).toMatchObject({ ...theirs, grace_days: 7 });
  });

  test('input that a form receives while it is being saved is neither lost nor saved unseen', async () => {
    const { page, id } = await openConnection();
    await page.fill('Name', 'Shop in Berlin');
    const release = hold(new RegExp(`/payment-connections/${id}$`));
    await page.press('Save the settings');
    await page.fill('Name', 'Shop in Bern');
    release();
    await told('Saved the settings');
    await waitFor(() => expect(document.querySelector('h1')?.textContent).toBe('Shop in Berlin'));
    expect(page.field('Name').value).toBe('Shop in Bern');
    await page.press('Save the settings');
    await waitFor(async () => expect(await connectionOf(id)).toMatchObject({ name: 'Shop in Bern' }));
  });
});

test('a double click creates only one connection, and a connection that was created by mistake can be hidden', async () => {
  const { product, path } = await newShop();
  await connect(product, { name: 'Right' });
  const page = await openPage(path);
  await page.press('Connect a processor');
  const form = await page.dialog('Connect a processor');
  await form.fill('Name (optional)', 'Mistake');
  await form.user.dblClick(form.button('Connect'));
  await page.check(/^Enabled/);
  const { body: all } = await get<unknown[]>(`/v1/products/${product.id}/payment-connections`);
  expect(all).toHaveLength(2);
  await page.press('Save the settings');
  await told('Saved the settings');
  page.go(path);
  await page.shows('Show 1 disabled connection');
  await page.hides('Mistake');
  await page.press('Show 1 disabled connection');
  await page.shows('Mistake');
});

test('a processor that signs nothing has no step for a signing secret', async () => {
  const { product, path } = await newShop();
  const { id } = await connect(product, { processor: 'gumroad', signing_secret: undefined });
  const page = await openPage(`${path}/${id}`);
  await page.shows('Save the settings');
  expect(page.within.queryByLabelText('Signing secret')).toBeNull();
});
