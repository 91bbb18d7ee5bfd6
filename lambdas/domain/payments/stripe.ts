import { DAY_MS } from '../time';
import {
  amount,
  at,
  country,
  coversAll,
  currency,
  email,
  fields,
  fromSeconds,
  id,
  number,
  objects,
  paidPeriod,
  parseObject,
  pathOf,
  quantity,
  sha256,
  text,
  withQuery,
  type Fields,
} from './fields';
import { WHOLE_ORDER, type Action, type Adapter, type Line, type Money, type Payment } from './model';
import {
  actionsOf,
  idOf,
  idsOf,
  ignored,
  merged,
  notification,
  pageAddress,
  readBack,
  refsOf,
  unneeded,
  withLines,
  type Meaning,
  receiptAt,
} from './notification';
import { anyMatches, fromHex, hmac, isTimely, shorterThan, valuesOf } from './signature';

/**
 * Stripe (docs/spec/processors.md, Stripe). API version 2025-03-31 moved some fields. Such a field is read at its new place first, then at
 * its old place.
 */

/**
 * The newest API version that this adapter supports. Requests name this version, so that responses have its format. Events have the format
 * of the version that their webhook endpoint uses.
 */
const API_VERSION = '2026-08-26.dahlia';

/** The event types to which an endpoint should subscribe, and further types that report the same changes. */
const TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice_payment.paid',
  'customer.subscription.updated',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.deleted',
  'charge.refunded',
  'credit_note.created',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
];

/** Currencies without a minor unit for which Stripe nevertheless reports amounts with two decimals. The decimals are always zero. */
const WITH_ZEROS: readonly (string | null)[] = ['ISK', 'UGX'];

/** The money of a Stripe object. The fee is unknown, because Stripe's events do not contain it. */
function moneyOf(o: Fields, transactionId: string | null, given: unknown, from: unknown): Money {
  const [unit, sum] = [currency(o['currency']), amount(given)];
  return {
    transactionId,
    amount: sum !== null && WITH_ZEROS.includes(unit) ? Math.round(sum / 100) : sum,
    fee: null,
    currency: unit,
    country: country(from),
  };
}

const priceRefs = (price: unknown, product: unknown, ...others: (string | null)[]): readonly string[] =>
  refsOf(id(price), id(product), ...others);

/** How long Stripe's links to invoices and receipts work at least. */
const RECEIPT_MS = 30 * DAY_MS;

/** The meaning of a checkout session. In mode `payment` the event has no line items, so the line items are requested from the API. */
function session(o: Fields): Meaning {
  const [mode, invoice, subscription, payment] = [text(o['mode']), id(o['invoice']), id(o['subscription']), id(o['payment_intent'])];
  const sessionId = id(o);
  const link = id(o['payment_link']);
  const ids = idsOf({ checkout_session: sessionId, subscription, invoice, payment_intent: payment });
  const common = {
    ids,
    subscriptionId: subscription,
    // In mode `subscription`, only the checkout session names the payment link.
    checkoutRefs: refsOf(link),
    customerId: id(o['customer']),
    customerEmail: email(at(o, 'customer_details', 'email')) ?? email(o['customer_email']),
    money: moneyOf(o, invoice ?? payment ?? sessionId, o['amount_total'], at(o, 'customer_details', 'address', 'country')),
  };
  if (mode === 'setup') return { actions: ignored('Nothing is sold in a checkout of mode setup.') };
  if (text(o['status']) !== null && o['status'] !== 'complete') return { actions: ignored('The checkout is not complete.') };
  // For a subscription, the invoice has the price, quantity and period.
  if (mode === 'subscription' || (mode === null && subscription !== null)) return { ...common, actions: [{ kind: 'linked' }] };
  if (o['payment_status'] === 'unpaid') return { actions: ignored('Not paid yet: the license is issued after the payment.') };

  const linesOf = (list: unknown): readonly Line[] =>
    merged(
      objects(at(list, 'data')).map((item) => {
        const price = fields(item['price']);
        return {
          id: id(price) ?? id(item) ?? WHOLE_ORDER,
          refs: priceRefs(price, price['product'], link),
          quantity: quantity(item['quantity']),
          oneOff: true,
        };
      }),
    );
  const expanded = linesOf(o['line_items']);
  const whole: Line = { id: WHOLE_ORDER, refs: refsOf(link), quantity: 1, oneOff: true };
  const needed = expanded.length === 0 && sessionId !== null;
  return {
    ...common,
    payment: { ids: idsOf({ checkout_session: sessionId, invoice, payment_intent: payment }), amount: amount(o['amount_total']) },
    actions: [{ kind: 'sale', lines: expanded.length > 0 ? expanded : [whole], paidUntil: null }],
    needs: needed
      ? [
          readBack('lines', pathOf(`/v1/checkout/sessions/${encodeURIComponent(sessionId)}/line_items`, { limit: 100 }), (before, body) => {
            const lines = linesOf(body);
            return lines.length > 0 ? withLines(before, lines) : 'unavailable';
          }),
        ]
      : [],
  };
}

