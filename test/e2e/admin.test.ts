import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { MAILBOX_PATH } from '../../infra/local/mailbox';
import { adminUrl, button, choose, closeDialog, dialog, goTo, heading, main, openAdmin, told, typeSearch } from '../support/admin';
import { freshTabs } from '../support/browser';
import { adminToken, get, getLicense, mailboxUrl, newFingerprint, newProduct, newShop, post, unique } from '../support/http';
import { until } from '../support/until';
import { startReceiver, type Receiver } from '../support/receiver';

/** Tests an operator's work from the first sign-in, in a real browser with the real service. */

let page: Page;
let backend: Receiver;
freshTabs((opened) => (page = opened));
beforeAll(async () => {
  backend = await startReceiver();
});
afterAll(() => backend?.close());

test('a newcomer signs in and creates a product, a license type and a license without a manual', async () => {
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(adminToken());
  expect(await page.title()).toBe('Sign in · License keys');
  const box = await page.getByRole('main').locator('form').boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0) / 2).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, 0);
  await page.getByLabel('Admin token').press('Enter');
  await heading(page, 'Products').waitFor();
  expect(page.url()).not.toContain(adminToken());

  const slug = unique('aurora');
  await button(page, 'New product').click();
  const product = dialog(page, 'New product');
  await product.getByLabel('Name').fill(`Aurora ${slug}`);
  expect(await product.getByLabel('Slug').inputValue()).toBe(`aurora-${slug}`);
  await product.getByLabel('Slug').fill(slug);
  await button(product, 'Create product').click();

  await heading(page, 'Integration').waitFor();
  const apiKey = await page.getByRole('group', { name: 'API key', exact: true }).textContent();
  expect(apiKey).toMatch(/^pk_/);
  expect(await page.getByRole('group', { name: 'Public key', exact: true }).textContent()).toContain('BEGIN PUBLIC KEY');
  expect(await page.getByRole('group', { name: /Client snippet/ }).textContent()).toContain(apiKey);
  await button(page, 'Copy API key').click();
  await told(page, 'Copied the API key');

  await page.getByRole('link', { name: 'add a license type' }).click();
  await button(main(page), 'New license type').click();
  const type = dialog(page, 'New license type');
  await type.getByLabel('Name').fill('Pro for a year');
  expect(await type.getByLabel('Duration (days)').inputValue()).toBe('365');
  await type.getByLabel('Lifetime').check();
  expect(await type.getByLabel('Duration (days)').count()).toBe(0);
  await type.getByLabel('Trial').check();
  expect(await type.getByLabel('Duration (days)').inputValue()).toBe('14');
  await type.getByLabel('Subscription').check();
  await type.getByRole('textbox', { name: 'Seats' }).fill('2');
  await button(type, 'Create license type').click();
  await told(page, 'Created the license type Pro for a year');
  expect(await page.getByRole('row', { name: /Pro for a year/ }).textContent()).toMatch(/Subscription.*2 seats.*1 year/);

  await page.getByRole('link', { name: 'Licenses', exact: true }).click();
  await button(main(page), 'New license').first().click();
  const license = dialog(page, 'New license');
  await license.getByLabel(/e-mail/).fill('ada@example.com');
  await license.getByLabel(/Metadata/).fill('{"order": ');
  await license.getByText('This is not valid JSON').waitFor();
  expect(await button(license, 'Issue license').isDisabled()).toBe(true);
  await license.getByLabel(/Metadata/).fill('{"order": "A-1001"}');
  await button(license, 'Issue license').click();
  const key = await license.getByTestId('issued-key').textContent();
  expect(key).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){4}$/);
  await button(license, 'Open the license').click();
  await heading(page, key ?? '').waitFor();
  const text = await main(page).textContent();
  for (const expected of [
    'Active',
    '0 of 2 seats used',
    'Expires in 12 months',
    'ada@example.com',
    '"order": "A-1001"',
    'No device uses this license',
    'Issued',
  ])
    expect(text).toContain(expected);
});

