import type { Locator, Page } from 'playwright-core';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { button, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs, openTab } from '../support/browser';
import { app, baseUrl, get, newFingerprint, newLicense, newProduct, newType, patch, post, send, unique, type Shop } from '../support/http';
import { copyLicense } from '../support/many-licenses';
import { publishVersion } from '../support/releases';
import { callByName } from '../support/routes';
import { until } from '../support/until';
import { asciiAddress } from '../../lambdas/contract/mail-address';

/** Tests the portal as a buyer uses it, in a browser, on the running stack with its mailbox. */

const PHONE = { width: 360, height: 740 };
let page: Page;
let shop: Shop;
let buyer: string;
const tabs = freshTabs((opened) => (page = opened));
beforeEach(async () => {
  buyer = `${unique('buyer')}@example.com`;
  const product = await newProduct();
  const type = await newType(product, { max_seats: 3 });
  shop = { product, type, license: await newLicense(type, { customer_email: buyer }), client: app(product) };
  await set({ enabled: true, allow: portalActions, support_url: 'https://example.com/help' });
  await shop.client.activate(shop.license.key, newFingerprint(), { name: 'Old laptop', platform: 'macos' });
});

const set = (settings: object): Promise<unknown> => post(`/v1/products/${shop.product.id}/portal`, settings);
const portalAddress = (): string => `${baseUrl()}/portal/${shop.product.slug}`;
const newLink = async (): Promise<string> =>
  (await post<{ url: string }>(`/v1/products/${shop.product.id}/portal/links`, { customer_email: buyer })).body.url;
const heading = (name: string | RegExp): Locator => page.getByRole('heading', { name });

interface Stored {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string | null;
}
const mailTo = (address: string, subject: RegExp): Promise<Stored> =>
  until(`a mail to ${address}`, async () => {
    const { body } = await get<Stored[]>('/_local/mail', { Accept: 'application/json' });
    // Mails are sent to the address with an ASCII domain.
    return body.find((mail) => mail.to.includes(asciiAddress(address)) && subject.test(mail.subject));
  });

/** Makes each page of the lists contain `count` licenses. Without this, a second page would need more than 100 licenses. */
const showTogether = (count: number): Promise<unknown> =>
  page.route(/\/(licenses|downloads)$/, (route) => route.continue({ url: `${route.request().url()}?limit=${count}` }));

