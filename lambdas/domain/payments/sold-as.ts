import type { LicenseType } from '../license-type';
import type { Connection, Plan } from './connection';
import { WHOLE_ORDER, type Line, type Notification } from './model';

/** Decides how a line is sold: it finds the plan of the connection that matches the line. */

/** The connection's settings that the planning needs, and the product's license types by id. */
export interface SaleTerms
  extends Pick<Connection, 'plans' | 'default_license_type_id' | 'grace_days' | 'on_payment_failed' | 'on_dispute' | 'on_partial_refund'> {
  /** The product's license types by id. A type with `max_seats` 0 has unlimited seats. */
  readonly types: ReadonlyMap<number, Pick<LicenseType, 'max_seats' | 'archived' | 'duration_days' | 'updates_days' | 'binding'>>;
}

/** How a line is sold: the license type, and the rules of the plan. */
export interface Sold {
  /** The plan's ref; null for the default license type. */
  readonly ref: string | null;
  readonly licenseTypeId: number;
  readonly mode: Plan['quantity'];
  readonly extends: Plan['extends'];
  readonly fallbackMonths: Plan['fallback_months'];
  /** Present if the license belongs to named people. */
  readonly binding?: 'user';
}

/** How a plan sells a line. */
const soldBy = (plan: Plan): Sold => ({
  ref: plan.ref,
  licenseTypeId: plan.license_type_id,
  mode: plan.quantity,
  extends: plan.extends,
  fallbackMonths: plan.fallback_months,
});

/** The plan that matches the most specific ref. */
export function namedPlan({ plans }: Pick<SaleTerms, 'plans'>, refs: readonly string[]): Plan | undefined {
  for (const ref of refs) {
    const plan = plans.find((one) => one.ref === ref);
    if (plan) return plan;
  }
  return undefined;
}

/**
 * How a line is sold: by the plan that matches its most specific ref, or else with the default license type. Null if the connection has no
 * default license type either.
 */
export function soldAs(terms: Pick<SaleTerms, 'plans' | 'default_license_type_id' | 'types'>, refs: readonly string[]): Sold | null {
  const plan = namedPlan(terms, refs);
  const { default_license_type_id: type } = terms;
  if (!plan && type === null) return null;
  const sold = plan
    ? soldBy(plan)
    : ({ ref: null, licenseTypeId: type ?? 0, mode: 'licenses', extends: 'license', fallbackMonths: null } as const);
  return { ...sold, ...(terms.types.get(sold.licenseTypeId)?.binding === 'user' && { binding: 'user' }) };
}

export const isArchived = ({ types }: Pick<SaleTerms, 'types'>, { licenseTypeId }: Pick<Sold, 'licenseTypeId'>): boolean =>
  types.get(licenseTypeId)?.archived !== false;

/**
 * The number of seats for a quantity: the quantity times the seats of the license type. If the type has unlimited seats, the result is the
 * quantity.
 */
export const seatsOf = ({ types }: Pick<SaleTerms, 'types'>, licenseTypeId: number, quantity: number): number =>
  quantity * (types.get(licenseTypeId)?.max_seats || 1);

/** Whether a change between two ways to sell would change what takes the seats. No license can change this. */
export const isOtherBinding = (before: Sold | null, after: Sold | null): boolean =>
  before !== null && after !== null && before.binding !== after.binding;

export const archivedType = ({ licenseTypeId }: Pick<Sold, 'licenseTypeId'>): string =>
  `License type ${licenseTypeId} is archived or does not exist.`;

/** The reason why lines that match no plan are not sold. */
export const unmapped = (lines: readonly Line[]): string => {
  const refs = lines.map(({ refs }) => refs[0] ?? 'an unnamed product').slice(0, 5);
  return `No plan has the ref ${refs.join(', ')}, and there is no default license type.`;
};

/** The reason why no license is issued for a sale. */
export function unsoldReason(lines: readonly Line[], { needs }: Notification): string {
  if (!lines.every(({ id }) => id === WHOLE_ORDER)) return unmapped(lines);
  return needs.some(({ fills }) => fills === 'lines')
    ? 'The notification does not say what was bought. Set an api_key to read the lines from the API, or set a default license type.'
    : 'The notification does not say what was bought, and there is no default license type.';
}
