import type { Processor } from '../../lambdas/contract/processors';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { monthsAfter, paidUntil, type Fact, type Message, type Order as Purchase, type Shop } from '../../bin/sell/shop';
import type { Notification } from '../../lambdas/domain/payments';
import type { Sums } from '../../lambdas/domain/payments/ledger';
import { isOver } from '../../lambdas/domain/payments/plan';
import type { SaleTerms } from '../../lambdas/domain/payments/sold-as';
import type { Runs } from '../model/runs';
import { hold } from '../model/runs';
import { Books, clocks, DAY, read, sentAt, shopOf, terms, unsettled, type Kept } from './orders';

/**
 * Random histories of one order, made from everything that a processor can report, and the ways in which their notifications can arrive.
 */

/** What the imitated shops cannot report: they have one dispute, no trials and no refunds that name lines. */
const more = [
  'another dispute opened',
  'another dispute won',
  'another dispute lost',
  'line refunded',
  'trial extended',
  'paid off',
] as const;
type More = (typeof more)[number];

interface Step {
  readonly fact: Fact | More;
  /** Whether a refund or dispute is of the previous payment instead of the latest. */
  readonly isOfPrevious: boolean;
  /** The time that passes before. */
  readonly days: number;
}

interface Settings {
  readonly quantity: 'licenses' | 'seats' | 'one';
  readonly extends: 'license' | 'updates';
  readonly otherExtends: 'license' | 'updates';
  readonly fallback: number | null;
  readonly isOtherKnown: boolean;
  readonly onPartialRefund: SaleTerms['on_partial_refund'];
  readonly onDispute: SaleTerms['on_dispute'];
  readonly onPaymentFailed: SaleTerms['on_payment_failed'];
}

export type Edit = 'expiry' | 'never' | 'seats' | 'address' | 'suspended' | 'revoked';
const edits: readonly Edit[] = ['expiry', 'never', 'seats', 'address', 'suspended', 'revoked'];

export interface History {
  readonly steps: readonly Step[];
  readonly recurring: boolean;
  readonly quantity: number;
  readonly settings: Settings;
  /** Orders of arrival: random numbers by which the notifications are sorted, and the sizes of the batches. */
  readonly arrivals: readonly {
    readonly places: readonly number[];
    readonly batches: readonly number[];
    readonly again: readonly number[];
  }[];
  readonly edit: { readonly what: Edit; readonly after: number };
}

const parsed = (message: Message): Record<string, never> => JSON.parse(message.body) as Record<string, never>;
const withBody = (message: Message, body: object): Message => ({ ...message, body: JSON.stringify(body) });
type Body = { readonly data: Record<string, unknown>; readonly [field: string]: unknown };
const bodyOf = (message: Message): Body => parsed(message) as unknown as Body;

/** Reports about a second dispute, whose id has another beginning. */
const anotherDispute = (prefix: string, other: string) =>
  Object.fromEntries(
    (['opened', 'won', 'lost'] as const).map((state) => [
      `another dispute ${state}`,
      (shop: Shop, order: Purchase) =>
        shop.messages(`dispute ${state}`, order).map((message) => ({ ...message, body: message.body.replace(prefix, other) })),
    ]),
  );

