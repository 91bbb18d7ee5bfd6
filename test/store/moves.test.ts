import { licenseIdKey } from '../../lambdas/store/keys';
import { harnessConfig } from '../support/harness';
import { intercept } from '../support/intercept';
import { ownTable } from '../support/own-table';
import { anotherInstance, closeShops, openShop, type Fields, type Shop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * A license may get a new key while a request looks up the license by its id. The request must then find the license under the new key, and
 * must never report that the license is missing.
 */

afterEach(closeShops);

/** Runs a function right before the first transaction. */
function beforeCommit({ client }: Shop, happens: () => Promise<unknown>): void {
  let done = false;
  intercept(client, async (call, next) => {
    if (call.operation === 'TransactWriteItems' && !done) {
      done = true;
      await happens();
    }
    return next();
  });
}

/** Runs a function between the read of the row that names a license's key and the read of the license with that key. */
function afterAddressIsRead({ client }: Shop, id: number, happens: () => Promise<unknown>): void {
  const { pk } = licenseIdKey(id);
  let done = false;
  intercept(client, async (call, next) => {
    const key = call.input['Key'] as { pk?: { S?: string } | string } | undefined;
    const read = typeof key?.pk === 'string' ? key.pk : key?.pk?.S;
    const output = await next();
    if (call.operation !== 'GetItem' || read !== pk || done) return output;
    done = true;
    await happens();
    return output;
  });
}

const operations: readonly (readonly [string, object | undefined, Fields])[] = [
  ['getLicense', undefined, { seats: { used: 0, max: 0 } }],
  ['deleteActivation', undefined, { freed: false }],
  ['suspendLicense', undefined, { status: 'suspended' }],
  ['revokeLicense', undefined, { status: 'revoked' }],
  ['renewLicense', { headers: { 'Idempotency-Key': 'renewal-1' }, body: { days: 1 } }, { status: 'active' }],
  ['updateLicense', { headers: { 'Idempotency-Key': 'edit-1' }, body: { max_seats: 5 } }, { seats: { used: 0, max: 5 } }],
  ['mintOfflineToken', { body: { fingerprint: 'fingerprint-2' } }, {}],
];

test.each(operations)('%s works on the license under its new key', async (name, request, body) => {
  const first = await openShop({ kind: 'lifetime' });
  const { id, key } = await first.newLicense();
  await first.activate(key, 'fingerprint-1');
  const second = anotherInstance(first);
  afterAddressIsRead(second, id, () => first.call('reissueLicense', { params: { id } }));
  const response = await second.call(name, { params: { id, fingerprint: 'fingerprint-1' }, ...request });
  expect(response).toMatchObject({ status: 200, body });
  const events = await eventsOf(id);
  expectWholeHistory(events);
  expect(events.map(({ event }) => event)).toContain('license.reissued');
});

test('a buyer is erased from a license that is moved to another key at that moment', async () => {
  // An erasure looks for the buyer's licenses in every product. The common table contains the products of all tests.
  const config = harnessConfig(await ownTable());
  const first = await openShop({ kind: 'lifetime' }, { config });
  const customer_email = `${first.productId}@example.com`;
  const { id } = await first.newLicense({ customer_email });
  const second = anotherInstance(first, { config });
  beforeCommit(second, () => first.call('reissueLicense', { params: { id } }));
  expect(await second.call('eraseCustomer', { body: { customer_email } })).toMatchObject({ status: 200, body: { licenses: 1 } });
  expect((await first.call('getLicense', { params: { id } })).body).toMatchObject({ customer_email: null });
});
