import type { Endpoint } from '../../contract/endpoint';
import type { EventName } from '../../contract/events';
import { reinstateLicense, suspendLicense, updateLicense } from '../../contract/license-operations';
import { createLicense, renewLicense, renewUpdates, revokeLicense } from '../../contract/licenses';
import { changedLicenseFields, licenseChanges, summaryOf, type RequestOrigin } from '../../domain/audit';
import type { Connection } from '../../domain/payments/connection';
import type { App } from '../../runtime/app';
import { recordAudit, type AuditFacts } from '../../store/audit';
import type { Action } from '../../store/transaction';
import { occurrencesOf, type LicensePart } from './license-part';

/** The changes of licenses by payment processors, and their audit entries. */

/** For each event: the operation that an operator would have used to make the same change. */
const operations: Readonly<Partial<Record<EventName, Pick<Endpoint, 'name' | 'summary'>>>> = {
  'license.created': createLicense,
  'license.renewed': renewLicense,
  'license.updates_renewed': renewUpdates,
  'license.updated': updateLicense,
  'license.suspended': suspendLicense,
  'license.reinstated': reinstateLicense,
  'license.revoked': revokeLicense,
};

/**
 * The audit entries for one transaction. Normally there is one entry for each step of each license. If these entries do not fit into the
 * transaction, a single entry lists the licenses of the order. This happens only with orders of more than twenty licenses.
 */
export function auditPayments(
  { table }: App,
  connection: Connection,
  origin: RequestOrigin,
  parts: readonly LicensePart[],
  room: number,
): Action[] {
  const common = {
    actor: `processor:${connection.processor}`,
    actor_name: connection.name,
    product_id: connection.product_id,
    ...origin,
  } as const;
  const entries = parts.flatMap((part) =>
    occurrencesOf(part).map(({ event }): AuditFacts => {
      const operation = operations[event];
      if (!operation) throw new Error(`A processor caused ${event}, for which the audit log has no operation`);
      const details = 'transition' in part ? changedLicenseFields(part.transition.before, part.transition.after) : [];
      const { id } = part.license;
      return {
        ...common,
        action: operation.name,
        license_id: id,
        target: `license/${id}`,
        summary: summaryOf(operation.summary, details),
        ...('transition' in part && { changes: licenseChanges(part.transition.before, part.transition.after) }),
      };
    }),
  );
  const [first] = entries;
  if (!first || entries.length <= room) return entries.map((entry) => recordAudit(table, entry));
  const ids = new Set(entries.map(({ license_id }) => license_id));
  return [
    recordAudit(table, {
      ...first,
      license_id: null,
      target: `payment_connection/${connection.id}`,
      summary: `${first.action} of the licenses ${[...ids].join(', ')}`,
    }),
  ];
}
