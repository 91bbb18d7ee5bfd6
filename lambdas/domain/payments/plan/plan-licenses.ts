import type { Transition, Occurrence } from '../../transition';
import type { License } from '../../license';
import type { Issue } from '../../license-operations';
import { termsOf, type LicenseType } from '../../license-type';
import { metadataOf } from '../../metadata';
import type { Product } from '../../product';
import type { Connection } from '../connection';
import { adapters, shownOrderId } from '../index';
import { changeOf, issueOf, orderLicense, withOrderIds } from '../license-steps';
import { fitting, TOO_MANY_WAIT } from '../limits';
import type { OrderLicense, OrderLicenseRef, Received, StoredOrder, WaitingNotification } from '../order';
import { held, type OrderPlan, type Outcome } from './order-plan';

/**
 * Converts the plan for an order (`OrderPlan`) to the data to commit: the licenses to issue and to change, the new state of the order, and
 * the notifications that wait for the order.
 */

/** The stored data from which the effects of an order's notifications are planned. */
export interface OrderState {
  readonly connection: Connection;
  readonly product: Product;
  readonly types: ReadonlyMap<number, LicenseType>;
  readonly stored: StoredOrder;
  /** Orders that were joined with this order. The commit removes the rows of these orders. */
  readonly removed: readonly StoredOrder[];
  readonly licenses: ReadonlyMap<number, License>;
}

/**
 * A notification to plan. If the notification was already waiting or held, `status` is the status of its row in the log; otherwise it is
 * undefined.
 */
export type OpenNotification = Omit<WaitingNotification, 'status'> & Partial<Pick<WaitingNotification, 'status'>>;

/** The planned change of one license, or the issue of a new license. */
export type LicensePart = ({ readonly issue: Issue; readonly ref: OrderLicenseRef } | { readonly transition: Transition }) & {
  readonly license: License;
  /** Whether the license key is mailed. The key is mailed if the license is new, or if the buyer's e-mail address has just become known. */
  readonly isMailed: boolean;
  /**
   * Whether this part can be committed before the other parts, if the plan does not fit into one transaction. After the commit of this
   * part, the other parts are planned again.
   */
  readonly canPrecede: boolean;
};

/** What happens to the license in this part of the plan, as the events and the audit log record it. */
export const occurrencesOf = (part: LicensePart): readonly Occurrence[] => ('issue' in part ? part.issue : part.transition).occurrences;

export interface LicensesPlan {
  readonly issues: readonly LicensePart[];
  readonly changes: readonly LicensePart[];
  readonly after: StoredOrder;
  /** The outcome of each notification, in the order of the notifications. */
  readonly outcomes: readonly Outcome[];
}

/** The licenses of an order, with the fields that the planning of payments uses. */
export const orderLicenses = ({ stored, licenses }: OrderState): OrderLicense[] =>
  stored.licenses.flatMap((ref) => {
    const license = licenses.get(ref.id);
    return license ? [orderLicense(license, ref)] : [];
  });

/**
 * Converts the plan of an order to the data to commit.
 *
 * @param received the notifications of the plan
 * @param postponed other notifications that wait for the order and are not planned yet
 * @param identities an id and a key for each license that the plan issues
 */
export function planLicenses(
  state: OrderState,
  plan: OrderPlan,
  received: readonly OpenNotification[],
  postponed: readonly WaitingNotification[],
  identities: readonly Pick<License, 'id' | 'key'>[],
  now: number,
): LicensesPlan {
  const { stored, licenses } = state;
  const issues = issueParts(state, plan, received, identities, now);
  const { waiting, outcomes } = waitingAfter(stored, plan, received, postponed);
  return {
    issues,
    changes: changeParts(state, plan, now),
    after: {
      ...stored,
      order: plan.order,
      licenses: [
        ...stored.licenses.map((ref) => ({ ...withKey(ref, licenses.get(ref.id)?.key ?? ref.key), ...plan.places.get(ref.id) })),
        ...issuedRefs(issues),
      ],
      waiting,
      issued_at: stored.issued_at ?? (issues.length > 0 ? now : null),
    },
    outcomes,
  };
}

/** The references to the licenses that the parts issue. */
export const issuedRefs = (parts: readonly LicensePart[]): OrderLicenseRef[] => parts.flatMap((part) => ('ref' in part ? [part.ref] : []));

