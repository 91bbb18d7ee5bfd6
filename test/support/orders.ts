import type { Binding } from '../../lambdas/contract/license-kinds';
import type { Processor } from '../../lambdas/contract/processors';
import { shops } from '../../bin/sell/scenarios';
import {
  monthsAfter,
  newOrder as newPurchase,
  paidUntil,
  type Fact,
  type Message,
  type Order as Purchase,
  type Shop,
} from '../../bin/sell/shop';
import { adapters, idKey, type Notification } from '../../lambdas/domain/payments';
import type { LicenseStep, OrderLicense } from '../../lambdas/domain/payments/difference';
import { joinedFacts, type Facts } from '../../lambdas/domain/payments/facts';
import { added, type Sums } from '../../lambdas/domain/payments/ledger';
import { planOrder, type OrderPlan, type Outcome } from '../../lambdas/domain/payments/plan';
import { uncountedAfter } from '../../lambdas/domain/payments/revenue';
import type { SaleTerms } from '../../lambdas/domain/payments/sold-as';
import { target } from '../../lambdas/domain/payments/target';

/** Plays notifications of the imitated shops against the pure functions that plan payments. */

export const DAY = 24 * 3_600_000;
export const START = Date.UTC(2026, 10, 21, 10);
export const NO_END = { duration_days: 365, updates_days: null, binding: 'device' as Binding };
export const SEATS = { max_seats: 2, archived: false, ...NO_END };
/** The terms of a plan in which each paid period extends the license. */
export const LICENSE = { extends: 'license', fallback_months: null } as const;
export const terms = (more: Partial<SaleTerms> = {}): SaleTerms => ({
  plans: [],
  default_license_type_id: 1,
  grace_days: 3,
  on_payment_failed: 'nothing',
  on_dispute: 'suspend',
  on_partial_refund: 'nothing',
  types: new Map([
    [1, SEATS],
    [2, { max_seats: 5, archived: false, ...NO_END }],
    [3, { max_seats: 1, archived: true, ...NO_END }],
    [4, { max_seats: 0, archived: false, ...NO_END }],
  ]),
  ...more,
});

export interface Row {
  readonly received: { readonly notification: Notification; readonly received_at: number };
  outcome: Outcome;
}
export type Kept = OrderLicense & { readonly type: number; readonly seats: number | undefined };

/** A minimal store in memory for the results of the pure functions: orders, their licenses, and the rows of the payments log. */
export class Books {
  readonly rows: Row[] = [];
  orders: { order: Facts; licenses: Kept[]; uncounted: Sums }[] = [];
  /** The counters of the product. */
  revenue: Sums = {};
  private readonly seen = new Set<string>();
  private readonly customers = new Map<string, string>();
  private clock = START;
  /** The number of changes of licenses so far, each with at most one event. */
  changes = 0;
  private nextId = 1;

  constructor(private readonly settings: SaleTerms) {}

  get licenses(): readonly Kept[] {
    return this.orders.flatMap(({ licenses }) => licenses);
  }

  /** The licenses that the buyer has not given up. */
  kept(): readonly Kept[] {
    return this.orders.flatMap(({ order, licenses }) =>
      target(order, this.settings).lines.flatMap(({ state, count }) =>
        licenses
          .filter(({ line }) => line === state.id || state.formerly.includes(line))
          .sort((a, b) => a.id - b.id)
          .slice(0, count),
      ),
    );
  }

  /** Changes the licenses as an operator does. */
  edit(change: (license: Kept) => Kept): void {
    this.orders = this.orders.map(({ licenses, ...one }) => ({ ...one, licenses: licenses.map(change) }));
  }

  /** Moves what orders still add to the revenue to the counters, as the sweeper does. */
  count(): void {
    this.revenue = this.orders.reduce((sums, { uncounted }) => added(sums, uncounted), this.revenue);
    this.orders = this.orders.map((one) => ({ ...one, uncounted: {} }));
  }

  receive(notification: Notification): Outcome | 'duplicate' {
    return this.receiveTogether([notification]);
  }