/** The other facts that each processor reports, as changes of what the imitated shop sends. */
const messagesOfMore: Readonly<Record<Processor, Partial<Record<More, (shop: Shop, order: Purchase) => readonly Message[]>>>> = {
  stripe: {
    ...anotherDispute('"du_', '"du_another'),
    'line refunded': (shop, order) =>
      shop.messages('canceled', order).map((message) => {
        const body = bodyOf(message);
        const object = {
          id: `cn_${order.key}${order.periods}`,
          object: 'credit_note',
          type: 'post_payment',
          invoice: `in_${order.key}${order.periods}`,
          customer: `cus_${order.key}`,
          // The imitated charge does not report this refund, so nearly nothing of what the charge reports belongs to it.
          refunds: [{ refund: `re_${order.key}`, amount_refunded: 1 }],
          lines: { data: [{ invoice_line_item: `il_${order.key}${order.periods}0`, amount: 4900 }] },
        };
        return withBody(message, { ...body, type: 'credit_note.created', data: { object } });
      }),
    'trial extended': (shop, order) =>
      shop.messages('canceled', order).map((message) => {
        const body = bodyOf(message);
        const object = {
          ...(body.data['object'] as object),
          status: 'trialing',
          trial_end: Math.floor(paidUntil(order) / 1000) + 5 * 86_400,
        };
        return withBody(message, { ...body, data: { object, previous_attributes: { trial_end: 1 } } });
      }),
  },
  paddle: {
    'line refunded': (shop, order) =>
      shop.messages('refunded in part', order).map((message) => {
        const body = bodyOf(message);
        const [item] = body.data['items'] as readonly { readonly item_id: string }[];
        const items = [{ ...item, item_id: `${item?.item_id.slice(0, 26)}0`, type: 'full' }];
        return withBody(message, { ...body, data: { ...body.data, items } });
      }),
    'trial extended': (shop, order) =>
      shop.messages('resumed', order).map((message) => {
        const body = bodyOf(message);
        const next_billed_at = new Date(paidUntil(order) + 5 * DAY).toISOString();
        return withBody(message, {
          ...body,
          event_type: 'subscription.updated',
          data: { ...body.data, status: 'trialing', next_billed_at },
        });
      }),
  },
  polar: {
    'trial extended': (shop, order) =>
      shop.messages('resumed', order).map((message) => {
        const body = bodyOf(message);
        const trial_end = new Date(paidUntil(order) + 5 * DAY).toISOString();
        return withBody(message, { ...body, type: 'subscription.updated', data: { ...body.data, status: 'trialing', trial_end } });
      }),
  },
  lemonsqueezy: {
    'trial extended': (shop, order) =>
      shop.messages('quantity changed', { ...order, quantity: order.quantity - 1 }).map((message) => {
        const body = bodyOf(message);
        const data = body.data as { readonly attributes: object };
        const attributes = { ...data.attributes, status: 'on_trial', trial_ends_at: new Date(paidUntil(order) + 5 * DAY).toISOString() };
        return withBody(message, { ...body, data: { ...data, attributes } });
      }),
  },
  gumroad: {
    'paid off': (shop, order) =>
      shop.messages('ended', order).map((message) => ({
        ...message,
        body: message.body.replace('ended_reason=cancelled', 'ended_reason=fixed_subscription_period_ended'),
      })),
  },
  custom: {
    ...anotherDispute('"dispute-', '"another-'),
    'line refunded': (shop, order) =>
      shop.messages('refunded', order).map((message) => {
        const { refund, ...body } = parsed(message) as unknown as { readonly refund: { readonly id: string } };
        return withBody(message, { ...body, refund: { ...refund, id: `${refund.id}-line`, amount: undefined, lines: ['line-1'] } });
      }),
    'trial extended': (shop, order) =>
      shop.messages('quantity changed', { ...order, quantity: order.quantity - 1 }).map((message) => {
        const period = { from: new Date(order.boughtAt).toISOString(), until: new Date(paidUntil(order) + 5 * DAY).toISOString() };
        return withBody(message, { ...parsed(message), subscription_state: 'active', trial: true, period });
      }),
  },
};

const OF_PAYMENT: readonly string[] = ['refunded', 'line refunded', 'dispute opened', 'dispute won', 'dispute lost'];
const ONCE: readonly string[] = ['sale', 'renewal', ...OF_PAYMENT, 'refunded in part', 'another dispute opened', 'another dispute won'];

const isFirstPast = (shop: Shop, order: Purchase): boolean => (clocks.get(shop)?.() ?? 0) >= monthsAfter(order.boughtAt, 1);

