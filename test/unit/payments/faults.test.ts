import { adapters, type Notification } from '../../../lambdas/domain/payments';
import type { Processor } from '../../../lambdas/contract/processors';
import { monthsAfter } from '../../../lambdas/domain/time';
import { expectAnyOrder } from '../../support/any-order';
import { type Books, DAY, LICENSE, START, received, terms, unsettled } from '../../support/orders';
import { amountsOf } from '../../../lambdas/domain/payments/ledger';
import type { SaleTerms } from '../../../lambdas/domain/payments/sold-as';
import { termStartsOf } from '../../../lambdas/domain/payments/target';

/**
 * Kinds of faults that orders with unusual notifications had. Each test plays the notifications as the processor sends them, in every order
 * of arrival. If one fails, a buyer has a license for too long, or loses one that is paid.
 */

const HOUR = 3_600_000;
const plan = (ref: string, license_type_id: number, more: object = {}): SaleTerms['plans'][number] => ({
  ref,
  license_type_id,
  quantity: 'licenses',
  ...LICENSE,
  ...more,
});
const view = (books: Books): unknown =>
  books
    .kept()
    .map(({ status, suspendedCause, type, expiresAt }) => [
      status,
      suspendedCause,
      type,
      expiresAt === null ? null : (expiresAt - START) / DAY,
    ]);

/** Expects the same licenses in any order of arrival, with nothing waiting. */
function expectLicenses(settings: SaleTerms, notifications: readonly Notification[], licenses: unknown): void {
  expectAnyOrder(notifications, (arriving) => {
    const books = received(settings, arriving);
    return [view(books), unsettled(books)];
  });
  const books = received(settings, notifications);
  expect([view(books), unsettled(books)]).toEqual([licenses, []]);
}

const read = (processor: Processor, body: object): Notification => adapters[processor].read(JSON.stringify(body), {})!;
let events = 0;

