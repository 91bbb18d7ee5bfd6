import { addDays } from '../license';
import { WHOLE_ORDER } from './model';
import type { LineState } from './lines';
import type { Sold, SaleTerms } from './sold-as';
import { isArchived } from './sold-as';
import type { ActiveCause, Cause, End, Slot, Target, TargetLine } from './target';

/**
 * Compares the previous and the new target of an order, and computes the changes of the order's licenses. Only what changed between the two
 * targets is applied, so that an operator's edits survive. Times are epoch ms.
 */

/**
 * Maximum number of licenses of one order. A larger sale is held. A change of quantity issues licenses only up to this number.
 * (docs/spec/payments.md, Held sales)
 */
export const MAX_LICENSES = 25;

/** The fields of a license that payments can change. */
export interface OrderLicense {
  readonly id: number;
  /** The id of the license's line in the order. */
  readonly line: string;
  readonly status: 'active' | 'expired' | 'suspended' | 'revoked';
  readonly suspendedCause: Cause | 'operator' | null;
  readonly expiresAt: number | null;
  /** The expiry with which the license was issued. An operator may have changed the expiry later. */
  readonly issuedExpiresAt: number | null;
  /** The expiry that the license type sets, counted from the creation of the license; null: never. */
  readonly typeExpiresAt: number | null;
  readonly updatesUntil: number | null;
  /** The end of updates that the license type sets, counted from the creation of the license; null: updates never end. */
  readonly typeUpdatesUntil: number | null;
  /** The license's own number of seats; null: the number of its type. */
  readonly maxSeats: number | null;
  readonly customerEmail: string | null;
  /** The keys of the causes for which the license was suspended until an operator reinstated it. They never suspend it again. */
  readonly overridden: readonly string[];
}

/** A license to be issued. */
export interface PlannedIssue {
  readonly line: string;
  /** The ref that selected the license type; null for the default license type. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  /** The license's own number of seats; undefined: the number of its license type. */
  readonly maxSeats: number | undefined;
  /** The expiry; null: never. If it is undefined, the license type decides. */
  readonly expiresAt: number | null | undefined;
  /** The end of updates. If it is undefined, the license type decides. */
  readonly updatesUntil: number | null | undefined;
  readonly customerEmail: string | null;
  /** The cause for which the license is suspended from the beginning; null: the license is active. */
  readonly suspended: Cause | null;
}

/** One change of a license, with at most one event. */
export type LicenseStep =
  | { readonly do: 'renew'; readonly expiresAt: number }
  | { readonly do: 'renew_updates'; readonly until: number }
  | { readonly do: 'suspend'; readonly cause: Cause }
  /** The suspension continues for another cause. */
  | { readonly do: 'stay_suspended'; readonly cause: Cause }
  | { readonly do: 'reinstate' }
  | { readonly do: 'revoke' }
  | LicenseUpdate;

export interface LicenseUpdate {
  readonly do: 'update';
  /** The new expiry; null: the license never expires. */
  readonly expiresAt?: number | null;
  /** The new end of updates; null: updates never end. */
  readonly updatesUntil?: number | null;
  readonly customerEmail?: string;
  /** The license's own number of seats; null: the number of its license type. */
  readonly maxSeats?: number | null;
  readonly licenseTypeId?: number;
  /** The ref of the new plan and the id of the order's line, if the license is now sold under another plan. */
  readonly sold?: { readonly ref: string | null; readonly line: string };
}

export interface Difference {
  readonly issue: readonly PlannedIssue[];
  /** The steps of each license, by license id, in the order in which they must be applied. */
  readonly steps: ReadonlyMap<number, readonly LicenseStep[]>;
  /** For each license id: the license's line, and the causes that an operator has overridden. */
  readonly places: ReadonlyMap<number, Pick<OrderLicense, 'line' | 'overridden'>>;
  /** The lines for which licenses are missing, because the order has too many or the type is archived. */
  readonly short: readonly LineState[];
}

