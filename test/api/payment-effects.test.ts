import { shops, stepsOf } from '../../bin/sell/scenarios';
import { monthsAfter, paidUntil, type Fact, type Order, type Shop } from '../../bin/sell/shop';
import type { LicenseView } from '../../lambdas/contract/resources';
import { processors, type Processor } from '../../lambdas/contract/processors';
import { deliveriesOf, openCounter, orderOf, shopOf, signed, type Counter, type OrderFields } from '../support/counter';
import type { AppParts } from '../../lambdas/runtime/app';
import { findByDate } from '../../lambdas/store/reminders/candidates';
import { harnessConfig, startHarness, type CallResult, type Harness } from '../support/harness';
import { captureLogs, writtenBy } from '../support/logs';
import { ownTable } from '../support/own-table';
import { sampled } from '../support/sampled';
import { eventsOf, expectWholeHistory, rowsBelow } from '../support/table';

/**
 * Tests that notifications change licenses, and which events the vendor receives (docs/spec/payments.md, What a notification does). Which
 * licenses a buyer should have after a history is tested in unit/payments, with every processor.
 */

const DAY = 86_400_000;
captureLogs();
const open: Harness[] = [];
afterEach(() => open.splice(0).forEach((service) => service.close()));

interface Till {
  readonly processor: Processor;
  readonly counter: Counter;
  readonly service: Harness;
  readonly connection: { readonly id: number; readonly token: string };
  readonly order: Order;
  /**
   * Sends all notifications with which the processor reports a fact (sale, renewal, refund …). Returns the last response. The clock moves to
   * the beginning of a renewal's period, except if the renewal is early.
   */
  tell(fact: Fact, isEarly?: true): Promise<CallResult>;
  /** Sends all notifications about several facts in reverse order. */
  tellBackwards(...facts: readonly Fact[]): Promise<void>;
  license(): Promise<LicenseView>;
  events(): Promise<string[]>;
  operator(name: string, body?: object): Promise<CallResult>;
}

async function openTill(
  processor: Processor,
  fields: object = {},
  bought: OrderFields = { recurring: true },
  parts: Partial<AppParts> = {},
): Promise<Till> {
  const service = startHarness(parts);
  open.push(service);
  const counter = await openCounter(service);
  const connection = await counter.connect(processor, fields);
  // The clock starts at a full second, because processors report times in seconds.
  service.advance(1000 - (service.now() % 1000));
  const shop: Shop = shops[processor](() => (service.advance(1000), service.now()));
  const order = orderOf(processor, service.now(), bought);
  const license = async (): Promise<LicenseView> => {
    const [first, ...others] = await counter.licenses();
    if (!first || others.length > 0) throw new Error(`There are ${others.length + (first ? 1 : 0)} licenses`);
    return first;
  };
  return {
    processor,
    counter,
    service,
    connection,
    order,
    license,
    tell: async (fact, isEarly) => {
      if (fact === 'renewal' && !isEarly) service.advance(Math.max(0, paidUntil(order) - service.now()));
      let last: CallResult | undefined;
      for (const delivery of deliveriesOf(shop, fact, order, service.now())) {
        last = await counter.send(connection.token, delivery);
        expect(last).toMatchObject({ status: 200 });
      }
      if (!last) throw new Error(`${processor} sends nothing for ${fact}`);
      return last;
    },
    tellBackwards: async (...facts) => {
      const deliveries = facts.flatMap((fact) => deliveriesOf(shop, fact, order, service.now()));
      for (const delivery of deliveries.reverse()) expect(await counter.send(connection.token, delivery)).toMatchObject({ status: 200 });
    },
    events: async () => {
      const events = await eventsOf((await license()).id);
      expectWholeHistory(events);
      return events.map(({ event }) => event);
    },
    operator: async (name, body) => {
      const result = await service.call(name, { params: { id: (await license()).id }, ...(body && { body }) });
      expect(result.status).toBe(200);
      return result;
    },
  };
}

/**
 * Expects that the payments log contains neither a held nor a waiting notification, that each license shows its order, and that the events
 * of each license are complete.
 */
async function expectSettled({ counter, processor, order }: Till): Promise<void> {
  const payments = await counter.payments();
  expect(payments).not.toEqual([]);
  expect(payments.filter(({ status }) => status === 'held' || status === 'waiting')).toEqual([]);
  for (const license of await counter.licenses()) {
    expect(license.order).toMatchObject({ processor, test: order.test });
    expectWholeHistory(await eventsOf(license.id));
  }
}

