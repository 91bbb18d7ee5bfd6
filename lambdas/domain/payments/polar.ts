import { DAY_MS } from '../time';
import {
  amount,
  at,
  country,
  coversAll,
  currency,
  email,
  fields,
  fromTimestamp,
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
import { WHOLE_ORDER, type Action, type Adapter, type Line, type Money, type Refund } from './model';
import { actionsOf, idsOf, ignored, NO_LINKS, notification, refsOf, unneeded, type Meaning } from './notification';
import { isStandardWebhook } from './signature';

/** Polar (docs/spec/processors.md, Polar). Orders, subscriptions and refunds have the same format in all versions of its API. */

const API_VERSION = '2026-10';
const SECRET_PREFIX = 'whsec_';
/**
 * Minimum length, in bytes, of each HMAC key that {@link keysOf} derives from a secret. A signature with any of these keys is accepted, so
 * even the shortest key must be hard to guess. Polar generates keys of 32 bytes.
 */
const MIN_KEY_BYTES = 24;
/**
 * Reconciling also lists orders that were created before the reconciled period, because they may have been refunded in the period. This is
 * the maximum time from the creation of such an order to the beginning of the period, in ms. The refund of an older order is found only if
 * a notification reports the refund.
 */
const REFUND_WINDOW = 90 * DAY_MS;

/**
 * The HMAC keys with which Polar may sign. For endpoints that were created before 2026-09-08, the key is the UTF-8 bytes of the secret. For
 * newer endpoints, the key is the decoded base64 after the secret's prefix. An empty key is not used, because anybody could sign with an
 * empty key.
 */
function keysOf(secret: string): readonly (string | Buffer)[] {
  const decoded = secret.startsWith(SECRET_PREFIX) ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64') : Buffer.alloc(0);
  return decoded.length > 0 ? [secret, decoded] : [secret];
}

/**
 * The line of an order or subscription. Each order or subscription in Polar has exactly one product. The quantity is the number of seats or
 * units.
 */
const lineOf = (data: Fields, oneOff: boolean, prices: readonly (string | null)[] = []): Line => {
  const product = id(data['product_id']) ?? id(data['product']);
  return { id: product ?? WHOLE_ORDER, refs: refsOf(...prices, product), quantity: quantity(data['seats'] ?? data['units']), oneOff };
};

/** The money of an order or refund. Polar reports the tax of a refund separately, so the tax is added to the refunded amount. */
function moneyOf(type: string, data: Fields): Money {
  const unit = currency(data['currency']);
  const isRefund = type === 'order.refunded';
  const refunded = amount(data['refunded_amount']);
  const isOwnCurrency = (currency(data['platform_fee_currency']) ?? unit) === unit;
  return {
    transactionId: id(data),
    amount: isRefund ? refunded && refunded + (amount(data['refunded_tax_amount']) ?? 0) : amount(data['total_amount']),
    fee: !isRefund && isOwnCurrency ? amount(data['platform_fee_amount']) : null,
    currency: unit,
    country: country(at(data, 'billing_address', 'country')),
  };
}

/**
 * The meaning of an order. The paid period ends with the latest `end_timestamp` of its items that are not prorations. If no such item has
 * an `end_timestamp`, the period ends with `subscription.current_period_end`.
 */
function order(type: string, data: Fields): Meaning {
  const [orderId, subscriptionId, status, reason] = [
    id(data),
    id(data['subscription_id']),
    text(data['status']),
    text(data['billing_reason']),
  ];
  const items = objects(data['items']).filter(({ proration }) => proration !== true);
  const { paidFrom: begun, paidUntil: ended } = paidPeriod(
    items.map((item) => ({ from: fromTimestamp(item['start_timestamp']), until: fromTimestamp(item['end_timestamp']) })),
  );
  // An order for usage within a period has the time of the usage, which begins no period.
  const change = (reason === 'subscription_update' && ended === null) || reason === 'subscription_meter_cycle';
  const paidUntil = subscriptionId === null || change ? null : (ended ?? fromTimestamp(at(data, 'subscription', 'current_period_end')));
  const common = {
    ids: idsOf({ order: orderId, subscription: subscriptionId, checkout: id(data['checkout_id']) }),
    subscriptionId,
    payment: {
      ids: idsOf({ order: orderId }),
      // Refunds are reported without tax.
      amount: amount(data['net_amount']),
      // When an order is refunded, its subscription may already be in a later period. Therefore only the order's own items show which
      // period was paid.
      ...(type === 'order.refunded' && subscriptionId !== null && !change && ended !== null && { period: { from: begun, until: ended } }),
    },
    customerId: id(data['customer_id']),
    customerEmail: email(at(data, 'customer', 'email')),
    money: moneyOf(type, data),
  };
  const isRefunded = status === 'refunded' || coversAll(data['refunded_amount'], data['net_amount']);
  const refund = (more: Partial<Refund> = {}): Action => ({
    kind: isRefunded ? 'refunded' : 'refunded_in_part',
    ...(orderId !== null && { refund: { id: orderId, amount: amount(data['refunded_amount']), ...more } }),
  });
  if (type === 'order.refunded') return { ...common, actions: [refund()] };
  const paid = ['paid', 'partially_refunded', 'refunded'].includes(status ?? '') || (type === 'order.paid' && status !== 'void');
  if (!paid)
    return {
      actions: ignored(
        status === 'pending'
          ? 'Not paid yet: the license is issued after the payment.'
          : `The order is ${status ?? 'without a status'}: nothing is issued for it.`,
      ),
    };
  // The order is a payment that has been refunded since.
  const refunded = status === 'refunded' ? refund({ at: fromTimestamp(data['modified_at']) }) : undefined;
  const lines = [
    lineOf(
      data,
      subscriptionId === null,
      items.map((item) => id(item['product_price_id'])),
    ),
  ];
  const first = reason === 'purchase' || reason === 'subscription_create' || (reason === null && subscriptionId === null);
  const isFree =
    amount(data['total_amount']) === 0 &&
    paidUntil !== null &&
    [data['subtotal_amount'], data['discount_amount'], data['net_amount']].every((sum) => !amount(sum));
  const sold: Action = change
    ? { kind: 'charged', lines: [], paidUntil: null }
    : {
        kind: first ? 'sale' : 'renewal',
        lines,
        paidUntil,
        ...(paidUntil !== null && { paidFrom: begun }),
        ...(isFree && { isTrial: true as const }),
      };
  return { ...common, actions: actionsOf([sold, refunded], sold) };
}

/**
 * The meaning of a subscription event. The events `subscription.cycled` and `subscription.updated` show the new period before it is paid,
 * so the paid period is never read from them.
 */
function subscription(type: string, data: Fields): Meaning {
  const status = text(data['status']);
  const common = {
    ids: idsOf({ subscription: id(data), checkout: id(data['checkout_id']) }),
    subscriptionId: id(data),
    customerId: id(data['customer_id']),
    customerEmail: email(at(data, 'customer', 'email')),
  };
  const ended: Action = { kind: 'ended', endedAt: fromTimestamp(data['ended_at']) ?? fromTimestamp(data['ends_at']) };
  const announced: Action = {
    kind: 'cancellation_announced',
    endsAt: fromTimestamp(data['ends_at']) ?? fromTimestamp(data['current_period_end']),
  };
  switch (type) {
    case 'subscription.revoked':
      return { ...common, actions: [ended] };
    case 'subscription.canceled':
      return { ...common, actions: [announced] };
    case 'subscription.uncanceled':
      return { ...common, actions: [{ kind: 'cancellation_announced', endsAt: null }] };
    case 'subscription.past_due':
      return { ...common, actions: [{ kind: 'payment_failed' }] };
    case 'subscription.paused':
      return { ...common, actions: [{ kind: 'paused' }] };
    case 'subscription.resumed':
      return { ...common, actions: [{ kind: 'resumed' }] };
    case 'subscription.active':
      return { ...common, actions: [{ kind: 'paid_again' }] };
    default:
  }
  if (status === 'past_due' || status === 'unpaid') return { ...common, actions: [{ kind: 'payment_failed' }] };
  if (status === 'paused') return { ...common, actions: [{ kind: 'paused' }] };
  if (status === 'canceled') return { ...common, actions: [fromTimestamp(data['ended_at']) === null ? announced : ended] };
  const changed: Action = {
    kind: 'changed',
    lines: [
      lineOf(
        data,
        false,
        objects(data['prices']).map((price) => id(price)),
      ),
    ],
    complete: true,
  };
  const trialEnd = status === 'trialing' ? (fromTimestamp(data['trial_end']) ?? fromTimestamp(data['current_period_end'])) : null;
  const fromStatus: readonly Action[] =
    status === 'active'
      ? [{ kind: 'paid_again' }, { kind: 'resumed' }]
      : trialEnd !== null
        ? [{ kind: 'renewal', lines: [], paidUntil: trialEnd, isTrial: true }]
        : [];
  return {
    ...common,
    actions: actionsOf([data['cancel_at_period_end'] === true ? announced : undefined, changed, ...fromStatus], changed),
  };
}

/**
 * The type of the notifications that `page` builds from disputes. Polar's API lists disputes, but Polar sends no notifications about them.
 */
const DISPUTE = 'dispute.updated';

function dispute(data: Fields): Meaning {
  const [orderId, own] = [id(data['order_id']), id(data)];
  const of = own === null ? {} : { id: own };
  const common = { ids: idsOf({ order: orderId }), payment: { ids: idsOf({ order: orderId }) } };
  switch (text(data['status'])) {
    case 'needs_response':
    case 'under_review':
      return { ...common, actions: [{ kind: 'dispute_opened', ...of }] };
    case 'won':
      return { ...common, actions: [{ kind: 'dispute_won', ...of }] };
    case 'lost':
      return { ...common, actions: [{ kind: 'dispute_lost', ...of }] };
    case null:
    default:
      return { actions: ignored('No money has moved for this dispute.') };
  }
}

function meaningOf(type: string, data: Fields): Meaning {
  switch (type) {
    case 'order.paid':
    case 'order.created':
    case 'order.updated':
    case 'order.refunded':
      return order(type, data);
    case 'refund.created':
    case 'refund.updated':
      return {
        actions: ignored(
          data['status'] === 'failed' || data['status'] === 'canceled'
            ? 'The refund did not take place. A license revoked for this refund stays revoked.'
            : 'The notification about the order reports the refund.',
        ),
      };
    case 'subscription.updated':
    case 'subscription.active':
    case 'subscription.past_due':
    case 'subscription.paused':
    case 'subscription.resumed':
    case 'subscription.canceled':
    case 'subscription.uncanceled':
    case 'subscription.revoked':
      return subscription(type, data);
    case DISPUTE:
      return dispute(data);
    default:
      return { actions: unneeded(type) };
  }
}

/** The types of the events that report the state of a listed object. */
function eventsOf(path: string, data: Fields): readonly string[] {
  if (path.startsWith('/disputes/')) return [DISPUTE];
  if (path.startsWith('/subscriptions/')) return ['subscription.updated'];
  const isRefunded = data['status'] === 'refunded' || data['status'] === 'partially_refunded';
  return isRefunded ? ['order.paid', 'order.refunded'] : ['order.updated'];
}

export const polar: Adapter = {
  processor: 'polar',
  signs: true,
  refusesSecret: (secret) =>
    keysOf(secret).some((key) => Buffer.byteLength(key) < MIN_KEY_BYTES)
      ? `must have at least ${MIN_KEY_BYTES} bytes, also after decoding the base64 that follows \`${SECRET_PREFIX}\``
      : undefined,
  hasApi: true,
  apiBase: { live: 'https://api.polar.sh/v1', test: 'https://sandbox-api.polar.sh/v1' },
  shownKinds: ['order'],
  purchaseKinds: ['checkout'],
  idKinds: ['order', 'subscription', 'checkout'],

  verify: (body, headers, secrets, now) => isStandardWebhook(body, headers, secrets.flatMap(keysOf), now),

  read(body, headers) {
    const event = parseObject(body);
    const type = text(event?.['type']);
    if (!event || type === null) return undefined;
    const data = fields(event['data']);
    return notification({
      eventId: id(headers['webhook-id']) ?? sha256(body),
      type,
      occurredAt: fromTimestamp(event['timestamp']) ?? fromTimestamp(data['modified_at']) ?? fromTimestamp(data['created_at']),
      ...meaningOf(type, data),
    });
  },

  /** Links cannot be built: the URLs of Polar's pages contain the name of the seller's organization, but no notification contains it. */
  links: () => NO_LINKS,

  apiHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}`, 'Polar-Version': API_VERSION }),

  listings: (since) => [
    pathOf('/orders/', {
      created_after: new Date(Math.max(0, since - REFUND_WINDOW)).toISOString(),
      sorting: '-created_at',
      page: 1,
      limit: 100,
    }),
    ...['/subscriptions/', '/disputes/'].map((list) => pathOf(list, { page: 1, limit: 100 })),
  ],

  page(path, { status, body }, since) {
    if (status !== 200 || !Array.isArray(at(body, 'items'))) return undefined;
    const listed = objects(at(body, 'items'));
    const page = Number(new URLSearchParams(path.split('?')[1]).get('page'));
    const pages = number(at(body, 'pagination', 'max_page'));
    return {
      bodies: listed
        .filter((data) => (fromTimestamp(data['modified_at']) ?? fromTimestamp(data['created_at']) ?? since) >= since)
        .flatMap((data) =>
          eventsOf(path, data).map((type) => {
            // A payment has the time at which its order was created, because a later change of the order is not a new payment.
            const timestamp =
              type === 'order.paid' || type === 'order.updated' ? data['created_at'] : (data['modified_at'] ?? data['created_at']);
            return { type, timestamp, data };
          }),
        )
        .filter(({ type, data }) => meaningOf(type, data).actions[0].kind !== 'ignored')
        .map((event) => JSON.stringify(event))
        .reverse(),
      next: pages !== null && page < pages && listed.length > 0 ? withQuery(path, 'page', String(page + 1)) : null,
    };
  },
};
