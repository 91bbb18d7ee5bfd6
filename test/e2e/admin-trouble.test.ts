import type { Page } from 'playwright-core';
import { shops } from '../../bin/sell/scenarios';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { adminUrl, button, choose, dialog, goTo, heading, main, openAdmin, showOnly, told } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { deliveriesOf, orderOf, SECRETS } from '../support/counter';
import {
  adminToken,
  app,
  get,
  newAdminToken,
  newFingerprint,
  newLicense,
  newProduct,
  newShop,
  newType,
  post,
  send,
  unique,
  type Shop,
} from '../support/http';
import { startReceiver, type Receiver } from '../support/receiver';
import { until } from '../support/until';

/** Tests the admin page when something is wrong: the token, the service, or texts that people have entered. */

let page: Page;
/**
 * A product whose webhook refuses every event. It takes about half a minute until all attempts of a delivery have failed. Therefore the
 * delivery starts before the first test, and only the last test checks the delivery.
 */
let broken: ProductView;
let refusing: Receiver;
let accepting: Receiver;
beforeAll(async () => {
  [refusing, accepting, broken] = await Promise.all([startReceiver(), startReceiver(), newProduct()]);
  refusing.answer = () => 500;
  await post(`/v1/products/${broken.id}/webhook`, { url: refusing.url });
  await newLicense(await newType(broken));
});
afterAll(async () => {
  await refusing?.close();
  await accepting?.close();
});
freshTabs((opened) => (page = opened));

describe('problems with the admin token', () => {
  test.each([['not-the-token'], ['schlüssel'], ['two words']])(
    'the invalid token %s is refused with an error message, and the browser stores nothing',
    async (token) => {
      await page.goto(adminUrl());
      await page.getByLabel('Admin token').fill(token);
      await button(page, 'Sign in').click();
      await page.getByRole('alert').getByText('This admin token is not valid').waitFor();
      expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    },
  );

  test('after the token was replaced, the user has to sign in again, and then returns to the same page', async () => {
    const { license } = await newShop();
    await openAdmin(page, `/licenses/${license.id}`);
    await heading(page, license.key).waitFor();
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: { detail: 'Bad or missing credentials' } }));
    await choose(page, 'Free all seats');
    await button(dialog(page, 'Free all seats?'), 'Free all seats').click();
    await page.getByText('The admin token is no longer valid, so you were signed out.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);

    await page.unroute('**/v1/**');
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await heading(page, license.key).waitFor();
  });

  test('if the token becomes invalid while a dialog is open, the dialog keeps its input while the user signs in again', async () => {
    const { product } = await newShop();
    await page.goto(adminUrl(`/products/${product.id}/licenses`));
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await button(page, 'New license').first().click();
    const form = dialog(page, 'New license');
    await form.getByLabel(/e-mail/).fill('typed-before@example.com');
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: { detail: 'Bad or missing credentials' } }));
    await button(form, 'Issue license').click();
    const again = dialog(page, 'Sign in again');
    await again.getByText('The admin token is no longer valid').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    // Chromium closes a dialog after several presses of Escape, even if the page prevents this.
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('Escape');
    await page.unroute('**/v1/**');
    await again.getByLabel('Admin token').fill(adminToken());
    await button(again, 'Sign in').click();
    await again.waitFor({ state: 'detached' });
    expect(await form.getByLabel(/e-mail/).inputValue()).toBe('typed-before@example.com');
    await button(form, 'Issue license').click();
    await form.getByTestId('issued-key').waitFor();
  });

  test('if the user signs in again with a more restricted token, the page no longer shows the previous data', async () => {
    const { product, license } = await newShop();
    await page.goto(adminUrl(`/licenses/${license.id}`));
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await heading(page, license.key).waitFor();
    const other = await newProduct();
    const token = await newAdminToken({ scopes: ['read'], product_id: other.id });
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: { detail: 'Bad or missing credentials' } }));
    const again = dialog(page, 'Sign in again');
    await again.waitFor();
    await page.unroute('**/v1/**');
    await again.getByLabel('Admin token').fill(token);
    await button(again, 'Sign in').click();
    await heading(page, `License ${license.id}`).waitFor();
    expect(await page.textContent('body')).not.toContain(license.key);
    expect(await page.textContent('body')).not.toContain(product.name);
  });

  test('a sign-out deletes the token and all data that was shown', async () => {
    const { license } = await newShop();
    await page.goto(adminUrl(`/licenses/${license.id}`));
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await heading(page, license.key).waitFor();
    await button(page, 'Sign out').click();
    await page.getByText('You are signed out.').waitFor();
    expect(await page.textContent('body')).not.toContain(license.key);
    expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(0);
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
  });
});