describe('Stripe', () => {
  const stripe = (at: number, type: string, object: object, previous?: object): Notification =>
    read('stripe', {
      id: `evt_${(events += 1)}`,
      type,
      created: (START + at) / 1000,
      livemode: true,
      data: { object, previous_attributes: previous },
    });
  const item = (quantity = 1, price = 'price_1', more: object = {}): object => ({
    id: `il_${(events += 1)}`,
    quantity,
    amount: 4900 * quantity,
    parent: { subscription_item_details: { subscription_item: 'si_1', proration: false, ...more } },
    pricing: { price_details: { price, product: 'prod_1' } },
  });
  const period = (from: number, until: number) => ({ period: { start: (START + from) / 1000, end: (START + until) / 1000 } });
  const invoice = (id: string, at: number, from: number, until: number, more: object = {}, line: object = item()): Notification =>
    stripe(at, 'invoice.paid', {
      id,
      billing_reason: from === 0 ? 'subscription_create' : 'subscription_cycle',
      subscription: 'sub_1',
      payment_intent: `pi_${id}`,
      amount_paid: 4900,
      subtotal: 4900,
      customer_email: 'ada@example.com',
      lines: { data: [{ ...line, ...period(from, until) }] },
      ...more,
    });
  const sale = invoice('in_1', 0, 0, 30 * DAY);
  const dispute = (id: string, at: number, status: string): Notification =>
    stripe(at, 'charge.dispute.updated', { id, status, charge: 'ch_1', payment_intent: 'pi_in_1' });

  test('of two disputes, the license is suspended until the last one ends, and an inquiry that ends does not end a dispute', () => {
    const opened = [sale, dispute('du_1', HOUR, 'needs_response'), dispute('du_2', 2 * HOUR, 'needs_response')];
    expectLicenses(terms(), [...opened, dispute('du_1', 3 * HOUR, 'won')], [['suspended', 'dispute', 1, 33]]);
    expectLicenses(terms(), [...opened, dispute('du_3', 3 * HOUR, 'warning_closed')], [['suspended', 'dispute', 1, 33]]);
    expectLicenses(terms(), [...opened, dispute('du_1', 3 * HOUR, 'won'), dispute('du_2', 4 * HOUR, 'won')], [['active', null, 1, 33]]);
    // A later state of another dispute does not hide that one was lost.
    const lost = received(terms(), [...opened, dispute('du_1', 3 * HOUR, 'lost'), dispute('du_2', 4 * HOUR, 'won')]);
    expect(lost.licenses.map(({ status }) => status)).toEqual(['revoked']);
  });

  test.each(['licenses', 'seats', 'one'] as const)(
    'a quantity of 0 ends all licenses with the paid time, and a renewal extends none (%s)',
    (quantity) => {
      const settings = terms({ plans: [plan('price_1', 2, { quantity })] });
      const changed = stripe(HOUR, 'customer.subscription.updated', {
        id: 'sub_1',
        status: 'active',
        items: { data: [{ id: 'si_1', price: { id: 'price_1', product: 'prod_1' }, quantity: 0 }] },
      });
      const renewal = invoice('in_2', 30 * DAY, 30 * DAY, 60 * DAY, {}, item(0));
      const books = received(settings, [sale, changed, renewal]);
      expect(books.licenses.map(({ expiresAt }) => expiresAt)).toEqual([START + 30 * DAY]);
      expectLicenses(settings, [sale, changed, renewal], []);
      expectLicenses(settings, [invoice('in_1', 0, 0, 30 * DAY, {}, item(0))], []);
    },
  );

  test('the payment link of a checkout for a subscription selects the plan, whichever is reported first', () => {
    const session = stripe(0, 'checkout.session.completed', {
      id: 'cs_1',
      mode: 'subscription',
      status: 'complete',
      payment_status: 'paid',
      subscription: 'sub_1',
      invoice: 'in_1',
      payment_link: 'plink_1',
    });
    const plans = [plan('plink_1', 2)];
    expectLicenses(terms({ plans, default_license_type_id: null }), [session, sale], [['active', null, 2, 33]]);
    expectLicenses(terms({ plans }), [session, sale], [['active', null, 2, 33]]);
    // The price is more specific than the link.
    expectLicenses(terms({ plans: [...plans, plan('price_1', 4)] }), [session, sale], [['active', null, 4, 33]]);
  });

  test('a trial that the vendor extends lasts until its new end', () => {
    const trial = invoice('in_1', 0, 0, 14 * DAY, { amount_paid: 0, subtotal: 0 }, { ...item(), amount: 0 });
    const extended = stripe(
      DAY,
      'customer.subscription.updated',
      { id: 'sub_1', status: 'trialing', trial_end: (START + 30 * DAY) / 1000 },
      { trial_end: 1 },
    );
    expectLicenses(terms(), [trial, extended], [['active', null, 1, 33]]);
  });

  test('a period that two payments paid is refunded in full when both are', () => {
    const link = (intent: string): Notification =>
      stripe(HOUR, 'invoice_payment.paid', { invoice: 'in_1', payment: { payment_intent: intent }, amount_paid: 2450 });
    const refund = (intent: string, at: number): Notification =>
      stripe(at, 'charge.refunded', { id: `ch_${intent}`, payment_intent: intent, amount: 2450, amount_refunded: 2450, refunded: true });
    const paid = [invoice('in_1', 0, 0, 30 * DAY, { payment_intent: null }), link('pi_a'), link('pi_b')];
    expectLicenses(terms(), [...paid, refund('pi_a', DAY)], [['active', null, 1, 33]]);
    const books = received(terms(), [...paid, refund('pi_a', DAY), refund('pi_b', 2 * DAY)]);
    expect(books.licenses.map(({ status }) => status)).toEqual(['revoked']);
  });

  test('the refund of a period that has not begun takes its extension back, and the refund of a past period changes nothing', () => {
    const renewal = invoice('in_2', 29 * DAY, 30 * DAY, 60 * DAY);
    const refund = (invoiceId: string, at: number): Notification =>
      stripe(at, 'charge.refunded', {
        id: `ch_${invoiceId}`,
        payment_intent: `pi_${invoiceId}`,
        amount: 4900,
        amount_refunded: 4900,
        refunded: true,
      });
    expectLicenses(terms(), [sale, renewal, refund('in_2', 29 * DAY + HOUR)], [['active', null, 1, 33]]);
    expectLicenses(terms(), [sale, renewal, refund('in_1', 31 * DAY)], [['active', null, 1, 63]]);
  });

  test('an item beside a renewal is issued if a plan names it, or the log says why not; each invoice sells it again', () => {
    const extra = (price: string): object => ({
      id: `il_${(events += 1)}`,
      quantity: 1,
      parent: { invoice_item_details: { proration: false } },
      pricing: { price_details: { price } },
    });
    const beside = (id: string, month: number, price: string): Notification =>
      invoice(id, month * 30 * DAY, month * 30 * DAY, (month + 1) * 30 * DAY, {
        lines: { data: [{ ...item(), ...period(month * 30 * DAY, (month + 1) * 30 * DAY) }, extra(price)] },
      });
    const settings = terms({ plans: [plan('price_1', 1), plan('price_extra', 2)], default_license_type_id: null });
    expectLicenses(
      settings,
      [sale, beside('in_2', 1, 'price_extra'), beside('in_3', 2, 'price_extra')],
      [
        ['active', null, 1, 93],
        ['active', null, 2, 365],
        ['active', null, 2, 365],
      ],
    );
    const books = received(settings, [sale, beside('in_2', 1, 'price_other')]);
    expect(books.rows.at(-1)?.outcome.reason).toMatch(/price_other/);
  });

  test('a first invoice with only a proration is a sale of the time until its end', () => {
    expectLicenses(terms(), [invoice('in_1', 0, 0, 10 * DAY, {}, item(1, 'price_1', { proration: true }))], [['active', null, 1, 13]]);
  });

  test('a late payment for a time before the end of the subscription does not continue it', () => {
    const ended = stripe(60 * DAY, 'customer.subscription.deleted', {
      id: 'sub_1',
      status: 'canceled',
      ended_at: START / 1000 + 60 * 86_400,
    });
    const late = invoice('in_2', 61 * DAY, 30 * DAY, 60 * DAY);
    expectLicenses(terms(), [sale, ended, late], [['active', null, 1, 60]]);
    expectLicenses(terms(), [sale, ended, invoice('in_3', 61 * DAY, 61 * DAY, 91 * DAY)], [['active', null, 1, 94]]);
  });

  test('usage that is billed beside a subscription issues nothing, and does not move the start of the paid period back', () => {
    const usage = { ...item(1342, 'price_usage', { subscription_item: 'si_2' }), ...period(0, 30 * DAY) };
    const renewal = invoice('in_2', 29 * DAY, 0, 0, {
      billing_reason: 'subscription_cycle',
      lines: { data: [usage, { ...item(), ...period(30 * DAY, 60 * DAY) }] },
    });
    expect(renewal.actions).toMatchObject([{ paidFrom: START + 30 * DAY, paidUntil: START + 60 * DAY }]);
    expectLicenses(terms(), [renewal], [['active', null, 1, 63]]);
    const metered = { id: 'price_usage', recurring: { usage_type: 'metered' } };
    const itemsOf = (...prices: readonly object[]): object => ({ data: prices.map((price, place) => ({ id: `si_${place + 1}`, price })) });
    const updated = (...prices: readonly object[]): Notification =>
      stripe(DAY, 'customer.subscription.updated', { id: 'sub_1', status: 'active', items: itemsOf(...prices) }, { items: {} });
    expectLicenses(terms(), [sale, updated({ id: 'price_1' }, metered), renewal], [['active', null, 1, 63]]);
    // Before API version 2025-03-31, invoices report that a price is metered.
    const old = { subscription_item: 'si_1', quantity: 7, price: metered, ...period(0, 30 * DAY) };
    const onlyUsage = invoice('in_1', 0, 0, 30 * DAY, { lines: { data: [old] } });
    expectLicenses(terms(), [onlyUsage, updated(metered)], [['active', null, 1, 33]]);
    const refund = stripe(29 * DAY + HOUR, 'charge.refunded', {
      id: 'ch_2',
      payment_intent: 'pi_in_2',
      amount: 4900,
      amount_refunded: 4900,
    });
    expectLicenses(terms(), [sale, renewal, refund], [['active', null, 1, 33]]);
  });

  test('a credit note concerns only the licenses of the lines that it names', () => {
    const line = (id: string, si: string, price: string): object => ({
      ...item(1, price, { subscription_item: si }),
      id,
      ...period(0, 30 * DAY),
    });
    const bought = invoice('in_1', 0, 0, 30 * DAY, {
      amount_paid: 10780,
      lines: { data: [line('il_a', 'si_a', 'price_a'), line('il_b', 'si_b', 'price_b')] },
    });
    const creditNote = {
      id: 'cn_1',
      invoice: 'in_1',
      type: 'post_payment',
      amount: 5390,
      refunds: [{ refund: 're_1' }],
      lines: { data: [{ invoice_line_item: 'il_a', amount: 4900 }] },
    };
    const note = stripe(DAY, 'credit_note.created', creditNote);
    const charge = stripe(DAY, 'charge.refunded', {
      id: 'ch_1',
      customer: 'cus_1',
      payment_intent: 'pi_in_1',
      amount: 10780,
      amount_refunded: 5390,
      refunded: false,
    });
    const settings = terms({ plans: [plan('price_a', 1), plan('price_b', 2)] });
    const status = (books: Books): unknown => books.licenses.map(({ type, status: of }) => [type, of]).sort();
    const onlyNamed = [
      [1, 'revoked'],
      [2, 'active'],
    ];
    expect(status(received(settings, [bought, note, charge]))).toEqual(onlyNamed);
    // The event about the charge doesn't name the lines, but reports the same money.
    const revoking = { ...settings, on_partial_refund: 'revoke' } as const;
    expect(status(received(revoking, [bought, note, charge]))).toEqual(onlyNamed);
    const read = charge.needs.find(({ fills }) => fills === 'refunds')!;
    const invoiced = { ...charge, ids: [...charge.ids, { kind: 'invoice', id: 'in_1' }] };
    const listed = read.merge(invoiced, { status: 200, body: { data: [{ ...creditNote, invoice: 'in_0' }, creditNote] } });
    expect(listed).toMatchObject({ actions: [{}, { refund: { id: 'cn_1' } }] });
    expect(status(received(revoking, [bought, listed as Notification]))).toEqual(onlyNamed);
    expect(status(received(revoking, [bought, charge]))).toEqual([
      [1, 'revoked'],
      [2, 'revoked'],
    ]);
  });

  test('a partial refund of a period that runs revokes if the setting says so, although the rest is refunded after the period', () => {
    const refund = (at: number, amount_refunded: number): Notification =>
      stripe(at, 'charge.refunded', { id: 'ch_1', payment_intent: 'pi_in_1', amount: 4900, amount_refunded });
    const settings = terms({ on_partial_refund: 'revoke' });
    for (const rest of [2000, 4900])
      expectAnyOrder([sale, invoice('in_2', 30 * DAY, 30 * DAY, 60 * DAY), refund(DAY, 1000), refund(31 * DAY, rest)], (arriving) =>
        received(settings, arriving).licenses.some(({ status }) => status !== 'revoked'),
      );
  });

  test('a refund is judged by the kind of plan at its time, although a later change to the other kind is known', () => {
    const plans = [plan('price_1', 1), plan('price_2', 2, { extends: 'updates' })];
    const refund = stripe(31 * DAY, 'charge.refunded', { id: 'ch_2', payment_intent: 'pi_in_2', amount: 4900, amount_refunded: 4900 });
    const items = { data: [{ id: 'si_1', price: { id: 'price_2', product: 'prod_1' }, quantity: 1 }] };
    const changed = stripe(32 * DAY, 'customer.subscription.updated', { id: 'sub_1', status: 'active', items }, { items: {} });
    expectAnyOrder([sale, invoice('in_2', 30 * DAY, 30 * DAY, 60 * DAY), refund, changed], (arriving) =>
      received(terms({ plans }), arriving).licenses.filter(({ status }) => status !== 'revoked'),
    );
  });

  test('the refund in full of one of several payments of a period is a partial refund of the period', () => {
    const charged = invoice('in_2', DAY, 0, 30 * DAY, { billing_reason: 'subscription_update', amount_paid: 500 });
    const refund = stripe(2 * DAY, 'charge.refunded', { id: 'ch_2', payment_intent: 'pi_in_2', amount: 500, amount_refunded: 500 });
    const status = (settings: SaleTerms): unknown => received(settings, [sale, charged, refund]).licenses.map((license) => license.status);
    expect(status(terms())).toEqual(['active']);
    expect(status(terms({ on_partial_refund: 'revoke' }))).toEqual(['revoked']);
  });
});

