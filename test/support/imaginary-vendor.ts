import type { Page } from 'playwright-core';
import { shops } from '../../bin/sell/scenarios';
import { newOrder, paidUntil, type Fact, type Order } from '../../bin/sell/shop';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { adminToken, newFingerprint, send } from './http';
import { declaredLogo } from './png';
import { startReceiver } from './receiver';
import { upload, type Upload } from './releases';
import { until } from './until';

/**
 * The data that the pictures in docs/images show: an imaginary vendor has sold two products for some months. They are made only with the API
 * and with the shop of `npm run sell`. Buyers and amounts are the same in each run; license keys and fingerprints are new.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The time that the pictures show. The vendor began to sell {@link DAYS} days earlier. */
const NOW = Date.UTC(2026, 10, 28, 10);
const DAYS = 150;
const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1waWN0dXJlcw==';

// The service runs in this process, and all its clocks read `Date.now`. They don't stand still, because deliveries wait for them.
const realNow = Date.now;
let shift = NOW - DAYS * DAY - realNow();
Date.now = () => realNow() + shift;
const moveClockTo = (time: number): void => void (shift = Math.max(shift, time - realNow()));

let seed = 20_261_128;
/** An integer from 0 to `below` - 1. Each run gets the same sequence of numbers. */
const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
/** One of the words, which are separated by spaces. */
function oneOf(words: string): string {
  const all = words.split(' ');
  return all[random(all.length)] ?? words;
}

const FIRST_NAMES = 'Ada Grace Alan Edsger Barbara Linus Margaret Dennis Katherine Radia Tim Hedy';
const LAST_NAMES = 'Okafor Lindqvist Moreau Tanaka Fischer Novak Rossi Haddad Silva Jensen Murphy';
const COMPANIES = 'Northwind Fabrikam Contoso Tailspin Wingtip Proseware Litware Lucerne';
/** Common versions are named repeatedly. */
const VERSIONS = '3.4.1 3.4.1 3.4.1 3.4.0 3.4.0 3.3.2 3.1.0';
const COMPUTERS = [
  ['MacBook Pro', 'macos'],
  ['Studio PC', 'windows'],
  ['Laptop', 'windows'],
  ['ThinkPad', 'linux'],
] as const;

interface Buyer {
  readonly first: string;
  readonly customer_email: string;
  readonly metadata: { readonly name: string; readonly company: string };
}
const addresses = new Set<string>();
function newBuyer(first = oneOf(FIRST_NAMES)): Buyer {
  const [last, company] = [oneOf(LAST_NAMES), oneOf(COMPANIES)];
  const customer_email = `${first}.${last}@${company}.example`.toLowerCase();
  // Two buyers with the same name would be one buyer.
  if (addresses.has(customer_email)) return newBuyer(first);
  addresses.add(customer_email);
  return { first, customer_email, metadata: { name: `${first} ${last}`, company } };
}