/**
 * Leaves out the lines of metered prices, which bill usage, if the subscription has other items. If it has none, the quantity of each
 * line is 1, because the reported quantity is the usage.
 */
function withoutUsage(lines: readonly PricedLine[]): readonly PricedLine[] {
  const others = lines.filter((line) => !line.isMetered);
  return others.length > 0 ? others : lines.map((line) => ({ ...line, quantity: 1 }));
}

const isMetered = (price: unknown): boolean => at(price, 'recurring', 'usage_type') === 'metered';

const linesOf = (lines: readonly PricedLine[]): readonly Line[] =>
  merged(lines.map(({ id, refs, quantity, oneOff }) => ({ id, refs, quantity, oneOff })));

interface PricedLine extends Line {
  /** Whether the price is metered. Since API version 2025-03-31, invoices do not report this. */
  readonly isMetered: boolean;
}

interface InvoiceLine extends PricedLine {
  readonly itemId: string | null;
  readonly amount: number | null;
  readonly isProration: boolean;
  readonly from: number | null;
  readonly until: number | null;
}

/** A line of an invoice, with its period. */
function invoiceLine(line: Fields, isOfSubscription: boolean): InvoiceLine {
  const item = fields(at(line, 'parent', 'subscription_item_details'));
  const oneOffItem = at(line, 'parent', 'invoice_item_details');
  const subscriptionItem = id(item['subscription_item']) ?? id(line['subscription_item']);
  const price = at(line, 'pricing', 'price_details', 'price') ?? line['price'];
  const product = at(line, 'pricing', 'price_details', 'product') ?? at(price, 'product');
  // Before API version 2025-03-31 there is no `parent`, and one-off items also contain the subscription's id.
  const recurring = line['parent']
    ? Object.keys(item).length > 0
    : line['type'] !== 'invoiceitem' && (subscriptionItem ?? id(line['subscription'])) !== null;
  // An item beside a subscription can be bought again with a later invoice, so the id of its price does not identify it.
  const ownId = recurring ? subscriptionItem : isOfSubscription ? id(line) : null;
  return {
    id: ownId ?? id(price) ?? id(line) ?? WHOLE_ORDER,
    refs: priceRefs(price, product),
    quantity: quantity(line['quantity']),
    oneOff: !recurring,
    isMetered: isMetered(price),
    itemId: id(line),
    amount: amount(line['amount']),
    isProration: [item['proration'], at(oneOffItem, 'proration'), line['proration']].includes(true),
    from: fromSeconds(at(line, 'period', 'start')),
    until: fromSeconds(at(line, 'period', 'end')),
  };
}