/** The notifications of a history, oldest first. */
export function notificationsOf(processor: Processor, { steps, recurring, quantity }: History): readonly Notification[] {
  const { shop, purchase, pass } = shopOf(processor);
  const order = purchase(recurring, quantity);
  const refunds = new Set<string>();
  return [{ fact: 'sale', isOfPrevious: false, days: 0 } as const, ...steps].flatMap(({ fact, isOfPrevious, days }): Notification[] => {
    if (!recurring && !ONCE.includes(fact)) return [];
    if (fact === 'renewal' && !recurring) return [];
    if (fact === 'refunded in part' && order.refundedThirds >= 3) return [];
    if (fact === 'quantity lowered' && order.quantity === 0) return [];
    if (fact === 'line added' && order.addedRef !== null) return [];
    if (fact === 'line removed' && order.addedRef === null) return [];
    pass(days * DAY);
    const of =
      isOfPrevious && order.periods > 1 && OF_PAYMENT.includes(fact) ? { ...order, periods: order.periods - 1, refundedThirds: 0 } : order;
    // docs/spec/processors.md, Lemon Squeezy: a refund that arrives before the report of its period may be judged by another period.
    if (fact.startsWith('refunded') && processor === 'lemonsqueezy' && recurring && isFirstPast(shop, order)) return [];
    // Gumroad's second notification about one refund equals the first one.
    const refund = `${fact} ${of.periods}`;
    if (fact.startsWith('refunded') && processor === 'gumroad' && refunds.has(refund)) return [];
    refunds.add(refund);
    const special = messagesOfMore[processor][fact as More];
    const messages = special ? special(shop, of) : shop.messages(fact as Fact, of);
    return messages.map((message) => {
      const notification = read(shop, message);
      sentAt.set(notification, clocks.get(shop)?.() ?? 0);
      return notification;
    });
  });
}

export function historiesOf(processor: Processor): fc.Arbitrary<History> {
  const { shop } = shopOf(processor);
  const facts = [...shop.facts.filter((fact) => fact !== 'sale'), ...more.filter((fact) => messagesOfMore[processor][fact])];
  const kind = fc.constantFrom('license' as const, 'updates' as const);
  return fc.record({
    steps: fc.array(
      fc.record({
        fact: fc.oneof({ arbitrary: fc.constant('renewal' as const), weight: 1 }, { arbitrary: fc.constantFrom(...facts), weight: 4 }),
        isOfPrevious: fc.boolean(),
        days: fc.constantFrom(0, 0, 1, 10, 40),
      }),
      { maxLength: 8 },
    ),
    recurring: fc.oneof({ arbitrary: fc.constant(true), weight: 9 }, { arbitrary: fc.constant(false), weight: 1 }),
    quantity: fc.constantFrom(1, 2, 3),
    settings: fc.record({
      quantity: fc.constantFrom('licenses' as const, 'seats' as const, 'one' as const),
      extends: kind,
      otherExtends: kind,
      fallback: fc.constantFrom(null, 1, 2),
      isOtherKnown: fc.boolean(),
      onPartialRefund: fc.constantFrom('nothing' as const, 'revoke' as const),
      onDispute: fc.constantFrom('nothing' as const, 'suspend' as const, 'revoke' as const),
      onPaymentFailed: fc.constantFrom('nothing' as const, 'suspend' as const),
    }),
    arrivals: fc.array(
      fc.record({
        places: fc.array(fc.integer({ min: 0, max: 9999 }), { minLength: 40, maxLength: 40 }),
        batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
        again: fc.array(fc.nat({ max: 39 }), { maxLength: 3 }),
      }),
      { minLength: 4, maxLength: 4 },
    ),
    edit: fc.record({ what: fc.constantFrom(...edits), after: fc.nat({ max: 12 }) }),
  });
}

const isChangedKind = (steps: readonly Step[], before: number): boolean =>
  steps.slice(0, before).some(({ fact }) => fact === 'plan changed') || steps.some(({ fact }) => fact === 'line added');

const settingsOf = (shop: Shop, { settings, steps }: History): SaleTerms => {
  const { quantity, fallback, isOtherKnown } = settings;
  // docs/spec/payments.md, Refunds: a change to a plan of the other kind comes too late if a refund after the change arrives first.
  const isTooLate = steps.some(({ fact }, place) => fact.includes('refunded') && isChangedKind(steps, place));
  const otherExtends = isTooLate ? settings.extends : settings.otherExtends;
  const kindOf = (kind: 'license' | 'updates') => ({ extends: kind, fallback_months: kind === 'license' ? fallback : null });
  const plan = (ref: string, license_type_id: number, kind: 'license' | 'updates') => ({ ref, license_type_id, quantity, ...kindOf(kind) });
  const others = [...new Set([shop.ref.other, ...(shop.ref.added === undefined ? [] : [shop.ref.added])])];
  return terms({
    plans: [plan(shop.ref.example, 1, settings.extends), ...(isOtherKnown ? others.map((ref) => plan(ref, 2, otherExtends)) : [])],
    default_license_type_id: null,
    on_partial_refund: settings.onPartialRefund,
    on_dispute: settings.onDispute,
    on_payment_failed: settings.onPaymentFailed,
  });
};

