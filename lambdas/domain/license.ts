import type { Language } from '../contract/languages';
import type { Processor } from '../contract/processors';
import type { Binding, LicenseKind, TermStart } from '../contract/license-kinds';
import type { LicenseStatus } from '../contract/statuses';
import type { Limits, MeterTerms } from '../contract/resources';
import { comparableEmail } from './email';
import type { Metadata } from './metadata';
import { DAY_MS } from './time';

/** A license and its devices as they are stored. Times are epoch milliseconds. */

/**
 * The terms under which a license is sold. Each license has its own copy, so that a change of the license type does not change existing
 * licenses.
 */
export interface LicenseTerms {
  /** Id of the license type. */
  readonly id: number;
  readonly name: string;
  readonly kind: LicenseKind;
  /** Maximum number of seats that can be taken at the same time; 0 means unlimited. */
  readonly max_seats: number;
  /** Days from the start of the term to the expiry; null for kinds of licenses that never expire. */
  readonly duration_days: number | null;
  /** Names of the features that the buyer may use, sorted. */
  readonly features: readonly string[];
  /** Numbers that the app reads, sorted by name. */
  readonly limits: Limits;
  /** What the service counts, sorted by name. */
  readonly meters: readonly MeterTerms[];
  /** Minutes for which a device keeps a floating seat after its last check; null: the device keeps the seat until the seat is freed. */
  readonly lease_minutes: number | null;
  /** Maximum number of new devices that may take a seat within 7 days; 0 means no limit. */
  readonly new_devices_per_week: number;
  /** Days of updates from the start of the term; null: updates never end. */
  readonly updates_days: number | null;
  /** The last major version that the license covers; null: no limit. */
  readonly max_major: number | null;
  /** Whether the term starts when the license is issued, or with its first activation. */
  readonly starts: TermStart;
  /** Whether an expired license may still download the releases whose `released_at` is before its expiry. */
  readonly downloads_when_expired: boolean;
  /** What takes the seats: the devices, or the members. */
  readonly binding: Binding;
  /** Maximum number of devices that a member may use at the same time; null for the binding `device`. */
  readonly devices_per_user: number | null;
}

/** A term that has not started yet: it starts with the first activation. */
export interface WaitingTerm {
  /** Days from the first activation to the expiry. */
  readonly days: number;
  /** Days from the first activation to the end of updates; null: the license's own `updates_until` applies. */
  readonly updates_days: number | null;
}

/**
 * The causes of suspensions. A payment processor's notification ends a suspension only if the notification reports that the cause has
 * ended. There is one exception: a license that stays valid after the end of its subscription (a fallback) is no longer suspended for a
 * missing payment or a pause. (docs/spec/payments.md, Suspension causes)
 */
export const suspensionCauses = ['operator', 'payment', 'pause', 'dispute'] as const;
export type SuspensionCause = (typeof suspensionCauses)[number];

export interface Suspension {
  readonly at: number;
  readonly reason: string | null;
  /** Who suspended the license: `operator`, or the name of a payment processor. */
  readonly by: string;
  readonly cause: SuspensionCause;
}

/** The line of a payment processor's order for which a license was issued. (docs/spec/payments.md, Orders on licenses) */
export interface LicenseOrder {
  readonly processor: Processor;
  readonly connection_id: number;
  readonly order_id: string;
  readonly subscription_id: string | null;
  readonly ref: string | null;
  readonly line: string | null;
  readonly test: boolean;
}

/** The devices that have taken a seat in the current window of 7 days. A device that has taken a seat several times counts once. */
export interface NewDevices {
  /** When the first device of the window took a seat, in epoch ms. */
  readonly since: number;
  /** A short hash of each fingerprint. */
  readonly hashes: readonly string[];
}

/** The devices that the buyer has freed in the portal in the current window of 30 days. */
export interface BuyerFrees {
  /** When the first device of the window was freed, in epoch ms. */
  readonly since: number;
  readonly count: number;
}