  /** Receives notifications about one order that are planned together, as those that waited are. Returns the outcome of the last one. */
  receiveTogether(notifications: readonly Notification[]): Outcome | 'duplicate' {
    const rows = notifications.flatMap((notification) => this.recorded(notification) ?? []);
    const isOfOrder = ({ received }: Row): boolean => received.notification.ids.length > 0;
    const ofOrder = rows.filter(isOfOrder);
    this.apply(ofOrder, this.settings);
    // A notification without an order id is about a customer. It applies to all orders of this customer.
    for (const row of rows.filter((one) => !isOfOrder(one)))
      for (const { order } of this.orders.filter((one) => one.order.customerId === row.received.notification.customerId))
        this.apply([row], this.settings, order.ids.slice(0, 1));
    this.rows.push(...rows);
    return rows.at(-1)?.outcome ?? 'duplicate';
  }

  private recorded(notification: Notification): Row | undefined {
    if (this.seen.has(notification.eventId)) return undefined;
    this.seen.add(notification.eventId);
    const { customerId, customerEmail } = notification;
    if (customerId !== null && customerEmail !== null) this.customers.set(customerId, customerEmail);
    const known = { ...notification, customerEmail: customerEmail ?? this.customers.get(customerId ?? '') ?? null };
    return {
      received: { notification: known, received_at: sentAt.get(notification) ?? (this.clock += 1000) },
      outcome: { status: 'ignored', reason: null },
    };
  }

  /** Processes every held row of the payments log again, with the given settings. */
  process(settings: SaleTerms): void {
    for (const row of this.rows.filter(({ outcome }) => outcome.status === 'held')) this.apply([row], settings);
  }

  private apply(arrived: readonly Row[], settings: SaleTerms, ids = arrived.flatMap(({ received }) => received.notification.ids)): void {
    if (arrived.length === 0) return;
    const names = (known: readonly { kind: string; id: string }[]): boolean =>
      known.some((id) => ids.some((own) => idKey(own) === idKey(id)));
    const found = this.orders.filter(({ order }) => names(order.ids));
    const order = joinedFacts(found.map((one) => one.order));
    const licenses = found.flatMap((one) => one.licenses);
    const known = new Set([...order.ids, ...ids].map(idKey));
    const waiting = this.rows.filter(
      (other) =>
        !arrived.includes(other) &&
        ['waiting', 'held'].includes(other.outcome.status) &&
        other.received.notification.ids.some((id) => known.has(idKey(id))),
    );
    const rows = [...arrived, ...waiting];
    const received = rows.map((row) => row.received);
    const plan = planOrder(order, licenses, received, settings, this.clock);
    for (const [index, one] of rows.entries()) one.outcome = plan.outcomes[index]!;
    const uncounted = uncountedAfter(
      found.map((one) => ({ facts: one.order, uncounted: one.uncounted })),
      plan.facts,
    );
    this.orders = [
      ...this.orders.filter((one) => !found.includes(one)),
      { order: plan.facts, licenses: this.applied(licenses, plan), uncounted },
    ];
  }

  private applied(licenses: readonly Kept[], { issue, steps, places }: OrderPlan): Kept[] {
    for (const made of steps.values()) this.changes += made.length;
    const changed = licenses.map((license) => ({
      ...(steps.get(license.id) ?? []).reduce<Kept>(applyStep, license),
      ...places.get(license.id),
    }));
    const added = issue.map((one): Kept => {
      const type = this.settings.types.get(one.licenseTypeId);
      const after = (days: number | null = null): number | null => (days === null ? null : START + days * DAY);
      const typeExpiresAt = after(type?.duration_days);
      const typeUpdatesUntil = after(type?.updates_days);
      const expiresAt = one.expiresAt === undefined ? typeExpiresAt : one.expiresAt;
      const updatesUntil = one.updatesUntil === undefined ? typeUpdatesUntil : one.updatesUntil;
      return {
        id: this.nextId++,
        line: one.line,
        status: one.suspended ? 'suspended' : 'active',
        suspendedCause: one.suspended,
        expiresAt,
        issuedExpiresAt: expiresAt,
        typeExpiresAt,
        updatesUntil,
        typeUpdatesUntil,
        maxSeats: one.maxSeats ?? null,
        overridden: [],
        customerEmail: one.customerEmail,
        type: one.licenseTypeId,
        seats: one.maxSeats,
      };
    });
    return [...changed, ...added];
  }
}

