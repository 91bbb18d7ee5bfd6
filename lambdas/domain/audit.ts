import { createHash } from 'node:crypto';
import type { AuditEntryView } from '../contract/audit';
import type { Actor } from './actor';
import { comparableEmail } from './email';
import type { License } from './license';
import { storedMetadata } from './metadata';
import { timestampOf } from './time';
import { licenseSummary } from './views';

/** The audit log: one entry for every write that an operator or a payment processor made (docs/spec/operator.md, Audit log). */

/** Where a request came from. What is not known is null. */
export interface RequestOrigin {
  readonly request_id: string | null;
  readonly source_ip: string | null;
  readonly user_agent: string | null;
}

/** The origin of what the service does on its own. */
export const NO_ORIGIN: RequestOrigin = { request_id: null, source_ip: null, user_agent: null };

/** What a write was about. It never holds a secret, a license key or a buyer's address: they outlive an erasure here. */
export interface AuditSubject {
  /** Null: about no product, or about several. */
  readonly product_id: number | null;
  readonly license_id: number | null;
  /** What was acted on, such as `license/17`. */
  readonly target: string | null;
  /** What was done, and the names of the fields that changed. */
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

/** What was done, with the names of the fields that it changed. */
export const summaryOf = (what: string, fields: readonly string[]): string =>
  fields.length === 0 ? what : `${what}: ${fields.join(', ')}`;

/** The names of the fields that differ; one that is missing is the same as null. */
export const changedFields = (before: object, after: object): string[] => {
  const [old, present] = [before, after].map((fields) => new Map<string, unknown>(Object.entries(fields)));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(old?.get(name) ?? null) !== JSON.stringify(present?.get(name) ?? null),
  );
};

/**
 * What differs between two states of a license: the names of fields of the admin view or, of what an operator sets, of the request that
 * sets it.
 */
export const changedLicenseFields = (before: License, after: License): string[] => {
  const fields = (license: License): object => {
    const { seats, license_type, ...shown } = licenseSummary(license, license.metadata.ref ?? storedMetadata(license.metadata));
    // The license's own seats and features: what they are without any is its type's, and changes with the type.
    return {
      ...shown,
      seats: seats.used,
      max_seats: license.max_seats,
      features: license.features,
      license_type_id: license_type,
      // The same address, but verified now, is a change.
      customer_email: [license.customer_email, license.unverified_email],
    };
  };
  return changedFields(fields(before), fields(after));
};

/** Replaces a buyer's address in the log: anyone who knows the address can find its entries, and the entries don't reveal it. */
export const addressHash = (address: string): string => `sha256:${createHash('sha256').update(comparableEmail(address)).digest('hex')}`;