const at = (ms: number): string => new Date(ms).toISOString();
/** The expiry of an order's license: the end of the paid months plus the days of grace. */
const paid = ({ boughtAt }: Order, months: number, graceDays = 3): string => at(monthsAfter(boughtAt, months) + graceDays * DAY);

/** The processors that report all of the given facts. */
const reporting = (...facts: readonly Fact[]): Processor[] =>
  processors.filter((processor) => facts.every((fact) => shops[processor]().facts.includes(fact)));

test('a license shows its order and the order changes only this license; its events name each change', async () => {
  // Lemon Squeezy reports the id of the subscription in a notification after the sale.
  const till = await openTill('lemonsqueezy', { grace_days: 7 });
  await till.tell('sale');
  const { order, expires_at } = await till.license();
  expect(order?.subscription_id).toEqual(expect.any(String));
  expect((await till.counter.payments()).map((payment) => payment['subscription_id'])).toContain(order?.subscription_id);
  expect(expires_at).toBe(paid(till.order, 1, 7));
  await till.tell('renewal');
  await till.tell('ended');
  const before = await till.license();
  expect(before).toMatchObject({ status: 'active', expires_at: paid(till.order, 2, 0) });
  expect(await till.events()).toEqual(expect.arrayContaining(['license.created', 'license.renewed']));
  expect((await till.events()).at(-1)).toBe('license.updated');

  const other = orderOf('lemonsqueezy', till.service.now(), { recurring: true });
  for (const fact of ['sale', 'refunded'] as const)
    for (const delivery of deliveriesOf(shopOf('lemonsqueezy'), fact, other, till.service.now()))
      await till.counter.send(till.connection.token, delivery);
  const licenses = await till.counter.licenses();
  expect(licenses.filter(({ id }) => id === before.id)).toEqual([before]);
  const [revoked] = licenses.filter(({ id }) => id !== before.id);
  expect(revoked?.status).toBe('revoked');
  expect((await eventsOf(revoked!.id)).at(-1)?.event).toBe('license.revoked');
  await expectSettled(till);
});