/** Saves a picture of the page if the variable names a folder, so that a person can look at it. */
async function picture(name: string): Promise<void> {
  const folder = process.env['LKS_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

async function freeSeat(device: string): Promise<void> {
  await button(page, `Free this seat: ${device}`).click();
  await button(page, 'Yes, free it').click();
}

async function signIn(): Promise<void> {
  await page.goto(await newLink());
  await button(page, 'Sign in').click();
  await heading('Your licenses').waitFor();
}

test('on a phone, five actions lead from the mail with the key to a free seat', async () => {
  await tabs.reopen({ viewport: PHONE, hasTouch: true, isMobile: true });
  await post(`/v1/licenses/${shop.license.id}/mail`);
  const { text } = await mailTo(buyer, /^Your license for/);
  const [address = ''] = /http\S+\/portal\/\S+/.exec(text ?? '') ?? [];
  // Action 1: open the link in the mail.
  await page.goto(address);
  // Action 2: enter the e-mail address.
  await page.getByLabel('E-mail address').fill(buyer);
  await button(page, 'Send me a code').tap();
  const field = page.getByRole('textbox', { name: 'Code' });
  await field.waitFor();
  expect([await field.getAttribute('autocomplete'), await field.getAttribute('inputmode')]).toEqual(['one-time-code', 'numeric']);
  const [code = ''] = /^\d{8}$/m.exec((await mailTo(buyer, /^Your code for/)).text ?? '') ?? [];
  // Action 3: enter the code. The buyer pastes the code, or the browser fills it in.
  await field.fill(code);
  await heading('Your licenses').waitFor();
  // Action 4: free the seat, and confirm.
  await button(page, 'Free this seat: Old laptop').tap();
  await button(page, 'Yes, free it').tap();
  await page.getByText('The seat of Old laptop is free.').waitFor();
  expect((await get<{ seats: { used: number } }>(`/v1/licenses/${shop.license.id}`)).body.seats.used).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
});

test('another code can be requested after 30 seconds, even if the browser has stopped the timers of the page in the meantime', async () => {
  await page.clock.install();
  await page.goto(portalAddress());
  await page.getByLabel('E-mail address').fill(buyer);
  await button(page, 'Send me a code').click();
  await button(page, /^Send again in \d+ s$/).waitFor();
  // The clock jumps, and each timer fires at most once, as after a lid was closed. If only ticks counted, 29 seconds would remain.
  await page.clock.fastForward(31_000);
  await button(page, 'Send again').click({ timeout: 15_000 });
  await page.getByText('A new code was requested.').waitFor();
});

describe('the sign-in link in a mail', () => {
  test('the link is used up only by the button on its page, not by programs that fetch the link or browsers that open it', async () => {
    const link = await newLink();
    for (const method of ['GET', 'HEAD']) expect((await send(new URL(link).pathname, { method })).status).toBe(200);
    const browser = page.context().browser()!;
    const scanner = await openTab(browser);
    await scanner.page.goto(link);
    await button(scanner.page, 'Sign in').waitFor();
    await scanner.close();
    const withoutScripts = await openTab(browser, { javaScriptEnabled: false });
    await withoutScripts.page.goto(link);
    await withoutScripts.close();
    await page.goto(link);
    await button(page, 'Sign in').click();
    await heading('Your licenses').waitFor();
    expect(page.url()).toBe(portalAddress());
    await page.goBack().catch(() => undefined);
    await tabs.reopen({});
    await page.goto(link);
    await button(page, 'Sign in').click();
    await page.getByText('This link was used already, or is too old.').waitFor();
    await button(page, 'Send me a code').click();
    await page.getByLabel('E-mail address').waitFor();
  });

  test('the token in the link is never sent to a server in a URL or as a referrer', async () => {
    const link = await newLink();
    const [, token = ''] = link.split('#t=');
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url(), JSON.stringify(request.headers())));
    await page.goto(link);
    await button(page, 'Sign in').click();
    await heading('Your licenses').waitFor();
    expect(seen.length).toBeGreaterThan(4);
    for (const text of seen) expect(text).not.toContain(token);
    for (const text of seen.filter((one) => one.startsWith('http'))) expect(new URL(text).origin).toBe(baseUrl());
  });
});

test("axe-core finds no problem on any view, at any width, in light and in dark colors, even with the vendor's color", async () => {
  await set({ color: '#ffe600', title: 'My licenses' });
  const found: string[] = [];
  const look = async (where: string): Promise<void> => {
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      found.push(...(await findings(page, `${where} at ${width}`)));
      expect([where, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([where, width]);
    }
  };
  await page.goto(portalAddress());
  await page.getByLabel('E-mail address').waitFor();
  await look('address');
  await page.getByLabel('E-mail address').fill(buyer);
  await button(page, 'Send me a code').click();
  await page.getByRole('textbox', { name: 'Code' }).fill('0000 0000');
  await page.getByText('The code is wrong or too old').waitFor();
  await page.getByText('No mail arrives?').click();
  await look('code');
  await signIn();
  await button(page, 'Show key').click();
  for (const summary of await page.locator('summary').all()) await summary.click();
  await look('licenses');
  await button(page, 'Sign out').click();
  await page.getByText('You are signed out.').waitFor();
  await look('signed out');
  await page.goto(`${baseUrl()}/portal/no-such-product`);
  await page.getByText('This page does not exist.').waitFor();
  await look('no page');
  expect(found).toEqual([]);
});

test('a buyer can do everything with the keyboard alone', async () => {
  await page.goto(await newLink());
  await button(page, 'Sign in').waitFor();
  const press = async (name: string): Promise<void> => {
    for (let tries = 0; tries < 40; tries += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>(
        '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "")',
      );
      if (focused === name) return page.keyboard.press('Enter');
    }
    throw new Error(`The keyboard does not reach ${name}`);
  };
  // A new element gets the focus shortly after it appears, so the test waits.
  const hasFocus = (element: Locator): Promise<void> => element.and(page.locator(':focus')).waitFor();
  await press('Sign in');
  await hasFocus(heading('Your licenses'));
  await press('Show key');
  await page.getByText(shop.license.key).waitFor();
  await press('Free this seat: Old laptop');
  await hasFocus(button(page, 'Yes, free it'));
  await page.keyboard.press('Enter');
  await page.getByText('The seat of Old laptop is free.').waitFor();
});

test('a key is hidden until it is requested, and copied without being shown', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn();
  expect(await page.getByText(shop.license.key).count()).toBe(0);
  await button(page, 'Copy key').click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shop.license.key);
  expect(await page.getByText(shop.license.key).count()).toBe(0);
  await button(page, 'Show key').click();
  await page.getByText(shop.license.key).waitFor();
});