/** The licenses that continue, and the last states of the rows. */
const view = (books: Books): unknown => ({
  licenses: books
    .kept()
    .filter(({ status }) => status !== 'revoked')
    .map(({ status, suspendedCause, expiresAt, updatesUntil, customerEmail, type, seats }) =>
      JSON.stringify([status, suspendedCause, expiresAt, updatesUntil, customerEmail, type, seats ?? null]),
    )
    .sort(),
  // What is over is `ignored` if the order was not known yet, for example the announcement of an end.
  rows: books.rows.map(({ received, outcome }) => `${received.notification.type} ${isOver(outcome) ? 'over' : outcome.status}`).sort(),
});

/** The notifications in the order of an arrival, in batches; some arrive again. */
function batchesOf(
  notifications: readonly Notification[],
  { places, batches, again }: History['arrivals'][number],
): readonly Notification[][] {
  const order = notifications
    .map((notification, index) => ({ notification, place: places[index % places.length] ?? 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ notification }) => notification);
  const all = [...order, ...again.flatMap((index) => order[index] ?? [])];
  const made: Notification[][] = [];
  for (let from = 0, turn = 0; from < all.length; turn += 1) {
    const size = batches[turn % batches.length] ?? 1;
    made.push(all.slice(from, from + size));
    from += size;
  }
  return made;
}

function played(settings: SaleTerms, batches: readonly (readonly Notification[])[], books = new Books(settings)): Books {
  for (const [turn, batch] of batches.entries()) {
    books.receiveTogether(batch);
    if (turn % 2 === 0) books.count();
  }
  books.count();
  return books;
}

function expectSame(name: string, found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted))
    throw new Error(`${name}: ${JSON.stringify(found, null, 1)}\ninstead of ${JSON.stringify(wanted, null, 1)}`);
}

/** What was paid and refunded, in the way that docs/spec/payments.md tells an accountant to add up the log. */
function moneyOf(notifications: readonly Notification[]): unknown {
  const largest = { paid: new Map<string, number>(), refunded: new Map<string, number>() };
  for (const { actions, money } of notifications) {
    const of = largest[actions[0].kind.startsWith('refunded') ? 'refunded' : 'paid'];
    const { transactionId: id, amount } = money;
    if (id !== null && amount !== null && actions[0].kind !== 'ignored') of.set(id, Math.max(of.get(id) ?? 0, amount));
  }
  const sum = (amounts: ReadonlyMap<string, number>): number => [...amounts.values()].reduce((total, amount) => total + amount, 0);
  return { paid: sum(largest.paid), refunded: sum(largest.refunded) };
}

const moneyIn = (revenue: Sums): unknown => {
  const sum = (name: 'paid' | 'refunded'): number => Object.values(revenue).reduce((total, counts) => total + (counts[name] ?? 0), 0);
  return { paid: sum('paid'), refunded: sum('refunded') };
};

function checkArrivals(processor: Processor, history: History): void {
  const settings = settingsOf(shopOf(processor).shop, history);
  const notifications = notificationsOf(processor, history);
  const inOrder = played(
    settings,
    notifications.map((one) => [one]),
  );
  expectSame('nothing stays open', unsettled(inOrder), []);
  expectSame('the money', moneyIn(inOrder.revenue), moneyOf(notifications));
  const wanted = view(inOrder);
  for (const arrival of history.arrivals) {
    const batches = batchesOf(notifications, arrival);
    const books = played(settings, batches);
    expectSame(`the arrival ${batches.map((batch) => batch.map(({ type }) => type).join('+')).join(', ')}`, view(books), wanted);
    expectSame('the revenue', books.revenue, inOrder.revenue);
    // An event for each change that a notification reports, and no others.
    const maximum = 3 * notifications.length * Math.max(1, books.licenses.length);
    if (books.changes > maximum) throw new Error(`${books.changes} changes for ${notifications.length} notifications`);
  }
}