test('settings that somebody else has changed while a form was open are not overwritten', async () => {
  const { id } = await newProduct();
  const path = `/v1/products/${id}`;
  const refused = 'Not saved, because somebody else has changed the same data in the meantime';

  await openAdmin(page, `/products/${id}/portal`);
  await page.getByLabel('Title (optional)').fill('Mine');
  await post(`${path}/portal`, { enabled: true });
  await button(page, 'Save').click();
  await told(page, 'The portal is open');
  expect((await get(`${path}/portal`)).body).toMatchObject({ enabled: true, title: 'Mine' });
  // The form now also shows what somebody else has changed, so the next request does not undo it.
  await page.getByLabel('Title (optional)').fill('Mine again');
  await button(page, 'Save').click();
  await until('the title is saved', async () => (await get<{ title: string }>(`${path}/portal`)).body.title === 'Mine again');
  expect((await get(`${path}/portal`)).body).toMatchObject({ enabled: true });

  await goTo(page, `/products/${id}/payments`);
  // The lists above the button move it when they are loaded, and a click on a moving button can miss it.
  await page.getByText('No processor is connected').waitFor();
  await button(page, 'Edit the mail').and(page.locator(':enabled')).waitFor();
  await button(page, 'Edit the reminders').click();
  const reminders = dialog(page, 'Edit the reminders');
  await reminders.getByLabel('Renewal page (optional)').fill('https://example.com/renew');
  await post(`${path}/mail`, { reminders: [{ event: 'expired', days: 3 }] });
  await button(reminders, 'Save').click();
  await reminders.waitFor({ state: 'detached' });
  await button(page, 'Edit the reminders').click();
  await button(reminders, 'Add a reminder').click();
  await post(`${path}/mail`, { reminders: [] });
  await button(reminders, 'Save').click();
  await reminders.getByText(refused).waitFor();
  expect((await get(`${path}/mail`)).body).toMatchObject({ renew_url: 'https://example.com/renew', reminders: [] });

  await page.reload();
  await goTo(page, `/products/${id}/webhooks`);
  await page.getByLabel('URL').fill('https://example.com/mine');
  await post(`${path}/webhook`, { url: 'https://example.com/first' });
  await button(page, 'Save').click();
  await page.getByText(refused).waitFor();
  expect(await page.getByLabel('URL').inputValue()).toBe('https://example.com/mine');
  expect((await get(`${path}/webhook`)).body).toMatchObject({ url: 'https://example.com/first' });

  await page.reload();
  await button(page, 'Choose events').click();
  const choice = dialog(page, 'Choose events');
  await button(choice, 'None').click();
  await post(`${path}/webhook`, { url: 'https://example.com/theirs' });
  await button(choice, 'Save').click();
  await choice.getByText(refused).waitFor();
  expect((await get(`${path}/webhook`)).body).toMatchObject({ url: 'https://example.com/theirs', events: null });
});

test('the history shows separately what changed and that its delivery to the webhook failed, and shows the changes in their order', async () => {
  const shop = await newShop({ kind: 'subscription', duration_days: 30 });
  await post(`/v1/licenses/${shop.license.id}/renew`);
  await post(`/v1/licenses/${shop.license.id}/suspend`);
  await page.route('**/events*', async (route) => {
    const response = await route.fetch();
    const events = (await response.json()) as DeliveryView[];
    // All events get the same time, as after an import, and the response lists them in reverse order.
    const [at] = events.map(({ created_at }) => created_at);
    await route.fulfill({ response, json: events.reverse().map((event) => ({ ...event, created_at: at, status: 'failed' })) });
  });
  await openAdmin(page, `/licenses/${shop.license.id}`);
  const entries = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await entries.nth(2).waitFor();
  expect(await entries.allTextContents()).toEqual([
    expect.stringMatching(/^Suspendedby deployment, .*Webhook failed$/),
    expect.stringMatching(/^Renewedby deployment, .*Webhook failed$/),
    expect.stringMatching(/^Issuedby deployment, .*Webhook failed$/),
  ]);
});