/** A change of a meter's period. Whenever a meter gets another period, it starts at 0, also if it gets an earlier period again. */
export interface MeterChange {
  /** The meter's latest period. */
  readonly period: MeterTerms['period'];
  /** How often the meter has changed its period. What was consumed before the latest change does not count. */
  readonly generation: number;
}

export interface License {
  readonly id: number;
  readonly product_id: number;
  readonly product_slug: string;
  /** The license key as people see it. It has this service's format, or the format of another system that issued it. */
  readonly key: string;
  readonly status: LicenseStatus;
  readonly expires_at: number | null;
  /** A term that waits for the first activation; null if the term has started or there is no term. */
  readonly term: WaitingTerm | null;
  /** The license covers releases up to this time; null: no limit. */
  readonly updates_until: number | null;
  /** The license covers releases up to this major version; null: no limit. */
  readonly max_major: number | null;
  readonly license_type: LicenseTerms;
  /** The license's own number of seats; null: the number of its license type. */
  readonly max_seats: number | null;
  /** The license's own features, sorted; null: the features of its license type. */
  readonly features: readonly string[] | null;
  /** The license's own limits, sorted by name; null: the limits of its license type. */
  readonly limits: Limits | null;
  /** The license's own meters, sorted by name; null: the meters of its license type. */
  readonly meters: readonly MeterTerms[] | null;
  /** For each meter that changed its period, or that the license no longer has: see {@link MeterChange}. */
  readonly meter_changes: Readonly<Record<string, MeterChange>>;
  /** The start of the current term, if it is not the issue, followed by the known starts of future terms; see `terms.ts`. */
  readonly term_starts: readonly number[];
  /** The number of bound devices. Unless the license has members, each of them takes a seat. */
  readonly seats_used: number;
  /** The number of members, each of whom takes a seat; null for the binding `device`. */
  readonly members: number | null;
  /**
   * A counter that increases when all seats are freed: by a reset, or when the license gets a new key. A device with an older epoch has no
   * seat.
   */
  readonly epoch: number;
  /**
   * A counter that every event of the license increases by one. The event contains the new value. Every change is committed only if the
   * stored value has not changed. A change without an event, such as the id of an order, leaves the value as it is.
   */
  readonly sequence: number;
  readonly customer_email: string | null;
  /**
   * The e-mail address with which a trial was started. The address may belong to a stranger. It is shown with the license, but no search or
   * export by address finds the license until the operator sets `customer_email`. Null if the trial was started without an address, or if
   * `customer_email` is set.
   */
  readonly unverified_email: string | null;
  /** The language of the license's mails; null: the product's language. */
  readonly language: Language | null;
  /** The label that the buyer has given the license; null: none. */
  readonly label: string | null;
  readonly metadata: Metadata;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The reason that the operator gave for the revocation; null if there is no reason. */
  readonly revoked_reason: string | null;
  readonly suspended: Suspension | null;
  readonly order: LicenseOrder | null;
  readonly new_devices: NewDevices | null;
  /** The expiry for which `license.expiring` was sent. */
  readonly warned_expiry: number | null;
  /** The end of updates for which `license.updates_expiring` was sent. */
  readonly warned_updates: number | null;
  /** When `license.seats_exhausted` was last sent. */
  readonly exhausted_at: number | null;
  /**
   * When the buyer's data was erased. After the erasure, no payment processor may fill in the data again. (docs/spec/operator.md, A buyer's
   * data)
   */
  readonly erased_at: number | null;
  readonly buyer_frees: BuyerFrees | null;
  /** When the buyer replaced the key within the last 24 hours before the latest replacement, and that replacement (epoch ms). */
  readonly buyer_reissues: readonly number[];
  /**
   * Whether the key of a trial was mailed. A trial's buyer gets reminders only in this case. The field is not recorded for licenses that
   * are not trials.
   */
  readonly key_mailed: boolean;
}

