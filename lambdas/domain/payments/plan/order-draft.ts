import type { Line } from '../model';
import type { Cause, Order, OrderLicense, Removal } from '../order';
import type { LicenseStep, LicenseUpdate, OrderPlan, Outcome, PlannedIssue } from './order-plan';
import { seatsOf, type Sold, type Terms } from './sold-as';

/**
 * Maximum number of licenses of one order. A larger sale is held. A change of quantity issues licenses only up to this number.
 * (docs/spec/payments.md, Held sales)
 */
export const MAX_LICENSES = 25;

/** The state of a license while its order is planned. A new license has no id yet. */
export interface LicenseDraft {
  readonly license: OrderLicense | null;
  issue: PlannedIssue | null;
  line: string;
  readonly oneOff: boolean;
  removed: Removal | null;
  status: OrderLicense['status'];
  cause: OrderLicense['suspendedCause'];
  /** The expiry; undefined if it is computed from the license type. */
  expiresAt: number | null | undefined;
  /** The end of updates; undefined if it is computed from the license type. */
  updatesUntil: number | null | undefined;
  /**
   * The values that the order last set on the license. If `updatesUntil` is undefined, the license is new, and the value will be the end of
   * updates with which the license is issued.
   */
  granted: { readonly updatesUntil: number | null | undefined; readonly isFallback: boolean };
  /** Whether a paid period extends the license or only its updates. */
  extends: Sold['extends'];
  fallbackMonths: Sold['fallbackMonths'];
  readonly steps: LicenseStep[];
}

/** Whether a license stays valid without further payments. */
export const isIndependent = (draft: LicenseDraft): boolean => draft.extends === 'updates' || draft.granted.isFallback;

/**
 * Whether a cause can suspend a license. A missing payment or a pause does not suspend a license that is valid without further payments.
 */
export const canSuspend = (draft: LicenseDraft, cause: Cause): boolean => cause === 'dispute' || !isIndependent(draft);

/** The reason why a missing payment has no effect. */
export const INDEPENDENT = 'The license is valid without further payments.';

/** Compares licenses by age, oldest first. Licenses that are not issued yet are the newest. */
export const byAge = (a: LicenseDraft, b: LicenseDraft): number => (a.license?.id ?? Infinity) - (b.license?.id ?? Infinity) || 0;

/**
 * Adds a change of terms to the steps. If the last step is also a change of terms, the two are combined, so that there is only one event.
 */
function withUpdate(steps: readonly LicenseStep[], update: Omit<LicenseUpdate, 'do'>): readonly LicenseStep[] {
  const last = steps.at(-1);
  return last?.do === 'update' ? [...steps.slice(0, -1), { ...last, ...update }] : [...steps, { do: 'update', ...update }];
}

/**
 * An order and its licenses while notifications are planned. The draft contains the planned changes of all previous notifications, and the
 * next notification is planned on this basis.
 */
export class OrderDraft {
  order: Order;
  readonly licenses: LicenseDraft[];

  constructor(
    order: Order,
    licenses: readonly OrderLicense[],
    readonly terms: Terms,
  ) {
    this.order = order;
    this.licenses = licenses.map((license) => {
      const line = order.lines.find(({ id }) => id === license.line);
      return {
        license,
        issue: null,
        line: license.line,
        removed: license.removed,
        oneOff: line?.oneOff ?? false,
        status: license.status,
        cause: license.suspendedCause,
        expiresAt: license.expiresAt,
        updatesUntil: license.updatesUntil,
        granted: license.granted,
        extends: line?.extends ?? 'license',
        fallbackMonths: line?.fallbackMonths ?? null,
        steps: [],
      };
    });
  }

  /** True if notifications need not wait for the sale, because the order already has licenses or will never have any. */
  get isKnown(): boolean {
    return this.licenses.length > 0 || this.order.closed !== null;
  }

  /** Records facts about the order. */
  note(known: Partial<Order>): void {
    this.order = { ...this.order, ...known };
  }