test('after a replacement the new key is shown', async () => {
  await signIn();
  await page.getByText('Replace the key').click();
  await button(page, 'Yes, replace it now').click();
  await page.getByText('No device uses this license.').waitFor();
  await page.getByText('This license has a new key now.').waitFor();
  const { key } = (await get<{ key: string }>(`/v1/licenses/${shop.license.id}`)).body;
  expect(key).not.toBe(shop.license.key);
  await button(page, 'Show key').click();
  await page.getByText(key).waitFor();
});

test('a device without internet gets a response, and is then in the list of devices', async () => {
  await signIn();
  await page.getByText('1 of 3 in use').waitFor();
  await page.getByText('A device without internet').click();
  const request = { product: shop.product.id, key: shop.license.key, fingerprint: newFingerprint(), name: 'Offline laptop' };
  const text = `LKS1-REQUEST.${Buffer.from(JSON.stringify(request)).toString('base64url')}`;
  await page
    .getByLabel('File with the request')
    .setInputFiles({ name: 'request.txt', mimeType: 'text/plain', buffer: Buffer.from(`${text}\n`) });
  await until('the request is read', async () => (await page.getByLabel('Request of the device').inputValue()) === text);
  await button(page, 'Make the response').click();
  await until('a response', async () => (await page.getByLabel('Response for the app').inputValue()).split('.').length === 3);
  const download = page.waitForEvent('download');
  await button(page, 'Save as a file').click();
  const saved = (await (await (await download).createReadStream()).toArray()).join('');
  expect(saved).toBe(`${await page.getByLabel('Response for the app').inputValue()}\n`);
  await page.getByText('2 of 3 in use').waitFor();
  await button(page, 'Free this seat: Offline laptop').waitFor();
});

test('a license on a later page shows the device that got a response', async () => {
  await newLicense(shop.type, { customer_email: buyer });
  await showTogether(1);
  await signIn();
  await button(page, 'Show more').click();
  const card = page.getByRole('article').filter({ hasText: 'Old laptop' });
  await card.getByText('A device without internet').click();
  const request = { product: shop.product.id, key: shop.license.key, fingerprint: newFingerprint(), name: 'Offline laptop' };
  await card.getByLabel('Request of the device').fill(`LKS1-REQUEST.${Buffer.from(JSON.stringify(request)).toString('base64url')}`);
  await button(card, 'Make the response').click();
  await card.getByText('2 of 3 in use').waitFor();
});