/** What was paid with an invoice. The paid period ends with the latest `period.end` of the subscription's lines that are not prorations. */
function actionOfInvoice(o: Fields, all: readonly InvoiceLine[], subscription: string | null): Action {
  if (subscription === null) {
    const whole: Line = { id: WHOLE_ORDER, refs: [], quantity: 1, oneOff: true };
    const lines = linesOf(all.filter(({ isProration }) => !isProration));
    return { kind: 'sale', lines: lines.length > 0 ? lines : [whole], paidUntil: null };
  }
  const isFirst = o['billing_reason'] === 'subscription_create';
  const full = all.filter(({ oneOff, isProration }) => !oneOff && !isProration);
  // The first invoice of a subscription with a fixed billing date may contain only a proration.
  const recurring = full.length > 0 || !isFirst ? full : all.filter(({ oneOff }) => !oneOff);
  const items = all.filter(({ oneOff, isProration }) => oneOff && !isProration);
  if (recurring.length === 0) return { kind: 'charged', lines: linesOf(items), paidUntil: null };
  const paid = paidPeriod(recurring);
  // Usage is billed for the period before the paid period.
  const isUsage = ({ until }: InvoiceLine): boolean => until !== null && paid.paidFrom !== null && until <= paid.paidFrom;
  const ahead = recurring.filter((line) => !isUsage(line));
  const sold = withoutUsage(ahead.length > 0 ? ahead : recurring);
  // A trial begins with an invoice of 0. With a discount of 100 %, the sum before the discount is not 0.
  const isFree = number(o['amount_paid']) === 0 && !((number(o['subtotal']) ?? 0) > 0) && recurring.every((line) => !line.amount);
  return {
    kind: isFirst ? 'sale' : 'renewal',
    lines: linesOf([...sold, ...items]),
    ...paid,
    ...(isFree && { isTrial: true as const }),
  };
}

/** The meaning of a paid invoice. */
function paidInvoice(o: Fields): Meaning {
  const invoice = id(o);
  const subscription = id(at(o, 'parent', 'subscription_details', 'subscription')) ?? id(o['subscription']);
  const [payment, charge] = [id(o['payment_intent']), id(o['charge'])];
  const withLines = (before: Omit<Meaning, 'actions'>, list: unknown): Meaning => {
    const all = objects(at(list, 'data')).map((line) => invoiceLine(line, subscription !== null));
    const items = all.flatMap(({ itemId, id: line, amount: sum }) => (itemId === null ? [] : [[itemId, { line, amount: sum }] as const]));
    const paid: Payment = {
      ids: idsOf({ invoice, payment_intent: payment, charge }),
      amount: amount(o['amount_paid']),
      ...(items.length > 0 && { items: Object.fromEntries(items) }),
    };
    return { ...before, payment: paid, actions: [actionOfInvoice(o, all, subscription)] };
  };
  const common = {
    ids: idsOf({ invoice, subscription, payment_intent: payment, charge }),
    subscriptionId: subscription,
    customerId: id(o['customer']),
    customerEmail: email(o['customer_email']),
    money: moneyOf(o, invoice, o['amount_paid'], at(o, 'customer_address', 'country')),
    receipt: receiptAt(o['hosted_invoice_url'], RECEIPT_MS),
  };
  const more = at(o, 'lines', 'has_more') === true && invoice !== null;
  return {
    ...withLines(common, o['lines']),
    needs: more
      ? [
          readBack('lines', pathOf(`/v1/invoices/${encodeURIComponent(invoice)}/lines`, { limit: 100 }), (before, body) =>
            objects(at(body, 'data')).length > 0 ? { ...before, ...withLines({}, body) } : 'unavailable',
          ),
        ]
      : [],
  };
}

