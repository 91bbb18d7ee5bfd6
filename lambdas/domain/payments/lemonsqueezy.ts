import { DAY_MS } from '../time';
import {
  amount,
  at,
  coversAll,
  currency,
  email,
  fields,
  fromTimestamp,
  id,
  number,
  objects,
  parseObject,
  pathOf,
  quantity,
  sha256,
  text,
  withQuery,
  type Fields,
} from './fields';
import { WHOLE_ORDER, type Action, type Adapter, type Line, type Money, type OrderId, type Payment, type ReadBack } from './model';
import {
  actionsOf,
  idOf,
  idsOf,
  ignored,
  mapActions,
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
import { anyMatches, fromHex, hmac, shorterThan } from './signature';

/**
 * Lemon Squeezy (docs/spec/processors.md, Lemon Squeezy). A notification is an object of Lemon Squeezy's API with an additional field
 * `meta`. The adapter adds a `meta` to objects from lists as well, so that notifications and listed objects are read in the same way.
 */

/**
 * Maximum age, in ms, of the orders and invoices that each reconciliation reads again to find refunds. The refund of an older order or
 * invoice is found only if a notification reports the refund.
 */
const REFUND_WINDOW = 90 * DAY_MS;

const itemLine = (itemId: string | null, item: Fields): Line => ({
  id: itemId ?? WHOLE_ORDER,
  refs: refsOf(id(item['variant_id']), id(item['product_id'])),
  quantity: quantity(item['quantity']),
  oneOff: false,
});

/**
 * A refund is a full refund if the sum of all refunds so far is at least the order's total. If an amount is unknown, the field `refunded`
 * decides.
 */
function refund(refundId: string | null, a: Fields): Extract<Action, { kind: 'refunded' | 'refunded_in_part' }> {
  const isUnknown = number(a['refunded_amount']) === null || number(a['total']) === null;
  const inFull = coversAll(a['refunded_amount'], a['total']) || (a['refunded'] === true && (isUnknown || a['total'] === 0));
  const refundedAt = fromTimestamp(a['refunded_at']);
  const kind = inFull ? 'refunded' : 'refunded_in_part';
  if (refundId === null) return { kind };
  return { kind, refund: { id: refundId, amount: amount(a['refunded_amount']), ...(refundedAt !== null && { at: refundedAt }) } };
}

/** The money that was paid for an order or invoice, or refunded. Lemon Squeezy reports neither its fee nor the buyer's country. */
const moneyOf = (a: Fields, transactionId: string | null, sum: unknown): Money => ({
  transactionId,
  amount: amount(sum),
  fee: null,
  currency: currency(a['currency']),
  country: null,
});

/** The sum of all refunds so far. If Lemon Squeezy does not report this sum for a full refund, the result is the order's total. */
const refundedOf = (a: Fields): unknown => amount(a['refunded_amount']) ?? (a['refunded'] === true ? a['total'] : null);

const paymentOf = (ids: readonly OrderId[], a: Fields, isFirst: boolean): Payment => ({
  ids,
  amount: amount(a['total']),
  ...(isFirst && { isFirst }),
});

const orderIds = (orderId: string | null, a: Fields): readonly OrderId[] => idsOf({ order: orderId, identifier: id(a['identifier']) });

/**
 * The meaning of an order: the purchase, which is also the first payment of a subscription. An order has no information about paid periods.
 */
function order(orderId: string | null, a: Fields): Meaning {
  const status = text(a['status']);
  const isRefunded = status === 'refunded';
  if (status !== 'paid' && status !== 'partial_refund' && !isRefunded) {
    return {
      actions: ignored(
        status === 'pending'
          ? 'Not paid yet: the license is issued after the payment.'
          : `The order is ${status ?? 'without a status'}, not paid.`,
      ),
    };
  }
  const first = fields(a['first_order_item']);
  // The order contains only its first item. That item is the whole order if its price equals the order's price.
  const [price, subtotal] = [number(first['price']), number(a['subtotal'])];
  const sale: Action = { kind: 'sale', lines: [itemLine(id(first), first)], paidUntil: null };
  const complete = price !== null && subtotal !== null && price * quantity(first['quantity']) === subtotal;
  return {
    ids: orderIds(orderId, a),
    payment: paymentOf(idsOf({ order: orderId }), a, true),
    customerId: id(a['customer_id']),
    customerEmail: email(a['user_email']),
    receipt: receiptAt(at(a, 'urls', 'receipt'), SIGNED_MS),
    money: moneyOf(a, orderId, a['total']),
    actions: actionsOf([sale, isRefunded ? { ...refund(orderId, a), kind: 'refunded' } : undefined], sale),
    needs:
      isRefunded || complete || orderId === null
        ? []
        : [
            readBack('lines', pathOf('/v1/order-items', { 'filter[order_id]': orderId, 'page[size]': 100 }), (before, body) => {
              const lines = merged(objects(at(body, 'data')).map((item) => itemLine(id(item), fields(item['attributes']))));
              return lines.length > 0 ? withLines(before, lines) : 'unavailable';
            }),
          ],
  };
}

/** How long Lemon Squeezy's links work, which contain a signature. */
const SIGNED_MS = DAY_MS;

/** The current state of a subscription. `renews_at` is the end of the paid period only if the `status` is `active`. */
function subscription(event: string, subscriptionId: string | null, a: Fields): Meaning {
  const item = fields(a['first_subscription_item']);
  // The quantity of a subscription that bills usage is 0.
  const line: Line = { ...itemLine(id(a['order_item_id']), a), quantity: quantity(item['quantity']) || 1 };
  const common = {
    ids: idsOf({ order: id(a['order_id']), subscription: subscriptionId }),
    subscriptionId,
    customerId: id(a['customer_id']),
    customerEmail: email(a['user_email']),
    receipt: receiptAt(at(a, 'urls', 'customer_portal'), SIGNED_MS),
  };
  // The quantity is null during a trial.
  const changed: Action | undefined = number(item['quantity']) === null ? undefined : { kind: 'changed', lines: [line] };
  const resumed: Action = { kind: 'resumed' };
  switch (text(a['status'])) {
    case 'on_trial':
    case 'active': {
      const paidUntil = fromTimestamp(a['status'] === 'active' ? a['renews_at'] : a['trial_ends_at']);
      const isTrial = a['status'] === 'on_trial';
      const kind = event === 'subscription_created' ? 'sale' : 'renewal';
      const paid: Action = { kind, lines: [line], paidUntil, ...(isTrial && { isTrial }) };
      return {
        ...common,
        actions:
          event === 'subscription_unpaused' ? actionsOf([resumed, paid, changed], resumed) : actionsOf([paid, changed, resumed], paid),
      };
    }
    case 'paused':
      return at(a, 'pause', 'mode') === 'free'
        ? { actions: ignored('Only the collection of payments is paused: the customer keeps the product.') }
        : { ...common, actions: [{ kind: 'paused' }] };
    case 'past_due':
    case 'unpaid':
      return { ...common, actions: [{ kind: 'payment_failed' }] };
    case 'cancelled': {
      const announced: Action = { kind: 'cancellation_announced', endsAt: fromTimestamp(a['ends_at']) };
      return { ...common, actions: actionsOf([announced, changed], announced) };
    }
    case 'expired':
      return { ...common, actions: [{ kind: 'ended', endedAt: fromTimestamp(a['ends_at']) }] };
    case null:
    default:
      return { actions: ignored('The subscription has an unknown status.') };
  }
}

/** The meaning of an invoice. The invoice reports that something was paid; only the subscription has the end of the paid period. */
function invoice(event: string, invoiceId: string | null, a: Fields): Meaning {
  const subscriptionId = id(a['subscription_id']);
  const renewal = a['billing_reason'] === 'renewal';
  const isFirst = a['billing_reason'] === 'initial';
  const common = {
    ids: idsOf({ subscription: subscriptionId, subscription_invoice: invoiceId }),
    subscriptionId,
    // The first invoice is the payment of the order.
    payment: paymentOf(idsOf({ subscription_invoice: invoiceId }), a, isFirst),
    customerId: id(a['customer_id']),
    customerEmail: email(a['user_email']),
    receipt: receiptAt(at(a, 'urls', 'invoice_url'), SIGNED_MS),
  };
  const needs = subscriptionId === null ? [] : [period(subscriptionId)];
  // The first invoice repeats the money of its order. The order reports this money with the order's id. The first invoice gets no
  // transaction id, so that the money is not counted twice.
  const transactionId = isFirst ? null : invoiceId;
  const money = moneyOf(a, transactionId, a['total']);
  switch (event) {
    case 'subscription_payment_failed':
      return { ...common, payment: null, actions: [{ kind: 'payment_failed' }] };
    case 'subscription_payment_recovered':
      return { ...common, money, actions: [{ kind: 'paid_again' }] };
    case 'subscription_payment_refunded':
      return { ...common, money: moneyOf(a, transactionId, refundedOf(a)), actions: [refund(invoiceId, a)] };
    default:
      return renewal
        ? { ...common, money, actions: [{ kind: 'renewal', lines: [], paidUntil: null }], needs }
        : { ...common, money, actions: [{ kind: 'charged', lines: [], paidUntil: null }] };
  }
}

const period = (subscriptionId: string): ReadBack =>
  readBack('period', `/v1/subscriptions/${encodeURIComponent(subscriptionId)}`, (before, body) => {
    const read = subscription('subscription_updated', subscriptionId, fields(at(body, 'data', 'attributes')));
    const [paid] = read.actions;
    if (paid.kind !== 'renewal') return before;
    return {
      ...before,
      ids: [...before.ids, ...(read.ids ?? []).filter(({ kind }) => kind === 'order')],
      actions: mapActions(before.actions, (action) => (action.kind === 'renewal' ? paid : action)),
    };
  });

function meaningOf(event: string, objectId: string | null, a: Fields): Meaning {
  switch (event) {
    case 'order_created':
      return order(objectId, a);
    case 'order_refunded':
      return {
        ids: orderIds(objectId, a),
        payment: paymentOf(idsOf({ order: objectId }), a, true),
        customerId: id(a['customer_id']),
        money: moneyOf(a, objectId, refundedOf(a)),
        actions: [refund(objectId, a)],
      };
    case 'subscription_created':
    case 'subscription_updated':
    case 'subscription_paused':
    case 'subscription_unpaused':
    case 'subscription_cancelled':
    case 'subscription_resumed':
    case 'subscription_expired':
      return subscription(event, objectId, a);
    case 'subscription_payment_success':
    case 'subscription_payment_failed':
    case 'subscription_payment_recovered':
    case 'subscription_payment_refunded':
      return invoice(event, objectId, a);
    case 'license_key_created':
    case 'license_key_updated':
      return { actions: ignored("This event is about Lemon Squeezy's own license keys. Switch them off for the product.") };
    default:
      return { actions: unneeded(event) };
  }
}

/** The types of the events that report the state of a listed object. */
function eventsOf(type: unknown, a: Fields): readonly string[] {
  const refunded = a['refunded'] === true || a['status'] === 'partial_refund' || a['status'] === 'refunded';
  if (type === 'orders') return refunded ? ['order_created', 'order_refunded'] : ['order_created'];
  if (type === 'subscription-invoices') {
    if (refunded) return ['subscription_payment_refunded'];
    return a['status'] === 'paid' ? ['subscription_payment_success'] : [];
  }
  return type === 'subscriptions' ? ['subscription_updated'] : [];
}

export const lemonsqueezy: Adapter = {
  processor: 'lemonsqueezy',
  signs: true,
  // The seller chooses the secret, which has 6 to 40 characters.
  refusesSecret: shorterThan(6),
  hasApi: true,
  apiBase: { live: 'https://api.lemonsqueezy.com', test: 'https://api.lemonsqueezy.com' },
  shownKinds: ['order'],
  purchaseKinds: ['identifier'],
  idKinds: ['order', 'identifier', 'subscription', 'subscription_invoice'],

  /**
   * The signature is the HMAC of the body in hex. The signature contains no time, so a recorded notification that somebody sends again
   * later has a valid signature. Such a repetition must have no effect.
   */
  verify: (body, headers, secrets) =>
    anyMatches(
      [fromHex((headers['x-signature'] ?? '').trim())],
      secrets.map((secret) => hmac(secret, body)),
    ),

  read(body) {
    const event = parseObject(body);
    // The event name is read from the body, because the header X-Event-Name is not signed.
    const type = text(at(event, 'meta', 'event_name'));
    if (!event || type === null) return undefined;
    const [objectId, attributes] = [id(at(event, 'data', 'id')), fields(at(event, 'data', 'attributes'))];
    const [created, updated] = [fromTimestamp(attributes['created_at']), fromTimestamp(attributes['updated_at'])];
    const testMode = at(event, 'meta', 'test_mode') ?? attributes['test_mode'];
    return notification({
      // Notifications have no event id. A repeated delivery has the same bytes, so the hash of the body identifies it.
      eventId: [type.slice(0, 100), objectId ?? '', id(attributes['updated_at']) ?? '', sha256(body)].join(':'),
      type,
      // `order_created` reports the payment, so its time is the creation of the order. The order's `updated_at` also changes for other
      // reasons.
      occurredAt: type === 'order_created' ? (created ?? updated) : (updated ?? created),
      test: typeof testMode === 'boolean' ? testMode : null,
      ...meaningOf(type, objectId, attributes),
    });
  },

  links: (ids) => ({
    order: pageAddress('https://app.lemonsqueezy.com/orders', idOf(ids, 'identifier')),
    subscription: pageAddress('https://app.lemonsqueezy.com/subscriptions', idOf(ids, 'subscription')),
  }),

  apiHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}`, Accept: 'application/vnd.api+json' }),

  /** The lists, newest object first. Subscriptions are read to the end of the list, because old subscriptions are also renewed. */
  listings: () =>
    ['orders', 'subscriptions', 'subscription-invoices'].map((list) => pathOf(`/v1/${list}`, { 'page[number]': 1, 'page[size]': 100 })),

  page(path, { status, body }, since) {
    if (status !== 200 || !Array.isArray(at(body, 'data'))) return undefined;
    const listed = objects(at(body, 'data'));
    const attributesOf = (object: Fields): Fields => fields(object['attributes']);
    const isNew = (object: Fields): boolean =>
      (fromTimestamp(attributesOf(object)['updated_at']) ?? fromTimestamp(attributesOf(object)['created_at']) ?? since) >= since;
    const oldest = fromTimestamp(attributesOf(fields(listed.at(-1)))['created_at']);
    const past = !path.startsWith('/v1/subscriptions?') && oldest !== null && oldest < since - REFUND_WINDOW;
    const [current, last] = [number(at(body, 'meta', 'page', 'currentPage')), number(at(body, 'meta', 'page', 'lastPage'))];
    const more = current !== null && last !== null && current < last && listed.length > 0 && !past;
    return {
      bodies: listed
        .filter(isNew)
        .flatMap((object) => eventsOf(object['type'], attributesOf(object)).map((event) => ({ meta: { event_name: event }, data: object })))
        .filter(({ meta, data }) => meaningOf(meta.event_name, id(data), attributesOf(data)).actions[0].kind !== 'ignored')
        .map((event) => JSON.stringify(event))
        .reverse(),
      next: more ? withQuery(path, 'page[number]', String(current + 1)) : null,
    };
  },
};
