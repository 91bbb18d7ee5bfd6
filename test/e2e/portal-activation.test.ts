import type { Locator, Page } from 'playwright-core';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { button } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import {
  adminToken,
  app,
  baseUrl,
  get,
  newFingerprint,
  newLicense,
  newProduct,
  newType,
  post,
  send,
  unique,
  type Shop,
} from '../support/http';
import { until } from '../support/until';

/** Tests how a buyer approves an app's request to be activated, in a browser, on the running stack with its mailbox. */

const PHONE = { width: 360, height: 740 };
let page: Page;
let shop: Shop;
let buyer: string;
const tabs = freshTabs((opened) => (page = opened));
beforeEach(async () => {
  buyer = `${unique('buyer')}@example.com`;
  const product = await newProduct();
  const type = await newType(product, { max_seats: 1 });
  shop = { product, type, license: await newLicense(type, { customer_email: buyer }), client: app(product) };
  await post(`/v1/products/${product.id}/portal`, { enabled: true, allow: portalActions });
});

const heading = (name: string): Locator => page.getByRole('heading', { name });
const call = async <Body>(path: string, body: object): Promise<Body> =>
  (
    await send<Body>(`/v1/products/${shop.product.id}/activation-requests${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': shop.product.api_key },
      body,
    })
  ).body;

interface Asked {
  readonly request: string;
  readonly user_code: string;
  readonly url: string;
  readonly fingerprint: string;
}
async function ask(name = "Ada's MacBook"): Promise<Asked> {
  const fingerprint = newFingerprint();
  return { fingerprint, ...(await call<Omit<Asked, 'fingerprint'>>('', { fingerprint, name, platform: 'macOS' })) };
}
const statusOf = async ({ request, fingerprint }: Asked): Promise<string> =>
  (await call<{ status: string }>('/poll', { request, fingerprint })).status;
const mailTo = (subject: RegExp): Promise<string> =>
  until(`a mail to ${buyer}`, async () => {
    const { body } = await get<{ to: string[]; subject: string; text: string | null }[]>('/_local/mail', { Accept: 'application/json' });
    return body.find((mail) => mail.to.includes(buyer) && subject.test(mail.subject))?.text ?? undefined;
  });

/** Signs in with the code in a mail, in the same tab. */
async function signIn(words = { address: 'E-mail address', send: 'Send me a code' }): Promise<void> {
  await page.getByLabel(words.address).fill(buyer);
  await button(page, words.send).click();
  await page.getByRole('textbox', { name: 'Code' }).fill(/^\d{8}$/m.exec(await mailTo(/^(Your code|Ihr Code)/))?.[0] ?? '');
}
/** Saves a picture of the page if the variable names a folder, so that a person can look at it. */
async function picture(name: string): Promise<void> {
  const folder = process.env['LKS_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

test('a buyer who follows the app to the page compares the code, approves with a click, and is sent back to the app', async () => {
  const asked = await ask();
  await page.goto(asked.url);
  await page.getByText(`Sign in to activate the app that shows the code ${asked.user_code}.`).waitFor();
  expect(page.url()).not.toContain(asked.user_code);
  await picture('1-sign-in');
  await signIn();
  await heading('Activate this app?').waitFor();
  await page.getByText(`${shop.product.name} on “Ada's MacBook”, “macOS”, country not known, asked a minute ago`).waitFor();
  await page.getByText('reported by the app').waitFor();
  await page.getByText(asked.user_code, { exact: true }).waitFor();
  await page.getByText('Does the app show the same code?').waitFor();
  // The only usable license is preselected, and nothing happens without a click.
  expect(await page.getByRole('radio').isChecked()).toBe(true);
  expect(await statusOf(asked)).toBe('pending');
  expect(await findings(page, 'the request')).toEqual([]);
  await picture('2-request');
  await button(page, 'Approve').click();
  await heading('The app is activated').waitFor();
  await picture('3-approved');
  await page.reload();
  await heading('The app is activated').waitFor();
  expect(await statusOf(asked)).toBe('approved');

  // The same buyer looks at the mail about the sign-in, and it was not the buyer.
  const [link = ''] = /http\S+#device=\S+/.exec(await mailTo(/^Signed in on another device/)) ?? [];
  await button(page, 'Go to your licenses').click();
  await heading('Your licenses').waitFor();
  await page.goto(link);
  await page.getByText("Did you sign in on “Ada's MacBook”?").waitFor();
  expect(await findings(page, 'the notice')).toEqual([]);
  await picture('4-not-me');
  await button(page, 'This wasn’t me').click();
  await page.getByText('This device no longer has a seat').waitFor();
  expect(await statusOf(asked)).toBe('expired');
});