test('an address is changed with a code, and neither a wrong code nor a lost connection signs the buyer out', async () => {
  await signIn();
  const next = `${unique('next')}@example.com`;
  await page.getByText('Change your address').click();
  await page.getByLabel('New e-mail address').fill(next);
  await button(page, 'Send a code there').click();
  await page.getByLabel('Code that was sent to the new address').fill('0000 0000');
  await button(page, 'Move my licenses').click();
  await page.getByText('The code is wrong or too old').waitFor();
  await page.route('**/licenses?limit=1', (route) => route.abort());
  await button(page, 'Move my licenses').click();
  await page.getByText('There is no connection.').waitFor();
  await page.unroute('**/licenses?limit=1');
  const [code = ''] = /^\d{8}$/m.exec((await mailTo(next, /^Confirm your new address/)).text ?? '') ?? [];
  await page.getByLabel('Code that was sent to the new address').fill(code);
  await button(page, 'Move my licenses').click();
  await page.getByText(`Your licenses now belong to ${next}.`).waitFor();
  expect((await get<{ customer_email: string }>(`/v1/licenses/${shop.license.id}`)).body.customer_email).toBe(next);
  await mailTo(buyer, /^A new address for your licenses/);
});

test('on a slow network a button shows that it is busy, and repeated clicks send one request', async () => {
  let requests = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/codes', async (route) => {
    requests += 1;
    await held;
    await route.continue();
  });
  await page.goto(portalAddress());
  await page.getByLabel('E-mail address').fill(buyer);
  const ask = button(page, 'Send me a code');
  await ask.click();
  await page.locator('button[aria-busy="true"]').waitFor();
  await page.locator('button[aria-busy="true"]').click({ force: true });
  await page.keyboard.press('Enter');
  release();
  await page.getByRole('textbox', { name: 'Code' }).waitFor();
  expect(requests).toBe(1);
});

test('without a connection the page shows an error, and continues when the connection is back', async () => {
  await signIn();
  await page.route('**/devices/**', (route) => route.abort());
  await freeSeat('Old laptop');
  await page.getByText('There is no connection.').waitFor();
  await page.unroute('**/devices/**');
  await button(page, 'Yes, free it').click();
  await page.getByText('The seat of Old laptop is free.').waitFor();
});

test('after a session has ended, the page shows the sign-in again, with a message', async () => {
  await signIn();
  // The list must be complete before the session ends, because the page would otherwise show the sign-in without a click.
  const free = button(page, 'Free this seat: Old laptop');
  await free.waitFor();
  await set({ enabled: false });
  await set({ enabled: true });
  await freeSeat('Old laptop');
  await page.getByText('You were signed out automatically.').waitFor();
  await page.getByLabel('E-mail address').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('if the portal is turned off while it is open, the page says that the action is gone', async () => {
  await signIn();
  const free = button(page, 'Free this seat: Old laptop');
  await free.waitFor();
  await set({ enabled: false });
  await freeSeat('Old laptop');
  await page.getByText('This is no longer available. Load the page again.').waitFor();
  await page.reload();
  await page.getByText('This page does not exist.').waitFor();
});

test('each tab has its own session, and the browser stores nothing after a tab is closed', async () => {
  await signIn();
  const second = await page.context().newPage();
  await second.goto(portalAddress());
  await second.getByLabel('E-mail address').waitFor();
  await second.goto(await newLink());
  await button(second, 'Sign in').click();
  await second.getByRole('heading', { name: 'Your licenses' }).waitFor();
  await button(second, 'Sign out').click();
  await second.getByText('You are signed out.').waitFor();
  await page.reload();
  await heading('Your licenses').waitFor();
  expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, '']);
});

test('in a browser that forbids pages to store anything, a buyer can sign in and out', async () => {
  await page.addInitScript(
    "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('Access is denied', 'SecurityError'); } });",
  );
  await signIn();
  await freeSeat('Old laptop');
  await page.getByText('The seat of Old laptop is free.').waitFor();
  await button(page, 'Sign out').click();
  await page.getByText('You are signed out.').waitFor();
});

test('the Back button leads from the code to the address, but does not leave the list of licenses', async () => {
  await page.goto(portalAddress());
  await page.getByLabel('E-mail address').fill(buyer);
  await button(page, 'Send me a code').click();
  await page.getByRole('textbox', { name: 'Code' }).waitFor();
  await page.goBack();
  await page.getByLabel('E-mail address').waitFor();
  await page.goForward();
  const [code = ''] = /^\d{8}$/m.exec((await mailTo(buyer, /^Your code for/)).text ?? '') ?? [];
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await heading('Your licenses').waitFor();
  await page.goBack();
  await heading('Your licenses').waitFor();
});

