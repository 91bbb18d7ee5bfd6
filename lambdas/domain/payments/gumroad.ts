import { monthsAfter } from '../time';
import {
  amount,
  at,
  currency,
  email,
  fields,
  fromTimestamp,
  id,
  objects,
  parseObject,
  pathOf,
  quantity,
  text,
  withQuery,
  type Fields,
} from './fields';
import { WHOLE_ORDER, type Adapter, type ApiResponse, type Line, type Money, type Notification, type ReadBack } from './model';
import { idsOf, ignored, NO_LINKS, notification, refsOf, unneeded, type Meaning } from './notification';

/**
 * Gumroad (docs/spec/processors.md, Gumroad). Its notifications ("pings") are not signed, so the secret in the URL is the credential. If
 * the connection has an `api_key`, the service confirms the content of a ping through Gumroad's API before it processes the ping.
 */

/** The number of months between two payments, for each `recurrence`. `biannually` means twice a year. */
const MONTHS: ReadonlyMap<unknown, number> = new Map([
  ['monthly', 1],
  ['quarterly', 3],
  ['biannually', 6],
  ['yearly', 12],
  ['every_two_years', 24],
]);

/**
 * Maximum age, in ms, of the sales that each reconciliation reads again to find refunds. The refund of an older sale is found only if a
 * ping reports the refund.
 */
const REFUND_WINDOW = 30 * 24 * 3_600_000;

/**
 * The fields of a ping. In a form every field is a text; in JSON a field may have any type. If a field is a list, its first value counts.
 */
