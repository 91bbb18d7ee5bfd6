import type { Page, Route } from 'playwright-core';
import { shops } from '../../bin/sell/scenarios';
import { MAILBOX_PATH } from '../../infra/local/mailbox';
import { parseCsv } from '../../lambdas/domain/csv';
import type { LicenseTypeView, LicenseView, ProductView } from '../../lambdas/contract/resources';
import { adminUrl, button, choose, closeDialog, dialog, goTo, heading, main, openAdmin, told, typeSearch } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { deliveriesOf, orderOf, SECRETS } from '../support/counter';
import { adminToken, get, newProduct, newType, post, send, unique } from '../support/http';
import { until } from '../support/until';

/** Tests how an operator connects a payment processor and works with its sales, in a real browser with the real service. */

let page: Page;
const tabs = freshTabs((opened) => (page = opened));

/** Creates a product with one license type and without sales. */
async function newShop(terms: object = {}): Promise<{ product: ProductView; type: LicenseTypeView }> {
  const product = await newProduct();
  return { product, type: await newType(product, terms) };
}

interface Connection {
  readonly id: number;
  readonly url: string;
}

const connect = async (productId: number, fields: object): Promise<Connection> => {
  const { status, body } = await post<Connection>(`/v1/products/${productId}/payment-connections`, {
    processor: 'stripe',
    signing_secret: SECRETS.stripe,
    ...fields,
  });
  expect(status).toBe(201);
  return body;
};

/** Sends all notifications of a sale by Stripe. Returns the last response. */
async function sell(url: string, fields: Parameters<typeof orderOf>[2] = {}): Promise<{ status: string; id: string }> {
  let last: { status: string; id: string } | undefined;
  for (const { body, headers } of deliveriesOf(shops.stripe(), 'sale', orderOf('stripe', Date.now(), fields), Date.now())) {
    const response = await fetch(url, { method: 'POST', body, headers });
    expect(response.status).toBe(200);
    last = (await response.json()) as { status: string; id: string };
  }
  return last!;
}

test('the integration page shows what to paste at each processor, or leads to the page for connecting a processor', async () => {
  const { product } = await newShop();
  await openAdmin(page, `/products/${product.id}/integration`);
  const panel = page.getByRole('region', { name: 'At your payment processor' });
  expect(await panel.getByRole('link', { name: 'Connect a processor' }).getAttribute('href')).toContain(`/products/${product.id}/payments`);

  const stripe = await connect(product.id, { name: 'Main account' });
  const paddle = await connect(product.id, { processor: 'paddle', signing_secret: SECRETS.paddle, mode: 'test' });
  await page.reload();
  await panel.getByLabel('Payment connection').selectOption({ label: 'Paddle (test)' });
  expect(await panel.getByRole('group', { name: 'Events to choose' }).textContent()).toContain('transaction.completed');
  await button(panel, 'Reveal the address').click();
  expect(await panel.getByRole('group', { name: 'Address', exact: true }).textContent()).toBe(paddle.url);
  // If another connection is chosen, its URL must be hidden again.
  await panel.getByLabel('Payment connection').selectOption({ label: 'Main account' });
  await button(panel, 'Reveal the address').click();
  expect(await panel.getByRole('group', { name: 'Address', exact: true }).textContent()).toBe(stripe.url);
  expect(await findings(page, 'the integration page')).toEqual([]);
});

test('a leaked signing secret can be replaced so that the service refuses it from then on', async () => {
  const { product } = await newShop();
  const { id, url } = await connect(product.id, {});
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  await page.getByLabel('Signing secret', { exact: true }).fill(`whsec_${unique()}-${unique()}`);
  await page.getByLabel('The old secret has leaked').check();
  await button(page, 'Save the signing secret').click();
  await told(page, 'Saved the signing secret');
  for (const { body, headers } of deliveriesOf(shops.stripe(), 'sale', orderOf('stripe', Date.now()), Date.now()))
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(401);
});