  /** Adds new licenses to a line. */
  add(line: Line, sold: Sold, count: number, expiresAt: number | undefined): void {
    const { ref, licenseTypeId, mode, extends: extended, fallbackMonths } = sold;
    const issue: PlannedIssue = {
      line: line.id,
      ref,
      licenseTypeId,
      maxSeats: mode === 'seats' ? seatsOf(this.terms, licenseTypeId, line.quantity) : undefined,
      expiresAt: undefined,
      updatesUntil: undefined,
      isFallback: false,
      customerEmail: null,
      suspended: null,
      removed: null,
    };
    for (let made = 0; made < count; made += 1)
      this.licenses.push({
        license: null,
        issue,
        line: line.id,
        oneOff: line.oneOff,
        removed: null,
        status: 'active',
        cause: null,
        expiresAt: extended === 'updates' ? undefined : expiresAt,
        updatesUntil: undefined,
        granted: { updatesUntil: undefined, isFallback: false },
        extends: extended,
        fallbackMonths,
        steps: [],
      });
  }

  /** Adds a step to an existing license. A new license needs no steps, because it is issued in its final state. */
  step(draft: LicenseDraft, step: LicenseStep): void {
    if (draft.license !== null) draft.steps.push(step);
  }

  update(draft: LicenseDraft, update: Omit<LicenseUpdate, 'do'>): void {
    if (update.expiresAt !== undefined) draft.expiresAt = update.expiresAt;
    if (update.updatesUntil !== undefined) draft.updatesUntil = update.updatesUntil;
    if (draft.license !== null) draft.steps.splice(0, Infinity, ...withUpdate(draft.steps, update));
  }

  /**
   * Limits the expiry of a license to a time. An earlier expiry remains. If an operator set the license to never expire, it still never
   * expires.
   */
  expireBy(draft: LicenseDraft, until: number): void {
    const { expiresAt, license } = draft;
    const isOperators = expiresAt === null && license !== null && license.issuedExpiresAt !== null;
    const isEarlier = typeof expiresAt === 'number' && expiresAt <= until;
    if (draft.oneOff || draft.extends === 'updates' || draft.status === 'revoked' || isOperators || isEarlier) return;
    this.update(draft, { expiresAt: until });
  }

  /**
   * Sets the end of updates to the end of the paid time. If an operator has changed the end of updates, the payment can only move it to a
   * later time. If an operator has removed the end of updates, the license keeps unlimited updates.
   */
  payUpdates(draft: LicenseDraft, until: number): void {
    const { updatesUntil: present, granted } = draft;
    const isLater = typeof present === 'number' && until > present;
    if (draft.status === 'revoked' || (present !== granted.updatesUntil && !isLater)) return;
    draft.granted = { ...granted, updatesUntil: until };
    if (present === until) return;
    if (isLater) {
      draft.updatesUntil = until;
      this.step(draft, { do: 'renew_updates', until });
    } else this.update(draft, { updatesUntil: until });
  }

  /** Suspends a license, if the cause can suspend it. */
  suspend(draft: LicenseDraft, cause: Cause): void {
    if ((draft.status !== 'active' && draft.status !== 'expired') || !canSuspend(draft, cause)) return;
    draft.status = 'suspended';
    draft.cause = cause;
    this.step(draft, { do: 'suspend', cause });
  }

  revokeAll(concerns: (draft: LicenseDraft) => boolean = () => true): void {
    for (const draft of this.licenses) {
      if (draft.status === 'revoked' || !concerns(draft)) continue;
      draft.status = 'revoked';
      this.step(draft, { do: 'revoke' });
    }
  }

  /** The resulting plan. */
  plan(outcomes: readonly Outcome[]): OrderPlan {
    const { customerEmail } = this.order;
    const alive = this.licenses.filter(({ issue, status }) => issue !== null && status !== 'revoked');
    const steps = new Map<number, readonly LicenseStep[]>();
    const places = new Map<number, Pick<OrderLicense, 'line' | 'removed' | 'granted'>>();
    for (const { license, steps: made, line, removed, granted } of this.licenses) {
      if (license === null) continue;
      const { updatesUntil = license.granted.updatesUntil, isFallback } = granted;
      places.set(license.id, { line, removed, granted: { updatesUntil, isFallback } });
      const filled = license.customerEmail === null && customerEmail !== null ? withUpdate(made, { customerEmail }) : made;
      if (filled.length > 0) steps.set(license.id, filled);
    }
    return {
      order: this.order,
      issue: alive.map(({ issue, line, removed, expiresAt, updatesUntil, granted, cause }) => ({
        ...issue!,
        line,
        removed,
        expiresAt,
        updatesUntil,
        isFallback: granted.isFallback,
        customerEmail,
        suspended: cause === 'operator' ? null : cause,
      })),
      steps,
      places,
      outcomes,
    };
  }
}