/** Sends a request of the vendor, or with other headers that of an app or a buyer. */
export async function call<Body = { readonly id: number }>(method: string, path: string, body?: unknown, headers = {}): Promise<Body> {
  const answer = await send<Body>(path, { method, body, headers: { 'X-Svc-Admin-Token': adminToken(), ...headers } });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Creates a product with license types, which is sold at Stripe. Returns what its vendor, its buyers and their computers do. */
async function newProduct(name: string) {
  const product = await call<ProductView>('POST', '/v1/products', { name, slug: name.toLowerCase().replace(' ', '-') });
  const path = `/v1/products/${product.id}`;
  const newType = async (type: object): Promise<number> => (await call('POST', `${path}/license-types`, type)).id;
  const pro = await newType({ name: 'Pro, monthly', kind: 'subscription', duration_days: 30, max_seats: 3, features: ['export', 'sync'] });
  const types = {
    perpetual: await newType({ name: 'Perpetual', kind: 'lifetime', max_seats: 2, updates_days: 365, features: ['export'] }),
    trial: await newType({ name: 'Trial, 30 days', kind: 'trial', duration_days: 30, max_seats: 1 }),
    team: await newType({ name: 'Team', kind: 'subscription', duration_days: 365, max_seats: 8, binding: 'user' }),
  };
  const stripe = shops.stripe(() => Date.now());
  const price = stripe.ref.example;
  const connection = await call<{ readonly id: number; readonly url: string }>('POST', `${path}/payment-connections`, {
    processor: 'stripe',
    signing_secret: SECRET,
    plans: [{ ref: price, license_type_id: pro }],
  });
  const inApp = { 'X-API-Key': product.api_key };
  const apps: { readonly key: string; readonly fingerprint: string }[] = [];
  const subscriptions = new Set<Order>();

  const activate = async ({ key }: LicenseView, owner: string, devices: number): Promise<void> => {
    const first = random(COMPUTERS.length - devices + 1);
    for (const [computer, platform] of COMPUTERS.slice(first, first + devices)) {
      const app = { key, fingerprint: newFingerprint() };
      const device = { ...app, name: `${owner}’s ${computer}`, platform, release: { version: oneOf(VERSIONS) } };
      await call('POST', `${path}/activate`, device, inApp);
      apps.push(app);
    }
  };
  const issue = ({ customer_email, metadata }: Buyer, type: keyof typeof types): Promise<LicenseView> =>
    call<LicenseView>('POST', `${path}/licenses`, { license_type_id: types[type], customer_email, metadata });
  const report = async (fact: Fact, order: Order): Promise<void> => {
    for (const message of stripe.messages(fact, order)) {
      const headers = { 'Content-Type': message.contentType, ...stripe.sign(message, SECRET, Date.now()) };
      await call('POST', new URL(connection.url).pathname, message.body, headers);
    }
  };
  /** Sells a subscription to a new buyer, who activates its licenses. */
  const sell = async (buyer: Buyer, { devices = random(4), quantity = 1, ref = price } = {}): Promise<Order> => {
    const order = newOrder({ email: buyer.customer_email, ref, quantity, recurring: true, test: false }, Date.now());
    await report('sale', order);
    if (ref === price) subscriptions.add(order);
    for (const license of await call<LicenseView[]>('GET', `${path}/licenses?customer_email=${buyer.customer_email}`)) {
      await call('PATCH', `/v1/licenses/${license.id}`, { metadata: buyer.metadata });
      await activate(license, buyer.first, devices);
    }
    return order;
  };
  /** What happens on one day: most subscriptions that are due are renewed, and there are new buyers. */
  const liveOneDay = async (sales: number): Promise<void> => {
    for (const order of [...subscriptions].filter((one) => paidUntil(one) <= Date.now())) {
      if (random(12) > 0) await report('renewal', order);
      else if (subscriptions.delete(order)) await report('ended', order);
    }
    for (let left = sales; left > 0; left -= 1) await sell(newBuyer(), { quantity: random(6) === 0 ? 2 : 1 });
    const buyer = newBuyer();
    if (random(4) === 0) await activate(await issue(buyer, 'perpetual'), buyer.first, random(3));
    const visitor = newBuyer();
    if (random(4) === 0) await activate(await issue(visitor, 'trial'), visitor.first, 1);
  };
  /** Starts some of the apps, which then validate their licenses: one in `share`. */
  const startApps = async (share: number): Promise<void> => {
    for (const app of apps.filter(() => random(share) === 0))
      await call('GET', `${path}/validate?${new URLSearchParams({ ...app, version: oneOf(VERSIONS) }).toString()}`, undefined, inApp);
  };
  return { ...product, path, inApp, connection, subscriptions, issue, sell, report, liveOneDay, startApps };
}
type Product = Awaited<ReturnType<typeof newProduct>>;

/** Opens the portal with a logo, which the browser draws. */
async function openPortal({ path }: Product, page: Page): Promise<void> {
  await page.setContent(
    '<svg width="144" height="144" viewBox="0 0 48 48"><rect width="48" height="48" rx="12" fill="#6741d9"/><g fill="none" stroke="#fff" stroke-width="3"><circle cx="24" cy="24" r="13"/><circle cx="24" cy="24" r="5"/></g></svg>',
  );
  const image = await page.locator('svg').screenshot({ omitBackground: true });
  const logo = declaredLogo(image);
  await upload((await call<{ upload: Upload }>('POST', `${path}/portal/logo`, logo)).upload, image);
  const settings = { enabled: true, allow: portalActions, support_url: 'https://example.com/help', color: '#6741d9' };
  await call('POST', `${path}/portal`, { ...settings, logo: logo.sha256 });
}

export const portalLink = async (path: string, customer_email: string): Promise<string> =>
  (await call<{ url: string }>('POST', `${path}/portal/links`, { customer_email })).url;

/** Issues a license of named people, some of whom have signed in to the app. Returns its id. */
async function newTeam({ path, slug, inApp, issue }: Product): Promise<number> {
  const { id } = await issue({ ...newBuyer('Grace'), customer_email: 'grace@wingtip.example' }, 'team');
  for (const [place, name] of ['Grace', 'Alan', 'Barbara', 'Dennis', 'Hedy', 'Radia'].entries()) {
    const email = `${name}@wingtip.example`.toLowerCase();
    await call('PUT', `/v1/licenses/${id}/members`, { email, role: place === 0 ? 'manager' : 'member', invite: false });
    const [computer, platform] = COMPUTERS[place] ?? [];
    if (computer === undefined) continue;
    const device = { fingerprint: newFingerprint(), name: `${name}’s ${computer}`, platform, release: { version: '3.4.1' } };
    const { user_code } = await call<{ user_code: string }>('POST', `${path}/activation-requests`, device, inApp);
    const token = (await portalLink(path, email)).split('#t=')[1];
    const { session } = await call<{ session: string }>('POST', `/v1/portal/${slug}/sessions`, { token });
    const decision = { user_code, decision: 'approve', license_id: id };
    await call('POST', `/v1/portal/${slug}/activation-requests/decision`, decision, { 'X-Portal-Session': session });
  }
  return id;
}

/**
 * Fills the service, and returns what the pictures show.
 *
 * @param page an empty tab in which the logo is drawn
 */
export async function fill(page: Page) {
  const receiver = await startReceiver();
  const studio = await newProduct('Photo Studio');
  const aurora = await newProduct('Aurora Notes');
  const deliveries = async (status: string): Promise<number> =>
    (await call<readonly unknown[]>('GET', `${studio.path}/deliveries?status=${status}`)).length;
  await call('POST', `${studio.path}/webhook`, { url: receiver.url });
  for (let day = DAYS; day > 0; day -= 1) {
    moveClockTo(NOW - day * DAY);
    await studio.liveOneDay(day > DAYS / 2 ? random(3) : 1 + random(2));
    if (day < 50) await aurora.liveOneDay(Number(day % 6 === 0));
    await studio.startApps(10);
  }
  await openPortal(studio, page);
  const team = await newTeam(studio);
  const ada = { ...newBuyer('Ada'), customer_email: 'ada@example.com' };
  moveClockTo(NOW - 9 * HOUR);
  await studio.sell(ada, { devices: 2 });
  moveClockTo(NOW - 5 * HOUR);
  await studio.sell(newBuyer(), { ref: 'price_1Poster' });
  for (const [place, fact] of (['refunded', 'payment failed', 'canceled', 'dispute opened'] as const).entries()) {
    const order = [...studio.subscriptions].at(-4 - place);
    if (order) await studio.report(fact, order);
  }
  await studio.startApps(1);
  await until('all deliveries', async () => (await deliveries('pending')) === 0);
  // The receiver is down when the next subscriptions are renewed.
  await receiver.close();
  moveClockTo(NOW - 2 * HOUR);
  for (const order of [...studio.subscriptions].sort((a, b) => paidUntil(a) - paidUntil(b)).slice(0, 3))
    await studio.report('renewal', order);
  await until('failed deliveries', async () => (await deliveries('pending')) === 0 && (await deliveries('failed')) >= 3);
  moveClockTo(NOW);
  await until('a new count of the devices', async () => {
    const { audience } = await call<{ audience: { counted_at: string } | null }>('GET', `${studio.path}/overview`);
    return Date.parse(audience?.counted_at ?? '') >= NOW;
  });
  return { studio, ada, team };
}