/** The latest approved sign-in on a device, which gave the device a key (docs/spec/sign-in.md, Device keys). */
export interface SignIn {
  /** The hash of the device key. An older key of the device no longer works. */
  readonly key_hash: string;
  /** When the buyer approved the sign-in, in epoch ms. */
  readonly at: number;
}

export interface Device {
  readonly fingerprint: string;
  readonly platform: string;
  readonly name: string;
  readonly activated_at: number;
  /** The epoch of the license when the device was bound. */
  readonly epoch: number;
  /** When the lease ends and another device can take the seat; null: the device keeps the seat until the seat is freed. */
  readonly lease_expires_at: number | null;
  /** The UTC day of the device's last check, such as `2026-11-20`; null if no such day was recorded. */
  readonly last_seen_on: string | null;
  /** Null if nobody has signed in on the device. */
  readonly sign_in: SignIn | null;
  /** The e-mail address of the member who uses the device; null for the binding `device`. */
  readonly member: string | null;
}

/** The time that is `days` × 24 hours after another time. */
export const addDays = (from: number, days: number): number => from + days * DAY_MS;

/** Maximum number of seats that can be taken at the same time; 0 means unlimited. */
export const maxSeats = (license: License): number => license.max_seats ?? license.license_type.max_seats;

/** Whether the license belongs to named people, its members (docs/spec/sign-in.md, Licenses of named people). */
export const hasMembers = (license: Pick<License, 'license_type'>): boolean => license.license_type.binding === 'user';

/** The number of seats that are taken, by members or by devices. */
export const seatsTaken = ({ members, seats_used }: Pick<License, 'members' | 'seats_used'>): number => members ?? seats_used;

/** True if all seats of the license are taken. */
export const isFull = (license: License): boolean => maxSeats(license) !== 0 && seatsTaken(license) >= maxSeats(license);

/**
 * The buyer's e-mail address, even if it is unverified. Responses show this address, an operator can request mails to it, and an erasure
 * removes it.
 */
export const shownEmail = ({ customer_email, unverified_email }: Pick<License, 'customer_email' | 'unverified_email'>): string | null =>
  customer_email ?? unverified_email;

/** Whether a license currently has an e-mail address, verified or not. */
export const hasAddress = (license: License, address: string): boolean =>
  comparableEmail(shownEmail(license) ?? '') === comparableEmail(address);

/** The names of the features that the buyer may use, sorted. */
export const effectiveFeatures = (license: License): readonly string[] => license.features ?? license.license_type.features;

/** The numbers that the app reads, sorted by name. */
export const effectiveLimits = (license: License): Limits => license.limits ?? license.license_type.limits;

/** What the service counts for the license, sorted by name. */
export const effectiveMeters = ({ meters, license_type }: Pick<License, 'meters' | 'license_type'>): readonly MeterTerms[] =>
  meters ?? license_type.meters;

/** True if the expiry has passed (`now >= expires_at`), even if the status is still `active`. */
export const isPastExpiry = (license: License, now: number): boolean => license.expires_at !== null && license.expires_at <= now;

/** The device, if it has a seat of the license now. */
export const boundDevice = (license: License, device: Device | undefined): Device | undefined =>
  device?.epoch === license.epoch ? device : undefined;

/** Whether a bound device has the device key with this hash. Without a hash, the request has a license key, which works on every device. */
export const hasKey = (bound: Device | undefined, keyHash: string | undefined): boolean =>
  keyHash === undefined || bound?.sign_in?.key_hash === keyHash;

/** How long a device keeps a seat after a check, in ms; null: the device keeps the seat until the seat is freed. */
export const leaseMs = (license: License): number | null => {
  const { lease_minutes } = license.license_type;
  return lease_minutes === null ? null : lease_minutes * 60_000;
};

/** When the lease ends and another device can take the seat; null: the device keeps the seat until the seat is freed. */
export const leaseEnd = (license: License, device: Device): number | null => (leaseMs(license) === null ? null : device.lease_expires_at);
