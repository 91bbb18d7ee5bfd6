import fc from 'fast-check';
import { receiptAt } from '../../../lambdas/domain/payments/notification';
import { processors, type Processor } from '../../../lambdas/contract/processors';
import {
  adapters,
  isPurchaseId,
  shownOrderId,
  WHOLE_ORDER,
  type Action,
  type Line,
  type Notification,
} from '../../../lambdas/domain/payments';
import { anyCharacter } from '../../support/any-text';

/**
 * Notifications decide what happens to licenses. If the service reads a wrong field of a notification, a license is valid for too long,
 * covers too much, or is not issued.
 */

const read = (processor: Processor, body: unknown, headers: Record<string, string> = {}): Notification => {
  const notification = adapters[processor].read(typeof body === 'string' ? body : JSON.stringify(body), headers);
  if (!notification) throw new Error('not read');
  return notification;
};
const kinds = ({ actions }: Notification): string[] => actions.map(({ kind }) => kind);
const ids = (of: Pick<Notification, 'ids'>): string[] => of.ids.map(({ kind, id }) => `${kind} ${id}`);
const instant = (text: string): number => Date.parse(text);

/**
 * A test case: a body, its actions (or the kind of its only action), and other fields of its notification. Ids are written as texts of their
 * kind and id.
 */
type Row = [name: string, body: unknown, actions: Action['kind'] | readonly unknown[], told?: Partial<Record<keyof Notification, unknown>>];
const check =
  (processor: Processor) =>
  (...[, body, actions, told = {}]: Row): void => {
    const notification = read(processor, body);
    expect(notification.actions).toMatchObject(typeof actions === 'string' ? [{ kind: actions }] : actions);
    const payment = notification.payment && { ...notification.payment, ids: ids(notification.payment) };
    expect({ ...notification, ids: ids(notification), payment }).toMatchObject(told);
    for (const action of notification.actions) if (action.kind === 'ignored') expect(action.reason).toMatch(/^[A-Z].*\.$/);
  };
const line = (id: string, refs: readonly string[], more: Partial<Line> = {}): Line => ({ id, refs, quantity: 1, oneOff: false, ...more });
const ignoring = { kind: 'ignored', reason: expect.stringMatching(/^[A-Z].*\.$/) };

describe('Stripe', () => {
  const event = (type: string, object: object, more: object = {}): object => ({
    id: 'evt_1',
    object: 'event',
    type,
    created: 1795255203,
    livemode: true,
    data: { object },
    ...more,
  });
  const session = {
    id: 'cs_live_a1S',
    object: 'checkout.session',
    mode: 'payment',
    status: 'complete',
    payment_status: 'paid',
    customer: null,
    customer_details: { email: 'ada@example.com' },
    client_reference_id: 'price_free',
    payment_link: null,
    payment_intent: 'pi_3N0',
    invoice: null,
    subscription: null,
    metadata: { ref: 'A1' },
  };
  const invoiceLine = (more: object = {}): object => ({
    quantity: 1,
    period: { end: 1800525600, start: 1797847200 },
    pricing: { price_details: { price: 'price_1Pro', product: 'prod_Aur' }, type: 'price_details' },
    parent: {
      invoice_item_details: null,
      subscription_item_details: { invoice_item: null, proration: false, subscription: 'sub_1S', subscription_item: 'si_1' },
      type: 'subscription_item_details',
    },
    ...more,
  });
  const invoice = {
    id: 'in_1N1',
    object: 'invoice',
    status: 'paid',
    billing_reason: 'subscription_cycle',
    customer: 'cus_Ada',
    customer_email: 'ada@example.com',
    parent: { quote_details: null, subscription_details: { metadata: {}, subscription: 'sub_1S' }, type: 'subscription_details' },
    period_end: 1797847200,
    lines: { has_more: false, data: [invoiceLine()] },
  };
  const subscription = {
    id: 'sub_1S',
    object: 'subscription',
    status: 'active',
    customer: 'cus_Ada',
    cancel_at_period_end: true,
    cancel_at: 1797847200,
    pause_collection: null,
    ended_at: null,
    items: { data: [{ price: { id: 'price_1Pro', product: 'prod_Aur' }, quantity: 1, current_period_end: 1797847200 }] },
  };
  const updated = (changes: object, previous_attributes?: object): object =>
    event('customer.subscription.updated', {}, { data: { object: { ...subscription, ...changes }, previous_attributes } });
  const quantity = (quantity: number): object => ({ data: [{ id: 'si_1', price: { id: 'price_1Pro', product: 'prod_Aur' }, quantity }] });
  const charge = {
    id: 'ch_3N0',
    object: 'charge',
    amount: 4900,
    amount_refunded: 1633,
    refunded: false,
    payment_intent: 'pi_3N0',
    customer: null,
  };
  const dispute = (status: string): object => ({ id: 'du_1D', object: 'dispute', status, charge: 'ch_3N0', payment_intent: 'pi_3N0' });
  const proLine = line('si_1', ['price_1Pro', 'prod_Aur']);
  const paidUntil = 1800525600_000;

  const rows: readonly Row[] = [
    [
      'a paid checkout without line items is a sale of the whole order',
      event('checkout.session.completed', session),
      [{ kind: 'sale', lines: [line(WHOLE_ORDER, [], { oneOff: true })], paidUntil: null }],
      {
        eventId: 'evt_1',
        type: 'checkout.session.completed',
        occurredAt: 1795255203_000,
        test: false,
        ids: ['checkout_session cs_live_a1S', 'payment_intent pi_3N0'],
        payment: {
          ids: ['checkout_session cs_live_a1S', 'payment_intent pi_3N0'],
        },
        customerEmail: 'ada@example.com',
        subscriptionId: null,
        repeatable: false,
      },
    ],
    [
      'a payment link is a ref; what the buyer sets is not',
      event('checkout.session.completed', { ...session, payment_link: 'plink_1' }),
      [{ kind: 'sale', lines: [line(WHOLE_ORDER, ['plink_1'], { oneOff: true })], paidUntil: null }],
    ],
    [
      'line items that are in the event are taken',
      event('checkout.session.completed', {
        ...session,
        line_items: { data: [{ id: 'li_1', price: { id: 'price_1', product: 'prod_1' }, quantity: 3 }] },
      }),
      [{ kind: 'sale', lines: [line('price_1', ['price_1', 'prod_1'], { quantity: 3, oneOff: true })], paidUntil: null }],
      { needs: [] },
    ],
    [
      'a free checkout is a sale',
      event('checkout.session.completed', { ...session, payment_status: 'no_payment_required', payment_intent: null }),
      'sale',
    ],
    ['an unpaid one is no sale', event('checkout.session.completed', { ...session, payment_status: 'unpaid' }), 'ignored'],
    ['until it is paid', event('checkout.session.async_payment_succeeded', session), 'sale'],
    ['or not', event('checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' }), 'ignored'],
    ['a setup sells nothing', event('checkout.session.completed', { ...session, mode: 'setup' }), 'ignored'],
    [
      "a subscription's checkout waits for its invoice",
      event('checkout.session.completed', {
        ...session,
        mode: 'subscription',
        subscription: 'sub_1S',
        invoice: 'in_1N0',
        payment_intent: null,
      }),
      'linked',
      {
        ids: ['checkout_session cs_live_a1S', 'subscription sub_1S', 'invoice in_1N0'],
        customerEmail: 'ada@example.com',
      },
    ],
    [
      'a renewal is paid until the end of its line, not of the invoice',
      event('invoice.paid', invoice),
      [{ kind: 'renewal', lines: [proLine], paidUntil }],
      {
        ids: ['invoice in_1N1', 'subscription sub_1S'],
        subscriptionId: 'sub_1S',
        customerEmail: 'ada@example.com',
        customerId: 'cus_Ada',
        payment: { ids: ['invoice in_1N1'] },
        needs: [],
      },
    ],
    [
      'a first invoice is the sale',
      event('invoice.paid', { ...invoice, billing_reason: 'subscription_create' }),
      [{ kind: 'sale', lines: [proLine], paidUntil }],
    ],
    [
      'the latest end counts, prorations do not',
      event('invoice.paid', {
        ...invoice,
        lines: {
          data: [
            invoiceLine({ period: { end: 1800525600 } }),
            invoiceLine({
              period: { end: 1900000000 },
              parent: { subscription_item_details: { subscription_item: 'si_1', proration: true } },
            }),
            invoiceLine({
              quantity: 2,
              period: { end: 1800525700 },
              pricing: { price_details: { price: { id: 'price_2' }, product: 'prod_2' } },
              parent: { subscription_item_details: { subscription_item: 'si_2', proration: false } },
            }),
            invoiceLine({
              period: { end: 1999999999 },
              pricing: { price_details: { price: 'price_setup', product: 'prod_setup' } },
              parent: { invoice_item_details: { invoice_item: 'ii_1', proration: false }, subscription_item_details: null },
            }),
          ],
        },
      }),
      [
        {
          kind: 'renewal',
          lines: [
            proLine,
            line('si_2', ['price_2', 'prod_2'], { quantity: 2 }),
            line('price_setup', ['price_setup', 'prod_setup'], { oneOff: true }),
          ],
          paidUntil: 1800525700_000,
        },
      ],
    ],
    [
      'prorations alone are no period',
      event('invoice.paid', {
        ...invoice,
        billing_reason: 'subscription_update',
        lines: { data: [invoiceLine({ parent: { subscription_item_details: { subscription_item: 'si_1', proration: true } } })] },
      }),
      [{ kind: 'charged', lines: [], paidUntil: null }],
    ],
    [
      'before 2025-03-31 all of it stood elsewhere',
      event('invoice.paid', {
        id: 'in_1N1',
        billing_reason: 'subscription_cycle',
        subscription: 'sub_1S',
        payment_intent: 'pi_3N1',
        charge: 'ch_3N1',
        customer_email: 'ada@example.com',
        lines: {
          data: [
            {
              id: 'il_1',
              type: 'subscription',
              subscription: 'sub_1S',
              subscription_item: 'si_1',
              proration: false,
              quantity: 4,
              period: { end: 1800525600 },
              price: { id: 'price_1Pro', product: 'prod_Aur' },
            },
            {
              id: 'il_2',
              type: 'invoiceitem',
              subscription: 'sub_1S',
              proration: false,
              quantity: 1,
              period: { end: 1900525600 },
              price: { id: 'price_x', product: 'prod_x' },
            },
            {
              id: 'il_3',
              type: 'invoiceitem',
              subscription: 'sub_1S',
              subscription_item: 'si_1',
              proration: true,
              quantity: 4,
              period: { end: 1900525600 },
              price: { id: 'price_1Pro', product: 'prod_Aur' },
            },
          ],
        },
      }),
      [{ kind: 'renewal', lines: [{ ...proLine, quantity: 4 }, line('il_2', ['price_x', 'prod_x'], { oneOff: true })], paidUntil }],
      {
        ids: ['invoice in_1N1', 'subscription sub_1S', 'payment_intent pi_3N1', 'charge ch_3N1'],
      },
    ],
    [
      'an invoice without a subscription sells its lines for good, a price given twice once',
      event('invoice.paid', {
        id: 'in_9',
        billing_reason: 'manual',
        parent: null,
        customer_email: 'ada@example.com',
        lines: {
          data: [
            {
              id: 'il_1',
              quantity: 2,
              period: { end: 1 },
              pricing: { price_details: { price: 'price_1', product: 'prod_1' } },
              parent: { invoice_item_details: { invoice_item: 'ii_1', proration: false }, subscription_item_details: null },
            },
            {
              id: 'il_2',
              quantity: 1,
              period: { end: 1 },
              pricing: { price_details: { price: 'price_1', product: 'prod_1' } },
              parent: null,
            },
          ],
        },
      }),
      [{ kind: 'sale', lines: [line('price_1', ['price_1', 'prod_1'], { quantity: 3, oneOff: true })], paidUntil: null }],
    ],
    [
      'a payment joins its ids to an invoice',
      event('invoice_payment.paid', {
        id: 'inpay_1',
        invoice: 'in_1N1',
        payment: { payment_intent: 'pi_3N1', type: 'payment_intent' },
      }),
      'linked',
      {
        ids: ['invoice in_1N1', 'payment_intent pi_3N1'],
      },
    ],
    ['a failed payment of a subscription', event('invoice.payment_failed', invoice), 'payment_failed', { payment: null }],
    ['a failed payment of anything else', event('invoice.payment_failed', { ...invoice, parent: null }), 'ignored'],
    ['the same fact once more', event('invoice.payment_succeeded', invoice), 'ignored'],
    [
      'a cancellation that is announced',
      updated({}, { cancel_at_period_end: false }),
      [{ kind: 'cancellation_announced', endsAt: 1797847200_000 }],
    ],
    [
      'a cancellation by date alone',
      updated({ cancel_at_period_end: false }, { cancel_at: null }),
      [{ kind: 'cancellation_announced', endsAt: 1797847200_000 }],
    ],
    [
      'a change of quantity',
      updated({ items: quantity(7) }, { items: {}, quantity: 1 }),
      [{ kind: 'changed', lines: [{ ...proLine, quantity: 7 }], complete: true }],
    ],
    ['a quantity of 0', updated({ items: quantity(0) }), [{ kind: 'changed', lines: [{ ...proLine, quantity: 0 }], complete: true }]],
    ['past due', updated({ status: 'past_due' }, { status: 'active' }), 'payment_failed'],
    ['unpaid', updated({ status: 'unpaid' }, { status: 'past_due' }), 'payment_failed'],
    ['recovered', updated({}, { status: 'past_due' }), 'paid_again'],
    [
      'a pause of the collection, with the product kept',
      updated({ pause_collection: { behavior: 'void' } }, { pause_collection: null }),
      'ignored',
    ],
    ['paused', event('customer.subscription.paused', { ...subscription, status: 'paused' }), 'paused'],
    ['paused, by status', updated({ status: 'paused' }), 'paused'],
    ['resumed', event('customer.subscription.resumed', subscription), [{ kind: 'resumed' }, expect.objectContaining({ kind: 'changed' })]],
    ['never paid at all', updated({ status: 'incomplete_expired' }), 'ignored'],
    [
      'ended',
      event('customer.subscription.deleted', { ...subscription, status: 'canceled', ended_at: 1797847200 }),
      [{ kind: 'ended', endedAt: 1797847200_000 }],
      { ids: ['subscription sub_1S'] },
    ],
    [
      'parts that add up to everything',
      event('charge.refunded', { ...charge, amount: 4900, amount_refunded: 4900, refunded: false }),
      'refunded',
    ],
    [
      'refunded in part',
      event('charge.refunded', charge),
      [{ kind: 'refunded_in_part', refund: { id: 'ch_3N0', amount: 1633, ofCharge: 4900 } }],
      {
        ids: ['payment_intent pi_3N0', 'charge ch_3N0'],
      },
    ],
    ['refunded in full', event('charge.refunded', { ...charge, refunded: true }), 'refunded'],
    ['a refund that failed', event('refund.failed', { id: 're_1', status: 'failed' }), 'ignored'],
    ...(
      [
        ['needs_response', 'dispute_opened'],
        ['under_review', 'dispute_opened'],
        ['won', 'dispute_won'],
        ['warning_closed', 'dispute_won'],
        ['lost', 'dispute_lost'],
        ['warning_needs_response', 'ignored'],
        ['warning_under_review', 'ignored'],
        ['prevented', 'ignored'],
        ['appeal_under_review', 'ignored'],
      ] as const
    ).map(([status, kind]): Row => [`a dispute that is ${status}`, event('charge.dispute.closed', dispute(status)), kind]),
    ['test mode', event('charge.refunded', charge, { livemode: false }), [expect.anything()], { test: true }],
    ['a thin event', { id: 'evt_2', object: 'v2.core.event', type: 'v1.billing.meter.error' }, 'ignored'],
    ['a thin event without a type', { id: 'evt_2', object: 'v2.core.event' }, 'ignored'],
    ['an unknown type', event('payout.paid', {}), 'ignored'],
  ];
  test.each(rows)('%s', check('stripe'));

  test('line items that a notification lacks are read from the API; an error of the API leaves the sale unchanged', () => {
    const before = read('stripe', event('checkout.session.completed', { ...session, payment_link: 'plink_1' }));
    const [need] = before.needs;
    expect(before.needs).toHaveLength(1);
    expect([need?.fills, need?.path]).toEqual(['lines', '/v1/checkout/sessions/cs_live_a1S/line_items?limit=100']);
    const body = { object: 'list', data: [{ id: 'li_1', price: { id: 'price_1', product: 'prod_1' }, quantity: 2 }], has_more: false };
    expect(need!.merge(before, { status: 200, body })).toMatchObject({
      actions: [{ kind: 'sale', lines: [line('price_1', ['price_1', 'prod_1', 'plink_1'], { quantity: 2, oneOff: true })] }],
    });
    for (const response of [
      { status: 500, body },
      { status: 401, body: {} },
      { status: 200, body: undefined },
      { status: 200, body: { data: [] } },
    ])
      expect(need!.merge(before, response)).toBe('unavailable');
  });

  test('if an event is too small for all lines, the lines are read from the API, together with the period', () => {
    const before = read('stripe', event('invoice.paid', { ...invoice, lines: { ...invoice.lines, has_more: true } }));
    expect(before.needs.map(({ path }) => path)).toEqual(['/v1/invoices/in_1N1/lines?limit=100']);
    const merged = before.needs[0]!.merge(before, {
      status: 200,
      body: {
        data: [
          invoiceLine(),
          invoiceLine({
            period: { end: 1810000000 },
            parent: { subscription_item_details: { subscription_item: 'si_2', proration: false } },
          }),
        ],
      },
    });
    expect(merged).toMatchObject({
      actions: [{ kind: 'renewal', lines: [{ id: 'si_1' }, { id: 'si_2' }], paidUntil: 1810000000_000 }],

      ids: before.ids,
    });
  });

  test('the order of a charge can be read from the API', () => {
    const before = read('stripe', event('charge.refunded', charge));
    expect(before.needs.map(({ fills, path }) => [fills, decodeURIComponent(path)])).toEqual([
      ['order', '/v1/invoice_payments?payment[type]=payment_intent&payment[payment_intent]=pi_3N0'],
      ['order', '/v1/checkout/sessions?payment_intent=pi_3N0'],
    ]);
    const [invoices, sessions] = before.needs;
    const once = invoices!.merge(before, { status: 200, body: { data: [{ id: 'inpay_1', invoice: 'in_1N0' }] } }) as Notification;
    const twice = sessions!.merge(once, { status: 200, body: { data: [] } }) as Notification;
    expect(ids(twice)).toEqual(['payment_intent pi_3N0', 'charge ch_3N0', 'invoice in_1N0']);
  });
});