/** The reference from an order to a license, with the license's current key. */
const withKey = (ref: OrderLicenseRef, key: string): OrderLicenseRef => (key === ref.key ? ref : { ...ref, key, reissued: true });

/** The ids of an order that are stored in its licenses. */
const shownIds = ({ connection }: OrderState, { order: { ids } }: OrderPlan) => ({
  order_id: shownOrderId(adapters[connection.processor], ids),
  subscription_id: ids.find(({ kind }) => kind === 'subscription')?.id ?? null,
});

function issueParts(
  state: OrderState,
  plan: OrderPlan,
  received: readonly Received[],
  identities: readonly Pick<License, 'id' | 'key'>[],
  now: number,
): LicensePart[] {
  const { connection, product, types, stored, removed } = state;
  const { order_id, subscription_id } = shownIds(state, plan);
  const sale = {
    processor: connection.processor,
    connection_id: connection.id,
    order_id: order_id ?? '',
    subscription_id,
    test: connection.mode === 'test' || received.some(({ notification }) => notification.test === true),
  };
  return plan.issue.map((planned, index) => {
    const { line, ref, removed: removal } = planned;
    const type = types.get(planned.licenseTypeId);
    if (!type) throw new Error(`There is no license type ${planned.licenseTypeId}`);
    const identity = identities[index];
    if (!identity) throw new Error('A license to be issued needs an id');
    const facts = {
      ...identity,
      product_id: connection.product_id,
      product_slug: product.slug,
      license_type: termsOf(type),
      customer_email: planned.customerEmail,
      metadata: metadataOf('{}'),
      max_seats: planned.maxSeats ?? null,
      expires_at: planned.expiresAt,
      updates_until: planned.updatesUntil,
      order: { ...sale, ref, line },
    };
    const issue = issueOf(facts, planned, connection, now);
    const { id, key, expires_at, updates_until } = issue.license;
    const granted = { updatesUntil: updates_until, isFallback: planned.isFallback };
    return {
      license: issue.license,
      issue,
      ref: { id, key, reissued: false, line, issued_expires_at: expires_at, granted, removed: removal },
      isMailed: true,
      // All licenses of a new line must be issued in the same transaction. If only some were issued, nothing would show that the others are
      // missing.
      canPrecede: removed.length === 0 && stored.order.lines.some((known) => known.id === line),
    };
  });
}

function changeParts(state: OrderState, plan: OrderPlan, now: number): LicensePart[] {
  const { connection, types, licenses } = state;
  const ids = shownIds(state, plan);
  return [...licenses.values()].flatMap((license) => {
    const change = changeOf(license, plan.steps.get(license.id) ?? [], connection, types, now);
    const linked = withOrderIds(license, change, ids, now);
    if (!linked) return [];
    const { after } = linked;
    const isMailed = license.customer_email === null && after.customer_email !== null && after.status !== 'revoked';
    return [{ license: after, transition: linked, isMailed, canPrecede: true }];
  });
}

/**
 * The notifications that wait for an order after the commit of its plan, and the outcomes of the planned notifications. If the waiting
 * notifications exceed the maximum size, some are not stored with the order but become `held`. Notifications that were already waiting have
 * priority.
 */
function waitingAfter(
  stored: StoredOrder,
  { outcomes }: OrderPlan,
  received: readonly OpenNotification[],
  postponed: readonly WaitingNotification[],
): { readonly waiting: readonly WaitingNotification[]; readonly outcomes: readonly Outcome[] } {
  const open = received.flatMap(({ payment_id, received_at, notification }, index) => {
    const status = outcomes[index]?.status;
    return status === 'held' || status === 'waiting' ? [{ payment_id, received_at, notification, status }] : [];
  });
  const known = new Set(stored.waiting.map(({ payment_id }) => payment_id));
  const entries = [
    ...postponed,
    ...open.filter(({ payment_id }) => known.has(payment_id)),
    ...open.filter(({ payment_id }) => !known.has(payment_id)),
  ];
  const fits = fitting(entries);
  const left = new Set(entries.filter((_, index) => !fits[index]).map(({ payment_id }) => payment_id));
  return {
    waiting: entries.filter(({ payment_id }) => !left.has(payment_id)),
    outcomes: outcomes.map((outcome, index) => (left.has(received[index]?.payment_id ?? '') ? held(TOO_MANY_WAIT) : outcome)),
  };
}