describe('Paddle', () => {
  const at = (time: number): string => new Date(START + time).toISOString();
  const paddle = (time: number, event_type: string, data: object): Notification =>
    read('paddle', { event_id: `evt_${(events += 1)}`, event_type, occurred_at: at(time), data });
  const price = (id: string, cycle: object | null = { interval: 'month', frequency: 1 }): object => ({
    price: { id, billing_cycle: cycle },
    quantity: 1,
  });
  const transaction = (
    id: string,
    time: number,
    origin: string,
    from: number,
    until: number,
    items = [price('pri_1')],
    total = 4900,
  ): Notification =>
    paddle(time, 'transaction.completed', {
      id,
      origin,
      subscription_id: 'sub_1',
      billing_period: { starts_at: at(from), ends_at: at(until) },
      items,
      details: {
        totals: { grand_total: String(total), subtotal: String(total) },
        line_items: items.map((one, place) => ({ id: `item_${id}_${place}`, price_id: (one as { price: { id: string } }).price.id })),
      },
    });
  const sale = transaction('txn_1', 0, 'web', 0, 30 * DAY);
  const updated = (time: number): Notification =>
    paddle(time, 'subscription.updated', {
      id: 'sub_1',
      status: 'active',
      items: [price('pri_1')],
      current_billing_period: { starts_at: at(0), ends_at: at(90 * DAY) },
    });

  test('a charge that lengthens the period extends the license, a charge within the period and an unpaid update do not', () => {
    const moved = transaction('txn_2', DAY, 'subscription_update', DAY, 45 * DAY, [price('pri_1')], 1000);
    expectLicenses(terms(), [sale, updated(DAY), moved], [['active', null, 1, 48]]);
    expectLicenses(terms(), [sale, transaction('txn_2', DAY, 'subscription_update', DAY, 30 * DAY, [], 100)], [['active', null, 1, 33]]);
    expectLicenses(terms(), [sale, updated(DAY)], [['active', null, 1, 33]]);
  });

  const adjustment = (id: string, time: number, action: string, txn: string, more: object = {}): Notification =>
    paddle(time, 'adjustment.created', {
      id,
      action,
      status: 'approved',
      transaction_id: txn,
      subscription_id: 'sub_1',
      type: 'full',
      ...more,
    });

  test('chargebacks of two payments: the suspension ends with the reversal of the second one', () => {
    const renewal = transaction('txn_2', 30 * DAY, 'subscription_recurring', 30 * DAY, 60 * DAY);
    const opened = [
      sale,
      renewal,
      adjustment('adj_1', 31 * DAY, 'chargeback', 'txn_1'),
      adjustment('adj_2', 32 * DAY, 'chargeback', 'txn_2'),
    ];
    expectLicenses(terms(), [...opened, adjustment('adj_3', 33 * DAY, 'chargeback_reverse', 'txn_1')], [['suspended', 'dispute', 1, 63]]);
    expectLicenses(
      terms(),
      [
        ...opened,
        adjustment('adj_3', 33 * DAY, 'chargeback_reverse', 'txn_1'),
        adjustment('adj_4', 34 * DAY, 'chargeback_reverse', 'txn_2'),
      ],
      [['active', null, 1, 63]],
    );
  });

  test.each(['nothing', 'revoke'] as const)(
    'a refund that names a line revokes only the licenses of this line (%s)',
    (on_partial_refund) => {
      const bought = transaction('txn_1', 0, 'web', 0, 30 * DAY, [price('pri_1'), price('pri_2')], 9800);
      const refund = adjustment('adj_1', DAY, 'refund', 'txn_1', {
        type: 'partial',
        totals: { total: '4900' },
        items: [{ item_id: 'item_txn_1_1', type: 'full', amount: '4900' }],
      });
      const settings = terms({ plans: [plan('pri_1', 1), plan('pri_2', 2)], on_partial_refund });
      const books = received(settings, [bought, refund]);
      expect(books.licenses.map(({ type, status }) => [type, status])).toEqual([
        [1, 'active'],
        [2, 'revoked'],
      ]);
    },
  );

  test('an item charged beside a subscription is issued, and its refund revokes only its own license', () => {
    const charged = transaction('txn_2', DAY, 'subscription_charge', 0, 30 * DAY, [price('pri_extra', null)], 1000);
    const settings = terms({ plans: [plan('pri_1', 1), plan('pri_extra', 2)] });
    expectLicenses(
      settings,
      [sale, charged],
      [
        ['active', null, 1, 33],
        ['active', null, 2, 365],
      ],
    );
    const books = received(settings, [sale, charged, adjustment('adj_1', 2 * DAY, 'refund', 'txn_2', { totals: { total: '1000' } })]);
    expect(books.licenses.map(({ type, status }) => [type, status])).toEqual([
      [1, 'active'],
      [2, 'revoked'],
    ]);
  });

  test.each([
    [20, 12, null],
    [0, 13, 365],
  ])(
    'a year whose invoice was paid %i days late: with a fallback of %i months, the license expires after %s days',
    (late, fallback_months, expires) => {
      const settings = terms({ plans: [plan('pri_1', 1, { fallback_months })] });
      const year = monthsAfter(START, 12) - START;
      const bought = transaction('txn_1', late * DAY, 'web', 0, year);
      const ended = paddle(year, 'subscription.canceled', { id: 'sub_1', status: 'canceled', canceled_at: at(year) });
      expectLicenses(settings, [bought, ended], [['active', null, 1, expires]]);
    },
  );

  test('a free trial month does not count as paid', () => {
    const settings = terms({ plans: [plan('pri_1', 1, { fallback_months: 2 })] });
    const [month, months] = [monthsAfter(START, 1) - START, monthsAfter(START, 2) - START];
    const trial = transaction('txn_1', 0, 'web', 0, month, [price('pri_1')], 0);
    const paid = transaction('txn_2', month, 'subscription_recurring', month, months);
    const ended = paddle(months, 'subscription.canceled', { id: 'sub_1', status: 'canceled', canceled_at: at(months) });
    expectLicenses(settings, [trial, paid, ended], [['active', null, 1, months / DAY]]);
  });
});

