import type { LicenseStatus } from '../../contract/statuses';
import { comparableEmail } from '../../domain/email';
import { boundDevice, isFull, seatsTaken, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { dateOf } from '../../domain/time';
import { isInRange, type ExpiryRange } from './expiry';
import type { LicenseWithDevices } from './read';

/** The filters of a list of licenses. A license must match all filters that are given. */
export interface LicenseFilter extends ExpiryRange {
  readonly status?: LicenseStatus | undefined;
  readonly license_type_id?: number | undefined;
  /** The period in which the license was issued, epoch ms: `created_after` is included, `created_before` is not. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  /** `full`: no further device can be activated. `unused`: no device takes a seat. */
  readonly seats?: 'full' | 'unused' | undefined;
  /** The buyer's e-mail address; upper and lower case do not matter. */
  readonly customer_email?: string | undefined;
  /** The e-mail address of a member. The licenses are found through the member, because a license's row does not contain its members. */
  readonly member?: string | undefined;
  /** The license key as returned by `lookupKey`. */
  readonly key?: string | undefined;
  /** Selects only licenses that were never activated and whose term begins with the first activation. */
  readonly starts?: 'pending' | undefined;
  /** A UTC day, such as `2026-11-20`. Selects only licenses that have devices and whose devices were all last seen before that day. */
  readonly unseen_since?: string | undefined;
  /**
   * Any id of an order at a payment processor. The licenses are found through the order, because a license's row does not contain all ids
   * of its order.
   */
  readonly order?: string | undefined;
  /** The beginning of a search term. The licenses are found through their terms (see `find.ts`). */
  readonly q?: string | undefined;
  /** If true, selects only licenses that never expire. */
  readonly never_expires?: boolean;
}

export const matches = (license: License, filter: LicenseFilter): boolean =>
  matchesFields(license, filter) &&
  isInRange(license, filter) &&
  matchesSeats(license, filter) &&
  (!filter.never_expires || license.expires_at === null) &&
  (filter.starts === undefined || license.term !== null) &&
  (filter.unseen_since === undefined || license.seats_used > 0);

/** Whether the devices of a license match the filter. The license itself must already match (see {@link matches}). */
export const devicesMatch = ({ license, devices }: LicenseWithDevices, { unseen_since }: LicenseFilter): boolean =>
  unseen_since === undefined ||
  devices.every(
    (device) => boundDevice(license, device) === undefined || (device.last_seen_on ?? dateOf(device.activated_at)) < unseen_since,
  );

const matchesSeats = (license: License, { seats }: LicenseFilter): boolean =>
  seats === undefined || (seats === 'full' ? isFull(license) : seatsTaken(license) === 0);

const matchesFields = (
  license: License,
  { status, license_type_id, customer_email, key, created_after = 0, created_before = Infinity }: LicenseFilter,
): boolean =>
  (status === undefined || license.status === status) &&
  (license_type_id === undefined || license.license_type.id === license_type_id) &&
  (customer_email === undefined ||
    (license.customer_email !== null && comparableEmail(license.customer_email) === comparableEmail(customer_email))) &&
  (key === undefined || lookupKey(license.key) === key) &&
  license.created_at >= created_after &&
  license.created_at < created_before;

/** Whether the filter has a field that the index `list` contains. */
export const isFilteredByIndex = ({ status, license_type_id }: LicenseFilter): boolean =>
  status !== undefined || license_type_id !== undefined;
/** Whether the filter has a field that only the license's row contains, so that the row must be read. */
export const isFilteredByRow = ({ seats, starts, unseen_since, created_after, created_before, never_expires }: LicenseFilter): boolean =>
  seats !== undefined ||
  starts !== undefined ||
  unseen_since !== undefined ||
  created_after !== undefined ||
  created_before !== undefined ||
  never_expires === true;
/**
 * Whether the filter has further fields, in addition to the fields by which licenses are looked up: order, key, e-mail address and range of
 * expiries.
 */
export const isFiltered = (filter: LicenseFilter): boolean => isFilteredByIndex(filter) || isFilteredByRow(filter);