describe('Paddle', () => {
  const event = (event_type: string, data: object): object => ({
    event_id: 'evt_01e',
    event_type,
    occurred_at: '2026-11-21T10:00:03.251000Z',
    notification_id: 'ntf_01n',
    data,
  });
  const transaction = {
    id: 'txn_01n1',
    status: 'completed',
    origin: 'subscription_recurring',
    customer_id: 'ctm_01ada',
    subscription_id: 'sub_01s',
    custom_data: { ref: 'pri_free' },
    billing_period: { ends_at: '2027-01-21T10:00:00.000000Z', starts_at: '2026-12-21T10:00:00.000000Z' },
    items: [{ price_id: 'pri_01pro', quantity: 1, price: { product_id: 'pro_01aur' } }],
    details: { totals: { grand_total: '4900' }, line_items: [{ id: 'txnitm_01i', price_id: 'pri_01pro' }] },
    invoice_id: 'inv_01n1',
  };
  const subscription = {
    id: 'sub_01s',
    status: 'active',
    customer_id: 'ctm_01ada',
    current_billing_period: { ends_at: '2026-12-21T10:00:00.000000Z' },
    next_billed_at: null,
    paused_at: null,
    canceled_at: null,
    scheduled_change: { action: 'cancel', effective_at: '2026-12-21T10:00:00.000000Z', resume_at: null },
    items: [{ price: { id: 'pri_01pro' }, quantity: 1 }],
  };
  const adjustment = {
    id: 'adj_01a',
    action: 'refund',
    type: 'partial',
    status: 'approved',
    transaction_id: 'txn_01n0',
    subscription_id: 'sub_01s',
    customer_id: 'ctm_01ada',
    totals: { total: '1633', currency_code: 'USD' },
  };
  const pro = line('pri_01pro', ['pri_01pro', 'pro_01aur']);
  const paidUntil = instant('2027-01-21T10:00:00Z');

  const rows: readonly Row[] = [
    [
      'a renewal',
      event('transaction.completed', transaction),
      [{ kind: 'renewal', lines: [pro], paidUntil }],
      {
        eventId: 'evt_01e',
        test: null,
        occurredAt: instant('2026-11-21T10:00:03.251Z'),
        subscriptionId: 'sub_01s',
        customerId: 'ctm_01ada',
        customerEmail: null,
        ids: ['transaction txn_01n1', 'subscription sub_01s'],
        payment: { ids: ['transaction txn_01n1'] },
      },
    ],
    ['a sale that recurs', event('transaction.completed', { ...transaction, origin: 'web' }), [{ kind: 'sale', lines: [pro], paidUntil }]],
    [
      'a sale for good, of two prices, one of them free',
      event('transaction.completed', {
        ...transaction,
        origin: 'api',
        subscription_id: null,
        billing_period: null,
        items: [...transaction.items, { price_id: null, price: { id: 'pri_02', product_id: 'pro_02', billing_cycle: null }, quantity: 3 }],
        details: { totals: { grand_total: '0' } },
      }),
      [
        {
          kind: 'sale',
          lines: [{ ...pro, oneOff: true }, line('pri_02', ['pri_02', 'pro_02'], { quantity: 3, oneOff: true })],
          paidUntil: null,
        },
      ],
    ],
    [
      'a price for good alongside one that recurs is not renewed',
      event('transaction.completed', {
        ...transaction,
        origin: 'web',
        items: [
          { price_id: 'pri_01pro', price: { product_id: 'pro_01aur', billing_cycle: { interval: 'month', frequency: 1 } } },
          { price_id: 'pri_02', price: { product_id: 'pro_02', billing_cycle: null }, quantity: 1 },
        ],
      }),
      [{ kind: 'sale', lines: [pro, line('pri_02', ['pri_02', 'pro_02'], { oneOff: true })], paidUntil }],
    ],
    ['a new payment method', event('transaction.completed', { ...transaction, origin: 'subscription_payment_method_change' }), 'ignored'],
    [
      'a charge for a change is paid until the end of its period, and does not show the lines of the subscription',
      event('transaction.completed', { ...transaction, origin: 'subscription_update' }),
      [{ kind: 'renewal', lines: [], paidUntil, paidFrom: 1797847200_000 }],
      { needs: [] },
    ],
    ['paid, but not complete', event('transaction.paid', transaction), 'ignored'],
    [
      'a customer',
      event('customer.created', { id: 'ctm_01ada', email: 'ada@example.com', name: 'Ada', custom_data: null }),
      'buyer_known',
      { customerId: 'ctm_01ada', customerEmail: 'ada@example.com', ids: [] },
    ],
    [
      'a new subscription joins itself to its transaction',
      event('subscription.created', { ...subscription, scheduled_change: null, transaction_id: 'txn_01n1' }),
      'linked',
      {
        ids: ['subscription sub_01s', 'transaction txn_01n1'],
      },
    ],
    [
      'a trial',
      event('subscription.created', {
        ...subscription,
        status: 'trialing',
        next_billed_at: '2026-12-01T00:00:00Z',
        transaction_id: 'txn_01n1',
      }),
      [{ kind: 'linked' }, { kind: 'renewal', lines: [], paidUntil: instant('2026-12-01T00:00:00Z') }],
    ],
    [
      'a cancellation that is announced',
      event('subscription.updated', subscription),
      [
        { kind: 'cancellation_announced', endsAt: instant('2026-12-21T10:00:00Z') },
        { kind: 'changed', lines: [line('pri_01pro', ['pri_01pro'])], complete: true },
        { kind: 'paid_again' },
        { kind: 'resumed' },
      ],
    ],
    [
      'a change of quantity',
      event('subscription.updated', {
        ...subscription,
        scheduled_change: null,
        items: [{ price: { id: 'pri_01pro', product_id: 'pro_01aur' }, quantity: 5 }],
      }),
      [{ kind: 'changed', lines: [{ ...pro, quantity: 5 }], complete: true }, { kind: 'paid_again' }, { kind: 'resumed' }],
    ],
    ['past due', event('subscription.past_due', { ...subscription, status: 'past_due' }), 'payment_failed'],
    [
      'paused',
      event('subscription.paused', { ...subscription, status: 'paused', scheduled_change: null, current_billing_period: null }),
      'paused',
    ],
    [
      'resumed',
      event('subscription.resumed', { ...subscription, scheduled_change: null }),
      [{ kind: 'resumed' }, { kind: 'paid_again' }, expect.objectContaining({ kind: 'changed' })],
    ],
    [
      'ended',
      event('subscription.canceled', { ...subscription, status: 'canceled', canceled_at: '2026-12-21T10:00:04Z' }),
      [{ kind: 'ended', endedAt: instant('2026-12-21T10:00:04Z') }],
    ],
    [
      'refunded in part',
      event('adjustment.updated', adjustment),
      [{ kind: 'refunded_in_part', refund: { id: 'adj_01a', amount: 1633 } }],
      {
        ids: ['transaction txn_01n0', 'subscription sub_01s'],
        payment: { ids: ['transaction txn_01n0'] },
      },
    ],
    ['refunded in full', event('adjustment.updated', { ...adjustment, type: 'full' }), 'refunded'],
    ...(
      [
        ['refund', 'pending_approval', 'ignored'],
        ['refund', 'rejected', 'ignored'],
        ['credit', 'approved', 'ignored'],
        ['chargeback', 'approved', 'dispute_opened'],
        ['chargeback', 'reversed', 'dispute_won'],
        ['chargeback', 'rejected', 'ignored'],
        ['chargeback_reverse', 'approved', 'dispute_won'],
        ['chargeback_warning', 'approved', 'ignored'],
        ['chargeback_warning_reverse', 'approved', 'ignored'],
      ] as const
    ).map(
      ([action, status, kind]): Row => [
        `${action}, ${status}`,
        event('adjustment.created', { ...adjustment, action, status, type: 'full' }),
        kind,
      ],
    ),
    ['an unknown type', event('payout.paid', {}), 'ignored'],
  ];
  test.each(rows)('%s', check('paddle'));

  test("the buyer's e-mail address is read from the API; an e-mail address that is already known stays", () => {
    const before = read('paddle', event('transaction.completed', transaction));
    const [need] = before.needs;
    expect([need?.fills, need?.path]).toEqual(['email', '/customers/ctm_01ada']);
    expect(need!.merge(before, { status: 200, body: { data: { id: 'ctm_01ada', email: 'ada@example.com' } } })).toMatchObject({
      customerEmail: 'ada@example.com',
    });
    expect(
      need!.merge({ ...before, customerEmail: 'eve@example.com' }, { status: 200, body: { data: { email: 'ada@example.com' } } }),
    ).toMatchObject({ customerEmail: 'eve@example.com' });
    expect(need!.merge(before, { status: 404, body: {} })).toBe('unavailable');
  });

  test('partial refunds that add up to the whole amount are a full refund', () => {
    const before = read('paddle', event('adjustment.updated', adjustment));
    const [need] = before.needs;
    expect([need?.fills, need?.path]).toEqual(['refunds', '/transactions/txn_01n0?include=adjustment']);
    const body = (...totals: [string, string][]): object => ({
      data: {
        details: { totals: { grand_total: '4900' } },
        adjustments: totals.map(([status, total]) => ({ action: 'refund', status, totals: { total } })),
      },
    });
    expect(kinds(need!.merge(before, { status: 200, body: body(['approved', '1633'], ['approved', '3267']) }) as Notification)).toEqual([
      'refunded',
    ]);
    expect(
      kinds(need!.merge(before, { status: 200, body: body(['approved', '1633'], ['pending_approval', '3267']) }) as Notification),
    ).toEqual(['refunded_in_part']);
  });
});