describe('Polar', () => {
  const polar = (time: number, type: string, data: object): Notification => ({
    ...read('polar', { type, timestamp: new Date(START + time).toISOString(), data }),
    eventId: `evt_${(events += 1)}`,
  });
  const day = (time: number): string => new Date(START + time).toISOString();

  test('a trial that the vendor extends lasts until its new end plus grace', () => {
    const order = polar(0, 'order.paid', {
      id: 'o1',
      status: 'paid',
      billing_reason: 'subscription_create',
      product_id: 'p1',
      subscription_id: 's1',
      total_amount: 0,
      items: [{ start_timestamp: day(0), end_timestamp: day(14 * DAY) }],
    });
    const extended = polar(DAY, 'subscription.updated', {
      id: 's1',
      status: 'trialing',
      product_id: 'p1',
      trial_end: day(30 * DAY),
      current_period_end: day(30 * DAY),
    });
    expectLicenses(terms(), [order, extended], [['active', null, 1, 33]]);
  });

  test('an order for usage begins no period, and usage beside a renewal does not move its start back', () => {
    const order = (id: string, time: number, billing_reason: string, ...items: readonly (readonly [number, number])[]): Notification =>
      polar(time, 'order.paid', {
        id,
        status: 'paid',
        billing_reason,
        product_id: 'p1',
        subscription_id: 's1',
        total_amount: 4900,
        items: items.map(([from, until]) => ({ start_timestamp: day(from), end_timestamp: day(until) })),
      });
    const sale = order('o1', 0, 'subscription_create', [0, 30 * DAY]);
    const usage = order('o2', 10 * DAY, 'subscription_meter_cycle', [0, 10 * DAY]);
    const renewal = order('o3', 30 * DAY, 'subscription_cycle', [10 * DAY, 30 * DAY], [30 * DAY, 60 * DAY]);
    expectLicenses(terms(), [sale, usage, renewal], [['active', null, 1, 63]]);
    expect(renewal.actions).toMatchObject([{ paidFrom: START + 30 * DAY }]);
    const refund = polar(12 * DAY, 'order.refunded', {
      id: 'o2',
      status: 'refunded',
      billing_reason: 'subscription_meter_cycle',
      subscription_id: 's1',
      net_amount: 4900,
      refunded_amount: 4900,
      items: [{ start_timestamp: day(3 * DAY), end_timestamp: day(10 * DAY) }],
    });
    expectLicenses(terms(), [sale, usage, refund, renewal], [['active', null, 1, 63]]);
    for (const all of [
      [sale, usage, renewal],
      [sale, usage, refund, renewal],
    ])
      expect(termStartsOf(received(terms(), all).orders[0]!.order)).toEqual([START, START + 30 * DAY]);
  });

  test('of two listed disputes, the license is suspended until both have ended', () => {
    const order = polar(0, 'order.paid', { id: 'o1', status: 'paid', billing_reason: 'purchase', product_id: 'p1' });
    const dispute = (id: string, time: number, status: string): Notification =>
      polar(time, 'dispute.updated', { id, status, order_id: 'o1' });
    const opened = [order, dispute('d1', HOUR, 'needs_response'), dispute('d2', HOUR, 'under_review')];
    expectLicenses(terms(), [...opened, dispute('d1', 2 * HOUR, 'won')], [['suspended', 'dispute', 1, 365]]);
    expectLicenses(terms(), [...opened, dispute('d1', 2 * HOUR, 'won'), dispute('d2', 3 * HOUR, 'won')], [['active', null, 1, 365]]);
  });

  test('a sale that is known to be refunded closes the order, and both rows are done', () => {
    const data = {
      id: 'o1',
      status: 'refunded',
      billing_reason: 'purchase',
      product_id: 'p1',
      net_amount: 4900,
      refunded_amount: 4900,
      modified_at: day(DAY),
    };
    const notifications = [polar(0, 'order.paid', data), polar(DAY, 'order.refunded', data)];
    expectLicenses(terms(), notifications, []);
    expect(received(terms(), notifications).licenses).toEqual([]);
  });
});