test.each(['jörg@example.com', 'anna@bücher.example'])('the address %s can be entered, and the code is mailed to it', async (address) => {
  const to = address.replace('@', `${unique('-')}@`);
  await newLicense(shop.type, { customer_email: to });
  await page.goto(portalAddress());
  await page.getByLabel('E-mail address').fill(to);
  await button(page, 'Send me a code').click();
  const { text } = await mailTo(to, /^Your code/);
  await page.getByRole('textbox', { name: 'Code' }).fill(/^\d{8}$/m.exec(text ?? '')?.[0] ?? '');
  await heading('Your licenses').waitFor();
});

test('a browser in German gets the page and the mail in German', async () => {
  await tabs.reopen({ locale: 'de-CH' });
  await page.goto(portalAddress());
  await page.getByLabel('E-Mail-Adresse').fill(buyer);
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  await button(page, 'Code zuschicken').click();
  const { text } = await mailTo(buyer, /^Ihr Code für/);
  const [code = ''] = /^\d{8}$/m.exec(text ?? '') ?? [];
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await heading('Ihre Lizenzen').waitFor();
  await page.getByText('1 von 3 belegt').waitFor();
  await page.getByText('Läuft nie ab').waitFor();
  expect(await findings(page, 'German')).toEqual([]);
});

test('links keep enough contrast in both modes, whatever color the vendor chooses', async () => {
  // The darkest and the lightest color need the largest change.
  for (const color of ['#000000', '#ffffff', '#ffe600'])
    for (const colorScheme of ['light', 'dark'] as const) {
      await set({ color });
      await tabs.reopen({ colorScheme });
      await page.goto(portalAddress());
      await page.getByRole('link', { name: 'Help' }).waitFor();
      expect(await findings(page, `${color} in ${colorScheme}`)).toEqual([]);
    }
});

test('a license that ended says why and offers its renewal, and no key that apps refuse is copied', async () => {
  await post(`/v1/products/${shop.product.id}/mail`, { renew_url: 'https://example.com/renew?key={{key}}' });
  const expires_at = new Date(Date.now() - 1000).toISOString();
  await patch(`/v1/licenses/${shop.license.id}`, { expires_at });
  await signIn();
  await page.getByText('This license has expired').waitFor();
  expect(await page.getByRole('link', { name: 'Renew' }).getAttribute('href')).toBe(`https://example.com/renew?key=${shop.license.key}`);
  expect(await button(page, 'Copy key').count()).toBe(0);
  await post(`/v1/licenses/${shop.license.id}/revoke`);
  await page.reload();
  await page.getByText('This license is no longer valid').waitFor();
  expect(await page.getByRole('link', { name: 'Renew' }).count()).toBe(0);
  await page.getByRole('article').getByRole('link', { name: 'Contact support' }).waitFor();
});

test('more than three licenses are folded, with the active ones first; one that ends soon offers its renewal', async () => {
  await post(`/v1/products/${shop.product.id}/mail`, { renew_url: 'https://example.com/renew' });
  await newLicense(shop.type, { customer_email: buyer });
  await newLicense(shop.type, { customer_email: buyer, expires_at: new Date(Date.now() + 864_000_000).toISOString() });
  const newest = await newLicense(shop.type, { customer_email: buyer });
  await post(`/v1/licenses/${newest.id}/suspend`);
  await signIn();
  const cards = page.getByRole('article');
  await until('four cards', async () => (await cards.count()) === 4);
  expect(await cards.last().textContent()).toContain(`Key ${newest.key.slice(0, 5)}…`);
  expect(await button(page, 'Copy key').count()).toBe(0);
  await cards.filter({ hasText: 'Expires in 10 days' }).getByRole('link', { name: 'Renew' }).waitFor();
  expect(await page.getByRole('link', { name: 'Renew' }).count()).toBe(1);
  await cards.first().locator('summary').first().click();
  await button(cards.first(), 'Copy key').waitFor();
});