/** Applies a step to a license. Throws an error if the service would refuse the step. */
export function applyStep(license: Kept, step: LicenseStep): Kept {
  const isAddress = step.do === 'update' && Object.keys(step).join() === 'do,customerEmail';
  if (license.status === 'revoked' && !isAddress) throw new Error(`${step.do} of a revoked license`);
  switch (step.do) {
    case 'renew':
      return { ...license, expiresAt: step.expiresAt };
    case 'renew_updates':
      if (license.updatesUntil === null || step.until < license.updatesUntil) throw new Error('no renewal of updates');
      return { ...license, updatesUntil: step.until };
    case 'suspend':
      if (license.status === 'suspended') throw new Error('suspended twice');
      return { ...license, status: 'suspended', suspendedCause: step.cause };
    case 'stay_suspended':
      if (license.status !== 'suspended' || license.suspendedCause === 'operator') throw new Error('not suspended by a processor');
      return { ...license, suspendedCause: step.cause };
    case 'reinstate':
      if (license.suspendedCause === 'operator' || license.status !== 'suspended')
        throw new Error('reinstated what was not suspended by a processor');
      return { ...license, status: 'active', suspendedCause: null };
    case 'revoke':
      return { ...license, status: 'revoked', suspendedCause: null };
    case 'update':
      return {
        ...license,
        expiresAt: step.expiresAt === undefined ? license.expiresAt : step.expiresAt,
        updatesUntil: step.updatesUntil === undefined ? license.updatesUntil : step.updatesUntil,
        customerEmail: step.customerEmail ?? license.customerEmail,
        maxSeats: step.maxSeats === undefined ? license.maxSeats : step.maxSeats,
        seats: step.maxSeats === null ? undefined : (step.maxSeats ?? license.seats),
        type: step.licenseTypeId ?? license.type,
      };
  }
}

/** A shop whose clock advances by a second with each message, because Stripe's times are in whole seconds. */
export function shopOf(processor: Processor): {
  shop: Shop;
  purchase: (recurring: boolean, quantity?: number) => Purchase;
  /** Advances the clock of the shop. */
  pass: (ms: number) => void;
} {
  let time = START;
  /** A renewal is paid when its period begins. */
  const withTime = (made: Shop): Shop => ({
    ...made,
    messages: (fact, order) => {
      if (fact === 'renewal') time = Math.max(time, paidUntil(order));
      return made.messages(fact, order);
    },
  });
  const shop = {
    stripe: shops.stripe,
    paddle: shops.paddle,
    lemonsqueezy: shops.lemonsqueezy,
    polar: shops.polar,
    gumroad: shops.gumroad,
    custom: shops.custom,
  }[processor] as (now: () => number) => Shop;
  const made = withTime(shop(() => (time += 1000)));
  clocks.set(made, () => time);
  return {
    shop: made,
    pass: (ms) => void (time += ms),
    purchase: (recurring, quantity = 1) =>
      newPurchase({ email: 'ada@example.com', ref: made.ref.example, quantity, recurring, test: false }, START),
  };
}
export const read = (shop: Shop, message: Message): Notification =>
  adapters[shop.processor].read(message.body, { 'webhook-id': message.id })!;
/** When each notification was sent. Gumroad does not report the time of a refund, so the time of receipt counts. */
export const sentAt = new WeakMap<Notification, number>();
export const clocks = new WeakMap<Shop, () => number>();
export const messagesOf = (shop: Shop, purchase: Purchase, facts: readonly Fact[]): Notification[] =>
  facts.flatMap((fact) =>
    shop.messages(fact, purchase).map((message) => {
      const notification = read(shop, message);
      sentAt.set(notification, clocks.get(shop)?.() ?? START);
      return notification;
    }),
  );
export const end = (months: number, grace = 3): number => Math.floor((monthsAfter(START, months) + grace * DAY) / 1000) * 1000;

/** The buyer's licenses that are not revoked. */
export const good = (books: Books) =>
  books.licenses
    .filter(({ status }) => status !== 'revoked')
    .map(({ status, suspendedCause, expiresAt, customerEmail, type, seats }) => ({
      status,
      suspendedCause,
      expiresAt: expiresAt === null ? null : Math.floor(expiresAt / 1000) * 1000,
      customerEmail,
      type,
      seats,
    }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
export const active = { status: 'active', suspendedCause: null, customerEmail: 'ada@example.com', type: 1, seats: undefined };
export const unsettled = (books: Books): string[] =>
  books.rows
    .filter(({ outcome }) => outcome.status === 'waiting' || outcome.status === 'held')
    .map(({ received }) => received.notification.type);

export function received(settings: SaleTerms, notifications: readonly Notification[]): Books {
  const books = new Books(settings);
  for (const notification of notifications) books.receive(notification);
  return books;
}
