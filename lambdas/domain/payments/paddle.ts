import {
  amount,
  at,
  country,
  currency,
  email,
  fields,
  fromTimestamp,
  id,
  numeral,
  objects,
  parseObject,
  pathOf,
  quantity,
  sha256,
  text,
  withQuery,
  type Fields,
} from './fields';
import { WHOLE_ORDER, type Action, type Adapter, type ItemOfPayment, type Line, type Money, type ReadBack } from './model';
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
  type Meaning,
} from './notification';
import { anyMatches, fromHex, hmac, isTimely, shorterThan, valuesOf } from './signature';

/** Paddle Billing (docs/spec/processors.md, Paddle Billing). Its API has only one version. */

/**
 * The lines of a transaction or subscription. The id of the price serves as the id of the line, because the line ids in a transaction
 * differ from payment to payment.
 */
const linesOf = (items: unknown, oneOff: (cycle: unknown) => boolean): readonly Line[] =>
  merged(
    objects(items).map((item) => {
      const price = id(item['price_id']) ?? id(item['price']);
      const product = id(at(item, 'price', 'product_id')) ?? id(at(item, 'product', 'id'));
      return {
        id: price ?? product ?? WHOLE_ORDER,
        refs: refsOf(price, product),
        quantity: quantity(item['quantity']),
        oneOff: oneOff(at(item, 'price', 'billing_cycle')),
      };
    }),
  );

/** Requests the buyer's e-mail address, because notifications contain only the customer's id. */
const address = (customer: string | null): readonly ReadBack[] =>
  customer === null
    ? []
    : [
        readBack('email', `/customers/${encodeURIComponent(customer)}`, (before, body) => {
          const found = email(at(body, 'data', 'email'));
          return found === null ? 'unavailable' : { ...before, customerEmail: before.customerEmail ?? found };
        }),
      ];

/**
 * The money that was paid with a transaction, or refunded with an adjustment. Each refund is an adjustment with its own id, including
 * partial refunds.
 */
const moneyOf = (data: Fields, totals: Fields, sum: unknown): Money => ({
  transactionId: id(data),
  amount: amount(sum),
  fee: amount(totals['fee']),
  currency: currency(data['currency_code']) ?? currency(totals['currency_code']),
  country: country(at(data, 'address', 'country_code')),
});

/**
 * The meaning of a completed transaction. `billing_period.ends_at` is the end of the paid period, also for a charge that starts or lengthens
 * a period. The end of a charge within a period is the end of that period, so it changes nothing.
 */
function completed(data: Fields): Meaning {
  const [transaction, subscription, customer, origin] = [
    id(data),
    id(data['subscription_id']),
    id(data['customer_id']),
    text(data['origin']),
  ];
  if (origin === 'subscription_payment_method_change') return { actions: ignored('Only the payment method was changed.') };
  const isFurther = origin === 'subscription_charge' || origin === 'subscription_update';
  const paidUntil = fromTimestamp(at(data, 'billing_period', 'ends_at'));
  const sold = objects(at(data, 'details', 'line_items'));
  const itemOf = (price: string): string | null => id(sold.find((item) => id(item['price_id']) === price));
  // A line whose billing cycle is unknown counts as recurring if the transaction has a billing period.
  const all = linesOf(data['items'], (cycle) => cycle === null || (cycle === undefined && paidUntil === null));
  // A further charge shows only what it charges, not the lines of the subscription. Its items can be bought again later.
  const lines = isFurther
    ? all.filter(({ oneOff }) => oneOff).map((line) => ({ ...line, id: itemOf(line.id) ?? `${line.id}/${transaction ?? ''}` }))
    : all;
  const whole: Line = { id: WHOLE_ORDER, refs: [], quantity: 1, oneOff: paidUntil === null };
  const totals = fields(at(data, 'details', 'totals'));
  const items = sold.flatMap((item): [string, ItemOfPayment][] => {
    const [own, price] = [id(item), id(item['price_id'])];
    const line = lines.find((one) => one.id === own || one.id === price);
    return own && line ? [[own, { line: line.id, amount: numeral(at(item, 'totals', 'total')) }]] : [];
  });
  const isFree = numeral(totals['grand_total']) === 0 && !((numeral(totals['subtotal']) ?? 0) > 0) && paidUntil !== null;
  const paid = {
    paidUntil,
    ...(paidUntil !== null && { paidFrom: fromTimestamp(at(data, 'billing_period', 'starts_at')) }),
    ...(isFree && !isFurther && { isTrial: true as const }),
  };
  const action: Action = isFurther
    ? paidUntil === null
      ? { kind: 'charged', lines, paidUntil: null }
      : { kind: 'renewal', lines, ...paid }
    : { kind: origin === 'subscription_recurring' ? 'renewal' : 'sale', lines: lines.length > 0 ? lines : [whole], ...paid };
  return {
    ids: idsOf({ transaction, subscription }),
    subscriptionId: subscription,
    payment: {
      ids: idsOf({ transaction }),
      amount: numeral(totals['grand_total']),
      ...(items.length > 0 && { items: Object.fromEntries(items) }),
    },
    customerId: customer,
    money: moneyOf(data, totals, totals['grand_total']),
    actions: [action],
    needs: isFurther ? [] : address(customer),
  };
}