test('names with attack code are shown as text and are never executed', async () => {
  const attacks = [
    '<img src=x onerror="window.hit=1">',
    '"><script>window.hit=1</script>',
    'javascript:window.hit=1',
    '{{constructor.constructor("window.hit=1")()}}',
  ];
  const [name = '', title = '', type = '', platform = ''] = attacks;
  await patch(`/v1/products/${shop.product.id}`, { name: `${unique()}${name}` });
  await set({ title });
  const hostile = await newLicense(await newType(shop.product, { name: type }), { customer_email: buyer });
  for (const label of attacks) await shop.client.activate(hostile.key, newFingerprint(), { name: label, platform });
  await signIn();
  for (const label of attacks) await page.getByText(label).first().waitFor();
  expect(await page.evaluate('window.hit')).toBeUndefined();
  expect(await page.locator('main img, main script, main a').count()).toBe(0);
  await freeSeat(name);
  await page.getByText(`The seat of ${name} is free.`).waitFor();
  expect(await page.evaluate('window.hit')).toBeUndefined();
});

test('each download is the file of its version, even if the files of all versions have the same name', async () => {
  for (const version of ['1.0.0', '2.0.0']) await publishVersion(shop.product.id, version, callByName);
  await newLicense(await newType(shop.product, { max_major: 1 }), { customer_email: buyer });
  await signIn();
  for (const version of ['2.0.0', '1.0.0']) {
    const download = page.waitForEvent('download');
    await page
      .getByRole('group', { name: `Version ${version} of` })
      .getByRole('button', { name: /^Windows, 64-bit archive *app-x64.zip/ })
      .click();
    const bytes = (await (await (await download).createReadStream()).toArray()).join('');
    expect(bytes).toBe(`the bytes of version ${version}`);
  }
});

test('the downloads are those of all licenses, even if the licenses do not fit on one page', async () => {
  for (const version of ['1.0.0', '2.0.0']) await publishVersion(shop.product.id, version, callByName);
  const type = await newType(shop.product, { max_major: 1 });
  await newLicense(type, { customer_email: buyer });
  await showTogether(1);
  await signIn();
  await page.getByRole('group', { name: 'Version 1.0.0 of' }).waitFor();
  // Only the oldest license covers this version. The list of licenses begins with the newest, so the oldest is on the second page.
  const download = page.waitForEvent('download');
  await page.getByRole('group', { name: 'Version 2.0.0 of' }).getByRole('button', { name: 'app-x64.zip' }).click();
  expect((await (await (await download).createReadStream()).toArray()).join('')).toBe('the bytes of version 2.0.0');
});

test('a buyer without licenses and a buyer with many licenses see what to do', async () => {
  await signIn();
  await patch(`/v1/licenses/${shop.license.id}`, { customer_email: `${unique()}@example.com` });
  await page.reload();
  await page.getByText('No license belongs to this address.').waitFor();
  await copyLicense(await newLicense(shop.type, { customer_email: buyer }), 100);
  await page.reload();
  await button(page, 'Show more').click();
  await until('all are shown', async () => (await page.getByRole('article').count()) === 101);
});

test('a seat that is freed while more licenses are read stays free on the page', async () => {
  const newest = await newLicense(shop.type, { customer_email: buyer });
  await showTogether(1);
  await shop.client.activate(newest.key, newFingerprint(), { name: 'New laptop' });
  await signIn();
  let answer: (() => void) | undefined;
  await page.route('**/licenses?*', async (route) => {
    await new Promise<void>((resolve) => (answer = resolve));
    await route.continue();
  });
  await button(page, 'Show more').click();
  await until('the request for more licenses', () => answer);
  await freeSeat('New laptop');
  await page.getByText('The seat of New laptop is free.').waitFor();
  answer?.();
  await until('all are shown', async () => (await page.getByRole('article').count()) === 2);
  expect(await button(page, 'Free this seat: New laptop').count()).toBe(0);
});