describe('Lemon Squeezy', () => {
  const event = (event_name: string, type: string, id: string, attributes: object, meta: object = {}): object => ({
    meta: { event_name, custom_data: { variant_id: 72 }, test_mode: false, ...meta },
    data: { type, id, attributes },
  });
  const order = {
    identifier: '7d0c-1',
    order_number: 8001,
    user_email: 'ada@example.com',
    status: 'paid',
    refunded: false,
    refunded_amount: 0,
    total: 4900,
    first_order_item: { id: 8101, product_id: 61, variant_id: 71, quantity: 1 },
    created_at: '2026-11-21T10:00:00.000000Z',
  };
  const invoice = {
    subscription_id: 9001,
    billing_reason: 'renewal',
    status: 'paid',
    refunded: false,
    refunded_amount: 0,
    total: 4900,
    user_email: 'ada@example.com',
    created_at: '2026-12-21T10:00:00.000000Z',
  };
  const subscription = {
    order_id: 8001,
    order_item_id: 8101,
    product_id: 61,
    variant_id: 71,
    user_email: 'ada@example.com',
    status: 'active',
    cancelled: false,
    pause: null,
    trial_ends_at: null,
    first_subscription_item: { quantity: 1 },
    renews_at: '2027-01-21T10:00:00.000000Z',
    ends_at: null,
    updated_at: '2026-12-21T10:00:04.120000Z',
  };
  const subscribed = (name: string, more: object = {}): object =>
    event(`subscription_${name}`, 'subscriptions', '9001', { ...subscription, ...more });
  const invoiced = (name: string, more: object = {}): object =>
    event(`subscription_payment_${name}`, 'subscription-invoices', '9201', { ...invoice, ...more });
  const item = line('8101', ['71', '61']);
  const paidUntil = instant('2027-01-21T10:00:00Z');
  const renewal = { kind: 'renewal', lines: [item], paidUntil };
  const changed = { kind: 'changed', lines: [item] };

  const rows: readonly Row[] = [
    [
      'an order',
      event('order_created', 'orders', '8001', order),
      [{ kind: 'sale', lines: [item], paidUntil: null }],
      {
        test: false,
        ids: ['order 8001', 'identifier 7d0c-1'],
        payment: { ids: ['order 8001'] },
        customerEmail: 'ada@example.com',
        occurredAt: instant('2026-11-21T10:00:00Z'),
      },
    ],
    ['test mode', event('order_created', 'orders', '8001', order, { test_mode: true }), [expect.anything()], { test: true }],
    ...['pending', 'failed', 'fraudulent'].map(
      (status): Row => [`an order that is ${status}`, event('order_created', 'orders', '8001', { ...order, status }), 'ignored'],
    ),
    [
      'a new subscription is the same line',
      subscribed('created'),
      [{ kind: 'sale', lines: [item], paidUntil }, changed, { kind: 'resumed' }],
      {
        ids: ['order 8001', 'subscription 9001'],
        subscriptionId: '9001',
      },
    ],
    [
      'a trial, which has no quantity',
      subscribed('created', {
        status: 'on_trial',
        first_subscription_item: { quantity: null },
        trial_ends_at: '2026-12-01T00:00:00.000000Z',
      }),
      [{ kind: 'sale', lines: [item], paidUntil: instant('2026-12-01T00:00:00Z') }, { kind: 'resumed' }],
    ],
    [
      'a paid period',
      subscribed('updated'),
      [renewal, changed, { kind: 'resumed' }],
      { occurredAt: instant('2026-12-21T10:00:04.120Z'), payment: null },
    ],
    ['a new period that is not paid', subscribed('updated', { status: 'past_due' }), 'payment_failed'],
    ['given up', subscribed('updated', { status: 'unpaid' }), 'payment_failed'],
    ['paused', subscribed('paused', { status: 'paused', pause: { mode: 'void', resumes_at: null } }), 'paused'],
    ['paused, with the product kept', subscribed('paused', { status: 'paused', pause: { mode: 'free', resumes_at: null } }), 'ignored'],
    ['resumed', subscribed('unpaused'), [{ kind: 'resumed' }, renewal, changed]],
    [
      'a cancellation that is announced',
      subscribed('cancelled', { status: 'cancelled', cancelled: true, ends_at: '2027-01-21T10:00:00.000000Z' }),
      [{ kind: 'cancellation_announced', endsAt: paidUntil }, changed],
    ],
    [
      'ended',
      subscribed('expired', { status: 'expired', ends_at: '2027-01-21T10:00:00.000000Z' }),
      [{ kind: 'ended', endedAt: paidUntil }],
    ],
    [
      'the invoice of a renewal',
      invoiced('success'),
      [{ kind: 'renewal', lines: [], paidUntil: null }],
      {
        ids: ['subscription 9001', 'subscription_invoice 9201'],
      },
    ],
    [
      'the first invoice is the payment of the order',
      invoiced('success', { billing_reason: 'initial' }),
      [{ kind: 'charged', lines: [], paidUntil: null }],
      { payment: { isFirst: true, amount: 4900 }, needs: [] },
    ],
    ['a failed payment', invoiced('failed', { status: 'pending' }), 'payment_failed', { payment: null }],
    ['recovered', invoiced('recovered'), 'paid_again'],
    ['an invoice refunded', invoiced('refunded', { refunded: true, refunded_amount: 4900, status: 'refunded' }), 'refunded'],
    [
      'an invoice refunded in part',
      invoiced('refunded', { refunded: false, refunded_amount: 100, status: 'partial_refund' }),
      'refunded_in_part',
    ],
    [
      'an order that was refunded before it is reported',
      event('order_created', 'orders', '8001', { ...order, status: 'refunded', refunded: true, refunded_amount: 4900 }),
      [{ kind: 'sale' }, { kind: 'refunded', refund: { id: '8001' } }],
    ],
    [
      'an order refunded',
      event('order_refunded', 'orders', '8001', { ...order, status: 'refunded', refunded: true, refunded_amount: 4900 }),
      'refunded',
    ],
    [
      'an order refunded in part',
      event('order_refunded', 'orders', '8001', { ...order, refunded: false, refunded_amount: 1633 }),
      'refunded_in_part',
    ],
    [
      'parts that add up to everything',
      event('order_refunded', 'orders', '8001', { ...order, refunded: false, refunded_amount: 4900, total: 4900 }),
      'refunded',
    ],
    [
      'less than everything is a part, regardless of the flag',
      event('order_refunded', 'orders', '8001', { ...order, refunded: true, refunded_amount: 1633 }),
      'refunded_in_part',
    ],
    ['their own keys', event('license_key_created', 'license-keys', '1', {}), 'ignored'],
    ['an unknown type', event('affiliate_activated', 'affiliates', '1', {}), 'ignored'],
  ];
  test.each(rows)('%s', check('lemonsqueezy'));

  test('if notifications have no event id, equal bodies are the same event, and different bodies are different events', () => {
    const [once, again, later] = [subscribed('updated'), subscribed('updated'), subscribed('updated', { variant_id: 72 })].map(
      (body) => read('lemonsqueezy', body).eventId,
    );
    expect(again).toBe(once);
    expect(later).not.toBe(once);
  });

  test("an order's further items are read from the API, but not if its first item is the whole order", () => {
    const before = read('lemonsqueezy', event('order_created', 'orders', '8001', order));
    expect(before.needs.map(({ fills, path }) => [fills, decodeURIComponent(path)])).toEqual([
      ['lines', '/v1/order-items?filter[order_id]=8001&page[size]=100'],
    ]);
    const items = [8101, 8102].map((id) => ({
      type: 'order-items',
      id: String(id),
      attributes: { order_id: 8001, product_id: 61, variant_id: id - 8030, quantity: 2 },
    }));
    expect(before.needs[0]!.merge(before, { status: 200, body: { data: items } })).toMatchObject({
      actions: [{ lines: [line('8101', ['71', '61'], { quantity: 2 }), line('8102', ['72', '61'], { quantity: 2 })] }],
    });
    expect(
      read(
        'lemonsqueezy',
        event('order_created', 'orders', '8001', {
          ...order,
          subtotal: 4900,
          first_order_item: { ...order.first_order_item, price: 4900 },
        }),
      ).needs,
    ).toEqual([]);
  });

  test("the end of a renewal's period is read from its subscription in the API, if the subscription is active", () => {
    const before = read('lemonsqueezy', invoiced('success'));
    const [need] = before.needs;
    expect([need?.fills, need?.path]).toEqual(['period', '/v1/subscriptions/9001']);
    const merged = need!.merge(before, { status: 200, body: { data: { id: '9001', attributes: subscription } } }) as Notification;
    expect(merged.actions).toEqual([renewal]);
    expect(ids(merged)).toEqual(['subscription 9001', 'subscription_invoice 9201', 'order 8001']);
    expect(
      need!.merge(before, { status: 200, body: { data: { id: '9001', attributes: { ...subscription, status: 'past_due' } } } }),
    ).toEqual(before);
  });
});