function subscription(type: string, o: Fields, previous: Fields): Meaning {
  const status = text(o['status']);
  const common = { ids: idsOf({ subscription: id(o) }), subscriptionId: id(o), customerId: id(o['customer']) };
  const items = objects(at(o, 'items', 'data')).map((item) => ({
    id: id(item) ?? id(item['price']) ?? WHOLE_ORDER,
    refs: priceRefs(item['price'], at(item, 'price', 'product')),
    quantity: quantity(item['quantity']),
    oneOff: false,
    isMetered: isMetered(item['price']),
  }));
  const lines = linesOf(withoutUsage(items));
  /** Whether the event reports a change of at least one of the fields. */
  const changes = (...names: string[]): boolean => names.some((name) => Object.hasOwn(previous, name));
  const changed: Action | undefined =
    lines.length > 0 && (changes('items', 'quantity', 'plan') || Object.keys(previous).length === 0)
      ? { kind: 'changed', lines, complete: at(o, 'items', 'has_more') !== true }
      : undefined;

  if (type === 'customer.subscription.deleted' || status === 'canceled') {
    return { ...common, actions: [{ kind: 'ended', endedAt: fromSeconds(o['ended_at']) ?? fromSeconds(o['canceled_at']) }] };
  }
  if (type === 'customer.subscription.paused' || status === 'paused') return { ...common, actions: [{ kind: 'paused' }] };
  if (type === 'customer.subscription.resumed')
    return { ...common, actions: actionsOf([{ kind: 'resumed' }, changed], { kind: 'resumed' }) };
  if (status === 'incomplete' || status === 'incomplete_expired')
    return { actions: ignored('The first payment of the subscription was never made.') };

  const announced: Action | undefined = changes('cancel_at', 'cancel_at_period_end', 'canceled_at')
    ? { kind: 'cancellation_announced', endsAt: fromSeconds(o['cancel_at']) }
    : undefined;
  const trialEnd = status === 'trialing' ? fromSeconds(o['trial_end']) : null;
  const trial: Action | undefined =
    trialEnd === null
      ? undefined
      : { kind: 'renewal', lines: [], paidUntil: trialEnd, paidFrom: fromSeconds(o['trial_start']), isTrial: true };
  const fromStatus: Action | undefined =
    status === 'past_due' || status === 'unpaid'
      ? { kind: 'payment_failed' }
      : previous['status'] === 'past_due' || previous['status'] === 'unpaid'
        ? { kind: 'paid_again' }
        : previous['status'] === 'paused'
          ? { kind: 'resumed' }
          : undefined;
  const nothing: Action = {
    kind: 'ignored',
    reason: changes('pause_collection')
      ? 'Only the collection of payments was paused or resumed: the customer keeps the product.'
      : 'Nothing that concerns a license has changed.',
  };
  const actions = actionsOf([fromStatus, announced, changed, trial], nothing);
  return actions[0].kind === 'ignored' ? { actions } : { ...common, actions };
}

/**
 * The meaning of an event about a charge. The order is found by the payment intent, because since API version 2025-03-31 neither the charge
 * nor the payment intent contains the invoice's id.
 */
function ofCharge(o: Fields, charge: string | null, action: Action, refunded?: unknown): Meaning {
  const payment = id(o['payment_intent']);
  const invoice = id(o['invoice']);
  const ids = idsOf({ payment_intent: payment, charge, invoice });
  const learn = (path: string, kind: string, name: string | null): ReturnType<typeof readBack> =>
    readBack('order', path, (before, body) => {
      const found = objects(at(body, 'data'))
        .map((object) => id(name === null ? object : object[name]))
        .find((value) => value !== null);
      return found === undefined || before.ids.some((known) => known.kind === kind && known.id === found)
        ? before
        : {
            ...before,
            ids: [...before.ids, { kind, id: found }],
            payment: before.payment && { ...before.payment, ids: [...before.payment.ids, { kind, id: found }] },
          };
    });
  return {
    ids,
    payment: { ids },
    customerId: id(o['customer']),
    receipt: receiptAt(o['receipt_url'], RECEIPT_MS),
    ...(refunded !== undefined && { money: moneyOf(o, payment ?? charge, refunded, at(o, 'billing_details', 'address', 'country')) }),
    actions: [action],
    needs:
      payment === null
        ? []
        : [
            learn(
              pathOf('/v1/invoice_payments', { 'payment[type]': 'payment_intent', 'payment[payment_intent]': payment }),
              'invoice',
              'invoice',
            ),
            learn(pathOf('/v1/checkout/sessions', { payment_intent: payment }), 'checkout_session', null),
          ],
  };
}