test('an operator chooses any image as the logo, and the portal shows it, or nothing if it cannot be loaded', async () => {
  await openAdmin(page, `/products/${shop.product.id}/portal`);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20"><path fill="#0b7285" d="M0 0h100v20H0z"/></svg>';
  await page.getByLabel('Logo (optional)').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
  await page.getByRole('img', { name: 'Logo' }).first().waitFor();
  await button(page, 'Save').click();
  await page.getByText('The portal is open').waitFor();
  await page.goto(portalAddress());
  const logo = page.locator('header img');
  await logo.waitFor();
  // Twice as many pixels as the space for the logo, although the SVG has no size of its own.
  const size = '(({ naturalWidth, naturalHeight, width, height }) => [naturalWidth, naturalHeight, width, height])(document.images[0])';
  await page.waitForFunction('document.images[0].complete');
  expect(await page.evaluate(size)).toEqual([480, 96, 240, 48]);
  await page.route('**/logos/**', (route) => route.abort());
  await page.reload();
  await page.getByLabel('E-mail address').waitFor();
  await logo.waitFor({ state: 'detached' });
});

test('search engines may not index the portal, other sites may not frame it, and it loads nothing from other origins', async () => {
  const { headers, text } = await send(`/portal/${shop.product.slug}`);
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect([headers['x-frame-options'], headers['referrer-policy']]).toEqual(['DENY', 'no-referrer']);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
});

test('a buyer adds the pasted members; a manager removes one of them, and may leave; nobody but the buyer sees the key', async () => {
  await tabs.reopen({ viewport: PHONE, hasTouch: true, isMobile: true });
  const team = await newLicense(await newType(shop.product, { binding: 'user', max_seats: 3 }), { customer_email: buyer });
  const [grace, linus] = [`${unique('grace')}@example.com`, `${unique('linus')}@example.com`];
  const membersOf = async (): Promise<string[]> =>
    (await get<{ email: string }[]>(`/v1/licenses/${team.id}/members`)).body.map(({ email }) => email);
  await signIn();
  await page.getByText('Members (0 of 3)').click();
  await page.getByLabel('E-mail addresses of new members').fill(`Grace Hopper <${grace}>; ${linus}, nobody`);
  await page.getByText('This is not an address: nobody').waitFor();
  await button(page, 'Add 2 members').click();
  await page.getByText(`${grace}: added, invited by mail`).waitFor();
  await page.getByText('Members (2 of 3)').waitFor();
  // The text that was not added stays in the field, so the reason stays beside it.
  expect(await page.getByLabel('E-mail addresses of new members').inputValue()).toBe('nobody');
  await page.getByText('This is not an address: nobody').waitFor();
  await mailTo(grace, /./);
  await page.getByLabel(`Role of ${grace}`).selectOption('manager');
  await until('the role of the manager', async () => {
    const { body } = await get<{ role: string }[]>(`/v1/licenses/${team.id}/members`);
    return body.some(({ role }) => role === 'manager') || undefined;
  });
  await page.getByRole('checkbox', { name: grace }).check();
  expect(await findings(page, 'the members')).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await picture('members');

  buyer = grace;
  await signIn();
  await page.getByText('Manager', { exact: false }).first().waitFor();
  expect(await button(page, 'Show key').count()).toBe(0);
  await page.getByText('Members (2 of 3)').click();
  await page.getByRole('checkbox', { name: linus }).check();
  await button(page, 'Remove 1 member').click();
  await button(page, 'Yes, remove the member').click();
  await page.getByText(`${linus}: removed`).waitFor();
  await page.getByText('Leave this license').click();
  await picture('leave');
  await button(page, 'Yes, leave it').click();
  await page.getByText('No license belongs to this address.').waitFor();
  expect(await membersOf()).toEqual([]);
});