describe('a plan that defines what a paid period extends', () => {
  /** Opens a shop with a plan for a lifetime license or a yearly subscription. Each license has updates for a year after its creation. */
  async function openPlan(processor: Processor, kind: 'lifetime' | 'subscription', plan: object): Promise<Till> {
    const till = await openTill(processor);
    const type = await till.service.call('createLicenseType', {
      params: { id: till.counter.productId },
      body: { name: 'Planned', kind, updates_days: 365, ...(kind === 'subscription' && { duration_days: 365 }) },
    });
    const plans = [{ ref: till.order.ref, license_type_id: Number(type.body['id']), ...plan }];
    const changed = await till.service.call('updatePaymentConnection', { params: { id: till.connection.id }, body: { plans } });
    expect(changed).toMatchObject({
      status: 200,
      body: { plans: [{ quantity: 'licenses', extends: 'license', fallback_months: null, ...plan }] },
    });
    return till;
  }

  test('updates: a paid period extends the updates, a refund undoes the extension, and nothing else ends the updates', async () => {
    const till = await openPlan('paddle', 'lifetime', { extends: 'updates' });
    const updates = async (): Promise<unknown> => {
      const { status, expires_at, updates } = await till.license();
      return [status, expires_at, updates.until];
    };
    await till.tell('sale');
    expect(await updates()).toEqual(['active', null, paid(till.order, 1, 0)]);
    till.service.advance(31 * DAY);
    await till.tell('renewal');
    expect((await till.events()).at(-1)).toBe('license.updates_renewed');
    expect(await updates()).toEqual(['active', null, paid(till.order, 2, 0)]);
    await till.tell('refunded');
    expect((await till.events()).at(-1)).toBe('license.updated');
    expect(await updates()).toEqual(['active', null, paid(till.order, 1, 0)]);
    await till.tell('ended');
    await expectSettled(till);
    till.service.advance(400 * DAY);
    expect(await updates()).toEqual(['active', null, paid(till.order, 1, 0)]);
  });

  test('a payment only moves the end of updates forward: it keeps a later end that the operator has set, and updates that never end', async () => {
    const till = await openPlan('paddle', 'lifetime', { extends: 'updates' });
    await till.tell('sale');
    const late = at(till.service.now() + 300 * DAY);
    await till.operator('updateLicense', { updates_until: late });
    await till.tell('renewal');
    await till.tell('refunded');
    expect((await till.license()).updates.until).toBe(late);
    await till.operator('updateLicense', { updates_until: null });
    await till.tell('renewal');
    expect((await till.license()).updates.until).toBeNull();
  });

  test.each(['updates', 'fallback', 'fallback-ended'] as const)(
    'the scenario %s of npm run sell leaves no notification waiting',
    async (scenario) => {
      for (const processor of processors.slice(0, 1)) {
        const till = await openPlan(processor, 'lifetime', scenario === 'updates' ? { extends: 'updates' } : { fallback_months: 2 });
        const shop = shops[processor](() => (till.service.advance(1000), till.service.now()));
        for (const { messages } of stepsOf(scenario, shop, till.order))
          for (const message of messages)
            expect((await till.counter.send(till.connection.token, signed(shop, message, till.service.now()))).status).toBe(200);
        expect(await till.license()).toMatchObject({
          status: 'active',
          expires_at: null,
          updates: { until: expect.any(String) },
          order: { processor, test: false },
        });
        expect((await till.events())[0]).toBe('license.created');
        await expectSettled(till);
      }
    },
  );

  test('a plan with a field that is not valid is refused, and the error names the field', async () => {
    const till = await openTill('paddle');
    const plan = { ref: 'pri_1', license_type_id: till.counter.typeId };
    for (const [wrong, named] of [
      [{ extends: 'everything' }, 'plans[0].extends'],
      [{ extends: null }, 'plans[0].extends'],
      [{ fallback_months: 0 }, 'plans[0].fallback_months'],
      [{ fallback_months: 121 }, 'plans[0].fallback_months'],
      [{ fallback_months: 1.5 }, 'plans[0].fallback_months'],
      [{ fallback_months: '12' }, 'plans[0].fallback_months'],
      [{ extends: 'updates', fallback_months: 12 }, 'plans[0].fallback_months'],
    ] as const) {
      const body = { plans: [{ ...plan, ...wrong }] };
      const result = await till.service.call('updatePaymentConnection', { params: { id: till.connection.id }, body });
      expect([wrong, result.status, result.body['detail']]).toEqual([wrong, 422, expect.stringContaining(named)]);
    }
  });
});

// Behavior that is the same for all processors is tested with one of them.

test('renewal of an expired license makes it active again; renewal of a revoked license changes nothing, and the log contains the reason', async () => {
  const till = await openTill('paddle');
  await till.tell('sale');
  till.service.advance(40 * DAY);
  const { key } = await till.license();
  const check = { params: { id: till.counter.productId }, apiKey: till.counter.apiKey, query: { key, fingerprint: 'f'.repeat(32) } };
  expect((await till.service.call('validate', check)).body).toMatchObject({ valid: false });
  expect((await till.license()).status).toBe('expired');
  await till.tell('renewal');
  expect(await till.license()).toMatchObject({ status: 'active', expires_at: paid(till.order, 2) });
  await till.operator('revokeLicense');
  const revoked = await till.license();
  await till.tell('renewal');
  expect(await till.license()).toEqual(revoked);
  expect((await till.counter.payments()).map(({ reason }) => reason)).toContain('The license is revoked and cannot be renewed.');
});

// The meaning of a plan's quantity is the same for all processors.
describe.each(reporting('quantity changed').slice(0, 1))('the quantity at %s', (processor) => {
  test('changed: if the plan sells seats, the license gets the new number of seats', async () => {
    const ref = shops[processor]().ref.example;
    const till = await openTill(processor, {});
    const plans = [{ ref, license_type_id: till.counter.typeId, quantity: 'seats' }];
    expect((await till.service.call('updatePaymentConnection', { params: { id: till.connection.id }, body: { plans } })).status).toBe(200);
    await till.tell('sale');
    expect((await till.license()).seats.max).toBe(2);
    await till.tell('quantity changed');
    expect((await till.license()).seats.max).toBe(4);
    expect(await till.events()).toContain('license.updated');
  });
});