function pingOf(body: string): Fields | undefined {
  if (/^\s*[[{"]/.test(body)) return parseObject(body);
  const form = new URLSearchParams(body);
  const ping: Record<string, string> = {};
  for (const [name, value] of form) if (!Object.hasOwn(ping, name)) Object.defineProperty(ping, name, { value, enumerable: true });
  return Object.keys(ping).length > 0 ? ping : undefined;
}

/**
 * Removes the custom fields that the buyer filled in. Gumroad repeats each custom field at the top level of the ping, where it replaces
 * Gumroad's own field of the same name. Therefore all fields with the name of a custom field are removed.
 */
function withoutTyped(ping: Fields): Fields {
  const typed = new Set(Object.keys(fields(ping['custom_fields'])));
  for (const name of Object.keys(ping)) {
    const [, field] = /^custom_fields\[(.*)\]$/s.exec(name) ?? [];
    if (field !== undefined) typed.add(field);
  }
  return Object.fromEntries(Object.entries(ping).filter(([name]) => !typed.has(name)));
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';

/**
 * The options that the buyer chose. A form has a field `variants[Category]` for each option. In JSON, `variants` is an object, or a text in
 * round brackets.
 */
const variantsOf = (source: Fields): readonly string[] => [
  ...(text(source['variants']) === null ? [] : [String(source['variants']).replace(/^\((.*)\)$/s, '$1')]),
  ...Object.values(fields(source['variants'])).flatMap((value) => text(value) ?? []),
  ...Object.entries(source).flatMap(([name, value]) => (name.startsWith('variants[') ? (text(value) ?? []) : [])),
];

/**
 * The line of a sale. Each sale has exactly one product. The `ref` of a plan can be the `product_id`, the permalink in the product's URL,
 * one of these two followed by `/` and a chosen option, or the option alone.
 */
function lineOf(sale: Fields, variants: readonly string[] = variantsOf(sale)): Line {
  const product = id(sale['product_id']);
  const links = [id(sale['permalink']), id(sale['short_product_id'])];
  const products = refsOf(product, ...links, id(sale['product_permalink']));
  const combined = products.flatMap((one) => variants.map((variant) => id(`${one}/${variant}`)));
  return {
    id: product ?? WHOLE_ORDER,
    refs: refsOf(...combined, ...variants.map(id), ...products),
    quantity: quantity(sale['quantity']),
    oneOff: text(sale['recurrence']) === null,
  };
}

/** The end of the paid period: `sale_timestamp` plus the calendar months of `recurrence`. */
function paidUntil(sale: Fields): number | null {
  const [start, months] = [fromTimestamp(sale['sale_timestamp']), MONTHS.get(sale['recurrence'])];
  return start === null || months === undefined ? null : monthsAfter(start, months);
}

/** Converts the common spellings of a country's name to one spelling. For example, `&` becomes `and`. */
const spelled = (name: string): string => name.toLowerCase().replace('&', 'and').replace(/^the /, '');

/** The codes of countries by their English names. Gumroad reports names instead of codes. */
function countryCodes(): ReadonlyMap<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
  // `Intl.DisplayNames` gives an outdated code the name of its successor. Only current codes are used, so that each name has one code.
  const current = codes.filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`);
  const styles = (['long', 'short'] as const).map((style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }));
  return new Map([
    ...current.flatMap((code) => styles.flatMap((names) => [[spelled(names.of(code) ?? code), code] as const])),
    ['turkey', 'TR'],
    ['czech republic', 'CZ'],
  ]);
}

let knownCodes: ReadonlyMap<string, string> | undefined;
const countryNamed = (name: unknown): string | null => (knownCodes ??= countryCodes()).get(spelled(text(name) ?? '')) ?? null;

/** The money that was paid for a sale, or refunded in full. Gumroad does not report the amount of a partial refund. */
const moneyOf = (ping: Fields, isPaid: boolean): Money => ({
  transactionId: id(ping['sale_id']),
  amount: amount(ping['price']),
  fee: isPaid ? amount(ping['gumroad_fee']) : null,
  currency: currency(ping['currency']),
  country: countryNamed(ping['ip_country']),
});

/** The meaning of the pings `sale`, `refund`, `dispute` and `dispute_won`. */
function sale(resource: string, ping: Fields): Meaning {
  const [saleId, subscriptionId] = [id(ping['sale_id']), id(ping['subscription_id'])];
  if (saleId === null) return { actions: ignored('The ping contains no sale id.') };
  if (isTrue(ping['test']))
    return {
      test: true,
      repeatable: true,
      actions: ignored('This is a test ping, which may repeat a real sale. Therefore nothing changes.'),
    };
  if (isTrue(ping['is_preorder_authorization'])) return { actions: ignored('A preorder is not paid yet.') };
  const until = paidUntil(ping);
  const common = {
    ids: idsOf({ sale: saleId, subscription: subscriptionId }),
    subscriptionId,
    payment: { ids: idsOf({ sale: saleId }), sequence: subscriptionId === null ? 0 : (until ?? fromTimestamp(ping['sale_timestamp'])) },
    customerEmail: email(ping['email']),
  };
  switch (resource) {
    case 'refund':
      return isTrue(ping['refunded'])
        ? { ...common, money: moneyOf(ping, false), actions: [{ kind: 'refunded' }] }
        : { ...common, actions: [{ kind: 'refunded_in_part' }] };
    case 'dispute':
      return { ...common, actions: [{ kind: 'dispute_opened' }] };
    case 'dispute_won':
      return { ...common, actions: [{ kind: 'dispute_won' }] };
    default: {
      const lines = [lineOf(ping)];
      const money = moneyOf(ping, true);
      if (!isTrue(ping['is_recurring_charge'])) return { ...common, money, actions: [{ kind: 'sale', lines, paidUntil: until }] };
      // A change to a smaller plan takes effect only with the first payment for that plan.
      return {
        ...common,
        money,
        actions: [
          { kind: 'renewal', lines, paidUntil: until },
          { kind: 'changed', lines, complete: true },
        ],
      };
    }
  }
}

/** The meaning of the pings `cancellation`, `subscription_ended`, `subscription_restarted` and `subscription_updated`. */
function subscription(resource: string, ping: Fields): Meaning {
  const subscriptionId = id(ping['subscription_id']);
  if (subscriptionId === null) return { actions: ignored('The ping contains no subscription id.') };
  const common = { ids: idsOf({ subscription: subscriptionId }), subscriptionId, customerEmail: email(ping['user_email']) };
  switch (resource) {
    case 'cancellation':
      return { ...common, actions: [{ kind: 'cancellation_announced', endsAt: fromTimestamp(ping['cancelled_at']) }] };
    case 'subscription_ended':
      return ping['ended_reason'] === 'fixed_subscription_period_ended'
        ? { actions: ignored('All installments are paid: the buyer keeps the product.') }
        : { ...common, actions: [{ kind: 'ended', endedAt: fromTimestamp(ping['ended_at']) }] };
    case 'subscription_restarted':
      return { ...common, actions: [{ kind: 'resumed' }] };
    default: {
      if (ping['type'] === 'downgrade') return { actions: ignored('The smaller plan applies from the next payment on.') };
      const plan = (name: string): unknown => at(ping, 'new_plan', name) ?? ping[`new_plan[${name}]`];
      const tier = id(plan('tier'));
      const line: Line = {
        ...lineOf(ping, tier === null ? [] : [id(at(plan('tier'), 'name')) ?? tier]),
        quantity: quantity(plan('quantity')),
        oneOff: false,
      };
      return { ...common, actions: [{ kind: 'changed', lines: [line], complete: true }] };
    }
  }
}

const SALE_SHAPED = ['sale', 'refund', 'dispute', 'dispute_won'];
const SUBSCRIPTION_SHAPED = ['cancellation', 'subscription_ended', 'subscription_restarted', 'subscription_updated'];

const meaningOf = (resource: string, ping: Fields): Meaning =>
  SALE_SHAPED.includes(resource)
    ? sale(resource, ping)
    : SUBSCRIPTION_SHAPED.includes(resource)
      ? subscription(resource, ping)
      : { actions: unneeded(resource) };

/**
 * The id of a ping, for finding duplicates. It contains the `resource_name`, the `sale_id` or `subscription_id`, and the fields that
 * distinguish two pings of the same kind.
 */
const eventIdOf = (resource: string, ping: Fields): string =>
  [
    resource.slice(0, 50),
    id(ping['sale_id']) ?? id(ping['subscription_id']) ?? '',
    ...['refunded', 'disputed', 'ended_at', 'cancelled_at', 'restarted_at', 'effective_as_of'].flatMap((name) => {
      const value = ping[name];
      return typeof value === 'boolean' || text(value) ? [`${name}=${String(value).slice(0, 40)}`] : [];
    }),
  ].join(' ');

function notificationOf(resource: string, ping: Fields): Notification {
  return notification({
    eventId: eventIdOf(resource, ping),
    type: resource,
    occurredAt: timeOf(resource, ping),
    ...meaningOf(resource, ping),
  });
}

/**
 * The time of a ping; null if it is unknown. Pings about refunds and disputes contain only the time of their sale. A `dispute` gets this
 * time, and a `dispute_won` a time 1 ms later, so that the end of a dispute counts as newer than its beginning.
 */
function timeOf(resource: string, ping: Fields): number | null {
  const sold = fromTimestamp(ping['sale_timestamp']);
  if (resource === 'sale' || resource === 'dispute') return sold;
  if (resource === 'dispute_won') return sold === null ? null : sold + 1;
  if (resource === 'refund' || ping['cancelled_at'] !== undefined) return null;
  return fromTimestamp(ping['ended_at']) ?? fromTimestamp(ping['restarted_at']) ?? fromTimestamp(ping['effective_as_of']);
}

/**
 * The ignored notification for a ping that Gumroad's API does not confirm. Such a ping comes from another account, or somebody forged it.
 */
const unproven = (before: Notification, reason: string): Notification => ({
  ...before,
  ids: [],
  payment: null,
  repeatable: true,
  actions: ignored(reason),
});

/**
 * Whether Gumroad knows the requested object. Status 404 means no. `success: false` also means no, and Gumroad sends it even with status
 * 200. After any other failure the result is `unavailable`.
 */
const verdict = ({ status, body }: ApiResponse): 'known' | 'unknown' | 'unavailable' => {
  if (status === 404 || (status === 200 && at(body, 'success') === false)) return 'unknown';
  return status === 200 && at(body, 'success') === true ? 'known' : 'unavailable';
};

/** Converts a sale from the API to the field names of a ping. */
const pingOfSale = (listed: Fields): Fields =>
  Object.fromEntries(
    Object.entries({
      sale_id: listed['id'],
      sale_timestamp: listed['created_at'],
      email: listed['email'],
      product_id: listed['product_id'],
      quantity: listed['quantity'],
      price: listed['price'],
      gumroad_fee: listed['gumroad_fee'],
      currency: listed['currency'],
      ip_country: listed['ip_country'],
      variants: listed['variants'],
      subscription_id: listed['subscription_id'],
      refunded: listed['refunded'],
      disputed: listed['disputed'] ?? listed['chargedback'],
      permalink: listed['product_permalink'],
      recurrence: listed['subscription_duration'],
      is_recurring_charge: listed['recurring_charge'],
    }).filter(([, value]) => value !== undefined && value !== null),
  );

/**
 * Confirms a ping about a sale. Values from the API replace the values of the ping. A value that the API lacks is taken from the ping,
 * unless the API names another product than the ping.
 */
function proveSale(resource: string, ping: Fields, saleId: string): ReadBack {
  return {
    fills: 'proof',
    path: `/sales/${encodeURIComponent(saleId)}`,
    merge(before, response) {
      const found = fields(at(response.body, 'sale'));
      const known = verdict(response);
      if (known === 'unavailable') return 'unavailable';
      if (known === 'unknown' || id(found) !== saleId) return unproven(before, 'Gumroad does not know this sale.');
      const proven = pingOfSale(found);
      const same = id(proven['product_id']) === null || id(proven['product_id']) === id(ping['product_id']);
      const options = Object.hasOwn(proven, 'variants') ? /^variants(\[|$)/ : /^$/;
      const merged: Fields = { ...Object.fromEntries(Object.entries(ping).filter(([name]) => same && !options.test(name))), ...proven };
      const refunded = found['refunded'] === true;
      if (resource === 'sale' && refunded) return { ...before, actions: ignored('The sale is already refunded.') };
      if (resource === 'refund' && found['refunded'] === false && found['partially_refunded'] !== true)
        return unproven(before, 'Gumroad does not confirm a refund of this sale.');
      if (resource === 'dispute' && found['dispute_won'] === true)
        return { ...before, occurredAt: timeOf('dispute_won', merged), ...meaningOf('dispute_won', merged) };
      if (resource === 'dispute' && found['disputed'] === false && found['chargedback'] !== true)
        return unproven(before, 'Gumroad does not confirm a dispute of this sale.');
      if (resource === 'dispute_won' && found['dispute_won'] === false)
        return unproven(before, 'Gumroad does not confirm a won dispute of this sale.');
      return { ...before, ...meaningOf(resource, merged) };
    },
  };
}

/** Confirms a ping about a subscription with the subscription's status in the API (`GET /subscribers/{id}`). */
function proveSubscription(resource: string, subscriptionId: string): ReadBack {
  return {
    fills: 'proof',
    path: `/subscribers/${encodeURIComponent(subscriptionId)}`,
    merge(before, response) {
      const known = verdict(response);
      if (known === 'unavailable') return 'unavailable';
      if (known === 'unknown') return unproven(before, 'Gumroad does not know this subscription.');
      const status = text(at(response.body, 'subscriber', 'status'));
      if (resource !== 'subscription_ended') return before;
      if (status === 'fixed_subscription_period_ended')
        return { ...before, actions: ignored('All installments are paid: the buyer keeps the product.') };
      return status === 'alive' || status === 'pending_cancellation' || status === 'pending_failure'
        ? unproven(before, 'The subscription has not ended.')
        : before;
    },
  };
}

export const gumroad: Adapter = {
  processor: 'gumroad',
  signs: false,
  refusesSecret: () => 'is not used: Gumroad signs nothing',
  apiBase: { live: 'https://api.gumroad.com/v2', test: 'https://api.gumroad.com/v2' },
  shownKinds: ['sale'],
  purchaseKinds: ['sale'],
  idKinds: ['sale', 'subscription'],

  verify: () => true,

  read(body) {
    const raw = pingOf(body);
    if (!raw) return undefined;
    const ping = withoutTyped(raw);
    // An older kind of ping, which only reports sales, may lack `resource_name`.
    const resource = text(ping['resource_name']) ?? (id(ping['sale_id']) === null ? null : 'sale');
    if (resource === null) return undefined;
    const read = notificationOf(resource, ping);
    if (read.actions[0].kind === 'ignored') return read;
    const [saleId, subscriptionId] = [id(ping['sale_id']), id(ping['subscription_id'])];
    if (SALE_SHAPED.includes(resource)) return { ...read, needs: saleId === null ? [] : [proveSale(resource, ping, saleId)] };
    return { ...read, needs: subscriptionId === null ? [] : [proveSubscription(resource, subscriptionId)] };
  },

  links: () => NO_LINKS,

  apiHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),

  /**
   * The list of sales, newest first, filtered by whole days. Ends of subscriptions are not listed. If the ping of such an end is lost, the
   * license still expires at the end of the paid period.
   */
  listings: (since) => [pathOf('/sales', { after: new Date(Math.max(0, since - REFUND_WINDOW)).toISOString().slice(0, 10) })],

  page(path, { status, body }) {
    if (status !== 200 || !Array.isArray(at(body, 'sales'))) return undefined;
    const next = text(at(body, 'next_page_key'));
    return {
      bodies: objects(at(body, 'sales'))
        .flatMap((listed) => {
          const as = (resource_name: string): Fields => ({ resource_name, ...pingOfSale(listed) });
          if (listed['refunded'] === true) return [as('refund')];
          const disputed = listed['disputed'] === true || listed['chargedback'] === true;
          return [
            as('sale'),
            ...(listed['partially_refunded'] === true ? [as('refund')] : []),
            ...(listed['dispute_won'] === true ? [as('dispute_won')] : disputed ? [as('dispute')] : []),
          ];
        })
        .map((ping) => JSON.stringify(ping))
        .reverse(),
      next: next === null ? null : withQuery(path, 'page_key', next),
    };
  },
};