const NEVER_EDITED = Date.UTC(2040, 0, 1);
const editOf = (what: Edit): ((license: Kept) => Kept) => {
  switch (what) {
    case 'expiry':
      return (license) => ({ ...license, expiresAt: NEVER_EDITED });
    case 'never':
      return (license) => ({ ...license, expiresAt: null });
    case 'seats':
      return (license) => ({ ...license, maxSeats: 99, seats: 99 });
    case 'address':
      return (license) => ({ ...license, customerEmail: 'grace@example.com' });
    case 'suspended':
      return (license) => ({ ...license, status: 'suspended', suspendedCause: 'operator' });
    case 'revoked':
      return (license) => ({ ...license, status: 'revoked', suspendedCause: null });
  }
};

/** Whether an edited license still has what the operator set. A revocation by the processor is stronger, and an end is. */
function isKeptEdit(what: Edit, { status, suspendedCause, maxSeats, customerEmail }: Kept): boolean {
  if (what === 'revoked') return status === 'revoked';
  if (what === 'address') return customerEmail === 'grace@example.com';
  if (status === 'revoked') return true;
  if (what === 'suspended') return status === 'suspended' && suspendedCause === 'operator';
  return what !== 'seats' || maxSeats === 99;
}

/** An operator edits all licenses in the middle of the history. */
function checkEdits(processor: Processor, history: History): void {
  const settings = settingsOf(shopOf(processor).shop, history);
  const notifications = notificationsOf(processor, history);
  const { what, after } = history.edit;
  const books = played(
    settings,
    notifications.slice(0, after).map((one) => [one]),
  );
  const edited = new Map(books.licenses.filter(({ status }) => status !== 'revoked').map((license) => [license.id, editOf(what)(license)]));
  books.edit((license) => edited.get(license.id) ?? license);
  for (const arrival of history.arrivals.slice(0, 1)) played(settings, batchesOf(notifications.slice(after), arrival), books);
  for (const license of books.licenses.filter(({ id }) => edited.has(id))) {
    if (!isKeptEdit(what, license)) throw new Error(`${what} does not survive: ${JSON.stringify(license)}`);
  }
  // What the operator reinstates stays active when reports arrive again.
  books.edit((license) => (license.status === 'suspended' ? { ...license, status: 'active', suspendedCause: null } : license));
  const active = books.licenses
    .filter(({ status }) => status === 'active')
    .map(({ id }) => id)
    .sort();
  played(settings, [sentAgain(notifications)], books);
  expectSame(
    'what was reinstated stays active',
    books.licenses
      .filter(({ status }) => status === 'active')
      .map(({ id }) => id)
      .sort(),
    active,
  );
}

/** The last notification once more, under another id. */
function sentAgain(notifications: readonly Notification[]): readonly Notification[] {
  return notifications.slice(-1).map((one) => {
    const again = { ...one, eventId: `${one.eventId} again` };
    const at = sentAt.get(one);
    if (at !== undefined) sentAt.set(again, at);
    return again;
  });
}

const show =
  (processor: Processor) =>
  (history: History): readonly string[] => [
    `${history.quantity} at ${processor}${history.recurring ? '' : ', once'}: ${['sale', ...history.steps.map(({ fact, isOfPrevious, days }) => `${days > 0 ? `${days} d, ` : ''}${fact}${isOfPrevious ? ' (previous)' : ''}`)].join('; ')}`,
    JSON.stringify(history.settings),
    JSON.stringify(history.edit),
  ];

export const playArrivals = (processor: Processor, runs: Runs): Promise<void> =>
  hold('any-order', runs, historiesOf(processor), show(processor), async (history) => checkArrivals(processor, history));
export const playEdits = (processor: Processor, runs: Runs): Promise<void> =>
  hold('any-order', runs, historiesOf(processor), show(processor), async (history) => checkEdits(processor, history));