test('a newcomer connects Stripe step by step, sells a license, and sees the license, the order and the mail without a manual', async () => {
  const { product } = await newShop({ name: 'Pro for a year', max_seats: 2 });
  await openAdmin(page, `/products/${product.id}/payments`);
  await page.getByText('No processor is connected').waitFor();
  await button(page, 'Connect a processor').first().click();
  const form = dialog(page, 'Connect a processor');
  await form.getByLabel('Processor').selectOption('stripe');
  await form.getByLabel('Name').fill('Stripe, main account');
  await button(form, 'Connect').click();
  await heading(page, 'Stripe, main account').waitFor();

  // Step 1: the URL for notifications is hidden until the operator shows it. The list of events can be read and copied.
  expect(await main(page).textContent()).not.toContain('/v1/payments/');
  await button(page, 'Reveal the address').click();
  const url = (await page.getByRole('group', { name: 'Address', exact: true }).textContent()) ?? '';
  expect(url).toMatch(/\/v1\/payments\/[\w-]{43}$/);
  expect(await page.getByRole('group', { name: 'Events to choose' }).textContent()).toContain('checkout.session.completed');
  await button(page, 'Copy list of events').click();
  await told(page, 'Copied the list of events');

  // Step 2: the secret can be entered, and is never shown again.
  await page.getByLabel('Signing secret', { exact: true }).fill(` ${SECRETS.stripe ?? ''}\n`);
  await button(page, 'Save the signing secret').click();
  await told(page, 'Saved the signing secret');
  expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toBe('');
  expect(await page.content()).not.toContain(SECRETS.stripe);

  // Step 3: the operator chooses the license type for the sold product.
  await button(page, 'Add a plan').click();
  const plan = page.getByRole('group', { name: 'Plan 1' });
  await plan.getByLabel('Id of the product sold').fill('price_1Pro');
  await plan.getByLabel('For a quantity above one').selectOption('seats');
  await plan.getByLabel('Perpetual after (months)').fill('12');
  await button(page, 'Save the plans').click();
  await told(page, 'Saved the plans');
  const [{ plans } = { plans: [] }] = (await get<{ plans: object[] }[]>(`/v1/products/${product.id}/payment-connections`)).body;
  expect(plans).toMatchObject([{ ref: 'price_1Pro', quantity: 'seats', extends: 'license', fallback_months: 12 }]);
  await page.getByText('Waiting for the first notification').waitFor();
  expect(await page.getByRole('group', { name: 'Command for a test sale' }).textContent()).toContain('--ref price_1Pro');
  expect(await findings(page, 'a payment connection')).toEqual([]);

  // Turns on mails with license keys.
  await page.getByRole('link', { name: 'Payments', exact: true }).first().click();
  await button(page, 'Edit the mail').click();
  const mail = dialog(page, 'Edit the mail with the key');
  await mail.getByLabel('Mail keys to buyers').check();
  await mail.getByLabel('Text', { exact: true }).fill('Your key: {{password}}');
  await button(mail, 'Save').click();
  await mail.getByText(/^This must not contain placeholders other than/).waitFor();
  await mail.getByLabel('Text', { exact: true }).fill('Your key: {{keys}}');
  expect(await findings(page, 'the mail with the key', '[role="dialog"]')).toEqual([]);
  await button(mail, 'Save').click();
  await told(page, 'Keys are mailed to buyers');

  // Adds a reminder, and checks its preview.
  await button(page, 'Edit the reminders').click();
  const reminders = dialog(page, 'Edit the reminders');
  await reminders.getByLabel('Renewal page (optional)').fill('https://shop.example.com/renew?key={{key}}');
  await button(reminders, 'Add a reminder').click();
  const reminder = reminders.getByRole('group', { name: 'Reminder 1' });
  await reminder.getByLabel('When').selectOption('expired');
  await reminder.getByLabel('Days').fill('3');
  await reminder.getByLabel('Subject').fill('Over for {{days}} days');
  await reminder.getByText('Over for 3 days', { exact: true }).waitFor();
  await reminder.getByText(/https:\/\/shop\.example\.com\/renew\?key=\w/).waitFor();
  expect(await findings(page, 'the reminders', '[role="dialog"]')).toEqual([]);
  await button(reminders, 'Save').click();
  await told(page, 'Saved 1 reminder');
  await page.getByText('Buyers get a mail 3 days after the expiry.').waitFor();

  // Simulates a sale, and checks what the page shows about it.
  const buyer = `${unique('ada')}@example.com`;
  expect(await sell(url, { email: buyer, quantity: 3 })).toMatchObject({ status: 'done' });
  await goTo(page, `/products/${product.id}/payments?status=done`);
  await page.getByRole('row', { name: /invoice\.paid/ }).waitFor();
  expect(await findings(page, 'payments')).toEqual([]);
  await page
    .getByRole('row', { name: /invoice\.paid/ })
    .getByRole('link', { name: 'invoice.paid' })
    .click();
  const row = dialog(page, 'invoice.paid');
  expect(await row.getByRole('group', { name: 'Payload' }).textContent()).toContain(buyer);
  expect(await findings(page, 'a notification', '[role="dialog"]')).toEqual([]);
  await row.getByRole('link', { name: /^License \d+$/ }).click();
  await page.getByText('0 of 6 seats used').waitFor();
  expect(await main(page).textContent()).toMatch(/cs_live_\w+.*Stripe, price_1Pro/);
  await page.getByRole('link', { name: /^Mail (delivered|pending): delivery of license\.key_mailed$/ }).waitFor();
  await until('the mail is in the mailbox', async () => (await get(MAILBOX_PATH)).text.includes(buyer));
  await choose(page, 'Mail the key');
  await button(dialog(page, 'Mail the key?'), 'Mail the key').click();
  await told(page, `The key will be mailed to ${buyer}`);
  await until(
    'there are two mails on the page',
    async () => (await page.getByRole('link', { name: /^Mail \w+: delivery of license\.key_mailed/ }).count()) === 2,
  );
});