/** The licenses of each line, oldest first, and the licenses that belong to no line. */
function assigned(lines: readonly TargetLine[], licenses: readonly OrderLicense[]): readonly (readonly OrderLicense[])[] {
  const own = lines.map(({ state }) => licenses.filter(({ line }) => line === state.id));
  const taken = new Set(own.flat());
  for (const [place, { state }] of lines.entries()) {
    const isWhole = state.id === WHOLE_ORDER && lines.length === 1;
    const moved = licenses.filter((license) => !taken.has(license) && (isWhole || state.formerly.includes(license.line)));
    for (const license of moved) taken.add(license);
    own[place] = [...own[place]!, ...moved].sort((a, b) => a.id - b.id);
  }
  return own;
}

/** For each license its slot in a target. A license without a slot belongs to a line that is no longer one of the order. */
function slotsOf({ lines }: Target, licenses: readonly OrderLicense[]): ReadonlyMap<number, Slot> {
  const own = assigned(lines, licenses);
  const slots = new Map<number, Slot>();
  for (const [index, { slots: all, count }] of lines.entries()) {
    for (const [place, { id }] of (own[index] ?? []).entries()) {
      const slot = all[place] ?? extra(all, count);
      if (slot) slots.set(id, slot);
    }
  }
  return slots;
}

/** The slot of a license that its line never had. It ends like a license that was given up, if there is one. */
const extra = (slots: readonly Slot[], count: number): Slot | undefined => slots[count] ?? undefined;

const lineOf = ({ lines }: Target, { id, formerly }: LineState): TargetLine | undefined =>
  lines.find(({ state }) => state.id === id) ?? lines.find(({ state }) => formerly.includes(state.id));

type Types = Pick<SaleTerms, 'types'>;

/** The changes that lead the licenses from the previous to the new target. */
export function difference(before: Target, after: Target, licenses: readonly OrderLicense[], terms: Types, now: number): Difference {
  const [previous, next] = [slotsOf(before, licenses), slotsOf(after, licenses)];
  const own = assigned(after.lines, licenses);
  const issue: PlannedIssue[] = [];
  const short: LineState[] = [];
  /** Licenses that have ended, and that a line takes over because the order has too many licenses to issue another one. */
  const reused = new Map<number, Slot>();
  for (const [index, { state, slots, count, revoked }] of after.lines.entries()) {
    const [slot] = slots;
    if (!slot || revoked !== null || state.sold === null) continue;
    const known = lineOf(before, state);
    const wanted = known && known.revoked === null && known.state.sold !== null ? known.count : 0;
    let missing = count - Math.max((own[index] ?? []).length, wanted);
    if (missing <= 0) continue;
    if (isArchived(terms, state.sold)) {
      short.push(state);
      continue;
    }
    for (; missing > 0 && licenses.length + issue.length < MAX_LICENSES; missing -= 1) issue.push(issueOf(slot, after, terms));
    for (const license of licenses) {
      const hasEnded = license.expiresAt !== null && license.expiresAt <= now && (next.get(license.id)?.isEnding ?? true);
      if (missing <= 0 || !hasEnded || license.status === 'revoked' || reused.has(license.id)) continue;
      reused.set(license.id, slot);
      missing -= 1;
    }
    if (missing > 0) short.push(state);
  }

  const steps = new Map<number, readonly LicenseStep[]>();
  const places = new Map<number, Pick<OrderLicense, 'line' | 'overridden'>>();
  for (const license of licenses) {
    const taken = reused.get(license.id);
    const [from, to] = [taken ? undefined : previous.get(license.id), taken ?? next.get(license.id)];
    const overridden = overriddenBy(license, from, to);
    const made = stepsOf(license, from, to, { before, after, terms, overridden });
    if (made.length > 0) steps.set(license.id, made);
    places.set(license.id, { line: to?.line ?? license.line, overridden });
  }
  return { issue, steps, places, short };
}

function issueOf({ line, sold, seats, expires, updates, causes }: Slot, { customerEmail }: Target, { types }: Types): PlannedIssue {
  const type = types.get(sold.licenseTypeId);
  const ofNew = (end: End, days: number | null | undefined): number | null | undefined =>
    'at' in end ? end.at : end.since === null ? undefined : days == null ? null : addDays(end.since, days);
  return {
    line,
    ref: sold.ref,
    licenseTypeId: sold.licenseTypeId,
    maxSeats: seats ?? undefined,
    expiresAt: ofNew(expires, type?.duration_days),
    updatesUntil: ofNew(updates, type?.updates_days),
    customerEmail,
    suspended: causes[0]?.cause ?? null,
  };
}