/** Opens a shop with two plans. The second plan is for another license type, with seven seats and a feature. */
async function openPlans(
  processor: Processor,
  quantity: 'licenses' | 'seats' | 'one',
  bought: OrderFields = {},
): Promise<Till & { readonly otherType: number }> {
  const till = await openTill(processor, { default_license_type_id: null }, { recurring: true, ...bought });
  const { counter, service, connection } = till;
  const type = await service.call('createLicenseType', {
    params: { id: counter.productId },
    body: { name: 'Team', kind: 'subscription', duration_days: 365, max_seats: 7, features: ['sso'] },
  });
  const otherType = Number(type.body['id']);
  const { example, other } = shops[processor]().ref;
  const plans = [
    { ref: example, license_type_id: counter.typeId, quantity },
    { ref: other, license_type_id: otherType, quantity },
  ];
  expect((await service.call('updatePaymentConnection', { params: { id: connection.id }, body: { plans } })).status).toBe(200);
  return { ...till, otherType };
}

test.each(reporting('plan changed').slice(0, 1))(
  'a changed plan moves the license to the other type, with its seats and features (%s)',
  async (processor) => {
    const till = await openPlans(processor, 'licenses');
    await till.tell('sale');
    const before = await till.license();
    await till.tell('plan changed');
    const after = await till.license();
    expect(after).toMatchObject({
      id: before.id,
      key: before.key,
      status: 'active',
      expires_at: before.expires_at,
      license_type: { id: till.otherType },
      features: ['sso'],
      seats: { max: 7 },
      order: { ref: shops[processor]().ref.other },
    });
    expect((await till.events()).at(-1)).toBe('license.updated');
    // All later notifications of the order still find the license.
    await till.tell('renewal');
    expect((await till.license()).expires_at).toBe(paid(till.order, 2));
    await expectSettled(till);
  },
);

// The code that divides a large change into transactions is the same for all processors.
test.each(reporting('plan changed', 'payment failed').slice(0, 1))(
  'a plan is changed for twenty-five licenses whose payment had failed: all of them change, in several transactions if necessary (%s)',
  async (processor) => {
    const till = await openPlans(processor, 'licenses', { quantity: 25 });
    await till.service.call('updatePaymentConnection', { params: { id: till.connection.id }, body: { on_payment_failed: 'suspend' } });
    await till.tell('sale');
    await till.tell('payment failed');
    await till.tell('plan changed');
    await till.tell('renewal');
    const licenses = await till.counter.licenses();
    expect(licenses).toHaveLength(25);
    for (const license of licenses) {
      expect(license).toMatchObject({ status: 'active', license_type: { id: till.otherType }, expires_at: paid(till.order, 2) });
      expectWholeHistory(await eventsOf(license.id));
    }
    expect(await till.counter.payments({ status: 'waiting' })).toEqual([]);
  },
);

test('a payment, a pause and a dispute suspend and reinstate a license with one event each, and leave a license that the operator has suspended', async () => {
  const till = await openTill('paddle', { on_payment_failed: 'suspend' });
  await till.tell('sale');
  await till.tell('payment failed');
  expect(await till.license()).toMatchObject({ status: 'suspended', suspended_cause: 'payment', suspended_by: 'paddle' });
  await till.tell('renewal');
  expect(await till.license()).toMatchObject({ status: 'active', suspended_cause: null, expires_at: paid(till.order, 2) });
  expect((await till.events()).slice(-2)).toEqual(expect.arrayContaining(['license.reinstated']));
  await till.tell('paused');
  await till.tell('dispute opened');
  const { suspended_at } = await till.license();
  const before = await till.events();
  // The license stays suspended for the dispute, so it is not reported as reinstated.
  await till.tell('resumed');
  expect(await till.license()).toMatchObject({ status: 'suspended', suspended_cause: 'dispute', suspended_by: 'paddle', suspended_at });
  await till.tell('dispute won');
  expect(await till.license()).toMatchObject({ status: 'active', suspended_cause: null, suspended_at: null });
  expect((await till.events()).slice(before.length)).toEqual(['license.updated', 'license.reinstated']);
  await expectSettled(till);
  await till.operator('suspendLicense');
  await till.tell('paused');
  await till.tell('resumed');
  expect(await till.license()).toMatchObject({ status: 'suspended', suspended_cause: 'operator' });
});

