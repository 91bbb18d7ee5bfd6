import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { dateOf } from '../../lambdas/domain/time';
import { ALL_PRODUCTS, dayStatsKey, STATS_SHARDS } from '../../lambdas/store/keys';
import { goTo, openAdmin } from '../support/admin';
import { findings } from '../support/axe';
import { openTab, startBrowser } from '../support/browser';
import { SECRETS } from '../support/counter';
import { connect } from '../support/harness';
import { app, get, newFingerprint, newLicense, newProduct, newShop, newType, post, unique } from '../support/http';
import { manyLicenses } from '../support/many-licenses';
import { until } from '../support/until';

/**
 * Opens every page of the admin site at four widths, in light and in dark colors, and uses each page with the keyboard. The data is like an
 * operator's data after years: 10,000 licenses, 1,000 devices on one license, and 2,000 deliveries. Some names are long, some are written
 * from right to left, and some contain emoji. If `WALK_PICTURES` is set, it is the folder in which a picture of each page is saved.
 */

const DAY = 86_400_000;
const NAMES = {
  long: 'A product whose name was written by a committee and continues on and on until it fits nowhere at all, 2026 edition',
  rightToLeft: 'מפתח רישוי ותוכנה — محرر الصور الاحترافي',
  emoji: '🚀✨ Photo 👩🏽‍🚀 Studio 🏳️‍🌈',
};
const WIDTHS = [390, 820, 1440, 1920] as const;

let browser: Browser;
let product: ProductView;
let busy: LicenseView;
let connectionId: number;

/** Runs ten calls of `make` at a time, because the stack can handle ten simultaneous requests well. */
async function inTens<Result>(count: number, make: (place: number) => Promise<Result>): Promise<Result[]> {
  const made: Result[] = [];
  for (let first = 0; first < count; first += 10)
    made.push(...(await Promise.all(Array.from({ length: Math.min(10, count - first) }, (_, place) => make(first + place)))));
  return made;
}

/** Writes statistics for the 89 days before today. The numbers are invented, because a test can't wait for days. */
async function writeDays(productId: number): Promise<void> {
  const client = connect();
  const TableName = process.env['LKS_STACK_TABLE'] ?? '';
  const rows = ([productId, ALL_PRODUCTS] as const).flatMap((of) =>
    Array.from({ length: 89 }, (_, place) => ({
      ...dayStatsKey(of, place % STATS_SHARDS, dateOf(Date.now() - (place + 1) * DAY)),
      issued: 20 + ((place * 37) % 90),
      renewed: (place * 17) % 23,
      activations: (place * 53) % 140,
      delivered: 60 + ((place * 71) % 200),
      failed: place % 9 === 0 ? 12 : 0,
      skipped: place % 5,
    })),
  );
  while (rows.length > 0)
    await client.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: rows.splice(0, 25).map((Item) => ({ PutRequest: { Item } })) } }),
    );
  client.destroy();
}

beforeAll(async () => {
  browser = await startBrowser();
  const suffix = unique('');
  const named = async (name: string): Promise<ProductView> =>
    (await post<ProductView>('/v1/products', { name: `${name} ${suffix}`, slug: unique() })).body;
  product = await named(NAMES.long);
  await Promise.all([named(NAMES.rightToLeft), named(NAMES.emoji), newShop()]);
  for (let place = 0; place < 25; place += 1) await newProduct();

  const [lifetime, yearly, floating] = [
    await newType(product, { name: NAMES.rightToLeft, kind: 'lifetime', max_seats: 0 }),
    await newType(product, {
      name: NAMES.emoji,
      kind: 'subscription',
      duration_days: 365,
      max_seats: 3,
      features: ['export', 'sync', 'a-feature-with-a-name-of-nearly-sixty-four-characters-the-limit'],
    }),
    await newType(product, { name: NAMES.long, kind: 'floating', max_seats: 5, lease_minutes: 60 }),
  ];
  await manyLicenses(lifetime, 10_000);
  await writeDays(product.id);
  const emails = [null, 'שם@example.com', `${'very.long.'.repeat(6)}x@a-domain-that-nobody-would-type.example.com`, 'ada@example.com'];
  const licenses = await inTens(60, (place) =>
    newLicense(place % 7 === 0 ? floating : yearly, {
      customer_email: emails[place % 4],
      expires_at: new Date(Date.now() + (place * 3 - 20) * DAY + 60_000).toISOString(),
    }).catch(() => newLicense(yearly)),
  );
  for (const { id } of licenses.slice(0, 6)) await post(`/v1/licenses/${id}/renew`, { days: 90 });

  const client = app(product);
  busy = await newLicense(lifetime, {
    customer_email: emails[2],
    metadata: { order: 'A-1001', note: NAMES.rightToLeft, campaign: 'x'.repeat(300) },
  });
  await inTens(1000, (place) =>
    client.activate(busy.key, newFingerprint(), {
      name: Object.values(NAMES)[place % 3],
      platform: ['macos', 'windows', 'linux'][place % 3],
    }),
  );
  await inTens(1000, () => post(`/v1/licenses/${licenses[1]!.id}/reset`));
  await post(`/v1/products/${product.id}/webhook`, { url: `http://127.0.0.1:9/${'a-long-path/'.repeat(12)}` });
  for (const { id } of licenses.slice(10, 14)) await post(`/v1/licenses/${id}/suspend`, { reason: NAMES.rightToLeft });
  connectionId = (
    await post<{ id: number; url: string }>(`/v1/products/${product.id}/payment-connections`, {
      processor: 'stripe',
      signing_secret: SECRETS.stripe,
      name: NAMES.emoji,
    })
  ).body.id;
  await until(
    'deliveries have failed',
    async () => (await get<unknown[]>(`/v1/products/${product.id}/deliveries?status=failed&limit=5`)).body.length >= 3,
    120_000,
  );
  await post('/v1/tokens', { name: NAMES.long, scopes: ['read'], product_id: product.id });
}, 1_200_000);
afterAll(() => browser?.close());

