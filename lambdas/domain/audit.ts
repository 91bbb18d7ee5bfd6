import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { AuditEntryView } from '../contract/audit';
import { limitsText, metersText, type Limits } from '../contract/resources';
import { storedForms } from './email';
import { effectiveFeatures, effectiveLimits, effectiveMeters, maxSeats, type License } from './license';
import { storedMetadata } from './metadata';
import { number, orNull, string, type Stored } from './stored';
import { timestampOf, timestampOrNull } from './time';
import { licenseSummary, updatesView } from './views';

/** The audit log: one entry for every write of an operator, a buyer or a payment processor (docs/spec/operator.md, Audit log). */

export const auditEntrySchema = z.object({
  /** The id of the entry: 32 hex digits. */
  id: string,
  /** When the write was made, in epoch ms. */
  at: number,
  actor: string,
  actor_name: string,
  /** The name of the operation in the contract. */
  action: string,
  /** The id of the product; null if the write concerned no product, or several products. */
  product_id: orNull(number),
  license_id: orNull(number),
  /** The changed record, such as `license/17`. */
  target: orNull(string),
  /** A summary of the change, with the names of the fields that changed. */
  summary: string,
  request_id: orNull(string),
  source_ip: orNull(string),
  user_agent: orNull(string),
  /** The changed fields whose values are neither secret nor about the buyer. */
  changes: z.optional(
    z.array(
      z.object({
        /** The name of the field in the API. */
        field: string,
        before: orNull(string),
        after: orNull(string),
      }),
    ),
  ),
});
export interface AuditEntry extends Stored<typeof auditEntrySchema> {}

/** The old and the new value of a field as text; null means no value. */
export type AuditChange = NonNullable<AuditEntry['changes']>[number];

/**
 * What a write changed. This data never contains a secret or a license key. It also never contains a buyer's e-mail address, because the
 * erasure of a buyer's data does not remove audit entries.
 */
export type AuditSubject = Pick<AuditEntry, 'product_id' | 'license_id' | 'target' | 'summary' | 'changes'>;

/** Where a request came from. Unknown fields are null. */
export type RequestOrigin = Pick<AuditEntry, 'request_id' | 'source_ip' | 'user_agent'>;

/** The origin of a change that the service makes without a request. */
export const NO_ORIGIN: RequestOrigin = { request_id: null, source_ip: null, user_agent: null };

/** The current key and the current buyer of a license. */
export interface AuditedLicense {
  readonly key: string;
  readonly customer_email: string | null;
}

/**
 * An audit entry as responses show it.
 *
 * @param licenses the licenses by their ids, from which the view takes the key and the buyer of the entry's license. If `licenses` is
 * undefined, the view has no fields for the key and the buyer.
 */
export const auditEntryView = (
  { changes = [], ...entry }: AuditEntry,
  licenses: ReadonlyMap<number | null, AuditedLicense> | undefined,
): AuditEntryView => {
  const { key: license_key = null, customer_email = null } = licenses?.get(entry.license_id) ?? {};
  return { ...entry, at: timestampOf(entry.at), ...(licenses && { license_key, customer_email }), changes: [...changes] };
};

/** The summary of a change: what was done, and the names of the changed fields. */
export const summaryOf = (what: string, fields: readonly string[]): string =>
  fields.length === 0 ? what : `${what}: ${fields.join(', ')}`;

/** The names of the fields that differ between two objects. A missing field equals null. */
export const changedFields = (before: object, after: object): string[] => {
  const [old, present] = [before, after].map((fields) => new Map<string, unknown>(Object.entries(fields)));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(old?.get(name) ?? null) !== JSON.stringify(present?.get(name) ?? null),
  );
};

/** Values of fields by their names. */
type Values = Readonly<Record<string, string | number | boolean | readonly string[] | Limits | null | undefined>>;

/** The fields of a license whose values are neither secret nor chosen by a buyer. */
const shownFields = (license: License): Values => ({
  status: license.status,
  license_type: license.license_type.name,
  expires_at: timestampOrNull(license.expires_at),
  max_seats: maxSeats(license),
  features: effectiveFeatures(license).join(' '),
  limits: effectiveLimits(license),
  meters: metersText(effectiveMeters(license)),
  updates_until: updatesView(license).until,
  max_major: updatesView(license).max_major,
  language: license.language,
});

/** The fields that differ between two states of a record, with their old and new values. A missing value equals null. */
export function changesOf(before: Values, after: Values): AuditChange[] {
  const isList = (value: readonly string[] | Limits): value is readonly string[] => Array.isArray(value);
  const words = (value: Values[string]): string | null => {
    if (value === undefined || value === null) return null;
    if (typeof value !== 'object') return String(value);
    return isList(value) ? value.join(' ') : limitsText(value);
  };
  return changedFields(before, after).map((field) => ({ field, before: words(before[field]), after: words(after[field]) }));
}

/** The old and new values of a license that the audit log shows. */
export const licenseChanges = (before: License, after: License): AuditChange[] => changesOf(shownFields(before), shownFields(after));

/**
 * The names of the fields that differ between two states of a license. A field that an operator can set is named as in the request, such as
 * `max_seats`. Every other field is named as in the license's admin view.
 */
export const changedLicenseFields = (before: License, after: License): string[] => {
  const fields = (license: License): object => {
    const { seats, license_type, updates, ...shown } = licenseSummary(license, license.metadata.ref ?? storedMetadata(license.metadata));
    // Only the license's own seats and features are compared. The seats and features of the license type change only when `license_type_id`
    // changes.
    return {
      ...shown,
      seats: seats.used,
      max_seats: license.max_seats,
      updates_until: updates.until,
      max_major: updates.max_major,
      features: license.features,
      limits: license.limits,
      meters: license.meters,
      license_type_id: license_type,
      // The e-mail address also counts as changed if only its verification changed.
      customer_email: [license.customer_email, license.unverified_email],
    };
  };
  return changedFields(fields(before), fields(after));
};

/**
 * The hash that replaces a buyer's e-mail address in the audit log. Anyone who knows the address can find the entries with its hash, but
 * the entries do not reveal the address.
 */
export const addressHash = (address: string): string => storedHashes(address)[0];

/** The hashes of an address under which rows may be stored (see `storedForms`). The first is its {@link addressHash}. */
export function storedHashes(address: string): readonly [string, ...string[]] {
  const hashOf = (form: string): string => `sha256:${createHash('sha256').update(form).digest('hex')}`;
  const [first, ...others] = storedForms(address);
  return [hashOf(first), ...others.map(hashOf)];
}