describe('Lemon Squeezy and Gumroad', () => {
  const lemon = (event_name: string, time: number, id: string, attributes: object): Notification =>
    read('lemonsqueezy', {
      meta: { event_name },
      data: {
        id,
        attributes: { created_at: new Date(START).toISOString(), updated_at: new Date(START + time).toISOString(), ...attributes },
      },
    });

  test('a refund of the first payment that Lemon Squeezy reports for the order and for its invoice counts once', () => {
    const sold = [
      lemon('order_created', 0, '8001', { total: 4900, status: 'paid', first_order_item: { id: 1, variant_id: 7, quantity: 1 } }),
      lemon('subscription_created', 0, '9001', {
        total: 4900,
        order_id: 8001,
        order_item_id: 1,
        variant_id: 7,
        status: 'active',
        renews_at: new Date(START + 30 * DAY).toISOString(),
        first_subscription_item: { quantity: 1 },
      }),
      lemon('subscription_payment_success', 0, '9201', { total: 4900, subscription_id: 9001, billing_reason: 'initial', status: 'paid' }),
    ];
    const refund = (refunded_amount: number): Notification[] => [
      lemon('order_refunded', DAY, '8001', { total: 4900, status: 'partial_refund', refunded_amount }),
      lemon('subscription_payment_refunded', DAY, '9201', {
        total: 4900,
        subscription_id: 9001,
        billing_reason: 'initial',
        refunded_amount,
      }),
    ];
    expectLicenses(terms(), [...sold, ...refund(2500)], [['active', null, 1, 33]]);
    expect(received(terms(), [...sold, ...refund(4900)]).licenses.map(({ status }) => status)).toEqual(['revoked']);
  });

  test('the log says why a buyer with an invalid address gets no mail', () => {
    const sold = (user_email: string): Notification =>
      read('lemonsqueezy', {
        meta: { event_name: 'order_created' },
        data: { id: '8001', attributes: { status: 'paid', user_email, first_order_item: { id: 1, variant_id: 7, quantity: 1 } } },
      });
    const reason = (address: string): unknown => received(terms(), [sold(address)]).rows[0]?.outcome.reason;
    expect(reason('ada.@example.com')).toMatch(/no valid e-mail address/);
    expect(reason('ada@example.com')).toBeNull();
  });

  test('a subscription that bills usage at Lemon Squeezy has the quantity 0, and the buyer gets a license', () => {
    const sold = lemon('order_created', 0, '8001', { status: 'paid', total: 0, first_order_item: { id: 1, variant_id: 7, quantity: 1 } });
    const created = lemon('subscription_created', 0, '9001', {
      order_id: 8001,
      order_item_id: 1,
      variant_id: 7,
      status: 'active',
      renews_at: new Date(START + 30 * DAY).toISOString(),
      first_subscription_item: { quantity: 0, is_usage_based: true },
    });
    expectLicenses(terms(), [sold, created], [['active', null, 1, 33]]);
  });

  test('a sale that Lemon Squeezy lists as refunded closes the order, and both rows are done', () => {
    const listed = (event_name: string): Notification =>
      lemon(event_name, DAY, '8001', {
        status: 'refunded',
        refunded: true,
        refunded_amount: 4900,
        total: 4900,
        first_order_item: { id: 1, variant_id: 7, quantity: 1 },
      });
    expectLicenses(terms(), [listed('order_created'), listed('order_refunded')], []);
  });

  test('a free trial month at Lemon Squeezy does not count as paid, although the order of the trial is a sale', () => {
    const ends = new Date(START + 30 * DAY).toISOString();
    const subscription = { order_id: 8001, order_item_id: 1, variant_id: 7 };
    const first_order_item = { id: 1, variant_id: 7, quantity: 1 };
    expectLicenses(
      terms({ plans: [plan('7', 1, { fallback_months: 1 })] }),
      [
        lemon('order_created', 0, '8001', { status: 'paid', total: 0, first_order_item }),
        lemon('subscription_created', HOUR, '9001', { ...subscription, status: 'on_trial', trial_ends_at: ends }),
        lemon('subscription_expired', 30 * DAY, '9001', { ...subscription, status: 'expired', ends_at: ends }),
      ],
      [['active', null, 1, 30]],
    );
  });

  const gumroad = (fields: Readonly<Record<string, string>>): Notification =>
    adapters.gumroad.read(new URLSearchParams(fields).toString(), {})!;
  const sold = {
    sale_id: 'S1',
    product_id: 'P1',
    email: 'ada@example.com',
    price: '4900',
    subscription_id: 'U1',
    recurrence: 'monthly',
    sale_timestamp: new Date(START).toISOString().replace('.000', ''),
  };
  const paidOff = gumroad({
    resource_name: 'subscription_ended',
    subscription_id: 'U1',
    ended_at: new Date(START + 31 * DAY).toISOString().replace('.000', ''),
    ended_reason: 'fixed_subscription_period_ended',
  });
  const ended = gumroad({
    resource_name: 'subscription_ended',
    subscription_id: 'U1',
    ended_at: new Date(START + 32 * DAY).toISOString().replace('.000', ''),
    ended_reason: 'cancelled',
  });
  const month = (monthsAfter(START, 1) - START) / DAY;

  test('a plan of installments that is paid off ends nothing: the type decides the expiry, whichever report comes last', () => {
    const sale = gumroad({ ...sold, resource_name: 'sale' });
    const lifetime = terms({
      types: new Map([[1, { max_seats: 1, archived: false, duration_days: null, updates_days: null, binding: 'device' }]]),
    });
    expectLicenses(lifetime, [sale, paidOff], [['active', null, 1, null]]);
    expectLicenses(lifetime, [sale, ended, paidOff], [['active', null, 1, null]]);
    expectLicenses(lifetime, [sale, ended], [['active', null, 1, month]]);
  });

  test('a membership that somebody else has paid as a gift is no free trial', () => {
    expect(gumroad({ ...sold, resource_name: 'sale', price: '0', gift_price: '4900' }).actions[0]).not.toHaveProperty('isTrial');
    expect(gumroad({ ...sold, resource_name: 'sale', price: '0' }).actions[0]).toHaveProperty('isTrial', true);
  });

  test("Gumroad's names with two levels: an upgrade by form moves the license to the new tier", () => {
    const sale = gumroad({ ...sold, resource_name: 'sale', 'variants[Tier]': 'Pro' });
    const upgrade = gumroad({
      resource_name: 'subscription_updated',
      subscription_id: 'U1',
      product_id: 'P1',
      type: 'upgrade',
      effective_as_of: new Date(START + DAY).toISOString().replace('.000', ''),
      'new_plan[tier][id]': 'T2',
      'new_plan[tier][name]': 'Team',
      'new_plan[recurrence]': 'monthly',
      'new_plan[quantity]': '1',
    });
    const settings = terms({ plans: [plan('P1/Pro', 1), plan('P1/Team', 2)], default_license_type_id: null });
    expectLicenses(settings, [sale, upgrade], [['active', null, 2, month + 3]]);
  });
});