/** The meaning of a subscription event, which contains the current state of the subscription. */
function subscription(type: string, data: Fields): Meaning {
  const status = text(data['status']);
  const common = {
    // Only `subscription.created` contains the transaction's id.
    ids: idsOf({ subscription: id(data), transaction: id(data['transaction_id']) }),
    subscriptionId: id(data),
    customerId: id(data['customer_id']),
  };
  const lines = linesOf(data['items'], (cycle) => cycle === null);
  const changed: Action | undefined = lines.length > 0 ? { kind: 'changed', lines, complete: true } : undefined;
  const trial: Action | undefined =
    status === 'trialing' ? { kind: 'renewal', lines: [], paidUntil: fromTimestamp(data['next_billed_at']), isTrial: true } : undefined;
  const scheduled = at(data, 'scheduled_change', 'action');

  if (type === 'subscription.created') return { ...common, actions: actionsOf([{ kind: 'linked' }, trial], { kind: 'linked' }) };
  if (type === 'subscription.canceled' || status === 'canceled')
    return { ...common, actions: [{ kind: 'ended', endedAt: fromTimestamp(data['canceled_at']) }] };
  if (type === 'subscription.paused' || status === 'paused') return { ...common, actions: [{ kind: 'paused' }] };
  if (type === 'subscription.past_due' || status === 'past_due') return { ...common, actions: [{ kind: 'payment_failed' }] };
  const announced: Action | undefined =
    scheduled === 'cancel'
      ? { kind: 'cancellation_announced', endsAt: fromTimestamp(at(data, 'scheduled_change', 'effective_at')) }
      : undefined;
  const resumed: Action = { kind: 'resumed' };
  const fromStatus: readonly Action[] = status === 'active' ? [{ kind: 'paid_again' }, resumed] : [];
  if (type === 'subscription.resumed')
    return { ...common, actions: actionsOf([resumed, status === 'active' ? { kind: 'paid_again' } : undefined, changed], resumed) };
  return { ...common, actions: actionsOf([announced, trial, changed, ...fromStatus], { kind: 'linked' }) };
}

/**
 * Requests all refunds of a transaction, because several partial refunds can add up to a full refund. If they do, the action becomes
 * `refunded`.
 */
const allRefunded = (transaction: string): ReadBack =>
  readBack('refunds', `/transactions/${encodeURIComponent(transaction)}?include=adjustment`, (before, body) => {
    const total = numeral(at(body, 'data', 'details', 'totals', 'grand_total'));
    const refunded = objects(at(body, 'data', 'adjustments'))
      .filter(({ action, status }) => action === 'refund' && status === 'approved')
      .reduce((sum, adjustment) => sum + (numeral(at(adjustment, 'totals', 'total')) ?? 0), 0);
    const inFull = total !== null && total > 0 && refunded >= total;
    return inFull
      ? {
          ...before,
          actions: mapActions(before.actions, (action) => (action.kind === 'refunded_in_part' ? { ...action, kind: 'refunded' } : action)),
        }
      : before;
  });

/**
 * The meaning of an adjustment: a refund or a dispute. Most refunds start as `pending_approval` and may be rejected, so only `approved`
 * counts.
 */