/** Each page, and a text that is visible when the page has loaded. */
const pages = (): readonly (readonly [name: string, route: string, ready: string])[] => [
  ['products', '/', 'Issued, last 30 days'],
  ['overview', `/products/${product.id}`, 'Expiring, next 30 days'],
  ['overview-90', `/products/${product.id}?days=90`, 'Expiring, next 90 days'],
  ['licenses', `/products/${product.id}/licenses`, 'buyer-9999@example.com'],
  [
    'licenses-filtered',
    `/products/${product.id}/licenses?seats=unused&status=active&expires_from=${dateOf(Date.now())}`,
    'More filters (2)',
  ],
  ['types', `/products/${product.id}/types`, NAMES.long],
  ['payments', `/products/${product.id}/payments`, NAMES.emoji],
  ['connection', `/products/${product.id}/payments/${connectionId}`, NAMES.emoji],
  ['webhooks', `/products/${product.id}/webhooks`, 'license.suspended'],
  ['integration', `/products/${product.id}/integration`, 'In your app'],
  ['product-audit', `/products/${product.id}/audit`, 'Who'],
  ['license', `/licenses/${busy.id}`, '1–20 of 1,000'],
  ['find', '/find?q=ada@example.com', 'ada@example.com'],
  ['mail', '/mail', 'Send a test mail to'],
  ['tokens', '/tokens', NAMES.long],
  ['audit', '/audit', 'Who'],
];

async function show(page: Page, [, route, ready]: ReturnType<typeof pages>[number]): Promise<void> {
  await page.evaluate('window.shifted = 0');
  await goTo(page, route);
  // The lower parts of a page load only when they are scrolled into view.
  if (route === '/') await page.getByText('All products, day by day').scrollIntoViewIfNeeded();
  await page.getByText(ready).first().waitFor({ state: 'attached' });
  // The text `ready` may appear before other parts of the page have loaded.
  await until(
    'all of the page is there',
    async () =>
      (await page
        .locator('[aria-label="Loading"], [data-loading], [aria-busy="true"]')
        .or(page.getByText('…', { exact: true }))
        .count()) === 0,
  );
}

const WATCH_SHIFTS = `window.shifted = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value; }).observe({ type: 'layout-shift', buffered: true });`;

test.each(WIDTHS)(
  'at %i px no page is too wide or moves while it loads, and axe-core finds no problem, in light and in dark colors',
  async (width) => {
    const folder = process.env['WALK_PICTURES'];
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    const { page, close, faults } = await openTab(browser, { viewport: { width, height: 900 } });
    await page.addInitScript(WATCH_SHIFTS);
    await openAdmin(page);
    const found: string[] = [];
    for (const one of pages()) {
      const [name] = one;
      await show(page, one);
      const [wide, shifted] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, window.shifted]');
      if (wide > width) found.push(`${name}: ${wide} px wide`);
      // Chrome calls a layout shift above 0.25 poor and below 0.1 good.
      if (shifted > 0.1) found.push(`${name}: layout shifts of ${shifted.toFixed(2)}`);
      found.push(...(await findings(page, name)));
      for (const colorScheme of folder === undefined ? [] : (['light', 'dark'] as const)) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
        await page.screenshot({ path: join(folder!, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await page.emulateMedia({ colorScheme: 'light' });
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

/** Returns the name of the element that has the focus, and what makes the focus hard to see. Records that the element was reached. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: '', wrong: '' };
  element.isReached = true;
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
  const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60) + ' <' + element.tagName.toLowerCase() + '>';
  const marked = getComputedStyle(element).outlineStyle !== 'none' || ['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName);
  const inView = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  return { name, wrong: [!marked && 'has no mark of its focus', !inView && 'is out of view', (width < 1 || height < 1) && 'has no size'].filter(Boolean).join(', ') };
})()`;

/**
 * Returns the elements that the Tab key did not reach but must reach. The Tab key needs to reach only the chosen radio button of a group,
 * and only one bar of a chart. Therefore radio buttons and elements with a negative `tabIndex` are left out.
 */
const MISSED = `[...document.querySelectorAll('a[href], button:not(:disabled), input:not([type=radio]), select, textarea')]
  .filter((element) => !element.isReached && element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }))
  .map((element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60))`;

test.each([390, 1440] as const)(
  'at %i px the Tab key reaches everything on every page, and the element with the focus is marked and visible',
  async (width) => {
    const { page, close } = await openTab(browser, { viewport: { width, height: 900 } });
    await openAdmin(page);
    const found: string[] = [];
    for (const one of pages()) {
      const [name] = one;
      await show(page, one);
      await page.getByText('Skip to the content').focus();
      for (let presses = 0; presses < 600; presses += 1) {
        const { name: focused, wrong } = await page.evaluate<{ name: string; wrong: string }>(FOCUSED);
        if (focused === '') break;
        if (wrong !== '') found.push(`${name}: ${focused} ${wrong}`);
        await page.keyboard.press('Tab');
      }
      found.push(...(await page.evaluate<string[]>(MISSED)).map((missed) => `${name}: Tab does not reach ${missed}`));
    }
    expect([...new Set(found)]).toEqual([]);
    await close();
  },
);
