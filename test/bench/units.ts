import { randomBytes } from 'node:crypto';
import { meter } from '../support/capacity';
import { startHarness, type Harness } from '../support/harness';
import type { Result, Section } from './report';

/**
 * Prices of one unit in US dollars in us-east-1, without free tiers, from AWS's public price list of 2026-11-20 (docs/operations.md names
 * the pages).
 */
const PRICES = { readUnit: 0.125e-6, writeUnit: 0.625e-6, request: 3.5e-6, message: 0.4e-6, invocation: 0.2e-6 };

interface Instance {
  readonly harness: Harness;
  readonly costs: ReturnType<typeof meter>;
}

/**
 * Counts the read and write units that each operation consumes in DynamoDB. Computes the cost of a million operations in US dollars,
 * without the functions' computing time.
 */
export async function units(): Promise<Section> {
  // Each endpoint runs in its own function instance. The cache of an instance contains only products that the same instance has read.
  const instances = new Map<string, Instance>();
  const instanceOf = (name: string): Instance => {
    const known = instances.get(name);
    if (known) return known;
    const harness = startHarness();
    const instance = { harness, costs: meter(harness.client) };
    instances.set(name, instance);
    return instance;
  };
  const made = async (name: string, request: object): Promise<Record<string, unknown>> => {
    const { status, body } = await instanceOf(name).harness.call(name, request);
    if (status >= 300) throw new Error(`${name} responded with ${status}`);
    return body;
  };
  const slug = `units-${randomBytes(4).toString('hex')}`;
  const product = await made('createProduct', { body: { name: slug, slug } });
  const params = { id: Number(product['id']) };
  const apiKey = String(product['api_key']);
  const type = await made('createLicenseType', {
    params,
    body: { name: 'Yearly', kind: 'subscription', duration_days: 365, max_seats: 100 },
  });
  const sale = { params, body: { license_type_id: type['id'], customer_email: 'ada@example.com', metadata: { order: 'A-1001' } } };
  const license = await made('createLicense', sale);
  const key = String(license['key']);
  const bound = randomBytes(32).toString('hex');
  const claim = (fingerprint: string): object => ({ key, fingerprint, name: "Ada's MacBook Pro", platform: 'darwin' });
  const ofLicense = { params: { id: Number(license['id']) } };
  await made('activate', { params, apiKey, body: claim(bound) });

  const operations: Readonly<Record<string, readonly [route: string, request: () => object]>> = {
    validate: ['validate', () => ({ params, apiKey, query: { key, fingerprint: bound } })],
    're-activate': ['activate', () => ({ params, apiKey, body: claim(bound) })],
    'activate a new device': ['activate', () => ({ params, apiKey, body: claim(randomBytes(32).toString('hex')) })],
    deactivate: ['deactivate', () => ({ params, apiKey, body: { key, fingerprint: bound } })],
    'create a license': ['createLicense', () => sale],
    renew: ['renewLicense', () => ({ ...ofLicense, body: { days: 30 } })],
    reset: ['resetLicense', () => ofLicense],
    revoke: ['revokeLicense', () => ofLicense],
  };
  // The first request of a client app to a function instance also reads the product. It is sent here, so that it is not counted below.
  await made('validate', { params, apiKey, query: { key, fingerprint: bound } });
  await made('deactivate', { params, apiKey, body: { key, fingerprint: randomBytes(32).toString('hex') } });
  const results: Result[] = [];
  for (const [name, [route, request]] of Object.entries(operations)) {
    const { harness, costs } = instanceOf(route);
    costs.take();
    const before = harness.sent.length;
    await made(route, request());
    const { calls, readUnits, writeUnits } = costs.take();
    const messages = harness.sent.length - before;
    const dollars =
      PRICES.request + PRICES.invocation + readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit + messages * PRICES.message;
    const what = `${name}: ${calls.length} ${calls.length === 1 ? 'round trip' : 'round trips'}${messages > 0 ? ' and the send' : ''}, ${readUnits} read, ${writeUnits} write`;
    results.push({ what, value: dollars * 1e6, unit: '$ a million' });
  }
  for (const { harness } of instances.values()) harness.close();
  return {
    title: 'Units and dollars',
    how: 'The units are counted exactly, at the client of the table, for a product without a webhook. The dollars include the gateway, the invocation, the table and the queue. The cost table of `docs/operations.md` also includes a function’s time, logs and traces.',
    results,
  };
}