test('on a phone, in German and dark, a typed code replaces the device of a full license', async () => {
  await tabs.reopen({ viewport: PHONE, hasTouch: true, isMobile: true, locale: 'de-DE', colorScheme: 'dark' });
  await shop.client.activate(shop.license.key, newFingerprint(), { name: 'Alter Laptop', platform: 'linux' });
  const asked = await ask('Ein sehr langer Name '.repeat(9).trim());
  // The country is known only behind the distribution of a deployment.
  await page.route('**/activation-requests/lookup', async (route) => {
    const response = await route.fetch();
    if (!response.ok()) return route.fulfill({ response });
    const body = (await response.json()) as { device: object };
    await route.fulfill({ response, json: { ...body, device: { ...body.device, country: 'DE' } } });
  });
  await page.goto(`${baseUrl()}/portal/${shop.product.slug}`);
  await signIn({ address: 'E-Mail-Adresse', send: 'Code zuschicken' });
  await heading('Ihre Lizenzen').waitFor();
  await page.getByLabel('Code aus der App').fill('0000 0000');
  await button(page, 'Weiter').click();
  await page.getByText('Diesen Code gibt es nicht').waitFor();
  await button(page, 'Zu Ihren Lizenzen').click();
  await page.getByLabel('Code aus der App').fill(asked.user_code.toLowerCase().replace('-', ' '));
  await picture('5-typed');
  await button(page, 'Weiter').click();
  await heading('Diese App aktivieren?').waitFor();
  await page.getByText('Deutschland, angefragt vor einer Minute').waitFor();
  await page.getByLabel('Den Platz dieses Geräts übernehmen').selectOption({ index: 1 });
  expect(await findings(page, 'the request in German')).toEqual([]);
  await picture('6-request-german');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await button(page, 'Genehmigen').click();
  await heading('Die App ist aktiviert').waitFor();
  const { body } = await get<{ activations: { fingerprint: string }[] }>(`/v1/licenses/${shop.license.id}`);
  expect(body.activations.map(({ fingerprint }) => fingerprint)).toEqual([asked.fingerprint]);
});

test('a buyer denies a request, and a page that is open when the session ends keeps the code', async () => {
  const asked = await ask();
  await page.goto(asked.url);
  await button(page, 'Send me a code').waitFor();
  // The vendor's link signs the buyer in, in the same tab.
  const { body } = await post<{ url: string }>(`/v1/products/${shop.product.id}/portal/links`, { customer_email: buyer });
  await page.goto(body.url);
  await button(page, 'Sign in').click();
  await heading('Activate this app?').waitFor();
  await page.evaluate(`sessionStorage.setItem('lks.portal.${shop.product.slug}', 'ended')`);
  await page.reload();
  await page.getByText('You were signed out automatically.').waitFor();
  await signIn();
  await heading('Activate this app?').waitFor();
  await button(page, 'Deny').click();
  await heading('You denied the request').waitFor();
  expect(await statusOf(asked)).toBe('denied');
});

test('a member of a full team signs in on a device, and then on another one only in place of the first', async () => {
  const team = await newLicense(await newType(shop.product, { binding: 'user', max_seats: 1, devices_per_user: 1 }));
  const headers = { 'X-Svc-Admin-Token': adminToken() };
  expect((await send(`/v1/licenses/${team.id}/members`, { method: 'PUT', body: { email: buyer }, headers })).status).toBe(201);
  const choose = () => page.getByRole('radio', { name: team.license_type.name }).check();
  const first = await ask('Old laptop');
  await page.goto(first.url);
  await signIn();
  await choose();
  await button(page, 'Approve').click();
  await heading('The app is activated').waitFor();
  expect(await statusOf(first)).toBe('approved');
  const second = await ask('New laptop');
  await page.goto(second.url);
  await heading('Activate this app?').waitFor();
  await choose();
  await page.getByLabel('Take the seat of this device').selectOption({ index: 1 });
  await picture('7-member');
  await button(page, 'Approve').click();
  await heading('The app is activated').waitFor();
  expect([await statusOf(first), await statusOf(second)]).toEqual(['expired', 'approved']);
});