describe('Polar', () => {
  const event = (type: string, data: object): object => ({ type, timestamp: '2026-11-21T10:00:03.251000Z', api_version: '2026-10', data });
  const order = {
    id: 'ord-1',
    status: 'paid',
    paid: true,
    billing_reason: 'subscription_cycle',
    product_id: 'bb-product',
    subscription_id: 'ss-sub',
    checkout_id: 'kk-checkout',
    customer_id: 'cc-customer',
    customer: { email: 'ada@example.com' },
    seats: null,
    units: null,
    metadata: { ref: 'A1' },
    items: [{ product_price_id: 'aa-price', proration: false, end_timestamp: '2027-01-21T10:00:00.000000Z' }],
    subscription: { status: 'active', current_period_end: '2027-02-21T10:00:00.000000Z', cancel_at_period_end: false },
  };
  const subscription = {
    id: 'ss-sub',
    status: 'active',
    product_id: 'bb-product',
    customer_id: 'cc-customer',
    customer: { email: 'ada@example.com' },
    current_period_end: '2026-12-21T10:00:00.000000Z',
    cancel_at_period_end: false,
    ends_at: null,
    ended_at: null,
    seats: null,
  };
  const purchase = {
    ...order,
    billing_reason: 'purchase',
    subscription_id: null,
    subscription: null,
    items: [{ product_price_id: 'aa-price', proration: false, end_timestamp: null }],
  };
  const product = line('bb-product', ['aa-price', 'bb-product']);
  const changed = { kind: 'changed', lines: [line('bb-product', ['bb-product'])], complete: true };
  const paidUntil = instant('2027-01-21T10:00:00Z');

  const rows: readonly Row[] = [
    [
      'a renewal',
      event('order.paid', order),
      [{ kind: 'renewal', lines: [product], paidUntil }],
      {
        test: null,
        occurredAt: instant('2026-11-21T10:00:03.251Z'),
        ids: ['order ord-1', 'subscription ss-sub', 'checkout kk-checkout'],
        payment: { ids: ['order ord-1'] },
        customerEmail: 'ada@example.com',
      },
    ],
    [
      'a sale of seats that recurs',
      event('order.paid', { ...order, billing_reason: 'subscription_create', seats: 5 }),
      [{ kind: 'sale', lines: [{ ...product, quantity: 5 }], paidUntil }],
    ],
    ['a sale for good', event('order.paid', purchase), [{ kind: 'sale', lines: [{ ...product, oneOff: true }], paidUntil: null }]],
    [
      'a period that only the subscription tells',
      event('order.paid', { ...order, items: [{ ...order.items[0], proration: true }] }),
      [{ kind: 'renewal', lines: [line('bb-product', ['bb-product'])], paidUntil: instant('2027-02-21T10:00:00Z') }],
    ],
    [
      'a change alone',
      event('order.paid', { ...order, billing_reason: 'subscription_update', items: [{ ...order.items[0], proration: true }] }),
      [{ kind: 'charged', lines: [], paidUntil: null }],
    ],
    ['the same fact by another name', event('order.updated', order), 'renewal'],
    ['not paid yet', event('order.created', { ...order, status: 'pending', paid: false }), 'ignored'],
    ['refunded in full', event('order.refunded', { ...purchase, status: 'refunded' }), 'refunded'],
    [
      'parts that add up to everything',
      event('order.refunded', {
        id: 'ord-0',
        status: 'partially_refunded',
        net_amount: 4900,
        refunded_amount: 4900,
        subscription_id: null,
      }),
      'refunded',
    ],
    ['refunded in part', event('order.refunded', { id: 'ord-0', status: 'partially_refunded', subscription_id: null }), 'refunded_in_part'],
    ['a period refunded is known by its own end', event('order.refunded', { ...order, status: 'refunded' }), 'refunded'],
    ['a period refunded that tells no end', event('order.refunded', { ...order, status: 'refunded', items: [] }), 'refunded'],
    ['a refund alone', event('refund.updated', { id: 'r', status: 'succeeded', order_id: 'ord-1' }), 'ignored'],
    ['a new period that is not paid', event('subscription.cycled', subscription), 'ignored'],
    [
      'a change of seats',
      event('subscription.updated', { ...subscription, seats: 7 }),
      [
        { kind: 'changed', lines: [line('bb-product', ['bb-product'], { quantity: 7 })], complete: true },
        { kind: 'paid_again' },
        { kind: 'resumed' },
      ],
    ],
    [
      'a cancellation that is announced',
      event('subscription.canceled', { ...subscription, cancel_at_period_end: true }),
      [{ kind: 'cancellation_announced', endsAt: instant('2026-12-21T10:00:00Z') }],
    ],
    [
      'the same by status',
      event('subscription.updated', { ...subscription, cancel_at_period_end: true }),
      [{ kind: 'cancellation_announced', endsAt: instant('2026-12-21T10:00:00Z') }, changed, { kind: 'paid_again' }, { kind: 'resumed' }],
    ],
    ['withdrawn', event('subscription.uncanceled', subscription), [{ kind: 'cancellation_announced', endsAt: null }]],
    ['past due', event('subscription.past_due', { ...subscription, status: 'past_due' }), 'payment_failed'],
    ['past due, by status', event('subscription.updated', { ...subscription, status: 'past_due' }), 'payment_failed'],
    ['recovered', event('subscription.active', subscription), 'paid_again'],
    ['paused', event('subscription.paused', { ...subscription, status: 'paused' }), 'paused'],
    ['resumed', event('subscription.resumed', subscription), 'resumed'],
    [
      'ended',
      event('subscription.revoked', { ...subscription, status: 'canceled', ended_at: '2026-12-21T10:00:04.120000Z' }),
      [{ kind: 'ended', endedAt: instant('2026-12-21T10:00:04.120Z') }],
    ],
    [
      'ended, by status',
      event('subscription.updated', { ...subscription, status: 'canceled', ended_at: '2026-12-21T10:00:04.120000Z' }),
      [{ kind: 'ended', endedAt: instant('2026-12-21T10:00:04.120Z') }],
    ],
    ['an unknown type', event('benefit_grant.created', {}), 'ignored'],
  ];
  test.each(rows)('%s', check('polar'));

  test('duplicates of a notification are recognized by its signed id', () =>
    expect(read('polar', event('order.paid', order), { 'webhook-id': 'msg-1' }).eventId).toBe('msg-1'));
});