test.each(processors.slice(0, 1))(
  '25 licenses with updates are issued together, and reminders find the end of their updates (%s)',
  async (processor) => {
    const till = await openTill(processor, { default_license_type_id: null }, { quantity: 25 });
    const { counter, service } = till;
    const type = await service.call('createLicenseType', {
      params: { id: counter.productId },
      body: { name: 'Forever', kind: 'lifetime', updates_days: 365 },
    });
    const plans = [{ ref: till.order.ref, license_type_id: type.body['id'], quantity: 'licenses' }];
    await service.call('updatePaymentConnection', { params: { id: till.connection.id }, body: { plans } });
    await till.tell('sale');
    const licenses = await counter.licenses();
    expect(licenses).toHaveLength(25);
    const range = { from: 0, to: service.now() + 400 * DAY };
    const { licenses: found } = await findByDate(service.app.table, counter.productId, 'updates_expiring', range, undefined);
    expect(found.map(({ license }) => license.id).sort()).toEqual(licenses.map(({ id }) => id).sort());
    await expectSettled(till);
  },
);

test('a held sale of 25 licenses is issued after many renewals, each with further ids of the order', async () => {
  // The test reads a whole table, so it has its own small table.
  const table = await ownTable();
  const config = harnessConfig(table);
  const till = await openTill('stripe', { default_license_type_id: null }, { recurring: true, quantity: 25 }, { config });
  const { counter, service, connection } = till;
  await till.tell('sale');
  for (let month = 0; month < 10; month += 1) await till.tell('renewal', true);
  await service.call('updatePaymentConnection', { params: { id: connection.id }, body: { default_license_type_id: counter.typeId } });
  const processed = await service.call('processPayments', { params: { id: counter.productId } });
  expect(processed).toMatchObject({ status: 202, body: { processed: 11, held: 0 } });
  const expiries = (await counter.licenses()).map(({ expires_at }) => expires_at);
  expect(expiries).toEqual(Array.from({ length: 25 }, () => paid(till.order, 11)));
  expect(await counter.payments({ status: 'waiting' })).toEqual([]);
  // The rows by which the service finds the order from its ids do not expire, although the order had no licenses at first.
  const rows = await rowsBelow(`PAYMENT#ORDER_ID#${connection.id}#`, table);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ ttl }) => ttl !== undefined)).toEqual([]);
});

test('a large sale is done even if the notifications that waited for it fail afterwards; an operator can retry these notifications', async () => {
  const till = await openTill('gumroad', { on_dispute: 'suspend', default_license_type_id: null }, { quantity: 25 });
  const { counter, service } = till;
  await service.call('updatePaymentConnection', {
    params: { id: till.connection.id },
    body: { plans: [{ ref: till.order.ref, license_type_id: counter.typeId, quantity: 'licenses' }] },
  });
  const transactions: string[] = [];
  service.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'TransactWriteItemsCommand' || commandName === 'TransactWriteCommand') transactions.push(commandName);
        // The first transaction is for the dispute, the second is for the sale, and the others are for the notification that waited for the
        // sale.
        if (transactions.length > 2) throw new Error('The table is gone (injected by the test)');
        return next(args);
      },
    { step: 'initialize', name: 'fault' },
  );
  await till.tellBackwards('sale', 'dispute opened');
  service.client.middlewareStack.remove('fault');
  expect((await counter.licenses()).map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 'active'));
  const payments = await counter.payments();
  expect(payments.map(({ status }) => status).sort()).toEqual(['done', 'waiting']);
  const waiting = payments.find(({ status }) => status === 'waiting');
  expect(await service.call('processPayment', { params: { payment: String(waiting?.['id']) } })).toMatchObject({
    status: 200,
    body: { status: 'done' },
  });
  expect(new Set((await counter.licenses()).map(({ status }) => status))).toEqual(new Set(['suspended']));
});

test('a pause suspends a large sale although disputes without effect are processed first, and their rows in the payments log have expired', async () => {
  const till = await openTill('custom', { on_dispute: 'nothing' }, { quantity: 25 });
  const { counter, service, connection } = till;
  const shop = shopOf('custom');
  let count = 0;
  const send = async (type: string, more: object): Promise<void> => {
    const id = `n-${(count += 1)}`;
    const body = JSON.stringify({ id, at: at(service.now()), type, order: '1001', subscription: 'sub-1', ...more });
    const delivery = signed(shop, { type: 'x', id, body, contentType: 'application/json' }, service.now());
    expect((await counter.send(connection.token, delivery)).status).toBe(200);
  };
  for (let place = 0; place < 40; place += 1) await send('dispute', { dispute: { id: `dispute-${place}`, state: 'open' } });
  await send('subscription', { subscription_state: 'paused' });
  service.advance(91 * DAY);
  await send('sale', { buyer: { email: 'ada@example.com' }, lines: [{ id: 'a', ref: 'pro', quantity: 25 }] });
  const licenses = await counter.licenses();
  expect(licenses.map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 'suspended'));
  for (const { id } of licenses) expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.suspended']);
});