/** The causes that an operator has overridden: they applied before, but the license is not suspended. */
function overriddenBy({ status, overridden }: OrderLicense, from: Slot | undefined, to: Slot | undefined): readonly string[] {
  const isReinstated = status === 'active' || status === 'expired';
  const all = new Set([...overridden, ...(isReinstated ? (from?.causes ?? []).map(({ key }) => key) : [])]);
  return (to?.causes ?? []).flatMap(({ key }) => (all.has(key) ? [key] : []));
}

interface Context {
  readonly before: Target;
  readonly after: Target;
  readonly terms: Types;
  readonly overridden: readonly string[];
}

/** The date of a license that an end stands for. */
function dateOf(end: End, sold: Sold, byType: number | null, field: 'duration_days' | 'updates_days', { types }: Types): number | null {
  if ('at' in end) return end.at;
  if (end.since === null) return byType;
  const days = types.get(sold.licenseTypeId)?.[field];
  return days == null ? null : addDays(end.since, days);
}

const isSameEnd = (a: End, b: End): boolean => JSON.stringify(a) === JSON.stringify(b);

function stepsOf(license: OrderLicense, from: Slot | undefined, to: Slot | undefined, context: Context): readonly LicenseStep[] {
  const { before, after } = context;
  const email = emailStep(license, before, after);
  if (license.status === 'revoked') return email ? [{ do: 'update', ...email }] : [];
  if ((to?.revoked ?? (to ? null : after.closed)) !== null)
    return [...(email ? [{ do: 'update' as const, ...email }] : []), { do: 'revoke' }];
  const update: Omit<LicenseUpdate, 'do'> = { ...email, ...saleUpdate(license, from, to) };
  const [expiry, updates] = [expiryStep(license, from, to, context), updatesStep(license, from, to, context)];
  const all = {
    ...update,
    ...(expiry && !expiry.isRenewal && { expiresAt: expiry.at }),
    ...(updates && !updates.isRenewal && { updatesUntil: updates.at }),
  };
  return [
    ...(Object.keys(all).length > 0 ? [{ do: 'update' as const, ...all }] : []),
    ...(expiry?.isRenewal && expiry.at !== null ? [{ do: 'renew' as const, expiresAt: expiry.at }] : []),
    ...(updates?.isRenewal && updates.at !== null ? [{ do: 'renew_updates' as const, until: updates.at }] : []),
    ...suspensionSteps(license, from?.causes ?? [], to?.causes ?? [], context.overridden),
  ];
}

/** The buyer's address, if the license has none, or still has the address that the order gave it before. */
function emailStep({ customerEmail }: OrderLicense, before: Target, after: Target): { customerEmail: string } | undefined {
  const { customerEmail: address } = after;
  const isOrders = customerEmail === null || (before.customerEmail !== address && customerEmail === before.customerEmail);
  return address !== null && isOrders && customerEmail !== address ? { customerEmail: address } : undefined;
}

/** The changes of type, plan and seats. */
function saleUpdate(license: OrderLicense, from: Slot | undefined, to: Slot | undefined): Omit<LicenseUpdate, 'do'> {
  if (!to) return {};
  const isOtherPlan = !from || from.sold.ref !== to.sold.ref || from.line !== to.line;
  return {
    ...(from?.sold.licenseTypeId !== to.sold.licenseTypeId && { licenseTypeId: to.sold.licenseTypeId }),
    ...(isOtherPlan && { sold: { ref: to.sold.ref, line: to.line } }),
    ...seatsUpdate(license.maxSeats, from?.seats ?? null, to.seats),
  };
}

/** The number of seats, if the order changes it. More seats that an operator has given remain, and 0 means unlimited seats. */
function seatsUpdate(current: number | null, from: number | null, to: number | null): Pick<LicenseUpdate, 'maxSeats'> {
  if (from === to || current === to) return {};
  const isOrders = current === from;
  const isLess = current !== null && to !== null && current !== 0 && current < to;
  return isOrders || (isLess && to > (from ?? 0)) ? { maxSeats: to } : {};
}