describe('Gumroad', () => {
  const sale =
    'seller_id=Se1%3D%3D&product_id=Pq1%3D%3D&product_name=Aurora&permalink=aurora&product_permalink=https%3A%2F%2Faurora.gumroad.com%2Fl%2Faurora&short_product_id=aurora&email=ada%40example.com&price=4900&gumroad_fee=540&currency=usd&quantity=1&discover_fee_charged=false&can_contact=true&referrer=direct&card[visual]=%2A%2A%2A%2A%20%2A%2A%2A%2A%20%2A%2A%2A%2A%204242&card[type]=visa&card[bin]=&card[expiry_month]=&card[expiry_year]=&order_number=77001&sale_id=Sa1%3D%3D&sale_timestamp=2026-12-21T10%3A00%3A00Z&full_name=Ada&subscription_id=Su1%3D%3D&url_params[ref]=A1&variants[Tier]=Pro&is_recurring_charge=true&Company name=Ada%20Ltd&custom_fields[Company name]=Ada%20Ltd&ip_country=Netherlands&recurrence=monthly&is_gift_receiver_purchase=false&refunded=false&resource_name=sale&disputed=false&dispute_won=false';
  const subscribed = (resource: string, more: string): string =>
    `subscription_id=Su1%3D%3D&product_id=Pq1%3D%3D&product_name=Aurora&user_id=&user_email=ada%40example.com&purchase_ids[]=Sa0%3D%3D&purchase_ids[]=Sa1%3D%3D&created_at=2026-11-21T10%3A00%3A00Z&charge_occurrence_count=&recurrence=monthly&free_trial_ends_at=&resource_name=${resource}&${more}`;
  const once = sale.replace('&subscription_id=Su1%3D%3D', '').replace('&is_recurring_charge=true', '').replace('&recurrence=monthly', '');
  const refs = [
    'Pq1==/Pro',
    'aurora/Pro',
    'https://aurora.gumroad.com/l/aurora/Pro',
    'Pro',
    'Pq1==',
    'aurora',
    'https://aurora.gumroad.com/l/aurora',
  ];
  const product = line('Pq1==', refs);
  const paidUntil = instant('2027-01-21T10:00:00Z');

  const rows: readonly Row[] = [
    [
      'a renewal is paid for a calendar month',
      sale,
      [
        { kind: 'renewal', lines: [product], paidUntil },
        { kind: 'changed', lines: [product], complete: true },
      ],
      {
        type: 'sale',
        test: null,
        ids: ['sale Sa1==', 'subscription Su1=='],
        payment: { ids: ['sale Sa1=='] },
        customerEmail: 'ada@example.com',
        repeatable: false,
        occurredAt: instant('2026-12-21T10:00:00Z'),
      },
    ],
    ['a sale that recurs', sale.replace('&is_recurring_charge=true', ''), [{ kind: 'sale', lines: [product], paidUntil }]],
    ['a sale for good', once, [{ kind: 'sale', lines: [{ ...product, oneOff: true }], paidUntil: null }]],
    ['the older ping, for sales alone', once.replace('&resource_name=sale', ''), 'sale'],
    ['a repeated one', `${once}&retry_count=2`, 'sale', { eventId: 'sale Sa1== refunded=false disputed=false' }],
    [
      'as JSON',
      {
        resource_name: 'sale',
        sale_id: 'Sa1==',
        product_id: 'Pq1==',
        email: 'ada@example.com',
        quantity: 2,
        refunded: false,
        disputed: false,
        variants: { Tier: 'Pro' },
      },
      [{ kind: 'sale', lines: [line('Pq1==', ['Pq1==/Pro', 'Pro', 'Pq1=='], { quantity: 2, oneOff: true })], paidUntil: null }],
      { eventId: 'sale Sa1== refunded=false disputed=false' },
    ],
    [
      'a test ping, which repeats the latest real sale',
      `${sale}&test=true`,
      'ignored',
      { repeatable: true, test: true, ids: [], needs: [] },
    ],
    ['a preorder', `${once}&is_preorder_authorization=true`, 'ignored'],
    [
      'refunded in full',
      sale.replace('refunded=false', 'refunded=true').replace('resource_name=sale', 'resource_name=refund'),
      'refunded',
      { occurredAt: null },
    ],
    ['refunded in part', sale.replace('resource_name=sale', 'resource_name=refund'), 'refunded_in_part'],
    ['disputed', sale.replace('resource_name=sale', 'resource_name=dispute'), 'dispute_opened'],
    ['a dispute won', sale.replace('resource_name=sale', 'resource_name=dispute_won'), 'dispute_won'],
    [
      'a cancellation that is announced',
      subscribed('cancellation', 'cancelled=true&cancelled_at=2026-12-21T10%3A00%3A00Z&cancelled_by_buyer=true'),
      [{ kind: 'cancellation_announced', endsAt: instant('2026-12-21T10:00:00Z') }],
      { occurredAt: null },
    ],
    [
      'ended',
      subscribed('subscription_ended', 'ended_at=2026-12-21T10%3A00%3A04Z&ended_reason=failed_payment'),
      [{ kind: 'ended', endedAt: instant('2026-12-21T10:00:04Z') }],
      { ids: ['subscription Su1=='] },
    ],
    [
      'an installment plan that is paid off ends nothing',
      subscribed('subscription_ended', 'ended_at=2026-12-21T10%3A00%3A04Z&ended_reason=fixed_subscription_period_ended'),
      'paid_off',
    ],
    ['restarted', subscribed('subscription_restarted', 'restarted_at=2026-12-22T10%3A00%3A04Z'), 'resumed'],
    [
      'a bigger plan',
      subscribed('subscription_updated', 'type=upgrade&effective_as_of=2026-12-01T00%3A00%3A00Z&new_plan[tier]=Team&new_plan[quantity]=3'),
      [{ kind: 'changed', lines: [line('Pq1==', ['Pq1==/Team', 'Team', 'Pq1=='], { quantity: 3 })], complete: true }],
    ],
    [
      'a bigger plan, whose tier has an id and a name',
      subscribed('subscription_updated', 'type=upgrade&new_plan[tier][id]=T1&new_plan[tier][name]=Team&new_plan[quantity]=3'),
      [{ kind: 'changed', lines: [line('Pq1==', ['Pq1==/Team', 'Pq1==/T1', 'Team', 'T1', 'Pq1=='], { quantity: 3 })], complete: true }],
    ],
    [
      'a smaller plan, which begins later',
      subscribed('subscription_updated', 'type=downgrade&effective_as_of=2027-01-01T00%3A00%3A00Z&new_plan[quantity]=1'),
      'ignored',
    ],
    ['an unknown resource', 'resource_name=payout&id=1', 'ignored'],
  ];
  test.each(rows)('%s', check('gumroad'));

  test.each([
    ['2027-01-31T10:00:00Z', 'monthly', '2027-02-28T10:00:00Z'],
    ['2028-01-31T10:00:00Z', 'monthly', '2028-02-29T10:00:00Z'],
    ['2026-11-30T23:59:59Z', 'quarterly', '2027-02-28T23:59:59Z'],
    ['2026-08-31T00:00:00Z', 'biannually', '2027-02-28T00:00:00Z'],
    ['2028-02-29T10:00:00Z', 'yearly', '2029-02-28T10:00:00Z'],
    ['2026-12-21T10:00:00Z', 'every_two_years', '2028-12-21T10:00:00Z'],
  ])('a period that starts at %s and is %s ends at %s', (from, recurrence, to) => {
    const [action] = read(
      'gumroad',
      sale.replace('2026-12-21T10%3A00%3A00Z', encodeURIComponent(from)).replace('recurrence=monthly', `recurrence=${recurrence}`),
    ).actions;
    expect(action).toMatchObject({ paidUntil: instant(to) });
  });

  describe("a buyer's text", () => {
    const untrusted = { actions: [{ kind: 'untrusted', reason: expect.any(String) }], ids: [], payment: null, repeatable: true };
    /** A one-off sale with URL parameters, as Gumroad writes it. Gumroad encodes only the brackets inside of a parameter's name. */
    const boughtWith = (...parameters: readonly string[]): string =>
      once.replace('url_params[ref]=A1', parameters.map((name) => `url_params[${name}]=1`).join('&'));
    const bracketsEncoded = (name: string): string => name.replaceAll('[', '%5B').replaceAll(']', '%5D');
    const injections = [
      'a&variants[Tier]=Team&recurrence=every_two_years&b',
      'a]=1&subscription_id=Sother&url_params[b',
      'a]=1&subscription_id=Sother&variants[b',
      'a]=1&recurrence=every_two_years&custom_fields[b',
      'a]=1&is_recurring_charge=true&url_params[b',
      'a]=1&variants[Tier]=Team&url_params[b',
      'a]=1&variants[Other',
      'a]=1&resource_name=sale&url_params[b',
      'a]=1&sale_id=Sother&url_params[b',
    ];

    test.each(injections.flatMap((name) => [name, bracketsEncoded(name)]))('in the name of a URL parameter injects nothing: %s', (name) =>
      expect(read('gumroad', boughtWith(name))).toMatchObject(untrusted),
    );

    test('in a URL parameter does not turn a ping of the older kind into the end of a subscription', () => {
      const older = boughtWith('a]=1&resource_name=subscription_ended&subscription_id=Sother&url_params[b').replace(
        '&resource_name=sale',
        '',
      );
      expect(read('gumroad', older)).toMatchObject(untrusted);
    });

    test('in a URL parameter that only looks odd changes nothing', () => {
      for (const names of [[], ['a', 'b'], ['filter%5Bx%5D'], ['__proto__']]) {
        const { actions } = read('gumroad', boughtWith(...names));
        expect([names, actions]).toEqual([names, [{ kind: 'sale', lines: [{ ...product, oneOff: true }], paidUntil: null }]]);
      }
    });

    test("in a custom field neither replaces nor removes Gumroad's own fields", () => {
      for (const [name, value] of [
        ['email', 'eve@example.com'],
        ['quantity', '1000'],
        ['subscription_id', 'Sother=='],
        ['recurrence', 'every_two_years'],
        ['is_recurring_charge', 'false'],
      ] as const) {
        const custom = `&custom_fields[${name}]=${encodeURIComponent(value)}&ip_country`;
        const beside = sale.replace('&ip_country', custom);
        expect([name, read('gumroad', beside).actions]).toEqual([name, read('gumroad', sale).actions]);
        const typed = beside.replace(new RegExp(`(^|&)${name}=[^&]*`), `$1${name}=${encodeURIComponent(value)}`);
        expect([name, read('gumroad', typed)]).toMatchObject([name, untrusted]);
      }
    });
  });

  describe('proven by the API', () => {
    const api = {
      id: 'Sa1==',
      email: 'real@example.com',
      product_id: 'Pq1==',
      price: 4900,
      quantity: 3,
      refunded: false,
      partially_refunded: false,
      chargedback: false,
      disputed: false,
      dispute_won: false,
      subscription_id: 'Su1==',
      subscription_duration: 'monthly',
      recurring_charge: true,
      variants: { Tier: 'Team' },
      created_at: '2026-12-21T10:00:01Z',
    };
    const prove = (body: string, response: unknown, status = 200): Notification | 'unavailable' => {
      const before = read('gumroad', body);
      expect(before.needs).toHaveLength(1);
      expect(before.needs[0]!.fills).toBe('proof');
      return before.needs[0]!.merge(before, { status, body: response });
    };

    test('everything except the id comes from the API', () => {
      expect(read('gumroad', sale).needs[0]!.path).toBe('/sales/Sa1%3D%3D');
      const proven = prove(sale, { success: true, sale: api }) as Notification;
      expect(proven).toMatchObject({
        eventId: 'sale Sa1== refunded=false disputed=false',
        customerEmail: 'real@example.com',
        actions: [{ kind: 'renewal', lines: [{ quantity: 3 }] }, { kind: 'changed' }],
      });
      expect(JSON.stringify(proven.actions)).toContain('Pq1==/Team');
      expect(JSON.stringify(proven.actions)).not.toContain('Pro"');
    });

    test('a value that the API lacks or reports as null is never taken from the ping, unless it only names the product', () => {
      const { subscription_id: _, subscription_duration: __, recurring_charge: ___, variants: ____, ...oneOff } = api;
      const nothing = { subscription_id: null, subscription_duration: null, recurring_charge: null, variants: null };
      const products = ['Pq1==', 'aurora', 'https://aurora.gumroad.com/l/aurora'];
      for (const listed of [oneOff, { ...oneOff, ...nothing }]) {
        expect(prove(sale, { success: true, sale: listed })).toMatchObject({
          ids: [{ kind: 'sale', id: 'Sa1==' }],
          subscriptionId: null,
          actions: [{ kind: 'sale', lines: [line('Pq1==', products, { quantity: 3, oneOff: true })], paidUntil: null }],
        });
      }
    });

    test('a ping in which a custom field replaces a field of Gumroad is read from the API alone', () => {
      const typed = `${sale.replace('permalink=aurora&', 'permalink=Team&')}&custom_fields[permalink]=Team`;
      const proven = prove(typed, { success: true, sale: api }) as Notification;
      expect(proven).toMatchObject({ repeatable: false, ids: [{ id: 'Sa1==' }, { id: 'Su1==' }], customerEmail: 'real@example.com' });
      expect(proven.actions[0]).toMatchObject({ kind: 'renewal', lines: [{ refs: ['Pq1==/Team', 'Team', 'Pq1=='], quantity: 3 }] });
    });

    test("if the ping and the API name different products, the sale is of the API's product", () => {
      const proven = prove(sale, { success: true, sale: { ...api, product_id: 'Pother==' } }) as Notification;
      expect(JSON.stringify(proven.actions)).not.toContain('aurora');
    });

    test('a sale that Gumroad does not know is ignored, and blocks no later event', () => {
      for (const [response, status] of [
        [{ success: false, message: 'The sale was not found.' }, 404],
        [{ success: false }, 200],
        [{ success: true, sale: { ...api, id: 'another' } }, 200],
      ] as const) {
        expect(prove(sale, response, status)).toMatchObject({ actions: [ignoring], repeatable: true, ids: [] });
      }
    });

    test('a sale is not proven without a valid response of the API', () => {
      for (const [response, status] of [
        [{}, 500],
        [{ error: 'invalid_token' }, 401],
        [undefined, 200],
        [{}, 429],
      ] as const)
        expect(prove(sale, response, status)).toBe('unavailable');
    });

    test('a refund or a dispute counts only if the API confirms it', () => {
      const refund = sale.replace('resource_name=sale', 'resource_name=refund').replace('refunded=false', 'refunded=true');
      expect(prove(refund, { success: true, sale: api })).toMatchObject({ actions: [ignoring], repeatable: true });
      expect(prove(refund, { success: true, sale: { ...api, partially_refunded: true } })).toMatchObject({
        actions: [{ kind: 'refunded_in_part' }],
      });
      expect(prove(refund, { success: true, sale: { ...api, refunded: true } })).toMatchObject({
        actions: [{ kind: 'refunded' }],
        repeatable: false,
      });
      const dispute = sale.replace('resource_name=sale', 'resource_name=dispute');
      expect(prove(dispute, { success: true, sale: api })).toMatchObject({ actions: [ignoring], repeatable: true });
      expect(prove(dispute, { success: true, sale: { ...api, chargedback: true } })).toMatchObject({
        actions: [{ kind: 'dispute_opened' }],
      });
      expect(prove(dispute, { success: true, sale: { ...api, disputed: true, dispute_won: true } })).toMatchObject({
        actions: [{ kind: 'dispute_won' }],
      });
      expect(prove(sale, { success: true, sale: { ...api, refunded: true } })).toMatchObject({
        actions: [{ kind: 'renewal' }, { kind: 'changed' }, { kind: 'refunded', refund: { id: 'Sa1==' } }],
      });
    });

    test('the end of a subscription counts only if the API confirms it, and a completed installment plan is not an end', () => {
      const ended = subscribed('subscription_ended', 'ended_at=2026-12-21T10%3A00%3A04Z&ended_reason=cancelled');
      expect(read('gumroad', ended).needs[0]!.path).toBe('/subscribers/Su1%3D%3D');
      const subscriber = (status: string): object => ({ success: true, subscriber: { id: 'Su1==', status } });
      expect(prove(ended, subscriber('cancelled'))).toMatchObject({ actions: [{ kind: 'ended' }] });
      expect(prove(ended, subscriber('alive'))).toMatchObject({ actions: [ignoring], repeatable: true });
      expect(prove(ended, subscriber('fixed_subscription_period_ended'))).toMatchObject({ actions: [{ kind: 'paid_off' }] });
      expect(prove(ended, { success: false }, 404)).toMatchObject({ actions: [ignoring], repeatable: true });
      expect(prove(ended, {}, 503)).toBe('unavailable');
    });
  });
});