test('a sale without a matching plan is held with the reason, and its license is issued after a plan matches', async () => {
  const { product, type } = await newShop();
  const { id, url } = await connect(product.id, {});
  expect(await sell(url, { ref: 'price_new' })).toMatchObject({ status: expect.stringMatching(/held|waiting/) as string });
  await openAdmin(page, `/products/${product.id}/payments?status=held`);
  const held = page.getByRole('row', { name: /No plan has the ref price_new/ });
  await held.getByRole('link', { name: 'invoice.paid' }).click();
  const shown = page.getByRole('dialog');
  await button(shown, 'Process again').click();
  await told(page, 'It is still held');
  await page.keyboard.press('Escape');
  await shown.waitFor({ state: 'detached' });
  await goTo(page, `/products/${product.id}/payments/${id}`);
  await page.getByLabel('For other sales').selectOption(String(type.id));
  await button(page, 'Save the plans').click();
  await told(page, 'Saved the plans');
  await goTo(page, `/products/${product.id}/payments?status=held`);
  await button(page, 'Process all held notifications').click();
  await told(page, /Processed \d; 0 sales are still held/);
  await page.getByText('No notification is held').waitFor();
  expect((await get<LicenseView[]>(`/v1/products/${product.id}/licenses`)).body).toHaveLength(1);
});