interface DateStep {
  readonly at: number | null;
  readonly isRenewal: boolean;
}

/** Of the current and the new expiry, the value to set; undefined: nothing changes. */
function expiryStep(license: OrderLicense, from: Slot | undefined, to: Slot | undefined, context: Context): DateStep | undefined {
  const { before, terms } = context;
  const current = license.expiresAt;
  if (!to) {
    // The line is no longer one of the order: its licenses end with the time that was paid until then.
    const until = from && !from.isEnding && from.sold.extends === 'license' ? before.paidUntil : null;
    return until !== null && (current === null || current > until) ? { at: until, isRenewal: false } : undefined;
  }
  const wanted = dateOf(to.expires, to.sold, license.typeExpiresAt, 'duration_days', terms);
  const set = (at: number | null, isUpdate = false): DateStep | undefined =>
    at === current ? undefined : { at, isRenewal: !isUpdate && at !== null && !to.isEnding && (current === null || at > current) };
  // The license belonged to no line of the order, or the first of several transactions has just issued it.
  const isByType = (end: End): boolean => 'since' in end && end.since === null;
  if (!from) return isByType(to.expires) && current === license.issuedExpiresAt ? undefined : set(wanted);
  const isOtherKind = from.sold.extends !== to.sold.extends;
  if (isSameEnd(from.expires, to.expires) && from.isEnding === to.isEnding && !isOtherKind) return undefined;
  const previous = dateOf(from.expires, from.sold, license.typeExpiresAt, 'duration_days', terms);
  const isAsIssued = 'since' in from.expires && current === license.issuedExpiresAt;
  if (current === previous || isAsIssued || isOtherKind) return set(wanted, isOtherKind);
  // An operator has changed the expiry. Null stays, and an extension or an end applies as far as it is later or earlier.
  if (current === null || wanted === null) return undefined;
  if (to.isEnding) return wanted < current ? set(wanted) : undefined;
  return (previous === null || wanted > previous) && wanted > current ? set(wanted) : undefined;
}

/** The end of updates to set; undefined: nothing changes. */
function updatesStep(license: OrderLicense, from: Slot | undefined, to: Slot | undefined, { terms }: Context): DateStep | undefined {
  if (!to) return undefined;
  const current = license.updatesUntil;
  const wanted = dateOf(to.updates, to.sold, license.typeUpdatesUntil, 'updates_days', terms);
  const isPaid = to.sold.extends === 'updates';
  const set = (at: number | null): DateStep | undefined =>
    at === current ? undefined : { at, isRenewal: isPaid && at !== null && current !== null && at > current };
  if (!from) return 'since' in to.updates && to.updates.since === null && current === null ? undefined : set(wanted);
  const previous = dateOf(from.updates, from.sold, license.typeUpdatesUntil, 'updates_days', terms);
  if (isSameEnd(from.updates, to.updates)) return undefined;
  if (current === previous) return set(wanted);
  return isPaid && current !== null && wanted !== null && (previous === null || wanted > previous) && wanted > current
    ? set(wanted)
    : undefined;
}

/** The changes of the suspension, if causes have begun or ended. A suspension by the operator stays. */
function suspensionSteps(
  { status, suspendedCause }: OrderLicense,
  from: readonly ActiveCause[],
  to: readonly ActiveCause[],
  overridden: readonly string[],
): readonly LicenseStep[] {
  const keys = (causes: readonly ActiveCause[]): string => causes.map(({ key }) => key).join();
  if (keys(from) === keys(to)) return [];
  const active = to.filter(({ key }) => !overridden.includes(key));
  const [first] = active;
  if (status !== 'suspended') return first ? [{ do: 'suspend', cause: first.cause }] : [];
  if (suspendedCause === 'operator' || suspendedCause === null) return [];
  if (!first) return [{ do: 'reinstate' }];
  return first.cause === suspendedCause ? [] : [{ do: 'stay_suspended', cause: first.cause }];
}
