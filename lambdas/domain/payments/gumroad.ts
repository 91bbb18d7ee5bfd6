import { LAST_INSTANT } from '../../contract/text';
import { DAY_MS, monthsAfter } from '../time';
import {
  amount,
  at,
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
import { WHOLE_ORDER, type Action, type Adapter, type ApiResponse, type Line, type Money, type Notification, type ReadBack } from './model';
import { actionsOf, idsOf, ignored, NO_LINKS, notification, refsOf, unneeded, type Meaning } from './notification';

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
const REFUND_WINDOW = 30 * DAY_MS;

/** The fields of a sale that this adapter reads. */
const SALE_FIELDS = [
  'sale_id',
  'sale_timestamp',
  'email',
  'product_id',
  'permalink',
  'short_product_id',
  'product_permalink',
  'price',
  'gift_price',
  'gumroad_fee',
  'ip_country',
  'quantity',
  'variants',
  'subscription_id',
  'recurrence',
  'is_recurring_charge',
  'is_preorder_authorization',
  'test',
  'refunded',
  'disputed',
  'dispute_won',
  'resource_name',
];

/** The fields that Gumroad writes between the URL parameters and the custom fields, if they are set. */
const AFTER_URL_PARAMS = ['variants', 'test', 'is_recurring_charge', 'is_preorder_authorization'];

const isJson = (body: string): boolean => /^\s*[[{"]/.test(body);

/** The fields of a ping. In a form every field is a text; in JSON a field may have any type. */
function pingOf(body: string): Fields | undefined {
  if (isJson(body)) return parseObject(body);
  const form = [...new URLSearchParams(body)];
  return form.length > 0 ? Object.fromEntries(form.reverse()) : undefined;
}

/** The fields of a group, such as `variants`. In JSON a group is an object. In a form each of its fields has a name in brackets. */
const group = (ping: Fields, name: string): Fields => ({
  ...fields(ping[name]),
  ...Object.fromEntries(
    Object.entries(ping).flatMap(([field, value]) =>
      field.startsWith(`${name}[`) && field.endsWith(']') ? [[field.slice(name.length + 1, -1), value]] : [],
    ),
  ),
});

function isBalanced(name: string): boolean {
  let depth = 0;
  for (const character of name) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/**
 * The sign that a buyer has injected fields into a form; undefined if there is none. Gumroad writes the names of fields without encoding
 * `&` and `=`, and a buyer chooses the names of the parameters in the URL of the product page. Such a name in `url_params[…]` ends one
 * field and begins another. Gumroad encodes brackets inside of names, so the remains of the name have unbalanced brackets before they are
 * decoded. Gumroad never writes a name twice, except the name of a list.
 */
function injectionIn(body: string): string | undefined {
  const names = [...new URLSearchParams(body).keys()];
  const encoded = body.split('&').map((field) => field.split('=', 1)[0] ?? '');
  if (![...encoded, ...names].every(isBalanced)) return 'A field name in the form has unbalanced brackets.';
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return `The form contains the field ${name.slice(0, 50)} twice.`;
    if (!name.endsWith('[]')) seen.add(name);
  }
  return undefined;
}

/**
 * The reason why some fields of a ping may come from the buyer; undefined if there is none. A custom field overwrites Gumroad's
 * own field of the same name. A parameter in the URL can inject a field that the ping does not contain otherwise. Such a field is at a
 * position at which Gumroad does not write it.
 */
function doubtAbout(ping: Fields, names: readonly string[]): string | undefined {
  const custom = group(ping, 'custom_fields');
  const typed = SALE_FIELDS.find((name) => Object.hasOwn(custom, name) && custom[name] === ping[name]);
  if (typed !== undefined) return `A custom field has the same name as Gumroad's field ${typed}, so the buyer may have typed its value.`;
  const isParameter = (name: string): boolean => name.startsWith('url_params[');
  const [first, last] = [names.findIndex(isParameter), names.findLastIndex(isParameter)];
  const lastInBrackets = names.findLastIndex((name) => name.endsWith(']'));
  const isMisplaced = (name: string, index: number): boolean =>
    index > first &&
    ((index < last && !isParameter(name)) || (index < lastInBrackets && SALE_FIELDS.includes(name) && !AFTER_URL_PARAMS.includes(name)));
  if (first < 0) return undefined;
  // Current products of Gumroad have one kind of option.
  if (Object.keys(group(ping, 'variants')).length > 1) return 'One of the options may be a parameter that the buyer chose.';
  const misplaced = names.find(isMisplaced);
  return misplaced === undefined ? undefined : `The field ${misplaced.slice(0, 50)} is among the parameters that the buyer chooses.`;
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** The options that the buyer chose. `variants` is a group, or in JSON also a text in round brackets. */
const variantsOf = (source: Fields): readonly string[] => [
  ...(text(source['variants']) === null ? [] : [String(source['variants']).replace(/^\((.*)\)$/s, '$1')]),
  ...Object.values(group(source, 'variants')).flatMap((value) => text(value) ?? []),
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
    oneOff: id(sale['subscription_id']) === null,
  };
}

/** The end of the paid period: `sale_timestamp` plus the calendar months of `recurrence`. */
function paidUntil(sale: Fields): number | null {
  const [start, months] = [fromTimestamp(sale['sale_timestamp']), MONTHS.get(sale['recurrence'])];
  return start === null || months === undefined ? null : Math.min(LAST_INSTANT, monthsAfter(start, months));
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

/** What was paid. The sale of a gift has the price 0, because somebody else paid it. */
const priceOf = (ping: Fields): number | null => amount(ping['gift_price']) ?? amount(ping['price']);

/**
 * The money that was paid for a sale, or refunded in full. Gumroad converts all amounts to US dollars: the field `currency` is the currency
 * in which the product is listed. Gumroad does not report the amount of a partial refund.
 */
const moneyOf = (ping: Fields, isPaid: boolean): Money => ({
  transactionId: id(ping['sale_id']),
  amount: priceOf(ping),
  fee: isPaid ? amount(ping['gumroad_fee']) : null,
  currency: 'USD',
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
    payment: {
      ids: idsOf({ sale: saleId }),
      amount: priceOf(ping),
      ...(resource === 'refund' && until !== null && { period: { from: fromTimestamp(ping['sale_timestamp']), until } }),
    },
    customerEmail: email(ping['email']),
  };
  // Gumroad does not report the time of a refund.
  const refund = (kind: 'refunded' | 'refunded_in_part'): Action => ({ kind, refund: { id: saleId, amount: null, at: null } });
  switch (resource) {
    case 'refund':
      return isTrue(ping['refunded'])
        ? { ...common, money: moneyOf(ping, false), actions: [refund('refunded')] }
        : { ...common, actions: [refund('refunded_in_part')] };
    case 'dispute':
      return { ...common, actions: [{ kind: 'dispute_opened', id: saleId }] };
    case 'dispute_won':
      return { ...common, actions: [{ kind: 'dispute_won', id: saleId }] };
    default: {
      const lines = [lineOf(ping)];
      const money = moneyOf(ping, true);
      const isFree = priceOf(ping) === 0 && until !== null && text(ping['offer_code']) === null;
      const paid = {
        lines,
        paidUntil: until,
        ...(until !== null && { paidFrom: fromTimestamp(ping['sale_timestamp']) }),
        ...(isFree && { isTrial: true as const }),
      };
      // A sale that Gumroad reports only after its refund.
      const refunded = isTrue(ping['refunded']) ? refund('refunded') : undefined;
      const sold: Action = { kind: isTrue(ping['is_recurring_charge']) ? 'renewal' : 'sale', ...paid };
      // A change to a smaller plan takes effect only with the first payment for that plan.
      const changed: Action | undefined = sold.kind === 'renewal' ? { kind: 'changed', lines, complete: true } : undefined;
      return { ...common, money, actions: actionsOf([sold, changed, refunded], sold) };
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
        ? { ...common, actions: [{ kind: 'paid_off' }] }
        : { ...common, actions: [{ kind: 'ended', endedAt: fromTimestamp(ping['ended_at']) }] };
    case 'subscription_restarted':
      return { ...common, actions: [{ kind: 'resumed' }] };
    default: {
      if (ping['type'] === 'downgrade') return { actions: ignored('The smaller plan applies from the next payment on.') };
      const plan = group(ping, 'new_plan');
      // In a form, the tier has the fields `new_plan[tier][id]` and `new_plan[tier][name]`.
      const tiers = [plan['tier][name'] ?? at(plan['tier'], 'name'), plan['tier][id'] ?? at(plan['tier'], 'id'), text(plan['tier'])];
      const line: Line = {
        ...lineOf(
          ping,
          tiers.flatMap((tier) => id(tier) ?? []),
        ),
        quantity: quantity(plan['quantity']),
        oneOff: false,
      };
      return { ...common, actions: [{ kind: 'changed', lines: [line], complete: true }] };
    }
  }
}

const ASK_API = 'With an api_key, the service reads the sale from Gumroad instead.';

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

/** The notification for a ping that a buyer may have changed. The address is kept, so that the row is found when the buyer is erased. */
const untrusted = (resource: string, ping: Fields, reason: string): Notification =>
  notification({
    eventId: eventIdOf(resource, ping),
    type: resource,
    occurredAt: null,
    repeatable: true,
    customerEmail: email(ping['email']) ?? email(ping['user_email']),
    actions: [{ kind: 'untrusted', reason: `${reason} Compare the ping with the sale at Gumroad.` }],
  });

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

/** Converts a sale from the API to the field names of a ping. The API leaves out the fields about a subscription if there is none. */
const pingOfSale = (listed: Fields): Fields => ({
  sale_id: listed['id'],
  sale_timestamp: listed['created_at'],
  email: listed['email'],
  product_id: listed['product_id'],
  quantity: listed['quantity'],
  price: listed['price'],
  gumroad_fee: listed['gumroad_fee'],
  ip_country: listed['ip_country'],
  variants: listed['variants'],
  subscription_id: listed['subscription_id'],
  refunded: listed['refunded'],
  disputed: listed['disputed'] ?? listed['chargedback'],
  permalink: listed['product_permalink'],
  recurrence: listed['subscription_duration'],
  is_recurring_charge: listed['recurring_charge'],
});

/** The fields of a ping that complete a sale from the API. They name the product, or are only recorded. */
const COMPLETING = ['sale_timestamp', 'product_id', 'permalink', 'short_product_id', 'product_permalink', 'ip_country', 'gift_price'];

/**
 * Confirms a ping about a sale. The sale's data come from the API, even if a value is null or missing there. Only the fields `COMPLETING`
 * are taken from the ping if the API lacks them, unless the API names another product or the buyer may have written fields of the ping.
 */
function proveSale(resource: string, ping: Fields, saleId: string, isDoubtful: boolean): ReadBack {
  return {
    fills: 'proof',
    path: `/sales/${encodeURIComponent(saleId)}`,
    merge(before, response) {
      const found = fields(at(response.body, 'sale'));
      const known = verdict(response);
      if (known === 'unavailable') return 'unavailable';
      if (known === 'unknown' || id(found) !== saleId) return unproven(before, 'Gumroad does not know this sale.');
      if (resource === 'refund' && found['refunded'] === false && found['partially_refunded'] !== true)
        return unproven(before, 'Gumroad does not confirm a refund of this sale.');
      if (resource === 'dispute' && found['dispute_won'] !== true && found['disputed'] === false && found['chargedback'] !== true)
        return unproven(before, 'Gumroad does not confirm a dispute of this sale.');
      if (resource === 'dispute_won' && found['dispute_won'] === false)
        return unproven(before, 'Gumroad does not confirm a won dispute of this sale.');

      const proven = pingOfSale(found);
      const isSame = id(proven['product_id']) === null || id(proven['product_id']) === id(ping['product_id']);
      const completing = COMPLETING.filter((name) => isSame && !isDoubtful && (proven[name] ?? null) === null);
      const sold: Fields = { ...proven, ...Object.fromEntries(completing.map((name) => [name, ping[name]])) };
      const current = resource === 'dispute' && found['dispute_won'] === true ? 'dispute_won' : resource;
      return notification({
        eventId: before.eventId,
        type: before.type,
        occurredAt: timeOf(current, sold),
        needs: before.needs,
        ...meaningOf(current, sold),
      });
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
      if (status === 'fixed_subscription_period_ended') return { ...before, actions: [{ kind: 'paid_off' }] };
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
  hasApi: true,
  apiBase: { live: 'https://api.gumroad.com/v2', test: 'https://api.gumroad.com/v2' },
  shownKinds: ['sale'],
  purchaseKinds: ['sale'],
  idKinds: ['sale', 'subscription'],

  verify: () => true,

  read(body) {
    const ping = pingOf(body);
    if (!ping) return undefined;
    // An older kind of ping, which only reports sales, may lack `resource_name`.
    const resource = text(ping['resource_name']) ?? (id(ping['sale_id']) === null ? null : 'sale');
    if (resource === null) return undefined;
    const injection = isJson(body) ? undefined : injectionIn(body);
    if (injection !== undefined) return untrusted(resource, ping, injection);
    const doubt = doubtAbout(ping, isJson(body) ? [] : [...new URLSearchParams(body).keys()]);
    const told = doubt === undefined ? notificationOf(resource, ping) : untrusted(resource, ping, `${doubt} ${ASK_API}`);
    if (told.actions[0].kind === 'ignored') return told;
    const [saleId, subscriptionId] = [id(ping['sale_id']), id(ping['subscription_id'])];
    if (SALE_SHAPED.includes(resource) && saleId !== null)
      return { ...told, needs: [proveSale(resource, ping, saleId, doubt !== undefined)] };
    return subscriptionId === null ? told : { ...told, needs: [proveSubscription(resource, subscriptionId)] };
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
        // Gumroad records a gift as two sales. It lists the sale to the giver, but the ping is about the sale to the receiver.
        .filter((listed) => listed['is_gift_sender_purchase'] !== true)
        .flatMap((listed) => {
          const as = (resource_name: string): Fields => ({ resource_name, ...pingOfSale(listed) });
          const disputed = listed['disputed'] === true || listed['chargedback'] === true;
          return [
            as('sale'),
            ...(listed['refunded'] === true || listed['partially_refunded'] === true ? [as('refund')] : []),
            ...(listed['dispute_won'] === true ? [as('dispute_won')] : disputed ? [as('dispute')] : []),
          ];
        })
        .map((ping) => JSON.stringify(ping))
        .reverse(),
      next: next === null ? null : withQuery(path, 'page_key', next),
    };
  },
};