/** The processors whose API the service reads. */
const readable = processors.filter((processor) => adapters[processor].hasApi);

describe('all processors', () => {
  test.each(processors)('%s: a value that is not an object, or has no type, is ignored', (processor) => {
    for (const body of [
      '',
      ' ',
      '[]',
      'null',
      '"a"',
      '1',
      '{',
      '{}',
      '[{"type":"order.paid"}]',
      '{"type":1,"event_type":null,"meta":{"event_name":""},"resource_name":""}',
      'a=b',
    ]) {
      expect([body, adapters[processor].read(body, {})]).toEqual([body, undefined]);
    }
  });

  /** Every field name that an adapter reads, so that odd values reach the code that reads them. */
  const names = `
    id type object data attributes meta event_name event_type event_id status mode payment_status lines items price price_id
    product_id quantity period end parent subscription subscription_id customer email customer_email billing_period ends_at
    billing_reason first_order_item renews_at order_id sale_id sale_timestamp recurrence resource_name variants previous_attributes
    created occurred_at timestamp action totals total refunded seats __proto__ constructor toString valueOf`
    .trim()
    .split(/\s+/);
  const types: Readonly<Record<Processor, readonly string[]>> = {
    stripe: [
      'checkout.session.completed',
      'invoice.paid',
      'invoice.payment_failed',
      'invoice_payment.paid',
      'customer.subscription.updated',
      'customer.subscription.deleted',
      'charge.refunded',
      'charge.dispute.closed',
    ],
    paddle: ['transaction.completed', 'customer.created', 'subscription.created', 'subscription.updated', 'adjustment.created'],
    lemonsqueezy: [
      'order_created',
      'order_refunded',
      'subscription_created',
      'subscription_updated',
      'subscription_payment_success',
      'subscription_payment_refunded',
    ],
    polar: ['order.paid', 'order.refunded', 'subscription.updated', 'subscription.revoked', 'dispute.updated'],
    gumroad: ['sale', 'refund', 'dispute', 'cancellation', 'subscription_ended', 'subscription_updated'],
    custom: ['sale', 'renewal', 'refund', 'dispute', 'subscription'],
  };
  const odd = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        null,
        true,
        false,
        0,
        -1,
        1e300,
        1795255203,
        '',
        'x',
        'active',
        'paid',
        'approved',
        '2026-11-21T10:00:00Z',
        '9999-99-99T99:99:99Z',
        '\ud800',
        'x'.repeat(300),
      ),
      fc.string(),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 8 }),
  }));

  /** Whether a notification has the properties on which the processing of orders relies. Every notification must have them. */
  const isSound = ({ eventId, ids, occurredAt, actions, payment, customerEmail, type }: Notification): boolean => {
    const instants = actions.flatMap((action) =>
      'paidUntil' in action ? [action.paidUntil] : 'endedAt' in action ? [action.endedAt] : 'endsAt' in action ? [action.endsAt] : [],
    );
    const lines = actions.flatMap((action) => ('lines' in action ? action.lines : []));
    const isInstant = (ms: number | null): boolean =>
      ms === null || (Number.isSafeInteger(ms) && ms > 0 && !Number.isNaN(new Date(ms).getTime()));
    return (
      actions.length > 0 &&
      eventId !== '' &&
      eventId.length < 1000 &&
      type !== '' &&
      [occurredAt, ...instants].every(isInstant) &&
      [...ids, ...(payment?.ids ?? [])].every(({ kind, id }) => kind !== '' && id !== '' && id.length <= 255) &&
      lines.every((line) => Number.isSafeInteger(line.quantity) && line.quantity >= 0 && line.refs.every((ref) => ref.length <= 255)) &&
      actions.every((action) => action.kind !== 'sale' || action.lines.length > 0) &&
      (customerEmail === null || customerEmail.includes('@'))
    );
  };

  test.each(processors)(
    '%s: unusual JSON is read or refused without an exception, and a notification that is read from it has valid values',
    (processor) => {
      fc.assert(
        fc.property(fc.constantFrom(...types[processor]), odd.object, (type, object) => {
          const data = fc.stringify(object).length > 0 ? object : {};
          const envelope = {
            id: 'e',
            type,
            event_type: type,
            resource_name: type,
            meta: { event_name: type },
            ...(processor === 'gumroad' ? (data as object) : {}),
            data: { id: 'o', attributes: data, ...(data as object), ...(processor === 'stripe' && { object: data }) },
          };
          for (const body of [JSON.stringify(envelope), JSON.stringify(object)]) {
            const notification = adapters[processor].read(body, {});
            if (notification && !isSound(notification)) return false;
            for (const need of notification?.needs ?? []) {
              for (const status of [200, 500]) {
                const merged = need.merge(notification!, {
                  status,
                  body: { success: true, data: [data], items: [data], sale: data, subscriber: data },
                });
                if (merged !== 'unavailable' && !isSound(merged)) return false;
              }
            }
            adapters[processor].page(adapters[processor].listings(1_000_000_000_000)[0]!, { status: 200, body: object }, 0);
          }
          return true;
        }),
        { numRuns: 500 },
      );
    },
  );

  test.each(readable)("%s: a list with an event that can't be converted to text causes no exception", (processor) => {
    const unprintable = { toString: 1, valueOf: 1 };
    const event = { id: unprintable, event_type: unprintable, type: unprintable, attributes: unprintable, data: unprintable };
    const body = { success: true, data: [event], items: [event], sales: [event] };
    const read = (): unknown => adapters[processor].page(adapters[processor].listings(1_000_000_000_000)[0]!, { status: 200, body }, 0);
    expect(read).not.toThrow();
    expect(read()).toMatchObject({ next: null });
  });

  test.each(processors)('%s: any text is read or refused without an exception', (processor) => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (body) => {
        adapters[processor].read(body, {});
      }),
    );
  });

  test('the displayed id is the one that the buyer knows, and only an unguessable id opens the thank-you page', () => {
    const order = (...told: [string, string][]) => told.map(([kind, id]) => ({ kind, id }));
    expect(shownOrderId(adapters.stripe, order(['subscription', 'sub_1'], ['invoice', 'in_1'], ['invoice', 'in_2']))).toBe('in_1');
    expect(shownOrderId(adapters.stripe, order(['invoice', 'in_1'], ['checkout_session', 'cs_1']))).toBe('cs_1');
    expect(shownOrderId(adapters.polar, order(['subscription', 's']))).toBeNull();
    const honoured = {
      stripe: 'checkout_session',
      paddle: 'transaction',
      lemonsqueezy: 'identifier',
      polar: 'checkout',
      gumroad: 'sale',
      // The numbers of a shop's orders can be guessed.
      custom: undefined,
    } as const;
    for (const processor of processors) {
      for (const kind of adapters[processor].idKinds)
        expect([processor, kind, isPurchaseId(adapters[processor], { kind, id: 'a1' })]).toEqual([
          processor,
          kind,
          kind === honoured[processor],
        ]);
      expect(isPurchaseId(adapters[processor], { kind: honoured[processor] ?? 'order', id: '8001' })).toBe(false);
    }
  });
});

