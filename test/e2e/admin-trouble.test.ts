import type { Page } from 'playwright-core';
import { shops } from '../../bin/sell/scenarios';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { adminUrl, button, dialog, goTo, heading, main, openAdmin, showOnly } from '../support/admin';
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
  patch,
  post,
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

test('the causes of failed deliveries are shown at every window width', async () => {
  const { product, license } = await newShop();
  // The failures are simulated, because real failures would take minutes.
  const failures = [
    ...Array.from({ length: 60 }, (_, id) => failureOf(license, id + 1, `connect ECONNREFUSED 127.0.0.1:${9 + (id % 2)}`)),
    failureOf(license, 400, 'the receiver responded with 500', 500),
  ];
  await page.route('**/deliveries?*', (route) => route.fulfill({ json: failures }));
  await openAdmin(page, `/products/${product.id}/webhooks`);
  const groups = page.getByRole('region', { name: 'Failures by cause' });
  for (const width of [390, 768, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    await groups.getByText('60 × connection refused').waitFor();
    await groups.getByText('1 × responded 500').waitFor();
    await page.getByRole('row', { name: /responded 500/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  expect(await findings(page, 'failures')).toEqual([]);
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
      // If the search found one license, for example by the name of its device, the page of the license would open instead.
      [`/find?q=${encodeURIComponent(`${type} nothing`)}`, page.getByText(`“${type} nothing”`)],
    ] as const) {
      await goTo(page, route);
      await ready.first().waitFor();
    }
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await main(page).locator('script, svg[onload], img').count()).toBe(0);
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
  await patch(`/v1/payment-connections/${id}`, { default_license_type_id: type.id });
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