/** A failed delivery of an event of the license, as the service shows it. `number` is both the delivery's id and its age in seconds. */
const failureOf = (license: LicenseView, number: number, error: string, status: number | null = null) => ({
  id: String(number).padStart(32, '0'),
  product_id: license.product_id,
  license_id: license.id,
  event: 'license.renewed',
  channel: 'webhook',
  url: 'http://127.0.0.1:9/',
  status: 'failed',
  attempts: 4,
  last_error: error,
  last_status: status,
  created_at: new Date(Date.now() - number * 1000).toISOString(),
  next_attempt_at: null,
  delivered_at: null,
  payload: { data: { license } },
  history: [],
});

test('equal failures of deliveries are one line with the cause, at every window width, and can be sent again separately', async () => {
  const { product, license } = await newShop();
  const sent: string[] = [];
  // The failures are simulated, because real failures would take minutes.
  const failures = [
    ...Array.from({ length: 60 }, (_, id) => failureOf(license, id + 1, `connect ECONNREFUSED 127.0.0.1:${9 + (id % 2)}`)),
    failureOf(license, 400, 'the receiver responded with 500', 500),
  ];
  await page.route('**/deliveries?*', (route) => route.fulfill({ json: failures }));
  await page.route('**/redeliver', (route) => {
    sent.push(new URL(route.request().url()).pathname.split('/').at(-2) ?? '');
    return route.fulfill({ status: 202, json: failures[0] });
  });
  await openAdmin(page, `/products/${product.id}/webhooks`);
  const groups = page.getByRole('region', { name: 'Failures by cause' });
  for (const width of [390, 768, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    await groups.getByText('60 × connection refused').waitFor();
    await groups.getByText('1 × responded 500').waitFor();
    // The list shows the cause too, at every window width.
    await page.getByRole('row', { name: /responded 500/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  expect(await findings(page, 'failures')).toEqual([]);
  await button(groups, 'Send these again: connection refused').press('Enter');
  const form = dialog(page, 'Send these events again');
  await button(form, 'Send 60 events again').press('Enter');
  await form.getByText('60 of 60 done').waitFor();
  expect([new Set(sent).size, sent[0], sent.includes(String(400).padStart(32, '0'))]).toEqual([60, String(60).padStart(32, '0'), false]);
  await button(form, 'Done').click();
});

test('after failed events were sent again, their causes are read again at once', async () => {
  const { product, license } = await newShop();
  const failure = failureOf(license, 1, 'connect ECONNREFUSED 127.0.0.1:9');
  // A real failure would take half a minute.
  let failures: object[] = [failure];
  await page.route('**/deliveries?*', (route) => route.fulfill({ json: failures }));
  await page.route(`**/deliveries/${failure.id}`, (route) => route.fulfill({ json: failure }));
  await page.route('**/redeliver', (route) => {
    failures = [];
    return route.fulfill({ status: 202, json: route.request().url().includes('/products/') ? { count: 1 } : failure });
  });
  await openAdmin(page);
  for (const many of [false, true]) {
    failures = [failure];
    await goTo(page, `/products/${product.id}/webhooks`);
    await page.reload();
    const groups = page.getByRole('region', { name: 'Failures by cause' });
    await groups.waitFor();
    if (many) {
      await button(page, 'Send many again').click();
      await button(dialog(page, 'Send many events again'), 'Send them again').click();
    } else {
      await page.getByRole('link', { name: 'license.renewed' }).click();
      await button(dialog(page, 'license.renewed'), 'Send again').click();
    }
    // The page requests the list again at once. Otherwise it would still offer to send the events again for up to ten seconds.
    await groups.waitFor({ state: 'detached', timeout: 3000 });
  }
});

describe('the script of all pages except the first one', () => {
  /** Whether the page loads this script on demand. The HTML does not contain the URLs of such scripts. */
  let isLater: (url: string) => boolean;
  beforeAll(async () => {
    const html = await (await fetch(adminUrl())).text();
    isLater = (url) => url.includes('/admin/assets/') && !html.includes(new URL(url).pathname);
  });

  test('the script is loaded while the first page is visible, so other pages open at once', async () => {
    const loaded = page.waitForResponse((response) => isLater(response.url()));
    await openAdmin(page);
    expect((await loaded).status()).toBe(200);
  });

  test('if an update has removed the script, the page says so, and a reload opens the requested page', async () => {
    const { product } = await newShop();
    let isGone = true;
    await page.route(/admin\/assets/, (route) =>
      isGone && isLater(route.request().url()) ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await openAdmin(page, `/products/${product.id}/types`);
    await page.getByRole('alert').getByText('This page could not be loaded').waitFor();
    expect(await findings(page, 'a page without its script')).toEqual([]);
    isGone = false;
    await button(page, 'Try again').click();
    await heading(page, 'License types').waitFor();
  });
});

test('the page of a product that does not exist shows no buttons', async () => {
  for (const section of ['licenses', 'releases']) {
    await openAdmin(page, `/products/999999999/${section}`);
    await page.getByText('There is no such product').first().waitFor();
    // The response about the list may arrive earlier than the response about the product, which removes the buttons.
    await until(`the page ${section} has no buttons`, async () => (await main(page).getByRole('button').count()) === 0);
  }
});

test('a new license has a paid type by default, not a newer trial, and filters by expiry leave out revoked licenses', async () => {
  const product = await newProduct();
  const sold = await newType(product, { name: 'Sold', kind: 'subscription', duration_days: 30 });
  await newType(product, { name: 'Trial', kind: 'trial', duration_days: 14 });
  const [valid, revoked] = [await newLicense(sold), await newLicense(sold)];
  await post(`/v1/licenses/${revoked.id}/revoke`);
  const day = (valid.expires_at ?? '').slice(0, 10);
  await openAdmin(page, `/products/${product.id}/licenses?expires_from=${day}&expires_to=${day}`);
  await page.getByRole('link', { name: valid.key }).waitFor();
  expect(await page.getByRole('link', { name: revoked.key }).count()).toBe(0);
  await button(page, 'New license').click();
  expect(await dialog(page, 'New license').getByLabel('License type').locator('option:checked').textContent()).toBe('Sold');
});

describe('problems with the service', () => {
  test("the page says that the service can't be reached, and continues when the service is back", async () => {
    const { product } = await newShop();
    await openAdmin(page);
    await heading(page, 'Products').waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await goTo(page, `/products/${product.id}/webhooks`);
    await page.getByText('The service cannot be reached.').first().waitFor();
    await page.unroute('**/v1/**');
    await button(page, 'Try again').first().click();
    await heading(page, 'Webhooks').waitFor();
    await page.getByText('Signing secret').waitFor();
  });

  test("if the service can't be reached at the sign-in, the page does not say that the token is wrong", async () => {
    await page.route('**/v1/**', (route) => route.abort());
    await page.goto(adminUrl());
    await page.getByLabel('Admin token').fill(adminToken());
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
  });

  test('an error shows its request id, and if an action fails, the dialog of the action shows the error', async () => {
    const { license } = await newShop();
    await openAdmin(page, `/licenses/${license.id}`);
    await page.route('**/reset', (route) =>
      route.fulfill({ status: 503, headers: { 'X-Request-Id': 'request-7' }, json: { detail: 'The service is busy, try again' } }),
    );
    await choose(page, 'Free all seats');
    const form = dialog(page, 'Free all seats?');
    await button(form, 'Free all seats').click();
    expect(await form.getByRole('alert').textContent()).toMatch(/busy, try again.*request-7/);
    await page.unroute('**/reset');
    await button(form, 'Free all seats').click();
    await form.waitFor({ state: 'detached' });
  });

  test("if a part of a page can't be loaded, the page shows an error for it and all other parts", async () => {
    const { product } = await newShop();
    await page.route('**/license-types', (route) => route.fulfill({ status: 500, json: { detail: 'The types broke' } }));
    await openAdmin(page, `/products/${product.id}`);
    await heading(page, product.name).waitFor();
    await page.getByRole('alert').getByText('The types broke').waitFor();
    await page.unroute('**/license-types');
    await button(page, 'Try again').click();
    await page.getByText('Licenses by type').waitFor();

    await showOnly(page, product);
    await page.reload();
    await page.route('**/overview*', (route) => route.fulfill({ status: 500, json: { detail: 'The numbers broke' } }));
    await goTo(page, '/');
    await page.getByRole('row', { name: product.name }).waitFor();
    await page.getByText('All products, day by day').scrollIntoViewIfNeeded();
    // Two parts of the page show the error: the list of products that need attention, and the charts.
    await page.getByRole('alert').getByText('The numbers broke').nth(1).waitFor();
  });

  test('a response of a captive portal is reported as such, and its content is not shown', async () => {
    await page.route('**/v1/products?*', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Hotel Wi-Fi</title>' }),
    );
    await openAdmin(page);
    await page.getByRole('alert').getByText('The response did not come from the service.').waitFor();
  });

  test.each([
    ['audit', '**/v1/audit?*'],
    ['webhooks', '**/deliveries?*'],
    ['releases', '**/releases?*'],
    ['payments', '**/orders?*'],
    ['payments?view=log', '**/payments?*'],
  ])('the list %s says how many entries the service could not read', async (name, requests) => {
    const product = await newProduct();
    await post(`/v1/products/${product.id}/payment-connections`, { processor: 'gumroad' });
    await page.route(requests, (route) => route.fulfill({ json: [], headers: { 'X-Svc-Unreadable': '2' } }));
    await openAdmin(page, `/products/${product.id}/${name}`);
    await page.getByText('2 entries are missing here').waitFor();
  });

  test('while a response is awaited, the page shows that it is loading', async () => {
    const { product } = await newShop();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/deliveries**', async (route) => {
      await held;
      await route.continue();
    });
    await openAdmin(page, `/products/${product.id}/webhooks`);
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    answer();
    await page.getByRole('table').waitFor();
  });

  test.each([
    ['/licenses/999999999'],
    ['/products/999999999'],
    ['/products/999999999/webhooks'],
    [`/events/${'0'.repeat(32)}`],
    ['/no/such/page'],
    ['/products/0/licenses'],
  ])('the page %s does not exist: it has one heading, and links to the first page', async (route) => {
    await openAdmin(page, route);
    const link = main(page).getByRole('link', { name: 'All products' });
    await link.waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await link.click();
    await heading(page, 'Products').waitFor();
  });
});

describe('texts with attack code', () => {
  const scripts = [
    '<img src=x onerror=attack()>',
    '<script>attack()</script>',
    '"><svg onload=attack()>',
    'javascript:attack()',
    '{{attack()}}',
  ];
  const turned = '\u202Eexe.gpj';
  let shop: Shop;
  beforeAll(async () => {
    const [image = '', script = '', svg = ''] = scripts;
    shop = await newShop({ name: image, max_seats: 0 }, { metadata: { [script]: svg, note: scripts, turned } });
    for (const name of scripts) await shop.client.activate(shop.license.key, newFingerprint(), { name, platform: script });
    await post(`/v1/products/${shop.product.id}/webhook`, { url: 'http://127.0.0.1:9/?<script>attack()</script>' });
    await post(`/v1/products/${shop.product.id}/webhook/test`);
  });

  test('texts with attack code are shown as text on every page and are never executed', async () => {
    await page.addInitScript('window.attack = () => { window.attacked = true; }; window.alert = window.attack;');
    const { product, license } = shop;
    await openAdmin(page, `/licenses/${license.id}`);
    await page.getByText('5 devices bound').waitFor();
    for (const text of scripts) expect([text, await page.getByRole('cell', { name: text }).first().textContent()]).toEqual([text, text]);
    expect(await page.getByRole('group', { name: 'Metadata as JSON' }).textContent()).toContain(
      JSON.stringify(scripts, null, 2).split('\n')[1]?.trim(),
    );
    const [type = ''] = scripts;
    for (const [route, ready] of [
      [`/products/${product.id}`, page.getByRole('region', { name: 'Licenses by type' }).getByText(type)],
      [`/products/${product.id}/types`, page.getByRole('link', { name: type })],
      [`/products/${product.id}/licenses`, page.getByRole('cell', { name: type })],
      [`/products/${product.id}/webhooks`, page.getByRole('link', { name: 'webhook.test' })],
      [`/find?q=${encodeURIComponent(type)}`, page.getByText(`“${type}”`)],
    ] as const) {
      await goTo(page, route);
      await ready.first().waitFor();
    }
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await main(page).locator('script, svg[onload], img').count()).toBe(0);
  });

  test("a text that reverses the direction of writing is shown escaped in JSON, so it can't change the words around it", async () => {
    await openAdmin(page, `/licenses/${shop.license.id}`);
    const json = page.getByRole('group', { name: 'Metadata as JSON' });
    await json.waitFor();
    expect(await json.textContent()).toContain('"turned": "\\u202eexe.gpj"');
  });
});

test('even with very long names no page is wider than its window, and all buttons are visible', async () => {
  const word = 'Enterprise'.repeat(20);
  const { body: product } = await post<ProductView>('/v1/products', {
    name: `${word.slice(30)}${unique()}`,
    slug: unique().padEnd(64, 'x'),
  });
  const type = await newType(product, { name: word, max_seats: 1_000_000 });
  const license = await newLicense(type, { customer_email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example`, metadata: { [word]: word } });
  await app(product).activate(license.key, newFingerprint(), { name: word, platform: word });
  const { body: connection } = await post<{ id: number }>(`/v1/products/${product.id}/payment-connections`, {
    processor: 'stripe',
    name: word,
  });
  await showOnly(page, product);
  await openAdmin(page);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [route, action] of [
      ['/', 'New product'],
      [`/products/${product.id}`, undefined],
      [`/products/${product.id}/types`, 'New license type'],
      [`/products/${product.id}/licenses`, 'New license'],
      [`/products/${product.id}/webhooks`, 'Save'],
      [`/products/${product.id}/integration`, 'Copy Client snippet'],
      [`/licenses/${license.id}`, /^Free seat of/],
      [`/find?q=${license.customer_email ?? ''}&all=1`, 'Export data'],
      [`/products/${product.id}/payments`, 'Connect a processor'],
      [`/products/${product.id}/payments/${connection.id}`, 'Save the settings'],
    ] as const) {
      await goTo(page, route);
      await main(page)
        .getByText(/Enterprise/)
        .first()
        .waitFor();
      expect([route, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([route, width]);
      if (action === undefined) continue;
      const box = await button(page, action).boundingBox();
      expect([route, (box?.x ?? 0) >= 0 && (box?.x ?? width) + (box?.width ?? 0) <= width]).toEqual([route, true]);
    }
  }
});

test('a failed delivery is shown first in the overview, and disappears when it was sent again', async () => {
  await until(
    'the delivery has failed',
    async () => (await get<DeliveryView[]>(`/v1/products/${broken.id}/deliveries?status=failed`)).body.length === 1,
    120_000,
  );
  const quiet = await newProduct();
  await showOnly(page, broken, quiet);
  await page.route('**/deliveries?*', (route) => route.abort());
  await openAdmin(page, `/products/${broken.id}`);
  const failing = page.getByRole('region', { name: 'Failing webhooks' });
  await failing.getByRole('alert').waitFor();
  await page.unroute('**/deliveries?*');
  await button(failing, 'Try again').click();
  await failing.getByText('license.created').waitFor();
  expect(await failing.textContent()).toContain('1 event could not be delivered');
  await goTo(page, '/');
  await page.getByRole('row', { name: broken.name }).getByText('1 failure').waitFor();

  // The first page lists every problem, with a link to the page on which the operator can solve it.
  const type = await newType(quiet);
  const license = await newLicense(type, { expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString() });
  const { url } = (
    await post<{ url: string }>(`/v1/products/${quiet.id}/payment-connections`, { processor: 'stripe', signing_secret: SECRETS.stripe })
  ).body;
  for (const { body, headers } of deliveriesOf(shops.stripe(), 'sale', orderOf('stripe', Date.now()), Date.now()))
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
  await page.reload();
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.waitFor();
  expect(await attention.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/^1 sale held.*Paid/),
    expect.stringMatching(/^1 webhook delivery failed/),
    expect.stringMatching(/^1 license expires this week/),
  ]);
  expect(await findings(page, 'what needs attention')).toEqual([]);
  for (const [line, found] of [
    [/^1 sale/, /No plan has the ref/],
    [/^1 webhook/, 'license.created'],
    [/^1 license/, license.key],
  ] as const) {
    await attention.getByRole('link', { name: line }).click();
    await page.getByRole('row', { name: found }).waitFor();
    await page.goBack();
  }
  const { id } = (await get<{ id: number }[]>(`/v1/products/${quiet.id}/payment-connections`)).body[0]!;
  await send(`/v1/payment-connections/${id}`, {
    method: 'PATCH',
    body: { default_license_type_id: type.id },
    headers: { 'X-Svc-Admin-Token': adminToken() },
  });
  await post(`/v1/products/${quiet.id}/payments/process`, {});

  await post(`/v1/products/${broken.id}/webhook`, { url: accepting.url });
  await goTo(page, `/products/${broken.id}`);
  await failing.getByRole('link', { name: 'license.created' }).click();
  const delivery = dialog(page, /^(webhook|license)\./);
  await delivery.getByText('4. Responded 500').waitFor();
  await button(delivery, 'Send again').click();
  await delivery.getByText('5. Responded 200').waitFor();
  await goTo(page, `/products/${broken.id}`);
  await page.getByText('Licenses by status').waitFor();
  await failing.waitFor({ state: 'detached' });
  await goTo(page, '/');
  await attention.getByText(/^1 license expires this week/).waitFor();
  // When another person solves a problem, the open page stops showing the problem.
  await post(`/v1/licenses/${license.id}/renew`, { days: 30 });
  await page.getByText(/^All is well/).waitFor();
});
