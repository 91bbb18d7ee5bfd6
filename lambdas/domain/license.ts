import type { Language } from '../contract/languages';
import type { Processor } from '../contract/processors';
import type { LicenseKind, TermStart } from '../contract/resources';
import type { LicenseStatus } from '../contract/statuses';
import type { Metadata } from './metadata';
import { DAY_MS } from './time';

/** A license and its devices as they are recorded. Times are epoch milliseconds. */

/** The terms of a license type: what a license is sold with. A license carries a copy; a change of its type does not reach it. */
export interface LicenseTerms {
  /** Id of the license type. */
  readonly id: number;
  readonly name: string;
  readonly kind: LicenseKind;
  /** Maximum of devices at a time; 0 means unlimited. */
  readonly max_seats: number;
  /** Days from issue to expiry; null for the kinds that do not run out. */
  readonly duration_days: number | null;
  /** Names of what the buyer may use, sorted. */
  readonly features: readonly string[];
  /** Minutes that a floating seat is held after the device's last check; null: until it is freed. */
  readonly lease_minutes: number | null;
  /** How many new devices may take a seat within 7 days; 0 means any number. */
  readonly new_devices_per_week: number;
  /** Days of updates from the start of the term; null: no end. */
  readonly updates_days: number | null;
  /** The last major version that it covers; null: no such limit. */
  readonly max_major: number | null;
  /** When the term starts: when the license is issued, or with its first activation. */
  readonly starts: TermStart;
  /** Whether an expired license may still download what was released before its expiry. */
  readonly downloads_when_expired: boolean;
}

/** A term that starts with the first activation. */
export interface WaitingTerm {
  /** Days from then to the expiry. */
  readonly days: number;
  /** Days from then to the end of the updates; null: the license's own `updates_until` applies. */
  readonly updates_days: number | null;
}

/** Why a license is suspended: only what ends the cause may end the suspension. (docs/spec/payments.md, Suspension causes) */
export const suspensionCauses = ['operator', 'payment', 'pause', 'dispute'] as const;
export type SuspensionCause = (typeof suspensionCauses)[number];

export interface Suspension {
  readonly at: number;
  readonly reason: string | null;
  /** `operator`, or the name of a payment processor. */
  readonly by: string;
  readonly cause: SuspensionCause;
}

/** The line of a payment processor's order that a license was issued for. (docs/spec/payments.md, Orders on licenses) */
export interface LicenseOrder {
  readonly processor: Processor;
  readonly connection_id: number;
  readonly order_id: string;
  readonly subscription_id: string | null;
  readonly ref: string | null;
  readonly line: string | null;
  readonly test: boolean;
}

/** The devices that took a seat for the first time in the present window of 7 days. */
export interface NewDevices {
  /** When the first of them did. */
  readonly since: number;
  /** A short hash of each fingerprint. */
  readonly hashes: readonly string[];
}

/** The devices that the buyer has freed in the portal in the present window of 30 days. */
export interface BuyerFrees {
  /** When the first of them was freed. */
  readonly since: number;
  readonly count: number;
}

export interface License {
  readonly id: number;
  readonly product_id: number;
  readonly product_slug: string;
  /** As it is shown: of this service's shape, or as another system issued it. */
  readonly key: string;
  readonly status: LicenseStatus;
  readonly expires_at: number | null;
  /** The term that waits for the first activation; null: none waits. */
  readonly term: WaitingTerm | null;
  /** Releases up to this instant are covered; null: no such limit. */
  readonly updates_until: number | null;
  /** Releases up to this major version are covered; null: no such limit. */
  readonly max_major: number | null;
  readonly license_type: LicenseTerms;
  /** The license's own number of seats; null: its type's. */
  readonly max_seats: number | null;
  /** The license's own features, sorted; null: its type's. */
  readonly features: readonly string[] | null;
  readonly seats_used: number;
  /** Raised by every reset; a device of an older epoch holds no seat. */
  readonly epoch: number;
  /** Raised by one with every state change; the change's event carries it, and commits only on top of its predecessor. */
  readonly sequence: number;
  readonly customer_email: string | null;
  /**
   * The address that a trial was started with. It may be anybody's: it is shown with the license, but no search or export
   * by address finds it, until the operator sets `customer_email`. Null: none, or `customer_email` is set.
   */
  readonly unverified_email: string | null;
  /** The language of its mails; null: the product's. */
  readonly language: Language | null;
  readonly metadata: Metadata;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The reason that the operator gave; null: none. */
  readonly revoked_reason: string | null;
  readonly suspended: Suspension | null;
  readonly order: LicenseOrder | null;
  readonly new_devices: NewDevices | null;
  /** The expiry that `license.expiring` was sent for. */
  readonly warned_expiry: number | null;
  /** The end of updates that `license.updates_expiring` was sent for. */
  readonly warned_updates: number | null;
  /** When `license.seats_exhausted` was sent last. */
  readonly exhausted_at: number | null;
  /** When the buyer's data was erased: no processor may fill it in again. (docs/spec/operator.md, A buyer's data) */
  readonly erased_at: number | null;
  readonly buyer_frees: BuyerFrees | null;
  /** Whether the key of a trial was mailed: only then is its buyer reminded. Not recorded for other licenses. */
  readonly key_mailed: boolean;
}

export interface Device {
  readonly fingerprint: string;
  readonly platform: string;
  readonly name: string;
  readonly activated_at: number;
  /** The license's epoch in which it was bound. */
  readonly epoch: number;
  /** Until when it holds its seat for certain; null: until it is freed. */
  readonly lease_expires_at: number | null;
  /** The UTC day of its last check, `2026-11-20`; null: before days were recorded. */
  readonly last_seen_on: string | null;
}

/** The end of a term of `days` × 24 h from an instant. */
export const addDays = (from: number, days: number): number => from + days * DAY_MS;

/** Maximum of devices at a time; 0 means unlimited. */
export const maxSeats = (license: License): number => license.max_seats ?? license.license_type.max_seats;

/** True when no further device fits. */
export const isFull = (license: License): boolean => maxSeats(license) !== 0 && license.seats_used >= maxSeats(license);

/** The address that is shown, mailed to on request, and erased, whether or not anybody has verified it. */
export const shownEmail = ({ customer_email, unverified_email }: Pick<License, 'customer_email' | 'unverified_email'>): string | null =>
  customer_email ?? unverified_email;

/** The names of what the buyer may use, sorted. */
export const effectiveFeatures = (license: License): readonly string[] => license.features ?? license.license_type.features;

/** True when the expiry has passed, noticed or not: `now >= expires_at`. */
export const isPastExpiry = (license: License, now: number): boolean => license.expires_at !== null && license.expires_at <= now;

/** The device, when it holds a seat of the license now. */
export const boundDevice = (license: License, device: Device | undefined): Device | undefined =>
  device?.epoch === license.epoch ? device : undefined;

/** How long a seat is held after a check, in ms; null: until it is freed. */
export const leaseMs = (license: License): number | null => {
  const { lease_minutes } = license.license_type;
  return lease_minutes === null ? null : lease_minutes * 60_000;
};

/** Until when the device holds its seat for certain; null: until it is freed. */
export const leaseEnd = (license: License, device: Device): number | null => (leaseMs(license) === null ? null : device.lease_expires_at);
