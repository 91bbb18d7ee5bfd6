import { createHmac, randomBytes } from 'node:crypto';
import {
  COUNTRY,
  json,
  linesOf,
  monthsAfter,
  paidUntil,
  refundedSum,
  seconds,
  shopWith,
  ticking,
  totalOf,
  type Message,
  type Order,
  type Shop,
} from './shop';

/** Imitates Stripe with API version 2026-10-28.endive. `invoice_creation` is enabled for payments that do not recur. */
export function stripe(now = ticking()): Shop {
  const events: { readonly id: string; readonly type: string; readonly created: number }[] = [];
  const payments = new Map<string, { readonly intent: string; readonly order: Order; readonly invoice: string }>();
  const sessions = new Map<string, Order>();

  /** Stripe's times are whole seconds. Each event gets a later second, because events of one second have no order. */
  let latest = 0;
  const created = (): number => (latest = Math.max(latest + 1, seconds(now())));

  const event = ({ test }: Order, type: string, object: object, previous?: object): Message => {
    const sent = {
      id: `evt_1${randomBytes(12).toString('hex')}`,
      object: 'event',
      type,
      api_version: '2026-10-28.endive',
      created: created(),
      livemode: !test,
      data: { object, ...(previous && { previous_attributes: previous }) },
    };
    events.unshift(sent);
    // Stripe indents JSON by two spaces. If a receiver parses the body and serializes it again before it checks the signature, the bytes
    // differ and the signature does not match.
    return { ...json(type, {}), body: JSON.stringify(sent, null, 2) };
  };

  const idsOf = (order: Order, period = order.periods) => ({
    session: `cs_${order.test ? 'test' : 'live'}_${order.key}`,
    subscription: order.recurring ? `sub_${order.key}` : null,
    invoice: `in_${order.key}${period}`,
    intent: `pi_${order.key}${period}`,
    charge: `ch_${order.key}${period}`,
    customer: `cus_${order.key}`,
  });

  const itemId = (order: Order, place: number): string => `si_${order.key}${place === 0 ? '' : place}`;

  const invoiceOf = (order: Order, status: string): object => {
    const id = idsOf(order);
    const period = {
      start: seconds(order.recurring ? monthsAfter(order.boughtAt, order.periods - 1) : order.boughtAt),
      end: seconds(order.recurring ? paidUntil(order) : order.boughtAt),
    };
    const itemOf = (place: number): object =>
      order.recurring
        ? {
            type: 'subscription_item_details',
            subscription_item_details: {
              invoice_item: null,
              proration: false,
              proration_details: { credited_items: null },
              subscription: id.subscription,
              subscription_item: itemId(order, place),
            },
            invoice_item_details: null,
          }
        : {
            type: 'invoice_item_details',
            invoice_item_details: { invoice_item: `ii_${order.key}`, proration: false, subscription: null },
            subscription_item_details: null,
          };
    return {
      id: id.invoice,
      object: 'invoice',
      status,
      billing_reason: order.recurring ? (order.periods <= 1 ? 'subscription_create' : 'subscription_cycle') : 'manual',
      customer: id.customer,
      customer_email: order.email,
      parent: order.recurring
        ? { type: 'subscription_details', quote_details: null, subscription_details: { metadata: {}, subscription: id.subscription } }
        : null,
      // Stripe's `period_end` is near the start of the paid period, so the service must not use it as the expiry.
      period_end: seconds(order.boughtAt),
      amount_paid: totalOf(order),
      currency: 'usd',
      customer_address: { country: COUNTRY },
      hosted_invoice_url: `https://invoice.stripe.com/i/${id.invoice}`,
      lines: {
        object: 'list',
        has_more: false,
        data: linesOf(order).map(({ ref, quantity }, place) => ({
          id: `il_${order.key}${order.periods}${place}`,
          object: 'line_item',
          quantity,
          period,
          parent: itemOf(place),
          pricing: { type: 'price_details', price_details: { price: ref, product: `prod_${ref}` }, unit_amount_decimal: '4900' },
        })),
      },
    };
  };

  const subscriptionOf = (order: Order, more: object = {}): object => {
    const id = idsOf(order);
    return {
      id: id.subscription,
      object: 'subscription',
      status: 'active',
      customer: id.customer,
      cancel_at_period_end: false,
      cancel_at: null,
      pause_collection: null,
      ended_at: null,
      latest_invoice: id.invoice,
      items: {
        object: 'list',
        data: linesOf(order).map(({ ref, quantity }, place) => ({
          id: itemId(order, place),
          object: 'subscription_item',
          price: { id: ref, object: 'price', product: `prod_${ref}` },
          quantity,
          current_period_end: seconds(paidUntil(order)),
        })),
      },
      ...more,
    };
  };

  const paid = (order: Order): readonly Message[] => {
    const id = idsOf(order);
    payments.set(id.intent, { intent: id.intent, order, invoice: id.invoice });
    return [
      event(order, 'invoice.paid', invoiceOf(order, 'paid')),
      event(order, 'invoice_payment.paid', {
        id: `inpay_${order.key}${order.periods}`,
        object: 'invoice_payment',
        status: 'paid',
        invoice: id.invoice,
        payment: { type: 'payment_intent', payment_intent: id.intent },
        amount_paid: totalOf(order),
        currency: 'usd',
      }),
    ];
  };

  const charge = (order: Order): object => {
    const id = idsOf(order);
    const amount = totalOf(order);
    return {
      id: id.charge,
      object: 'charge',
      amount,
      amount_refunded: refundedSum(amount, order.refundedThirds),
      currency: 'usd',
      billing_details: { address: { country: COUNTRY } },
      refunded: order.refundedThirds >= 3,
      disputed: false,
      payment_intent: id.intent,
      customer: id.customer,
    };
  };
  const dispute = (order: Order, status: string): object => ({
    id: `du_${order.key}`,
    object: 'dispute',
    status,
    amount: 4900,
    charge: idsOf(order).charge,
    payment_intent: idsOf(order).intent,
  });

  const updated = (order: Order, previous: object, more: object = {}): Message =>
    event(order, 'customer.subscription.updated', subscriptionOf(order, more), previous);
  const session = (order: Order): object => {
    const id = idsOf(order);
    return {
      id: id.session,
      object: 'checkout.session',
      mode: order.recurring ? 'subscription' : 'payment',
      status: 'complete',
      payment_status: 'paid',
      amount_total: totalOf(order),
      currency: 'usd',
      customer: id.customer,
      customer_details: { email: order.email, address: { country: COUNTRY } },
      client_reference_id: null,
      payment_link: null,
      metadata: {},
      payment_intent: order.recurring ? null : id.intent,
      invoice: id.invoice,
      subscription: id.subscription,
    };
  };

  const list = (data: readonly unknown[], url: URL): object => ({ object: 'list', url: url.pathname, has_more: false, data });

  return shopWith(
    {
      processor: 'stripe',
      ref: { is: 'price', example: 'price_1Pro', other: 'price_1Team', added: 'price_1AddOn' },
      sign: ({ body }, secret, at) => {
        const time = seconds(at);
        return {
          'Content-Type': 'application/json; charset=utf-8',
          'Stripe-Signature': `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
        };
      },
      api(url) {
        const [, version, collection, id, part] = url.pathname.split('/');
        if (version !== 'v1') return undefined;
        if (collection === 'events') {
          const [since, types, after] = [
            Number(url.searchParams.get('created[gte]') ?? 0),
            [...url.searchParams.getAll('types[]'), ...url.searchParams.getAll('type')],
            url.searchParams.get('starting_after'),
          ];
          const rest = after === null ? events : events.slice(events.findIndex((sent) => sent.id === after) + 1);
          const found = rest.filter(({ created, type }) => created >= since && (types.length === 0 || types.includes(type)));
          const limit = Number(url.searchParams.get('limit') ?? 10);
          return { ...list(found.slice(0, limit), url), has_more: found.length > limit };
        }
        if (collection === 'checkout' && id === 'sessions') {
          const intent = url.searchParams.get('payment_intent');
          const session = part ?? (intent && payments.has(intent) ? idsOf(payments.get(intent)!.order).session : undefined);
          const order = session === undefined ? undefined : sessions.get(session);
          if (!part) return list(order && !order.recurring ? [{ id: session, object: 'checkout.session' }] : [], url);
          return (
            order &&
            list(
              [{ id: `li_${order.key}`, object: 'item', price: { id: order.ref, product: `prod_${order.ref}` }, quantity: order.quantity }],
              url,
            )
          );
        }
        if (collection === 'credit_notes') return list([], url);
        if (collection === 'invoice_payments') {
          const payment = payments.get(url.searchParams.get('payment[payment_intent]') ?? '');
          return list(
            payment
              ? [
                  {
                    object: 'invoice_payment',
                    status: 'paid',
                    invoice: payment.invoice,
                    payment: { type: 'payment_intent', payment_intent: payment.intent },
                  },
                ]
              : [],
            url,
          );
        }
        return undefined;
      },
    },
    {
      sale: (order) => {
        sessions.set(idsOf(order).session, order);
        return [event(order, 'checkout.session.completed', session(order)), ...paid(order)];
      },
      renewal: paid,
      'payment failed': (order) => [
        event(order, 'invoice.payment_failed', { ...invoiceOf({ ...order, periods: order.periods + 1 }, 'open'), attempt_count: 1 }),
        updated(order, { status: 'active' }, { status: 'past_due' }),
      ],
      paused: (order) => event(order, 'customer.subscription.paused', subscriptionOf(order, { status: 'paused' })),
      resumed: (order) => event(order, 'customer.subscription.resumed', subscriptionOf(order)),
      'quantity changed': (order) => updated(order, { quantity: order.quantity - 1 }),
      'quantity lowered': (order) => updated(order, { quantity: order.quantity + 1 }),
      'plan changed': (order) => updated(order, { items: {} }),
      'line added': (order) => updated(order, { items: {} }),
      'line removed': (order) => updated(order, { items: {} }),
      canceled: (order) => {
        const announced = { cancel_at_period_end: true, cancel_at: seconds(paidUntil(order)) };
        return updated(order, { cancel_at_period_end: false, cancel_at: null }, announced);
      },
      ended: (order) =>
        event(order, 'customer.subscription.deleted', subscriptionOf(order, { status: 'canceled', ended_at: seconds(now()) })),
      refunded: (order) => event(order, 'charge.refunded', charge(order)),
      'refunded in part': (order) => event(order, 'charge.refunded', charge(order)),
      'dispute opened': (order) => event(order, 'charge.dispute.created', dispute(order, 'needs_response')),
      'dispute won': (order) => event(order, 'charge.dispute.closed', dispute(order, 'won')),
      'dispute lost': (order) => event(order, 'charge.dispute.closed', dispute(order, 'lost')),
    },
  );
}