test('in a browser that forbids pages to store anything, an operator can sign in', async () => {
  await page.addInitScript(
    `for (const name of ['localStorage', 'sessionStorage'])
       Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } });`,
  );
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(adminToken());
  await page.getByLabel('Admin token').press('Enter');
  await heading(page, 'Products').waitFor();
});

test('a name that is already used is refused with an error message, and another name is accepted in the same form', async () => {
  const product = await newProduct();
  await openAdmin(page);
  await button(page, 'New product').click();
  const form = dialog(page, 'New product');
  await form.getByLabel('Name').fill(product.name);
  await button(form, 'Create product').click();
  await form.getByText('This is taken by another product.').waitFor();
  await form.getByLabel('Name').fill(unique('Other'));
  await button(form, 'Create product').click();
  await heading(page, 'Integration').waitFor();
});

describe('the page of a license', () => {
  test('the page shows the devices of a license, and frees one seat or all seats', async () => {
    const { license, client } = await newShop({ max_seats: 3 });
    for (const [platform, name] of [
      ['macos', 'Ada’s MacBook'],
      ['windows', 'Office PC'],
      ['linux', ''],
    ] as const)
      await client.activate(license.key, newFingerprint(), { platform, name });
    await openAdmin(page, `/licenses/${license.id}`);
    await page.getByText('3 of 3 seats used').waitFor();
    const devices = page.getByRole('table').first();
    expect(await devices.getByRole('row').allTextContents()).toEqual([
      expect.any(String),
      expect.stringContaining('Ada’s MacBook'),
      expect.stringContaining('Office PC'),
      expect.stringContaining('linux'),
    ]);

    await button(page, 'Free seat of Office PC').click();
    await button(dialog(page, 'Free this seat?'), 'Free the seat').click();
    await told(page, 'Freed the seat of Office PC');
    await page.getByText('2 of 3 seats used').waitFor();
    await page.getByText('Seat freed: Office PC').waitFor();

    await choose(page, 'Free all seats');
    await button(dialog(page, 'Free all seats?'), 'Free all seats').click();
    await told(page, 'Freed 2 seats');
    await page.getByText('No device uses this license').waitFor();
    await page.getByText('All seats freed').waitFor();
    expect((await getLicense(license.id)).seats.used).toBe(0);
  });

  test('a license can be renewed by its type, by days or until a date, after the page has shown the new end', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
    await openAdmin(page, `/licenses/${license.id}`);
    await button(page, 'Renew').click();
    const form = dialog(page, 'Renew this license');
    const day = 86_400_000;
    const shown = (ms: number): string => new Date(ms).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });
    await form.getByText(shown(Date.parse(license.expires_at ?? '') + 30 * day)).waitFor();
    await button(form, 'Renew').click();
    await told(page, /Renewed until/);
    await form.waitFor({ state: 'hidden' });

    await button(page, 'Renew').click();
    await form.getByLabel('Renew', { exact: true }).selectOption({ label: 'for a number of days' });
    await form.getByLabel('Days').fill('40');
    await button(form, 'Renew').click();
    await page.getByText('Expires in 3 months', { exact: true }).waitFor();
    await form.waitFor({ state: 'hidden' });

    await button(page, 'Renew').click();
    await form.getByLabel('Renew', { exact: true }).selectOption({ label: 'until a date' });
    await form.getByLabel('Until').fill('2020-01-01T00:00');
    await button(form, 'Renew').click();
    await form.getByText(/^This .*expiry/).waitFor();
    await form.getByLabel('Until').fill('2050-01-01T00:00');
    await button(form, 'Renew').click();
    await page.getByText('Jan 1, 2050').first().waitFor();
    expect((await getLicense(license.id)).expires_at).toBe('2050-01-01T00:00:00.000Z');
  });

  test('a license is renewed once, even if the button is clicked again while the dialog closes', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await openAdmin(page, `/licenses/${license.id}`);
    let renewals = 0;
    page.on('request', (request) => (renewals += request.url().endsWith(`/licenses/${license.id}/renew`) ? 1 : 0));
    await button(page, 'Renew').click();
    await dialog(page, 'Renew this license').getByText('New expiry').waitFor();
    await page.evaluate(`new Promise((resolve) => {
      const timer = setInterval(() => {
        const form = document.querySelector('[role="dialog"] form');
        if (form) form.querySelector('[type="submit"]').click();
        else resolve(clearInterval(timer));
      });
    })`);
    await told(page, /Renewed until/);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(renewals).toBe(1);
  });

  test('a license is revoked only after a confirmation, and then the page offers no impossible action', async () => {
    const { license } = await newShop();
    await openAdmin(page, `/licenses/${license.id}`);
    await choose(page, 'Revoke');
    await button(dialog(page, 'Revoke this license?'), 'Cancel').click();
    expect((await getLicense(license.id)).status).toBe('active');
    await choose(page, 'Revoke');
    await dialog(page, 'Revoke this license?')
      .getByLabel(/Reason/)
      .fill('Refunded');
    await button(dialog(page, 'Revoke this license?'), 'Revoke permanently').click();
    await told(page, 'Revoked the license');
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    expect(await getLicense(license.id)).toMatchObject({ status: 'revoked', revoked_reason: 'Refunded' });
    await page.getByText('“Refunded”').waitFor();
    for (const name of ['Renew', 'Offline token']) expect([name, await button(page, name).isDisabled()]).toEqual([name, true]);
    await button(page, 'More').click();
    expect(await page.getByRole('menuitem', { name: 'Revoke' }).isDisabled()).toBe(true);
  });

  test("the page shows why apps were refused, and the product's page shows requests with unknown keys", async () => {
    const { license, client, product } = await newShop({ max_seats: 1 });
    await openAdmin(page, `/licenses/${license.id}`);
    const refused = page.getByRole('region', { name: 'Why was it refused?' });
    await refused.getByText('No request of an app was refused').waitFor();
    await client.activate(license.key, newFingerprint());
    await client.activate(license.key, newFingerprint(), { name: 'The second laptop', platform: 'linux' });
    await client.activate('NEVER-ISSUED-KEY', newFingerprint());
    await page.reload();
    await refused.getByText('No free seat').waitFor();
    await refused.getByText(/The second laptop, linux/).waitFor();
    await goTo(page, `/products/${product.id}`);
    const unknown = page.getByRole('region', { name: 'Unknown keys' });
    await button(unknown, 'Show').click();
    await unknown.getByText('NEVER…').waitFor();
  });

  test('a license can have notes, and one click adds a week or two seats', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30, max_seats: 2 });
    await openAdmin(page, `/licenses/${license.id}`);
    await page.getByLabel('New note').fill('Called on Friday.\nWants a week more.');
    await button(page, 'Save the note').click();
    await told(page, 'Saved the note');
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByText('Wants a week more.').first().waitFor();
    await notes.getByText('deployment').waitFor();
    await button(notes, 'Delete the note “Called on Friday.”').click();
    await button(dialog(page, 'Delete this note?'), 'Delete permanently').click();
    await notes.getByText('No notes yet.').waitFor();
    await choose(page, '+7 days');
    await told(page, /Renewed until/);
    await choose(page, '+2 seats');
    await told(page, 'The license now has 4 seats');
    await choose(page, '+2 seats');
    await told(page, 'The license now has 6 seats');
    await page.getByText('The license now has 6 seats').locator('xpath=ancestor::div[1]').getByRole('button', { name: 'Undo' }).click();
    await told(page, 'Undone');
    const { expires_at, seats } = await getLicense(license.id);
    expect([Date.parse(expires_at ?? '') - Date.parse(license.expires_at ?? ''), seats.max]).toEqual([7 * 86_400_000, 4]);
  });

  test('the page creates an offline token and says what the token contains', async () => {
    const { license, product } = await newShop();
    await openAdmin(page, `/licenses/${license.id}`);
    await button(page, 'Offline token').click();
    const form = dialog(page, 'Create an offline token');
    await form.getByLabel('Valid for (days)').fill('90');
    await button(form, 'Create token').click();
    await form.getByText('Content', { exact: true }).waitFor();
    expect(await form.getByRole('group', { name: 'Offline token' }).textContent()).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
    const text = await form.textContent();
    for (const expected of [product.slug, 'Works until', 'license-key-service', `License${license.id}`]) expect(text).toContain(expected);
  });
});