describe("an event in a processor's list is read like the same event in a notification", () => {
  const since = instant('2026-11-20T00:00:00Z');
  const page = (processor: Processor, path: string, body: unknown) => {
    const found = adapters[processor].page(path, { status: 200, body }, since);
    if (!found) throw new Error('no page');
    const actions = found.bodies.map((text): [string, Action['kind'][]] => {
      const notification = read(processor, text);
      return [notification.type, notification.actions.map(({ kind }) => kind)];
    });
    return { ...found, actions };
  };

  test.each(readable)('%s: an error, or a response that is not a list, is not taken for a page of the list', (processor) => {
    const [path = ''] = adapters[processor].listings(since);
    for (const response of [
      { status: 401, body: {} },
      { status: 200, body: undefined },
      { status: 200, body: {} },
      { status: 500, body: { data: [], items: [], sales: [] } },
    ]) {
      expect(adapters[processor].page(path, response, since)).toBeUndefined();
    }
  });

  test('Stripe: a page contains events; the oldest event is returned first, and each event keeps its id', () => {
    const [path = ''] = adapters.stripe.listings(since);
    const query = new URLSearchParams(path.split('?')[1]);
    expect([path.split('?')[0], query.get('created[gte]'), query.get('limit'), query.getAll('types[]').includes('invoice.paid')]).toEqual([
      '/v1/events',
      String(since / 1000),
      '100',
      true,
    ]);
    const event = (id: string, type: string): object => ({
      id,
      type,
      created: 1795255203,
      livemode: true,
      data: { object: { id: 'ch_1', payment_intent: 'pi_1', refunded: true } },
    });
    const { bodies, next, actions } = page('stripe', path, {
      has_more: true,
      data: [event('evt_3', 'charge.refunded'), event('evt_2', 'payout.paid'), event('evt_1', 'charge.refunded')],
    });
    expect(bodies.map((body) => read('stripe', body).eventId)).toEqual(['evt_1', 'evt_3']);
    expect(actions[0]).toEqual(['charge.refunded', ['refunded']]);
    expect(new URLSearchParams(next!.split('?')[1]).get('starting_after')).toBe('evt_1');
    expect(next).toContain('created%5Bgte%5D');
    expect(page('stripe', next!, { has_more: false, data: [event('evt_0', 'charge.refunded')] }).next).toBeNull();
  });

  test('Paddle: a page contains events; the first event that is too old ends the list', () => {
    const [path = ''] = adapters.paddle.listings(since);
    const event = (id: string, occurred_at: string): object => ({
      event_id: id,
      event_type: 'customer.created',
      occurred_at,
      data: { id: 'ctm_1', email: 'ada@example.com' },
    });
    const pagination = { pagination: { has_more: true, next: 'https://api.paddle.com/events?after=evt_1' } };
    const first = page('paddle', path, {
      data: [event('evt_2', '2026-11-21T10:00:00Z'), event('evt_1', '2026-11-20T10:00:00Z')],
      meta: pagination,
    });
    expect(decodeURIComponent(first.next!)).toBe('/events?order_by=id[DESC]&per_page=200&after=evt_1');
    const second = page('paddle', first.next!, {
      data: [event('evt_0', '2026-11-20T01:00:00Z'), event('evt_z', '2026-11-19T10:00:00Z')],
      meta: pagination,
    });
    expect([second.bodies.map((body) => read('paddle', body).eventId), second.next]).toEqual([['evt_0'], null]);
  });

  test('Lemon Squeezy: the lists contain the orders, subscriptions and invoices that have changed', () => {
    expect(adapters.lemonsqueezy.listings(since).map(decodeURIComponent)).toEqual(
      ['orders', 'subscriptions', 'subscription-invoices'].map((list) => `/v1/${list}?page[number]=1&page[size]=100`),
    );
    const [orders = '', subscriptions = '', invoices = ''] = adapters.lemonsqueezy.listings(since);
    const meta = { page: { currentPage: 1, lastPage: 2 } };
    const order = (id: string, more: object): object => ({
      type: 'orders',
      id,
      attributes: {
        identifier: id,
        status: 'paid',
        total: 100,
        first_order_item: { id: 1, variant_id: 7 },
        created_at: '2026-11-21T10:00:00Z',
        updated_at: '2026-11-21T10:00:00Z',
        test_mode: true,
        ...more,
      },
    });
    const listed = page('lemonsqueezy', orders, {
      meta,
      data: [
        order('1', {}),
        order('2', { status: 'refunded', refunded: true, refunded_amount: 100 }),
        order('3', { status: 'partial_refund', refunded_amount: 50 }),
        order('4', { status: 'pending' }),
        order('5', { created_at: '2026-10-01T00:00:00Z', updated_at: '2026-10-01T00:00:00Z' }),
        order('6', { created_at: '2026-10-01T00:00:00Z', status: 'refunded', refunded: true, refunded_amount: 100 }),
      ],
    });
    expect(listed.actions).toEqual([
      ['order_refunded', ['refunded']],
      ['order_created', ['sale', 'refunded']],
      ['order_refunded', ['refunded_in_part']],
      ['order_created', ['sale']],
      ['order_refunded', ['refunded']],
      ['order_created', ['sale', 'refunded']],
      ['order_created', ['sale']],
    ]);
    expect(read('lemonsqueezy', listed.bodies[0]!).test).toBe(true);
    expect(decodeURIComponent(listed.next!)).toBe('/v1/orders?page[number]=2&page[size]=100');
    expect(
      page('lemonsqueezy', orders, { meta, data: [order('7', { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' })] })
        .next,
    ).toBeNull();
    const subscription = {
      type: 'subscriptions',
      id: '9',
      attributes: {
        status: 'active',
        renews_at: '2027-01-21T10:00:00Z',
        order_id: 1,
        order_item_id: 1,
        variant_id: 7,
        created_at: '2024-01-01T00:00:00Z',
        updated_at: '2026-11-21T10:00:00Z',
      },
    };
    const subscribed = page('lemonsqueezy', subscriptions, { meta, data: [subscription] });
    expect([subscribed.actions[0]?.[1][0], subscribed.next]).toEqual(['renewal', expect.stringContaining('2')]);
    const invoice = (status: string): object => ({
      type: 'subscription-invoices',
      id: status,
      attributes: {
        status,
        subscription_id: 9,
        billing_reason: 'renewal',
        created_at: '2026-11-21T10:00:00Z',
        refunded: status === 'refunded',
      },
    });
    expect(
      page('lemonsqueezy', invoices, {
        meta: { page: { currentPage: 2, lastPage: 2 } },
        data: [invoice('paid'), invoice('pending'), invoice('refunded')],
      }),
    ).toMatchObject({
      actions: [
        ['subscription_payment_refunded', ['refunded']],
        ['subscription_payment_success', ['renewal']],
      ],
      next: null,
    });
  });

  test('Polar: the lists contain orders, subscriptions and also disputes, because no webhook reports disputes', () => {
    const [orders = '', subscriptions = '', disputes = ''] = adapters.polar.listings(since);
    expect([orders, subscriptions, disputes].map((path) => path.split('?')[0])).toEqual(['/orders/', '/subscriptions/', '/disputes/']);
    const order = (status: string): object => ({
      id: status,
      status,
      billing_reason: 'purchase',
      product_id: 'p',
      created_at: '2026-11-21T10:00:00Z',
      modified_at: '2026-11-21T11:00:00Z',
    });
    const listed = page('polar', orders, {
      items: ['paid', 'pending', 'refunded', 'partially_refunded'].map(order),
      pagination: { total_count: 4, max_page: 2 },
    });
    expect(listed.actions).toEqual([
      ['order.refunded', ['refunded_in_part']],
      ['order.paid', ['sale']],
      ['order.refunded', ['refunded']],
      ['order.paid', ['sale', 'refunded']],
      ['order.updated', ['sale']],
    ]);
    expect(new URLSearchParams(listed.next!.split('?')[1]).get('page')).toBe('2');
    expect(
      page('polar', listed.next!, {
        items: [{ ...order('paid'), created_at: '2026-01-01T00:00:00Z', modified_at: null }],
        pagination: { max_page: 2 },
      }),
    ).toMatchObject({ bodies: [], next: null });
    expect(
      page('polar', subscriptions, {
        items: [{ id: 's', status: 'canceled', ended_at: '2026-11-21T10:00:00Z' }],
        pagination: { max_page: 1 },
      }).actions,
    ).toEqual([['subscription.updated', ['ended']]]);
    const statuses = ['early_warning', 'needs_response', 'prevented', 'won', 'lost'];
    expect(
      page('polar', disputes, {
        items: statuses.map((status) => ({ id: status, status, order_id: 'o' })),
        pagination: { max_page: 1 },
      }).actions.flatMap(([, [kind]]) => kind),
    ).toEqual(['dispute_lost', 'dispute_won', 'dispute_opened']);
  });

  test('Gumroad: a page contains sales, and the notifications of a sale have the same ids as its pings', () => {
    const [path = ''] = adapters.gumroad.listings(since);
    expect(path).toBe('/sales?after=2026-10-21');
    const sale = (id: string, more: object = {}): object => ({
      id,
      email: 'ada@example.com',
      product_id: 'P',
      quantity: 1,
      refunded: false,
      disputed: false,
      created_at: '2026-11-21T10:00:00Z',
      ...more,
    });
    const listed = page('gumroad', path, {
      success: true,
      next_page_key: '20261121-2',
      sales: [
        sale('1'),
        sale('2', { refunded: true }),
        sale('3', { partially_refunded: true }),
        sale('4', { chargedback: true, disputed: true }),
        sale('5', { dispute_won: true }),
        sale('6', { recurring_charge: true, subscription_id: 'S', subscription_duration: 'monthly' }),
      ],
    });
    expect(listed.actions.map(([type, [kind]]) => [type, kind])).toEqual([
      ['sale', 'renewal'],
      ['dispute_won', 'dispute_won'],
      ['sale', 'sale'],
      ['dispute', 'dispute_opened'],
      ['sale', 'sale'],
      ['refund', 'refunded_in_part'],
      ['sale', 'sale'],
      ['refund', 'refunded'],
      ['sale', 'sale'],
      ['sale', 'sale'],
    ]);
    expect(read('gumroad', listed.bodies.at(-1)!).eventId).toBe('sale 1 refunded=false disputed=false');
    expect(listed.next).toBe('/sales?after=2026-10-21&page_key=20261121-2');
    expect(page('gumroad', path, { success: true, sales: [] }).next).toBeNull();
    // The ping about a gift is about another sale, which has the receiver's address and is not listed.
    expect(page('gumroad', path, { success: true, sales: [sale('7', { is_gift_sender_purchase: true })] }).bodies).toEqual([]);
  });
});

describe('amounts: an accountant gets what the processor reports as paid or refunded, and nothing else', () => {
  const stripe = (type: string, object: object): object => ({ id: 'evt_1', type, created: 1795255203, data: { object } });
  const checkout = {
    id: 'cs_live_a1S',
    mode: 'payment',
    status: 'complete',
    payment_status: 'paid',
    amount_total: 5929,
    currency: 'eur',
    customer_details: { email: 'ada@example.com', address: { country: 'NL' } },
    payment_intent: 'pi_3N0',
    invoice: null,
  };
  const invoice = {
    id: 'in_1N1',
    subscription: 'sub_1S',
    amount_paid: 4900,
    currency: 'usd',
    customer_address: { country: 'US' },
    lines: { data: [] },
  };
  const charge = { id: 'ch_3N0', amount: 4900, amount_refunded: 1633, currency: 'usd', refunded: false, payment_intent: 'pi_3N0' };
  const paddle = (event_type: string, data: object): object => ({ event_id: 'evt_01e', event_type, data });
  const transaction = {
    id: 'txn_01n1',
    origin: 'web',
    currency_code: 'USD',
    items: [],
    details: { totals: { subtotal: '4050', tax: '850', total: '4900', grand_total: '4900', fee: '295', currency_code: 'USD' } },
  };
  const adjustment = {
    id: 'adj_01a',
    action: 'refund',
    type: 'partial',
    status: 'approved',
    transaction_id: 'txn_01n1',
    currency_code: 'USD',
    totals: { total: '1633', fee: '98', currency_code: 'USD' },
  };
  const lemon = (event_name: string, id: string, attributes: object): object => ({ meta: { event_name }, data: { id, attributes } });
  const order = { status: 'paid', total: 4900, currency: 'USD', refunded: false, refunded_amount: 0, first_order_item: { id: 1 } };
  const subscriptionInvoice = { subscription_id: 9001, billing_reason: 'renewal', status: 'paid', total: 4900, currency: 'USD' };
  const polar = (type: string, data: object): object => ({ type, data });
  const polarOrder = {
    id: 'ord-1',
    status: 'paid',
    billing_reason: 'purchase',
    product_id: 'bb-product',
    net_amount: 4900,
    tax_amount: 1029,
    total_amount: 5929,
    refunded_amount: 1633,
    refunded_tax_amount: 343,
    platform_fee_amount: 286,
    currency: 'usd',
    billing_address: { country: 'DE' },
  };
  const ping = (more: object = {}): object => ({
    resource_name: 'sale',
    sale_id: 'Sa1==',
    product_id: 'Pq1==',
    price: '4900',
    gumroad_fee: '540',
    currency: 'usd',
    ip_country: 'Netherlands',
    ...more,
  });
  const none = { transactionId: null, amount: null, fee: null, currency: null, country: null };
  const money = (transactionId: string | null, amount: number | null, more: object = {}): object => ({
    ...none,
    transactionId,
    amount,
    currency: 'USD',
    ...more,
  });

  test.each<readonly [string, Processor, object, object]>([
    ['a checkout', 'stripe', stripe('checkout.session.completed', checkout), money('pi_3N0', 5929, { currency: 'EUR', country: 'NL' })],
    [
      'a checkout with an invoice, which reports the same money',
      'stripe',
      stripe('checkout.session.completed', { ...checkout, invoice: 'in_1N0' }),
      money('in_1N0', 5929, { currency: 'EUR', country: 'NL' }),
    ],
    ['a paid invoice', 'stripe', stripe('invoice.paid', invoice), money('in_1N1', 4900, { country: 'US' })],
    [
      "an invoice's payment, which reports the same money",
      'stripe',
      stripe('invoice_payment.paid', { invoice: 'in_1N1', payment: { payment_intent: 'pi_3N1' }, amount_paid: 4900, currency: 'usd' }),
      money('in_1N1', 4900),
    ],
    ['the sum refunded so far', 'stripe', stripe('charge.refunded', charge), money('pi_3N0', 1633)],
    [
      'a currency whose minor unit Stripe alone has',
      'stripe',
      stripe('checkout.session.completed', { ...checkout, amount_total: 590000, currency: 'isk' }),
      money('pi_3N0', 5900, { currency: 'ISK', country: 'NL' }),
    ],
    [
      'a currency without a minor unit',
      'stripe',
      stripe('checkout.session.completed', { ...checkout, amount_total: 5900, currency: 'jpy' }),
      money('pi_3N0', 5900, { currency: 'JPY', country: 'NL' }),
    ],
    ['a payment that failed', 'stripe', stripe('invoice.payment_failed', invoice), none],
    [
      'a dispute',
      'stripe',
      stripe('charge.dispute.created', { status: 'needs_response', charge: 'ch_3N0', amount: 4900, currency: 'usd' }),
      none,
    ],
    ['a transaction with its fee', 'paddle', paddle('transaction.completed', transaction), money('txn_01n1', 4900, { fee: 295 })],
    ['each part of a refund', 'paddle', paddle('adjustment.updated', adjustment), money('adj_01a', 1633, { fee: 98 })],
    ['a refund that is not approved', 'paddle', paddle('adjustment.created', { ...adjustment, status: 'pending_approval' }), none],
    ['a credit', 'paddle', paddle('adjustment.created', { ...adjustment, action: 'credit' }), none],
    ['an order', 'lemonsqueezy', lemon('order_created', '8001', order), money('8001', 4900)],
    [
      'the sum refunded so far',
      'lemonsqueezy',
      lemon('order_refunded', '8001', { ...order, status: 'partial_refund', refunded_amount: 1633 }),
      money('8001', 1633),
    ],
    ['a renewal', 'lemonsqueezy', lemon('subscription_payment_success', '9201', subscriptionInvoice), money('9201', 4900)],
    [
      'the first invoice, whose money the order reports',
      'lemonsqueezy',
      lemon('subscription_payment_success', '9200', { ...subscriptionInvoice, billing_reason: 'initial' }),
      money(null, 4900),
    ],
    ['a failed renewal', 'lemonsqueezy', lemon('subscription_payment_failed', '9201', { ...subscriptionInvoice, status: 'pending' }), none],
    ['an order with tax and fee', 'polar', polar('order.paid', polarOrder), money('ord-1', 5929, { fee: 286, country: 'DE' })],
    [
      'a fee in another currency',
      'polar',
      polar('order.paid', { ...polarOrder, platform_fee_currency: 'eur' }),
      money('ord-1', 5929, { country: 'DE' }),
    ],
    [
      'the sum refunded so far, with its tax',
      'polar',
      polar('order.refunded', { ...polarOrder, status: 'partially_refunded' }),
      money('ord-1', 1976, { country: 'DE' }),
    ],
    ['a sale', 'gumroad', ping(), money('Sa1==', 4900, { fee: 540, country: 'NL' })],
    [
      'a product that is sold in euros, whose price is reported in US cents all the same',
      'gumroad',
      ping({ currency: 'eur' }),
      money('Sa1==', 4900, { fee: 540, country: 'NL' }),
    ],
    [
      'a gift, whose own price is 0',
      'gumroad',
      ping({ price: '0', gumroad_fee: '0', gift_price: '4900' }),
      money('Sa1==', 4900, { fee: 0, country: 'NL' }),
    ],
    ['a refund in full', 'gumroad', ping({ resource_name: 'refund', refunded: 'true' }), money('Sa1==', 4900, { country: 'NL' })],
    ['a refund in part, of which no amount is reported', 'gumroad', ping({ resource_name: 'refund', refunded: 'false' }), none],
    ['a country by another name', 'gumroad', ping({ ip_country: 'Czech Republic' }), money('Sa1==', 4900, { fee: 540, country: 'CZ' })],
    ['an unknown country', 'gumroad', ping({ ip_country: 'Atlantis' }), money('Sa1==', 4900, { fee: 540 })],
  ])('%s (%s)', (_name, processor, body, expected) => expect(read(processor, body).money).toEqual(expected));

  test.each([{}, [], 'x', -1, 1.5, 1e300, null, '12abc', Number.MAX_SAFE_INTEGER + 2])('%p is not an amount', (value) => {
    const { amount } = read('stripe', stripe('invoice.paid', { ...invoice, amount_paid: value })).money;
    expect(amount).toBeNull();
  });

  test("links lead to the processor's pages, or are missing if the URL is not known", () => {
    const ids = (...of: (readonly [string, string])[]): { kind: string; id: string }[] => of.map(([kind, id]) => ({ kind, id }));
    expect(adapters.stripe.links(ids(['checkout_session', 'cs_1'], ['payment_intent', 'pi_1'], ['subscription', 'sub_1']), false)).toEqual({
      order: 'https://dashboard.stripe.com/payments/pi_1',
      subscription: 'https://dashboard.stripe.com/subscriptions/sub_1',
    });
    expect(adapters.stripe.links(ids(['invoice', 'in_1/../x']), true)).toEqual({
      order: 'https://dashboard.stripe.com/test/invoices/in_1%2F..%2Fx',
      subscription: null,
    });
    expect(adapters.paddle.links(ids(['transaction', 'txn_1'], ['subscription', 'sub_1']), true)).toEqual({
      order: 'https://sandbox-vendors.paddle.com/transactions-v2/txn_1',
      subscription: 'https://sandbox-vendors.paddle.com/subscriptions-v2/sub_1',
    });
    expect(adapters.lemonsqueezy.links(ids(['order', '8001'], ['identifier', '7d0c'], ['subscription', '9001']), false)).toEqual({
      order: 'https://app.lemonsqueezy.com/orders/7d0c',
      subscription: 'https://app.lemonsqueezy.com/subscriptions/9001',
    });
    for (const processor of ['polar', 'gumroad'] as const)
      expect(adapters[processor].links(ids(['order', '1'], ['sale', '1'], ['subscription', '1']), false)).toEqual({
        order: null,
        subscription: null,
      });
  });
});

test.each([
  'http://example.com/1',
  'javascript:alert(1)',
  'https://user@example.com/1',
  `https://example.com/${'1'.repeat(2048)}`,
  1,
  null,
])('the link %p to a receipt is not stored', (value) => expect(receiptAt(value, 1)).toBeNull());