describe('A shop of your own', () => {
  const shop = (time: number, type: string, more: object): Notification =>
    read('custom', { id: `n${(events += 1)}`, at: new Date(START + time).toISOString(), type, order: '1', ...more });
  const sale = (until: string): Notification =>
    shop(0, 'sale', {
      buyer: { email: 'ada@example.com' },
      lines: [{ id: '1', ref: 'a', quantity: 1 }],
      period: { from: new Date(START).toISOString(), until },
      payment: { id: 'p1', amount: 4900, currency: 'EUR' },
    });
  const month = new Date(START + 30 * DAY).toISOString();

  test('a period until the last day that a timestamp can express has no grace after it', () => {
    const last = '9999-12-31T23:59:59Z';
    const expiry = (notifications: readonly Notification[]): unknown =>
      received(terms(), notifications).licenses.map(({ expiresAt }) => expiresAt !== null && new Date(expiresAt).toISOString());
    const renewal = shop(DAY, 'renewal', { period: { from: month, until: last } });
    for (const notifications of [[sale(last)], [sale(month), renewal]]) expect(expiry(notifications)).toEqual(['9999-12-31T23:59:59.999Z']);
  });

  test('a refund without a currency is in the currency of the order', () => {
    const refund = shop(DAY, 'refund', { refund: { id: 'r1', payment: 'p1', amount: 1000 } });
    expectAnyOrder([sale(month), refund], (arriving) =>
      received(terms(), arriving).orders.map(({ order, uncounted }) => [amountsOf(order.ledger), uncounted]),
    );
    const [order] = received(terms(), [sale(month), refund]).orders;
    expect(amountsOf(order!.order.ledger)).toEqual([{ currency: 'EUR', paid: 4900, refunded: 1000, fees: null, net: 3900 }]);
    expect(order!.uncounted).toEqual({ '2026-11 EUR': { paid: 4900, refunded: 1000, new: 1 } });
  });
});