/** The meaning of a dispute. A dispute whose status begins with `warning_` is an inquiry, in which no money was moved. */
function dispute(o: Fields): Meaning {
  const status = text(o['status']) ?? '';
  const own = id(o);
  const of = own === null ? {} : { id: own };
  const charge = id(o['charge']);
  if (status === 'needs_response' || status === 'under_review') return ofCharge(o, charge, { kind: 'dispute_opened', ...of });
  if (status === 'won' || status === 'warning_closed') return ofCharge(o, charge, { kind: 'dispute_won', ...of });
  if (status === 'lost') return ofCharge(o, charge, { kind: 'dispute_lost', ...of });
  return {
    actions: ignored(
      status === 'prevented'
        ? 'The dispute was prevented by a refund, which is reported separately.'
        : 'No money has moved for this inquiry or appeal.',
    ),
  };
}

/**
 * The meaning of refunds of a charge. `amount_refunded` is the sum of all refunds so far. The credit notes of the invoice show which lines
 * are refunded in part. Stripe lists credit notes by customer, and the charge does not contain the invoice.
 */
function refunded(o: Fields): Meaning {
  const charge = id(o);
  const refund = charge === null ? {} : { refund: { id: charge, amount: amount(o['amount_refunded']), ofCharge: amount(o['amount']) } };
  const isFull = o['refunded'] === true || coversAll(o['amount_refunded'], o['amount']);
  const meaning = ofCharge(o, charge, { kind: isFull ? 'refunded' : 'refunded_in_part', ...refund }, o['amount_refunded']);
  const customer = id(o['customer']);
  const notes = readBack('refunds', pathOf('/v1/credit_notes', { customer, limit: 100 }), (before, body) => {
    const own = objects(at(body, 'data')).filter(({ invoice }) => id(invoice) !== null && id(invoice) === idOf(before.ids, 'invoice'));
    return { ...before, actions: [...before.actions, ...own.flatMap((note) => refundOfNote(note) ?? [])] };
  });
  return { ...meaning, needs: [...(meaning.needs ?? []), ...(isFull || customer === null ? [] : [notes])] };
}

const sumOf = (all: readonly unknown[]): number => all.reduce<number>((sum, one) => sum + (amount(one) ?? 0), 0);

/** The refund of a credit note, which names the lines of an invoice that are refunded; undefined if it refunds no lines. */
function refundOfNote(o: Fields): Action | undefined {
  const note = id(o);
  const refunds = objects(o['refunds']);
  const isRefund = o['type'] === 'post_payment' && (refunds.length > 0 || id(o['refund']) !== null);
  const lines = objects(at(o, 'lines', 'data'));
  const items = lines.flatMap((line) => {
    const item = id(line['invoice_line_item']);
    return item === null ? [] : [{ id: item, inFull: false, amount: amount(line['amount']) }];
  });
  if (note === null || !isRefund || items.length === 0) return undefined;
  // The refunds have no amounts before API version 2024-12-18, and the lines have no taxes.
  const sum = sumOf(refunds.map((one) => one['amount_refunded'])) || (amount(o['amount']) ?? sumOf(lines.map((line) => line['amount'])));
  return { kind: 'refunded_in_part', refund: { id: note, amount: sum, items, isDetail: true } };
}

/** The meaning of a credit note. The event about the charge reports the same money. */
function creditNote(o: Fields): Meaning {
  const invoice = id(o['invoice']);
  const refund = refundOfNote(o);
  if (invoice === null || !refund) return { actions: ignored('The credit note refunds no lines.') };
  const ids = idsOf({ invoice });
  return { ids, payment: { ids }, customerId: id(o['customer']), actions: [refund] };
}

