import type { Page } from 'playwright-core';
import { shops } from '../../bin/sell/scenarios';
import { MAILBOX_PATH } from '../../infra/local/mailbox';
import type { LicenseTypeView, ProductView } from '../../lambdas/contract/resources';
import { button, choose, dialog, goTo, heading, main, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { deliveriesOf, orderOf, SECRETS } from '../support/counter';
import { get, newProduct, newType, post, unique } from '../support/http';
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
  await button(page, 'Edit the mail with the key').click();
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

test('on a phone no text of the payments page is cut off', async () => {
  await tabs.reopen({ viewport: { width: 375, height: 700 } });
  const { product, type } = await newShop();
  const { id, url } = await connect(product.id, { plans: [{ ref: 'price_1Pro', license_type_id: type.id }] });
  await sell(url);
  for (const route of ['payments', `payments/${id}`]) {
    await openAdmin(page, `/products/${product.id}/${route}`);
    await button(page, route === 'payments' ? 'Edit the mail with the key' : 'Save the settings').waitFor();
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  }
});
