import type { LicenseView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { getLicense } from '../../lambdas/store/licenses/read';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { Fuse } from '../support/faults';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

/**
 * From the request until the delivery is recorded, the functions call the table, the queue and the secrets. Each run of these tests lets a
 * function die at a different one of these calls, and all messages are lost. The webhook must still get every committed change, and never a
 * change that was not committed.
 */

captureLogs();
const MACHINE = 'c'.repeat(64);
let table: string;
let backend: Receiver;
let clean: EventHarness;
let product: Product;
beforeAll(async () => {
  table = await ownTable();
  backend = await startReceiver();
  clean = startEventHarness(table);
  product = await clean.newProduct(backend.url);
});
afterAll(async () => {
  clean.close();
  await backend.close();
});

type Act = (service: EventHarness, license: LicenseView) => Promise<{ status: number }>;
const byClient =
  (name: string): Act =>
  (service, { key }) =>
    service.call(name, {
      params: { id: product.id },
      apiKey: product.api_key,
      ...(name === 'validate' ? { query: { key, fingerprint: MACHINE } } : { body: { key, fingerprint: MACHINE } }),
    });
const byOperator =
  (name: string): Act =>
  (service, { id }) =>
    service.call(name, { params: { id } });

const acts: [event: string, act: Act, before: (license: LicenseView) => Promise<unknown>][] = [
  [
    'license.created',
    (service) => service.call('createLicense', { params: { id: product.id }, body: { license_type_id: product.typeId } }),
    async () => undefined,
  ],
  ['license.activated', byClient('activate'), async () => undefined],
  ['license.deactivated', byClient('deactivate'), ({ key }) => product.activate(key, MACHINE)],
  ['license.reset', byOperator('resetLicense'), ({ key }) => product.activate(key, MACHINE)],
  ['license.renewed', byOperator('renewLicense'), async () => undefined],
  ['license.revoked', byOperator('revokeLicense'), async () => undefined],
  ['license.expired', byClient('validate'), async () => clean.advance(366 * 86_400_000)],
  ['webhook.test', (service) => service.call('testWebhook', { params: { id: product.id } }), async () => undefined],
];

/**
 * Executes a change and delivers its event with functions that die at a given call. The receiver refuses the first attempt. Returns the
 * status of the response, and the number of calls.
 */
async function live(act: Act, license: LicenseView, fuse: Fuse): Promise<{ readonly answered: number; readonly calls: number }> {
  const service: EventHarness = startEventHarness(table, {
    fetchSecret: (name) => fuse.burn(() => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : `test-${name}`)),
    send: (messages) =>
      fuse.burn(
        async () =>
          void service.queue.push(...messages.map(({ body, delaySeconds }) => ({ body, at: service.now() + delaySeconds * 1000 }))),
      ),
  });
  fuse.putInto(service.client);
  service.advance(clean.now() - service.now());
  let refusals = 1;
  backend.answer = () => (refusals-- > 0 ? 500 : 200);
  const { status } = await act(service, license);
  const { calls } = fuse;
  await service.run();
  service.close();
  clean.advance(service.now() - clean.now());
  return { answered: status, calls };
}

const sequenceOf = (payload: Record<string, unknown>): number => (payload['data'] as { license: { sequence: number } }).license.sequence;

/**
 * Checks that the receiver got each recorded event, and that the events of each license have consecutive sequence numbers. Events whose ids
 * are in `known` are ignored. Returns the checked deliveries.
 */
async function expectTold(known: ReadonlySet<string>): Promise<DeliveryView[]> {
  const deliveries = (await product.deliveries({ limit: '20' })).filter(({ id }) => !known.has(id));
  for (const { id, status, attempts, payload } of deliveries) {
    const posts = backend.received.filter((post) => post.id === id);
    expect(status).toBe('delivered');
    // The receiver may get one post more than the log contains, because the function may have died before it recorded the post.
    expect([attempts, attempts + 1]).toContain(posts.length);
    expect(new Set(posts.map(({ raw }) => raw.toString()))).toEqual(new Set([JSON.stringify(payload)]));
  }
  for (const licenseId of new Set(deliveries.flatMap(({ license_id }) => license_id ?? []))) {
    const license = await getLicense(clean.app.table, licenseId);
    const told = deliveries.filter(({ license_id }) => license_id === licenseId).map(({ payload }) => sequenceOf(payload));
    expect(told.sort((a, b) => a - b)).toEqual(Array.from({ length: license?.sequence ?? 0 }, (_, place) => place + 1));
  }
  return deliveries;
}

test.each(acts)(
  'the event %s is delivered if and only if its change was committed, no matter at which call a function dies',
  async (event, act, before) => {
    for (let at = 1, calls = Infinity; at <= calls + 1; at += 1) {
      const fuse = new Fuse(calls === Infinity ? Infinity : at - 1);
      backend.answer = () => 200;
      backend.received.length = 0;
      const known = new Set((await product.deliveries({ limit: '20' })).map(({ id }) => id));
      const license = await product.license();
      await before(license);
      await clean.run();

      const { answered, calls: ownCalls } = await live(act, license, fuse);
      // The table does not store messages, so the test assumes the worst case, in which all of them are lost.
      clean.queue.length = 0;
      await clean.recover();

      const told = (await expectTold(known)).filter((delivery) => delivery.event === event).length - (event === 'license.created' ? 1 : 0);
      const context = `died before call ${at - 1} of ${calls}, answered ${answered}`;
      expect([context, answered < 300 ? [1] : [0, 1]]).toEqual([context, expect.arrayContaining([told])]);
      // The first run has no crash, and counts the calls at which a function can die.
      if (calls === Infinity) {
        expect(answered).toBeLessThan(300);
        expect(fuse.calls).toBeGreaterThan(8);
        // The delivery is the same for every kind of event, so crashes during the delivery are tested only with the first kind.
        calls = event === acts[0]?.[0] ? fuse.calls : ownCalls;
        expect(calls).toBeGreaterThan(1);
      }
    }
  },
);