test('the overview counts licenses by status and type, activations and deliveries', async () => {
  const { product, license, client, type } = await newShop({ name: 'Pro' });
  await post(`/v1/products/${product.id}/webhook`, { url: backend.url });
  await client.activate(license.key, newFingerprint());
  await openAdmin(page, `/products/${product.id}`);
  await page.getByText('Licenses by type').waitFor();
  // The numbers are updated shortly after each delivery, and the page reads them again automatically.
  await page.getByRole('region', { name: 'Activations, last 30 days' }).getByText('Activations 1').waitFor({ timeout: 25_000 });
  expect(await page.getByRole('region', { name: 'Licenses by type' }).textContent()).toContain(
    `${type.name}: 1 active, 0 suspended, 0 expired, 0 revoked`,
  );
  await page.getByRole('region', { name: 'Webhook deliveries, last 30 days' }).getByText('Delivered 1').waitFor({ timeout: 25_000 });
});

test('the page of a new product says what to do first', async () => {
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}`);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText('1 of 5 done').waitFor();
  await steps.getByRole('link', { name: 'Add a license type' }).click();
  await heading(page, 'License types').waitFor();
  await page.getByText('No license types yet').waitFor();
  await goTo(page, `/products/${product.id}/licenses`);
  await page.getByText('No licenses yet').waitFor();
  await button(main(page), 'New license').first().click();
  await dialog(page, 'New license').getByText('Add a license type first').waitFor();
});

describe('the mail page', () => {
  const send = async (to: string): Promise<void> => {
    await openAdmin(page, '/mail');
    await page.getByLabel('Send a test mail to').fill(to);
    await button(page, 'Send').click();
  };

  test('a test mail is sent to the entered address, from the address that the page shows', async () => {
    const to = `${randomBytes(6).toString('hex')}@example.com`;
    await send(to);
    await told(page, `Sent a test mail to ${to}`);
    const id = (await page.getByText(`Accepted for ${to}`).locator('code').textContent()) ?? '';
    const { from } = (await get<{ from: string }>('/v1/mail/status')).body;
    await main(page).getByText(from, { exact: true }).waitFor();

    const mailbox = (await get<readonly Record<string, unknown>[]>(MAILBOX_PATH)).body;
    expect(mailbox.find((mail) => mail['message_id'] === id)).toMatchObject({
      from,
      to: [to],
      subject: 'Test mail from the license key service',
    });
    await page.goto(mailboxUrl());
    await page.getByText(`${from} → ${to}`).waitFor();
  });

  test('an invalid address is refused with an error message', async () => {
    await send('ada@');
    await page.getByText(/^This must be a valid e-mail address/).waitFor();
  });

  test('if the mail server refuses a mail, the page shows the reason', async () => {
    await page.route('**/v1/mail/test', (route) =>
      route.fulfill({
        status: 502,
        headers: { 'X-Svc-Error-Code': 'mail_failed' },
        json: { detail: 'The mail could not be sent: 550 no such user' },
      }),
    );
    await send('ada@example.com');
    await page.getByRole('alert').getByText('550 no such user').waitFor();
  });

  test('without a mail transport the page says what is missing', async () => {
    // The response is simulated, because the stack of this test run can send mail.
    await page.route('**/v1/mail/status', (route) => route.fulfill({ json: { configured: false, from: null } }));
    await openAdmin(page, '/mail');
    await page.getByText('Mail is not set up').waitFor();
    expect(await main(page).textContent()).toContain('MAIL_FROM');
  });
});

test('a license is found by its key or address in all products, in any spelling, and a single result opens at once', async () => {
  const { license, product } = await newShop({}, { customer_email: `${randomBytes(6).toString('hex')}@example.com` });
  await openAdmin(page);
  const search = (text: string): Promise<void> => typeSearch(page, '/', text, `Find “${text}” in all products`);
  await search(license.key.toLowerCase().replaceAll('-', ' '));
  await heading(page, license.key).waitFor();
  const email = license.customer_email ?? '';
  for (const typed of [email.toUpperCase(), email.slice(0, 9), license.key.slice(0, 11), `Ada Lovelace <${email}>`]) {
    await goTo(page, '/');
    await heading(page, 'Products').waitFor();
    await search(typed);
    await heading(page, license.key).waitFor();
  }
  // A search opens the license if there is only one result. The buyer's page shows a list even if the buyer has only one license.
  await page.getByRole('link', { name: 'Buyer’s page' }).click();
  await page.getByRole('link', { name: license.key }).waitFor();
  await page.getByText(product.name).first().waitFor();
  // The address is random, so that no other test has sold a license to it.
  await goTo(page, `/find?q=${randomBytes(6).toString('hex')}@example.com`);
  await page.getByText('No license found').waitFor();
});

describe('the page for webhooks', () => {
  test('a webhook URL is set, tested and removed, the test is shown as delivered, and the secret is shown on request', async () => {
    const product = await newProduct();
    await openAdmin(page, `/products/${product.id}/webhooks`);
    await page.getByLabel('URL').fill('ftp://example.com');
    await button(page, 'Save').click();
    await page.getByText(/^This must/).waitFor();
    await page.getByLabel('URL').fill(backend.url);
    await button(page, 'Save').click();
    await told(page, 'Saved the webhook');

    expect(await main(page).textContent()).not.toContain('whsec_');
    await button(page, 'Reveal the secret').click();
    expect(await page.getByRole('group', { name: 'Signing secret' }).textContent()).toMatch(/^whsec_/);

    await button(page, 'Send a test event').click();
    const delivery = dialog(page, /^(webhook|license)\./);
    await delivery.getByText('Delivered').waitFor();
    expect(await delivery.getByRole('group', { name: 'Payload' }).textContent()).toContain('"event": "webhook.test"');
    expect(await delivery.textContent()).toContain('Responded 200');
    await closeDialog(delivery);
    // The list updates automatically, without a reload.
    await page.getByRole('row', { name: /webhook\.test.*Delivered/ }).waitFor();

    await button(page, 'Clear').click();
    await button(dialog(page, 'Clear the webhook?'), 'Clear the webhook').click();
    await told(page, 'Cleared the webhook');
    await until('the field is empty', async () => (await page.getByLabel('URL').inputValue()) === '');
  });

  test('the attempts of a failing delivery appear on the page one by one', async () => {
    const { product, license } = await newShop();
    backend.answer = () => 500;
    await post(`/v1/products/${product.id}/webhook`, { url: backend.url });
    await openAdmin(page, `/licenses/${license.id}`);
    await choose(page, 'Free all seats');
    await button(dialog(page, 'Free all seats?'), 'Free all seats').click();
    await page.getByRole('link', { name: /Webhook pending: delivery of license\.reset/ }).click();
    const delivery = dialog(page, /^(webhook|license)\./);
    await delivery.getByText('1. Responded 500').waitFor();
    await delivery.getByText(/The next attempt is due/).waitFor();
    backend.answer = () => 200;
    await delivery.getByText(/\d\. Responded 200/).waitFor();
    await delivery.getByText('Delivered', { exact: true }).waitFor();
  });

  test('an attempt shows a reason only if the status does not already say it', async () => {
    const product = await newProduct();
    await post(`/v1/products/${product.id}/webhook`, { url: backend.url });
    backend.answer = (_, response) => void response.writeHead(200, { 'Content-Length': 9 }).write('cut', () => response.destroy());
    await openAdmin(page, `/products/${product.id}/webhooks`);
    await button(page, 'Send a test event').click();
    const attempts = dialog(page, /^(webhook|license)\./).getByRole('listitem');
    await attempts.filter({ hasText: '1. Responded 200' }).getByText('ECONNRESET').waitFor();
    backend.answer = () => 500;
    const refused = attempts.filter({ hasText: 'Responded 500' }).first();
    await refused.waitFor();
    expect(await refused.textContent()).not.toContain('the receiver');
    backend.answer = () => 200;
    await attempts.filter({ hasText: 'Responded 200' }).nth(1).waitFor();
  });
});
