import { randomBytes } from 'node:crypto';
import { idempotencyKey } from '../../lambdas/store/keys';
import type { CallRequest, CallResult } from '../support/harness';
import { intercept } from '../support/intercept';
import { closeShops, openShop, type Fields, type Shop } from '../support/shop';
import { clockStart } from '../support/start';
import { eventsOf } from '../support/table';

/**
 * Tests repeated requests that arrive before the first request has finished. Each of them finds no stored response, and its commit then
 * fails because another request has committed first.
 */

afterEach(closeShops);

const unique = (): string => randomBytes(8).toString('hex');
const CROWD = 8;
const start = clockStart();
/** The waits are real, but the clock stands still, so that no request reaches its time limit on a slow machine. */
const patient = { clock: () => start, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };

/**
 * Sends a request many times simultaneously with one idempotency key. All requests look for a stored response before any of them commits,
 * so all try to commit.
 */
async function sendTogether({ call, client }: Shop, name: string, id: number | '', request: CallRequest): Promise<CallResult> {
  const key = unique();
  const { pk } = idempotencyKey(`${name}/${id}`, key);
  let looks = 0;
  let open: () => void = () => undefined;
  const allHaveLooked = new Promise<void>((resolve) => (open = resolve));
  intercept(client, async ({ operation, input }, next) => {
    const output = await next();
    if (operation !== 'GetItem' || (input['Key'] as { pk: string }).pk !== pk || looks === CROWD) return output;
    looks += 1;
    if (looks === CROWD) open();
    await allHaveLooked;
    return output;
  });
  const answers = await Promise.all(
    Array.from({ length: CROWD }, () =>
      call(name, { ...request, ...(id !== '' && { params: { id } }), headers: { 'Idempotency-Key': key } }),
    ),
  );
  const [first] = answers;
  for (const { status, body } of answers) expect({ status, body }).toEqual({ status: first!.status, body: first!.body });
  expect(first!.status).toBeLessThan(300);
  return first!;
}

describe('eight simultaneous requests under one key have one effect, and all return its result', () => {
  test('a product', async () => {
    const shop = await openShop({ kind: 'lifetime' }, patient);
    const body = { name: unique(), slug: unique() };
    const made = await sendTogether(shop, 'createProduct', '', { body });
    expect(made.body).toMatchObject(body);
    expect((await shop.call('getProduct', { params: { id: Number(made.body['id']) } })).body).toEqual(made.body);
  });

  test('a license type', async () => {
    const shop = await openShop({ kind: 'lifetime' }, patient);
    const name = unique();
    const made = await sendTogether(shop, 'createLicenseType', shop.productId, { body: { name, kind: 'lifetime' } });
    const types = (await shop.call('listLicenseTypes', { params: { id: shop.productId } })).body as unknown as Fields[];
    expect(types.filter((type) => type['name'] === name)).toEqual([made.body]);
  });

  test('a license', async () => {
    const shop = await openShop({ kind: 'lifetime' }, patient);
    const made = await sendTogether(shop, 'createLicense', shop.productId, { body: { license_type_id: shop.typeId } });
    expect((await shop.call('listLicenses', { params: { id: shop.productId } })).body).toEqual([made.body]);
    expect((await eventsOf(Number(made.body['id']))).map(({ event }) => event)).toEqual(['license.created']);
  });

  test('a renewal', async () => {
    const shop = await openShop({ kind: 'subscription', duration_days: 30 }, patient);
    const { id } = await shop.newLicense();
    const before = Date.parse((await shop.license(id)).expires_at ?? '');
    const renewed = await sendTogether(shop, 'renewLicense', id, { body: { days: 1 } });
    expect(Date.parse(String(renewed.body['expires_at'])) - before).toBe(86_400_000);
    expect(await shop.license(id)).toEqual(renewed.body);
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.renewed']);
  });
});