test('an order is found by any of its ids, in the payments log, in the list of licenses and in the search', async () => {
  const { product, type } = await newShop();
  const { url } = await connect(product.id, { default_license_type_id: type.id });
  await sell(url, { recurring: true });
  await sell(url);
  const licenses = (await get<LicenseView[]>(`/v1/products/${product.id}/licenses`)).body;
  const wanted = licenses.find(({ order }) => order?.subscription_id !== null)!;
  const subscription = wanted.order?.subscription_id ?? '';
  await openAdmin(page, `/products/${product.id}/payments?view=log`);
  await page.getByRole('searchbox', { name: 'Order' }).fill(subscription);
  await page.getByRole('searchbox', { name: 'Order' }).press('Enter');
  await until(
    'only this order shows',
    async () => (await page.getByRole('group', { name: 'Payments log' }).getByRole('row').count()) === 4,
  );
  await page.getByRole('navigation', { name: 'Payments shown' }).getByRole('link', { name: 'Orders' }).click();
  const orders = page.getByRole('group', { name: 'Orders' }).getByRole('row');
  await until('both orders show', async () => (await orders.count()) === 3);
  await page.getByRole('searchbox', { name: 'Buyer or order' }).fill(subscription);
  await page.keyboard.press('Enter');
  await until('only this order shows', async () => (await orders.count()) === 2);
  await goTo(page, `/products/${product.id}/licenses?q=${subscription}`);
  await page.getByRole('link', { name: wanted.key }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await goTo(page, `/find?q=${wanted.order?.order_id ?? ''}`);
  await heading(page, wanted.key).waitFor();
});

test('an operator adds a plan at a held sale, which is then issued, and reads in the order what was earned', async () => {
  const { product, type } = await newShop({ name: 'Pro for a year' });
  const { url } = await connect(product.id, {});
  const buyer = `${unique('ada')}@example.com`;
  await sell(url, { ref: 'price_new', email: buyer, recurring: true });
  await openAdmin(page, `/products/${product.id}/payments`);
  const row = page.getByRole('row', { name: new RegExp(buyer) });
  await row.getByText('Held').waitFor();
  expect(await findings(page, 'the orders')).toEqual([]);
  // Support is asked by a buyer who has paid and has no license yet.
  await goTo(page, `/find?q=${buyer}`);
  await page.getByText('An order of this buyer is held.').waitFor();
  await page.getByRole('group', { name: 'Orders' }).getByRole('link').click();
  const order = dialog(page, 'Order');
  await order.getByLabel('Add a plan for price_new').selectOption({ label: 'Pro for a year' });
  expect(await findings(page, 'a held order', '[role="dialog"]')).toEqual([]);
  await button(order, 'Add and process').click();
  await told(page, 'Added the plan, and processed the sale');
  await order.getByText('This sale is held').waitFor({ state: 'detached' });
  // Three notifications report the same payment.
  expect(await order.textContent()).toMatch(/Paid\$49\.00.*Net\$49\.00.*SubscriptionActive.*Renews/);
  await order.getByRole('link', { name: 'invoice.paid' }).click();
  await dialog(page, 'invoice.paid').getByRole('group', { name: 'Payload' }).waitFor();
  await page.keyboard.press('Escape');
  await order.getByRole('link', { name: /^License \d+$/ }).click();
  await page.getByText('Pro for a year').first().waitFor();
  const [{ plans } = { plans: [] }] = (await get<{ plans: object[] }[]>(`/v1/products/${product.id}/payment-connections`)).body;
  expect(plans).toMatchObject([{ ref: 'price_new', license_type_id: type.id }]);
  await goTo(page, `/products/${product.id}`);
  const revenue = page.getByRole('region', { name: 'Revenue in USD' });
  await revenue.getByText('$49.00').waitFor();
  expect(await findings(page, 'the revenue', '[aria-label="Revenue in USD"]')).toEqual([]);
});

test('the mails to buyers have their own list, in which one can be opened and sent again', async () => {
  const { product, type } = await newShop();
  await post(`/v1/products/${product.id}/mail`, { send_keys: true });
  const buyer = `${unique('grace')}@example.com`;
  await post(`/v1/products/${product.id}/licenses`, { license_type_id: type.id, customer_email: buyer });
  await openAdmin(page, `/products/${product.id}/payments`);
  await page.getByRole('link', { name: 'Sent mails' }).click();
  const row = page.getByRole('group', { name: 'Sent mails' }).getByRole('row', { name: new RegExp(buyer) });
  await row.getByText('Delivered').waitFor();
  expect(await row.textContent()).toContain('Key mailed');
  expect(await findings(page, 'the sent mails')).toEqual([]);
  await row.getByRole('link', { name: buyer }).click();
  await button(dialog(page, 'license.key_mailed'), 'Send again').click();
  await told(page, 'Sending the event again');
  await page.keyboard.press('Escape');
  await row.waitFor();
});

test('the field for an order always shows the order that the log is limited to', async () => {
  const { product, type } = await newShop();
  const { url } = await connect(product.id, { default_license_type_id: type.id });
  await sell(url);
  await sell(url);
  const [license] = (await get<LicenseView[]>(`/v1/products/${product.id}/licenses`)).body;
  const order = license?.order?.order_id ?? '';
  const payments = (await get<{ order_id: string }[]>(`/v1/products/${product.id}/payments`)).body;
  const ofOrder = payments.filter(({ order_id: id }) => id === order);
  expect(ofOrder.length).toBeLessThan(payments.length);
  await openAdmin(page, `/products/${product.id}/payments?view=log`);
  const field = page.getByRole('searchbox', { name: 'Order' });
  const rows = page.getByRole('group', { name: 'Payments log' }).getByRole('row');
  const shows = (text: string, count: number): Promise<unknown> =>
    until(`${count} rows are shown`, async () => (await field.inputValue()) === text && (await rows.count()) === count + 1);
  await shows('', payments.length);
  await field.fill(order);
  await page.keyboard.press('Enter');
  await shows(order, ofOrder.length);
  await goTo(page, `/products/${product.id}/payments?view=log`);
  await shows('', payments.length);
  await page.goBack();
  await shows(order, ofOrder.length);
  await field.fill('');
  await shows('', payments.length);
});

test("the amount, the country and a link to the processor are in the payments log, on the license, and in the accountant's file", async () => {
  const { product, type } = await newShop();
  const { url } = await connect(product.id, { default_license_type_id: type.id });
  await sell(url, { recurring: true, quantity: 2 });
  const [license] = (await get<LicenseView[]>(`/v1/products/${product.id}/licenses`)).body;
  await openAdmin(page, `/products/${product.id}/payments?view=log`);
  const row = page.getByRole('row', { name: /invoice\.paid/ });
  await row.getByText('$98.00').waitFor();
  await row.getByRole('link', { name: 'invoice.paid' }).click();
  const shown = dialog(page, 'invoice.paid');
  await shown.getByText('$98.00').waitFor();
  expect(await shown.textContent()).toMatch(/Amount\$98\.00.*CountryNetherlands/);
  const subscription = shown.getByRole('link', { name: 'Show the subscription at Stripe' });
  expect(await subscription.getAttribute('href')).toMatch(/^https:\/\/dashboard\.stripe\.com\/subscriptions\/sub_/);
  expect(await findings(page, 'a notification with an amount', '[role="dialog"]')).toEqual([]);
  await closeDialog(shown);

  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export CSV').click()]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^${product.slug}-payments-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
  const [head = [], ...rows] = parseCsv((await (await file.createReadStream()).toArray()).join('')).map(({ cells }) => cells);
  const amounts = rows.map((cells) => ['type', 'direction', 'amount', 'currency'].map((name) => cells[head.indexOf(name)]));
  expect(amounts).toContainEqual(['invoice.paid', 'paid', '9800', 'USD']);
  await told(page, /Exported .*-payments-/);

  // Three notifications report the same payment, so the payment is counted once.
  await goTo(page, `/licenses/${license!.id}`);
  await page.getByText('$98.00 paid, Netherlands').waitFor();
  expect(await page.getByRole('link', { name: 'Show the order at Stripe' }).getAttribute('href')).toMatch(/dashboard\.stripe\.com/);

  await openAdmin(page, '/products/999999999/payments');
  await page.getByText('There is no such product').waitFor();
  // The response about the payments may arrive earlier than the response about the product, which removes the buttons.
  await main(page).getByRole('button').waitFor({ state: 'detached' });
});

test('the settings of a connection, its API key and reconciling can be set and removed, and errors are sentences', async () => {
  const { product } = await newShop();
  const { id } = await connect(product.id, { name: 'Shop' });
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  await page.getByLabel('Grace period (days)').fill('61');
  await button(page, 'Save the settings').click();
  await page.getByText(/^This .*60/).waitFor();
  await page.getByLabel('Grace period (days)').fill('7');
  await page.getByLabel('Opened dispute').selectOption('revoke');
  await page.getByLabel('Mode').selectOption('test');
  await page.getByLabel('Enabled').uncheck();
  await button(page, 'Save the settings').click();
  await told(page, 'Saved the settings');
  await page.getByText('Stripe, test mode, disabled').waitFor();
  expect((await get(`/v1/payment-connections/${id}`)).body).toMatchObject({
    mode: 'test',
    grace_days: 7,
    on_dispute: 'revoke',
    enabled: false,
  });
  expect(await button(page, 'Reconcile now').count()).toBe(0);
  await page.getByLabel('API key', { exact: true }).fill('rk_live_1');
  await button(page, 'Save the API key').click();
  await told(page, 'Saved the API key');
  await page.getByLabel('Search from (optional)').fill('2026-01-31');
  const reconciling = page.waitForRequest(/reconcile$/);
  await button(page, 'Reconcile now').click();
  expect((await reconciling).postDataJSON()).toEqual({ since: '2026-01-31T00:00:00.000Z' });
  await told(page, /Searching for missed notifications/);
  await button(page, 'Remove it').click();
  await until(
    'the key is gone',
    async () => (await get<{ api_key_set: boolean }>(`/v1/payment-connections/${id}`)).body.api_key_set === false,
  );
});

test('saving one form of a connection keeps the unsaved input of the other forms', async () => {
  const { product } = await newShop();
  const { id } = await connect(product.id, { name: 'Shop' });
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  await button(page, 'Add a plan').click();
  await page.getByLabel('Id of the product sold').fill('price_1');
  await page.getByLabel('Name', { exact: true }).fill('Shop in Berlin');
  await page.getByLabel('API key', { exact: true }).fill('rk_live_1');
  await button(page, 'Save the API key').click();
  await told(page, 'Saved the API key');
  await button(page, 'Remove it').waitFor();
  await button(page, 'Save the plans').click();
  await told(page, 'Saved the plans');
  await button(page, 'Save the settings').click();
  await told(page, 'Saved the settings');
  await heading(page, 'Shop in Berlin').waitFor();
  expect((await get(`/v1/payment-connections/${id}`)).body).toMatchObject({ name: 'Shop in Berlin', plans: [{ ref: 'price_1' }] });
});

test('the forms of a connection keep what somebody else has changed in the meantime', async () => {
  const { product, type } = await newShop();
  const { id } = await connect(product.id, { name: 'Shop' });
  const path = `/v1/payment-connections/${id}`;
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  // The page still shows the old connection, as if it had not been loaded again yet.
  const before = JSON.stringify((await get(path)).body);
  const old = (route: Route) =>
    route.request().method() === 'GET' ? route.fulfill({ contentType: 'application/json', body: before }) : route.continue();
  await page.route(`**${path}`, old);
  await button(page, 'Add a plan').click();
  await page.getByLabel('Id of the product sold').fill('price_mine');
  await page.getByLabel('Grace period (days)').fill('7');
  const theirs = { name: 'Theirs', plans: [{ ref: 'price_theirs', license_type_id: type.id }] };
  expect((await send(path, { method: 'PATCH', body: theirs, headers: { 'X-Svc-Admin-Token': adminToken() } })).status).toBe(200);
  await button(page, 'Save the settings').click();
  await told(page, 'Saved the settings');
  await page.unroute(`**${path}`, old);
  await button(page, 'Save the plans').click();
  await page.getByText('Not saved, because somebody else has changed the same data in the meantime').waitFor();
  expect((await get(path)).body).toMatchObject({ ...theirs, grace_days: 7 });
});

test('the forms of a connection keep input that is not saved when somebody else changes the connection', async () => {
  const { product, type } = await newShop();
  const { id } = await connect(product.id, { name: 'Shop' });
  const path = `/v1/payment-connections/${id}`;
  const change = (body: object) => send(path, { method: 'PATCH', body, headers: { 'X-Svc-Admin-Token': adminToken() } });
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  const name = page.getByLabel('Name', { exact: true });
  // A form without input shows the change.
  await change({ name: 'Theirs' });
  await until('the form is filled again', async () => (await name.inputValue()) === 'Theirs');

  await button(page, 'Add a plan').click();
  await page.getByLabel('Id of the product sold').fill('price_mine');
  await page.getByLabel('Grace period (days)').fill('7');
  await change({ name: 'Theirs again', plans: [{ ref: 'price_theirs', license_type_id: type.id }] });
  await heading(page, 'Theirs again').waitFor();
  expect(await page.getByLabel('Id of the product sold').inputValue()).toBe('price_mine');
  expect(await page.getByLabel('Grace period (days)').inputValue()).toBe('7');
  await button(page, 'Save the settings').click();
  await told(page, 'Saved the settings');
  await until('the saved form shows both changes', async () => (await name.inputValue()) === 'Theirs again');
  await button(page, 'Save the plans').click();
  await page.getByText('Not saved, because somebody else has changed the same data in the meantime').waitFor();
  expect(await page.getByLabel('Id of the product sold').inputValue()).toBe('price_mine');
  expect((await get(path)).body).toMatchObject({ name: 'Theirs again', plans: [{ ref: 'price_theirs' }], grace_days: 7 });
});

test('input that a form receives while it is being saved is neither lost nor saved unseen', async () => {
  const { product } = await newShop();
  const { id } = await connect(product.id, { name: 'Shop' });
  const path = `/v1/payment-connections/${id}`;
  await openAdmin(page, `/products/${product.id}/payments/${id}`);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'PATCH') await released;
    await route.continue();
  });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Shop in Berlin');
  const saving = page.waitForRequest((request) => request.method() === 'PATCH');
  await name.press('Enter');
  await saving;
  await name.fill('Shop in Bern');
  release();
  await told(page, 'Saved the settings');
  await heading(page, 'Shop in Berlin').waitFor();
  expect(await name.inputValue()).toBe('Shop in Bern');
  await button(page, 'Save the settings').click();
  await heading(page, 'Shop in Bern').waitFor();
  expect((await get(path)).body).toMatchObject({ name: 'Shop in Bern' });
});