function meaningOf(type: string, o: Fields, previous: Fields): Meaning {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return session(o);
    case 'checkout.session.async_payment_failed':
      return { actions: ignored('The payment failed, and nothing was issued.') };
    case 'invoice.paid':
      return paidInvoice(o);
    case 'invoice.payment_failed': {
      const { ids = [], subscriptionId = null, customerId = null } = paidInvoice(o);
      return subscriptionId === null
        ? { actions: ignored('The invoice belongs to no subscription.') }
        : { ids, subscriptionId, customerId, actions: [{ kind: 'payment_failed' }] };
    }
    case 'invoice_payment.paid': {
      const ids = idsOf({
        invoice: id(o['invoice']),
        payment_intent: id(at(o, 'payment', 'payment_intent')),
        charge: id(at(o, 'payment', 'charge')),
      });
      const money = moneyOf(o, id(o['invoice']), o['amount_paid'], null);
      return { ids, payment: { ids }, money, actions: [{ kind: 'linked' }] };
    }
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return subscription(type, o, previous);
    case 'charge.refunded':
      return refunded(o);
    case 'credit_note.created':
      return creditNote(o);
    case 'refund.failed':
      return { actions: ignored('The refund failed, and the seller has the money back. A license revoked for this refund stays revoked.') };
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return dispute(o);
    default:
      return { actions: unneeded(type) };
  }
}

export const stripe: Adapter = {
  processor: 'stripe',
  signs: true,
  refusesSecret: shorterThan(16),
  hasApi: true,
  apiBase: { live: 'https://api.stripe.com', test: 'https://api.stripe.com' },
  shownKinds: ['checkout_session', 'invoice'],
  purchaseKinds: ['checkout_session'],
  idKinds: ['checkout_session', 'invoice', 'subscription', 'payment_intent', 'charge'],

  /**
   * The header is `t=<s>,v1=<hex>[,v1=<hex>]`. The signature covers `t.body`. The key is the whole text of the secret, including its
   * prefix.
   */
  verify(body, headers, secrets, now) {
    const header = headers['stripe-signature'] ?? '';
    const [time = ''] = valuesOf(header, ',', 't');
    const expected = secrets.map((secret) => hmac(secret, `${time}.`, body));
    return anyMatches(valuesOf(header, ',', 'v1').map(fromHex), expected) && isTimely(time, now);
  },

  read(body) {
    const event = parseObject(body);
    const thin = event?.['object'] === 'v2.core.event';
    const type = text(event?.['type']) ?? (thin ? 'v2.core.event' : null);
    if (!event || type === null) return undefined;
    const livemode = event['livemode'];
    return notification({
      eventId: id(event) ?? sha256(body),
      type,
      occurredAt: fromSeconds(event['created']),
      test: typeof livemode === 'boolean' ? !livemode : null,
      ...(thin
        ? { actions: ignored('A thin event contains no object. Use events with a snapshot payload.') }
        : meaningOf(type, fields(at(event, 'data', 'object')), fields(at(event, 'data', 'previous_attributes')))),
    });
  },

  links(ids, test) {
    const base = `https://dashboard.stripe.com${test ? '/test' : ''}`;
    return {
      order: pageAddress(`${base}/payments`, idOf(ids, 'payment_intent')) ?? pageAddress(`${base}/invoices`, idOf(ids, 'invoice')),
      subscription: pageAddress(`${base}/subscriptions`, idOf(ids, 'subscription')),
    };
  },

  apiHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}`, 'Stripe-Version': API_VERSION }),

  /**
   * The list of events, newest first; Stripe lists events of the last 30 days. The list contains the same events as the webhook, with the
   * same ids, so that no event is processed twice.
   */
  listings: (since) => [pathOf('/v1/events', { 'types[]': TYPES, 'created[gte]': Math.floor(since / 1000), limit: 100 })],

  page(path, { status, body }) {
    if (status !== 200 || !Array.isArray(at(body, 'data'))) return undefined;
    const events = objects(at(body, 'data'));
    const last = id(events.at(-1));
    return {
      bodies: events
        .map((event) => JSON.stringify(event))
        .filter((event) => stripe.read(event, {})?.actions[0].kind !== 'ignored')
        .reverse(),
      next: at(body, 'has_more') === true && last !== null ? withQuery(path, 'starting_after', last) : null,
    };
  },
};