test('a sale of an archived type is held; its license can be issued when the type is no longer archived', async () => {
  const till = await openTill('polar', {}, {});
  const { counter, service } = till;
  const archive = (archived: boolean): Promise<CallResult> =>
    service.call('updateLicenseType', { params: { id: counter.typeId }, body: { archived } });
  expect((await archive(true)).status).toBe(200);
  const { body } = await till.tell('sale');
  expect(body).toMatchObject({ status: 'held' });
  await archive(false);
  expect((await service.call('processPayment', { params: { payment: String(body['id']) } })).body).toMatchObject({
    status: 'done',
    license_ids: [expect.any(Number)],
  });
  expect((await till.license()).status).toBe('active');
});

describe('a sale that the service holds', () => {
  /** The log lines that are written while the service handles a sale whose item no plan names. */
  async function written(fields: object, bought: OrderFields): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const till = await openTill('polar', { default_license_type_id: null, ...fields }, bought);
    return writtenBy(async () => expect((await till.tell('sale')).body).toMatchObject({ status: 'held' }));
  }

  test('warns the operator, who must help a buyer that has paid: with a metric for the alarm, and where to look', async () => {
    const lines = await written({}, {});
    expect(lines).toContainEqual(expect.objectContaining({ 'payment.held': 1 }));
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'WARN', message: 'SALE_HELD', payment_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string }),
    );
    expect(JSON.stringify(lines)).not.toContain('ada@');
  });

  test('gives no warning in test mode, because an integration is often tried before it has plans', async () => {
    expect(await written({ mode: 'test' }, { test: true })).toEqual([]);
  });
});

test('a live connection ignores a notification of the test mode, and a test connection marks its licenses', async () => {
  const live = await openTill('stripe', {}, { test: true });
  expect((await live.tell('sale')).body).toMatchObject({ status: 'ignored' });
  expect(await live.counter.licenses()).toEqual([]);
  const test = await openTill('stripe', { mode: 'test' }, { test: true });
  await test.tell('sale');
  expect(await test.license()).toMatchObject({ order: { test: true } });
});