function adjustment(data: Fields): Meaning {
  const [transaction, subscription, status] = [id(data['transaction_id']), id(data['subscription_id']), text(data['status'])];
  const common = {
    ids: idsOf({ transaction, subscription }),
    subscriptionId: subscription,
    payment: { ids: idsOf({ transaction }) },
    customerId: id(data['customer_id']),
  };
  const adjusted = id(data);
  const dispute = adjusted === null ? {} : { id: adjusted };
  switch (text(data['action'])) {
    case 'refund': {
      if (status !== 'approved')
        return {
          actions: ignored(status === 'pending_approval' ? 'Paddle has not approved the refund yet.' : 'The refund did not take place.'),
        };
      const totals = fields(data['totals']);
      const money = moneyOf(data, totals, totals['total']);
      const own = id(data);
      const items = objects(data['items']).flatMap((item) => {
        const name = id(item['item_id']);
        return name === null ? [] : [{ id: name, inFull: item['type'] === 'full', amount: numeral(item['amount']) }];
      });
      const refund = { refund: { id: own ?? '', amount: numeral(totals['total']), ...(items.length > 0 && { items }) } };
      if (data['type'] === 'full') return { ...common, money, actions: [{ kind: 'refunded', ...(own !== null && refund) }] };
      return {
        ...common,
        money,
        actions: [{ kind: 'refunded_in_part', ...(own !== null && refund) }],
        needs: transaction === null ? [] : [allRefunded(transaction)],
      };
    }
    case 'chargeback':
      if (status === 'reversed') return { ...common, actions: [{ kind: 'dispute_won', ...dispute }] };
      return status === null || status === 'approved'
        ? { ...common, actions: [{ kind: 'dispute_opened', ...dispute }] }
        : { actions: ignored('The chargeback did not take place.') };
    case 'chargeback_reverse':
      // The reversal is an adjustment of its own, and names only the transaction.
      return status === null || status === 'approved'
        ? { ...common, actions: [{ kind: 'dispute_won', ...dispute, isReversal: true }] }
        : { actions: ignored('The reversal of the chargeback did not take place.') };
    case 'chargeback_warning':
    case 'chargeback_warning_reverse':
      return { actions: ignored('No money has moved for this warning.') };
    case null:
    default:
      return { actions: ignored('A credit does not affect the license.') };
  }
}

function meaningOf(type: string, data: Fields): Meaning {
  switch (type) {
    case 'transaction.completed':
      return completed(data);
    case 'customer.created':
    case 'customer.updated': {
      const customerEmail = email(data['email']);
      if (customerEmail === null) return { actions: ignored('The customer has no e-mail address.') };
      return { customerId: id(data), customerEmail, actions: [{ kind: 'buyer_known' }] };
    }
    case 'subscription.created':
    case 'subscription.activated':
    case 'subscription.trialing':
    case 'subscription.updated':
    case 'subscription.past_due':
    case 'subscription.paused':
    case 'subscription.resumed':
    case 'subscription.canceled':
      return subscription(type, data);
    case 'adjustment.created':
    case 'adjustment.updated':
      return adjustment(data);
    default:
      return { actions: unneeded(type) };
  }
}

export const paddle: Adapter = {
  processor: 'paddle',
  signs: true,
  refusesSecret: shorterThan(16),
  hasApi: true,
  apiBase: { live: 'https://api.paddle.com', test: 'https://sandbox-api.paddle.com' },
  shownKinds: ['transaction'],
  purchaseKinds: ['transaction'],
  idKinds: ['transaction', 'subscription'],

  /** The header is `ts=<s>;h1=<hex>[;h1=<hex>]`. The signature covers `ts:body`. Its key is the whole secret, as Paddle shows it. */
  verify(body, headers, secrets, now) {
    const header = headers['paddle-signature'] ?? '';
    const [time = ''] = valuesOf(header, ';', 'ts');
    const expected = secrets.map((secret) => hmac(secret, `${time}:`, body));
    return anyMatches(valuesOf(header, ';', 'h1').map(fromHex), expected) && isTimely(time, now);
  },

  read(body) {
    const event = parseObject(body);
    const type = text(event?.['event_type']);
    if (!event || type === null) return undefined;
    return notification({
      eventId: id(event['event_id']) ?? sha256(body),
      type,
      occurredAt: fromTimestamp(event['occurred_at']),
      ...meaningOf(type, fields(event['data'])),
    });
  },

  links(ids, test) {
    const base = `https://${test ? 'sandbox-' : ''}vendors.paddle.com`;
    return {
      order: pageAddress(`${base}/transactions-v2`, idOf(ids, 'transaction')),
      subscription: pageAddress(`${base}/subscriptions-v2`, idOf(ids, 'subscription')),
    };
  },

  apiHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),

  /**
   * The list of events, newest first. The list contains the same events as the webhook, with the same ids, so that no event is processed
   * twice. Reading stops at the first event that is older than `since`.
   */
  listings: () => [pathOf('/events', { order_by: 'id[DESC]', per_page: 200 })],

  page(path, { status, body }, since) {
    if (status !== 200 || !Array.isArray(at(body, 'data'))) return undefined;
    const events = objects(at(body, 'data'));
    const isNew = (event: Fields): boolean => (fromTimestamp(event['occurred_at']) ?? since) >= since;
    const last = id(at(events.at(-1), 'event_id'));
    const more = at(body, 'meta', 'pagination', 'has_more') === true && last !== null && events.every(isNew);
    return {
      bodies: events
        .filter((event) => isNew(event) && meaningOf(text(event['event_type']) ?? '', fields(event['data'])).actions[0].kind !== 'ignored')
        .map((event) => JSON.stringify(event))
        .reverse(),
      next: more ? withQuery(path, 'after', last) : null,
    };
  },
};
