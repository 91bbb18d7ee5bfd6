import type { OrderLicenseRef } from '../../domain/payments/order';
import type { License } from '../../domain/license';
import type { Issue } from '../../domain/license-operations';
import type { Occurrence, Transition } from '../../domain/transition';

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