test('a double click creates only one connection, and a connection that was created by mistake can be hidden', async () => {
  const { product } = await newShop();
  await connect(product.id, { name: 'Right' });
  await openAdmin(page, `/products/${product.id}/payments`);
  await button(page, 'Connect a processor').click();
  const form = dialog(page, 'Connect a processor');
  await form.getByLabel('Name (optional)').fill('Mistake');
  await button(form, 'Connect').dblclick();
  await heading(page, 'Mistake').waitFor();
  expect((await get<unknown[]>(`/v1/products/${product.id}/payment-connections`)).body).toHaveLength(2);
  await page.getByLabel('Enabled').uncheck();
  await button(page, 'Save the settings').click();
  await told(page, 'Saved the settings');
  await goTo(page, `/products/${product.id}/payments`);
  await page.getByRole('row', { name: 'Right' }).waitFor();
  await button(page, 'Show 1 disabled connection').waitFor();
  expect(await page.getByRole('row', { name: 'Mistake' }).count()).toBe(0);
  await button(page, 'Show 1 disabled connection').click();
  await page.getByRole('row', { name: 'Mistake' }).waitFor();
});

test('with the keyboard alone, an operator creates a connection with its secret', async () => {
  const { product } = await newShop();
  await openAdmin(page, `/products/${product.id}`);
  await typeSearch(page, 'Control+k', 'payments', 'Payments');
  await heading(page, 'Payments').waitFor();
  await button(page, 'Connect a processor').focus();
  await page.keyboard.press('Enter');
  const form = dialog(page, 'Connect a processor');
  await form.getByLabel('Processor').and(page.locator(':focus')).pressSequentially('Gum');
  expect(await form.getByLabel('Processor').inputValue()).toBe('gumroad');
  await page.keyboard.press('Enter');
  await button(form, 'Connect').focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Gumroad').waitFor();
  // This processor does not sign its notifications, so the form has no step for a secret.
  expect(await page.getByLabel('Signing secret').count()).toBe(0);
  expect(page.url()).toBe(`${adminUrl(`/products/${product.id}/payments/`)}${new URL(page.url()).hash.split('/').pop() ?? ''}`);
});

test('on a phone no text of the payments page is cut off', async () => {
  await tabs.reopen({ viewport: { width: 375, height: 700 } });
  const { product, type } = await newShop();
  const { id, url } = await connect(product.id, { plans: [{ ref: 'price_1Pro', license_type_id: type.id }] });
  await sell(url);
  for (const route of ['payments', `payments/${id}`]) {
    await openAdmin(page, `/products/${product.id}/${route}`);
    await button(page, route === 'payments' ? 'Edit the mail' : 'Save the settings').waitFor();
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  }
});
