import { isFailure, type Failure } from '../../contract/errors';
import { withoutEvent, type Decision, type Transition } from '../transition';
import { addDays, type License } from '../license';
import {
  edit,
  issue,
  reinstate,
  renew,
  renewUpdates,
  revoke,
  staySuspended,
  suspend,
  type Issue as LicenseIssue,
  type IssueFacts,
} from '../license-operations';
import { termsOf, type LicenseType } from '../license-type';
import { withTerm } from '../terms';
import type { Connection } from './connection';
import type { LicenseStep, OrderLicense, PlannedIssue } from './difference';
import type { OrderLicenseRef } from './order';

/** Computes the new and the changed licenses of an order from the plan for the order (`OrderPlan`). Times are epoch ms. */

const typeEnd = ({ created_at }: License, days: number | null): number | null => (days === null ? null : addDays(created_at, days));

/** The fields of a license that the planning of payments uses. */
export const orderLicense = (license: License, { line, issued_expires_at, overridden }: OrderLicenseRef): OrderLicense => ({
  id: license.id,
  line,
  status: license.status,
  suspendedCause: license.suspended?.cause ?? null,
  expiresAt: license.expires_at,
  issuedExpiresAt: issued_expires_at,
  typeExpiresAt: typeEnd(license, license.license_type.duration_days),
  updatesUntil: license.updates_until,
  typeUpdatesUntil: typeEnd(license, license.license_type.updates_days),
  maxSeats: license.max_seats,
  // An erased e-mail address counts as an empty text, so that no later notification fills in the address again.
  customerEmail: license.erased_at === null ? license.customer_email : '',
  overridden,
});

const isSameSale = ({ order: a }: License, { order: b }: License): boolean => a?.ref === b?.ref && a?.line === b?.line;

type Processor = Pick<Connection, 'processor'>;

function decideStep(
  license: License,
  step: LicenseStep,
  { processor }: Processor,
  types: ReadonlyMap<number, LicenseType>,
  now: number,
): Decision<Failure | License> {
  switch (step.do) {
    case 'renew':
      return renew(license, { expires_at: step.expiresAt }, now);
    case 'renew_updates':
      return renewUpdates(license, { until: step.until }, now);
    case 'suspend':
      return suspend(license, { reason: null, by: processor, cause: step.cause }, now);
    case 'stay_suspended':
      return staySuspended(license, { reason: null, by: processor, cause: step.cause }, now);
    case 'reinstate':
      return reinstate(license, now);
    case 'revoke':
      return revoke(license, now);
    case 'update': {
      const type = step.licenseTypeId === undefined ? undefined : types.get(step.licenseTypeId);
      const sold = license.order && step.sold ? { ...license, order: { ...license.order, ...step.sold } } : license;
      const changes = {
        expires_at: step.expiresAt,
        updates_until: step.updatesUntil,
        customer_email: step.customerEmail,
        max_seats: step.maxSeats,
        ...(type && step.licenseTypeId !== license.license_type.id && { license_type: termsOf(type) }),
      };
      const { transition, result } = edit(sold, changes, now);
      // A change to another plan of the connection has no event if that plan sells the same license type.
      const renamed = isSameSale(license, sold) ? null : withoutEvent(license, sold, now);
      return { transition: transition ? { ...transition, before: license } : renamed, result };
    }
  }
}

/** The change of a license by several steps; null if nothing changes. Each step has at most one event. */
export function changeOf(
  license: License,
  steps: readonly LicenseStep[],
  connection: Processor,
  types: ReadonlyMap<number, LicenseType>,
  now: number,
): Transition | null {
  let change: Transition | null = null;
  let current = license;
  for (const step of steps) {
    const { transition: next, result } = decideStep(current, step, connection, types, now);
    if (isFailure(result) || !next) continue;
    change = change
      ? {
          ...next,
          before: change.before,
          devices: [...change.devices, ...next.devices],
          members: [...change.members, ...next.members],
          occurrences: [...change.occurrences, ...next.occurrences],
        }
      : next;
    current = next.after;
  }
  return change;
}

/**
 * Sets the ids of the order that a license shows, because the processor may report the checkout or the subscription after the sale. The
 * change has no event, because nothing changes for the buyer.
 */
export function withOrderIds(
  license: License,
  change: Transition | null,
  { order_id, subscription_id }: { readonly order_id: string | null; readonly subscription_id: string | null },
  now: number,
): Transition | null {
  const after = change?.after ?? license;
  const { order } = after;
  if (!order) return change;
  const known = { ...order, order_id: order_id ?? order.order_id, subscription_id: order.subscription_id ?? subscription_id };
  if (known.order_id === order.order_id && known.subscription_id === order.subscription_id) return change;
  const linked = { ...after, order: known };
  return change ? { ...change, after: linked } : withoutEvent(license, linked, now);
}

/** Adds the terms that the order's paid periods begin. The change has no event, because the renewals of the license have their own. */
export function withTerms(license: License, change: Transition | null, starts: readonly number[], now: number): Transition | null {
  const after = change?.after ?? license;
  const term_starts = starts.reduce((known, start) => withTerm({ ...after, term_starts: known }, start, now), after.term_starts);
  if (term_starts.join() === after.term_starts.join()) return change;
  const begun = { ...after, term_starts };
  return change ? { ...change, after: begun } : withoutEvent(license, begun, now);
}

/**
 * A new license of an order. If a cause of suspension is active when the license is issued, the license is suspended from the beginning.
 */
export function issueOf(facts: IssueFacts, { suspended }: PlannedIssue, connection: Processor, now: number): LicenseIssue {
  const issued = issue(facts, now);
  if (suspended === null) return issued;
  const change = changeOf(issued.license, [{ do: 'suspend', cause: suspended }], connection, new Map(), now);
  return change ? { ...issued, license: change.after, occurrences: [...issued.occurrences, ...change.occurrences] } : issued;
}