describe('a request that is not a notification', () => {
  const signedBody = (processor: Processor, body: string, now: number, contentType = 'application/json') =>
    signed(shopOf(processor), { type: 'x', id: 'msg_1', body, contentType }, now);

  test.each(sampled(processors))(
    '%s: a correctly signed body that is not an object, has no type or contains too much data is refused with 422; a notification that needs no action is ignored and logged',
    async (processor) => {
      const { counter, service, connection } = await openTill(processor);
      // Gumroad signs nothing, and sends forms. Any text is a form.
      const refused = ['', 'null', '[]', '"text"', '{', '{}', '{"type":5}', '{"type":""}', `{"type":"${'x'.repeat(1_048_576)}"}`];
      const required = ['{"type":"sale","id":"1"}', '{"type":"gift"}'];
      for (const body of processor === 'gumroad' ? [] : [...refused, ...(processor === 'custom' ? required : [])]) {
        expect([body.slice(0, 20), (await counter.send(connection.token, signedBody(processor, body, service.now()))).status]).toEqual([
          body.slice(0, 20),
          422,
        ]);
      }
      expect(await counter.payments()).toEqual([]);

      // A shop of one's own sends only what the service needs.
      if (processor === 'custom') return;
      const needless: Readonly<Record<Exclude<Processor, 'custom'>, string>> = {
        stripe: '{"id":"evt_1","object":"event","type":"price.created","created":1790000000,"data":{"object":{}}}',
        paddle: '{"event_id":"evt_1","event_type":"address.created","data":{}}',
        lemonsqueezy: '{"meta":{"event_name":"affiliate_activated"},"data":{}}',
        polar: '{"type":"benefit.created","data":{}}',
        gumroad: 'resource_name=review&sale_id=1',
      };
      const contentType = processor === 'gumroad' ? 'application/x-www-form-urlencoded' : 'application/json';
      const delivery = signedBody(processor, needless[processor], service.now(), contentType);
      expect((await counter.send(connection.token, delivery)).body).toMatchObject({ status: 'ignored' });
      expect(await counter.payments()).toMatchObject([
        { status: 'ignored', reason: expect.any(String) as string, license_ids: [], order_id: null },
      ]);
    },
  );

  test('1 MB is accepted, even with characters of several bytes', async () => {
    const { counter, service, connection } = await openTill('stripe');
    const frame = '{"id":"evt_big","type":"price.created","data":{"object":{"note":""}}}';
    const body = frame.replace('"note":""', `"note":"${'ü'.repeat((1_048_576 - Buffer.byteLength(frame)) / 2)}"`);
    expect(Buffer.byteLength(body)).toBeGreaterThanOrEqual(1_048_575);
    expect((await counter.send(connection.token, signedBody('stripe', body, service.now()))).body).toMatchObject({ status: 'ignored' });
    const [{ id } = { id: '' }] = await counter.payments();
    expect((await service.call('getPayment', { params: { payment: id } })).body['payload']).toEqual(JSON.parse(body));
  });

  test('a Gumroad ping into which a buyer has injected fields is held without any effect, and the real ping is processed afterwards', async () => {
    const till = await openTill('gumroad', {}, { recurring: false });
    const other = await till.counter.connect('gumroad');
    const send = (token: string, fact: Fact, injected = '') => {
      const [delivery] = deliveriesOf(shopOf('gumroad'), fact, till.order, till.service.now());
      return till.counter.send(token, { ...delivery!, body: delivery!.body.replace('&refunded=', `${injected}&refunded=`) });
    };
    const injected = '&url_params[a&subscription_id=Sother&recurrence=every_two_years&refunded=false&b]=1';
    expect((await send(other.token, 'sale', injected)).body).toMatchObject({ status: 'held' });
    expect(await till.counter.licenses()).toEqual([]);
    expect((await send(till.connection.token, 'sale')).body).toMatchObject({ status: 'done' });
    expect((await send(till.connection.token, 'refunded', injected)).body).toMatchObject({ status: 'held' });
    expect(await till.license()).toMatchObject({ status: 'active' });
    const heldRefund = async () => (await till.counter.payments()).find(({ type, status }) => type === 'refund' && status === 'held');
    const row = await heldRefund();
    expect(row).toMatchObject({
      action: 'untrusted',
      customer_email: 'ada@example.com',
      order_id: null,
      payload: { refunded: ['false', 'true'] },
    });
    await till.service.call('processPayment', { params: { payment: row!.id } });
    expect(await heldRefund()).toEqual(row);
    expect((await send(till.connection.token, 'refunded')).body).toMatchObject({ status: 'done' });
    expect(await till.license()).toMatchObject({ status: 'revoked' });
  });

  test.each([
    ['brackets and blanks as they are', (form: string) => form],
    ['all encoded', (form: string) => new URLSearchParams(form).toString()],
    ['a plus for each blank', (form: string) => form.replaceAll('%20', '+')],
    ['JSON', (form: string) => JSON.stringify(Object.fromEntries(new URLSearchParams(form)))],
  ])('a Gumroad form with %s is read', async (_case, encode) => {
    const { counter, connection } = await openTill('gumroad', {}, {});
    const form =
      'seller_id=Se1%3D%3D&product_id=Pq1%3D%3D&product_name=Aur%C3%B6ra&permalink=aurora&email=ada%2Bx%40example.com&quantity=1&card[visual]=%2A%2A&sale_id=Sa1%3D%3D&sale_timestamp=2026-11-21T10%3A00%3A00Z&full_name=&custom_fields[Company name]=Ada%20Ltd&Company name=Ada%20Ltd&refunded=false&resource_name=sale&disputed=false';
    const body = encode(form);
    const headers = { 'Content-Type': body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded' };
    expect((await counter.send(connection.token, { body, headers })).body).toMatchObject({ status: 'done' });
    expect(await counter.licenses()).toMatchObject([{ customer_email: 'ada+x@example.com', order: { order_id: 'Sa1==' } }]);
    const [row] = await counter.payments();
    expect(row).toMatchObject({ payload: { product_name: 'Auröra', 'Company name': 'Ada Ltd' } });
  });
});
