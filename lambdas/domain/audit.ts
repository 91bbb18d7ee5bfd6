import { createHash } from 'node:crypto';
import type { AuditEntryView } from '../contract/audit';
import type { Actor } from './actor';
import { comparableEmail } from './email';
import type { License } from './license';
import { storedMetadata } from './metadata';
import { timestampOf } from './time';
import { licenseSummary } from './views';

/** The audit log: one entry for every write that an operator or a payment processor made (docs/spec/operator.md, Audit log). */

/** Where a request came from. Unknown fields are null. */
export interface RequestOrigin {
  readonly request_id: string | null;
  readonly source_ip: string | null;
  readonly user_agent: string | null;
}

/** The origin of changes that the service makes without a request. */
export const NO_ORIGIN: RequestOrigin = { request_id: null, source_ip: null, user_agent: null };

/** What a write changed. It never holds a secret, a license key or a buyer's address, because an erasure does not remove audit entries. */
export interface AuditSubject {
  /** Null: it concerned no product, or several. */
  readonly product_id: number | null;
  readonly license_id: number | null;
  /** What was changed, such as `license/17`. */
  readonly target: string | null;
  /** A summary of the change, with the names of the fields that changed. */
  readonly summary: string;
}

export interface AuditEntry extends RequestOrigin, AuditSubject {
  /** 32 hex digits. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly actor: Actor['id'];
  readonly actor_name: string;
  /** The name of the operation in the contract. */
  readonly action: string;
}

export const auditEntryView = (entry: AuditEntry): AuditEntryView => ({ ...entry, at: timestampOf(entry.at) });

/** The summary: what was done, and the names of the changed fields. */
export const summaryOf = (what: string, fields: readonly string[]): string =>
  fields.length === 0 ? what : `${what}: ${fields.join(', ')}`;

/** The names of the fields that differ. A missing field equals null. */
export const changedFields = (before: object, after: object): string[] => {
  const [old, present] = [before, after].map((fields) => new Map<string, unknown>(Object.entries(fields)));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(old?.get(name) ?? null) !== JSON.stringify(present?.get(name) ?? null),
  );
};

/**
 * The fields that differ between two states of a license. Terms that an operator can set have the names of the request
 * that sets them; all others have the names of the admin view.
 */
export const changedLicenseFields = (before: License, after: License): string[] => {
  const fields = (license: License): object => {
    const { seats, license_type, updates, ...shown } = licenseSummary(license, license.metadata.ref ?? storedMetadata(license.metadata));
    // Only the license's own seats and features are compared: those that it has from its type change together with the type.
    return {
      ...shown,
      seats: seats.used,
      max_seats: license.max_seats,
      updates_until: updates.until,
      max_major: updates.max_major,
      features: license.features,
      license_type_id: license_type,
      // It is also a change if only the verification of the address differs.
      customer_email: [license.customer_email, license.unverified_email],
    };
  };
  return changedFields(fields(before), fields(after));
};

/** Replaces a buyer's address in the log. Anyone who knows the address can find its entries, but the entries do not reveal it. */
export const addressHash = (address: string): string => `sha256:${createHash('sha256').update(comparableEmail(address)).digest('hex')}`;
