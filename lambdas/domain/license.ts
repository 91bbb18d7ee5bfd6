import * as z from 'zod/mini';
import { readableAddress } from '../contract/mail-address';
import { languages } from '../contract/languages';
import { processors } from '../contract/processors';
import { bindings, licenseKinds, termStarts } from '../contract/license-kinds';
import { licenseStatuses } from '../contract/statuses';
import { meterPeriods, overages, sortedLimits, type Limits, type MeterTerms } from '../contract/resources';
import { comparableEmail } from './email';
import { DAY_MS } from './time';
import { flag, list, number, orNull, string, type Stored } from './stored';

/** A license and its devices as they are stored. Times are epoch milliseconds. */

/** Limits are sorted by name, because a map in a row has no order. */
const limitsSchema = z.pipe(z.record(string, number), z.transform(sortedLimits));

const metersSchema = z.array(
  z.object({ name: string, included: number, period: z.enum(meterPeriods), overage: z.enum(overages), returnable: flag }),
);

/** E-mail addresses are read in the spelling in which this version stores them. Earlier versions stored an address as it was given. */
const addressSchema = z.pipe(string, z.transform(readableAddress));

/**
 * The terms under which a license is sold. Each license has its own copy, so that a change of the license type does not change existing
 * licenses.
 */
export const termsSchema = z.object({
  /** Id of the license type. */
  id: number,
  name: string,
  kind: z.enum(licenseKinds),
  /** Maximum number of seats that can be taken at the same time; 0 means unlimited. */
  max_seats: number,
  /** Days from the start of the term to the expiry; null for kinds of licenses that never expire. */
  duration_days: orNull(number),
  /** Names of the features that the buyer may use, sorted. */
  features: list(string),
  /** Numbers that the app reads, sorted by name. */
  limits: z._default(limitsSchema, {}),
  /** What the service counts, sorted by name. */
  meters: z._default(metersSchema, []),
  /** Minutes for which a device keeps a floating seat after its last check; null: the device keeps the seat until the seat is freed. */
  lease_minutes: orNull(number),
  /** Maximum number of new devices that may take a seat within 7 days; 0 means no limit. */
  new_devices_per_week: z._default(number, 0),
  /** Days of updates from the start of the term; null: updates never end. */
  updates_days: orNull(number),
  /** The last major version that the license covers; null: no limit. */
  max_major: orNull(number),
  /** Whether the term starts when the license is issued, or with its first activation. */
  starts: z._default(z.enum(termStarts), 'creation'),
  /** Whether an expired license may still download the releases whose `released_at` is before its expiry. */
  downloads_when_expired: flag,
  /** What takes the seats: the devices, or the members. */
  binding: z._default(z.enum(bindings), 'device'),
  /** Maximum number of devices that a member may use at the same time; null for the binding `device`. */
  devices_per_user: orNull(number),
});
export interface LicenseTerms extends Stored<typeof termsSchema> {}

/** A term that has not started yet: it starts with the first activation. */
const waitingTermSchema = z.object({
  /** Days from the first activation to the expiry. */
  days: number,
  /** Days from the first activation to the end of updates; null: the license's own `updates_until` applies. */
  updates_days: orNull(number),
});
export interface WaitingTerm extends Stored<typeof waitingTermSchema> {}

/**
 * The causes of suspensions. A payment processor's notification ends a suspension only if the notification reports that the cause has
 * ended. There is one exception: a license that stays valid after the end of its subscription (a fallback) is no longer suspended for a
 * missing payment or a pause. (docs/spec/payments.md, Suspension causes)
 */
export const suspensionCauses = ['operator', 'payment', 'pause', 'dispute'] as const;
export type SuspensionCause = (typeof suspensionCauses)[number];

const suspensionSchema = z.object({
  at: number,
  reason: orNull(string),
  /** Who suspended the license: `operator`, or the name of a payment processor. */
  by: string,
  cause: z.enum(suspensionCauses),
});
export interface Suspension extends Stored<typeof suspensionSchema> {}

/** The line of a payment processor's order for which a license was issued. (docs/spec/payments.md, Orders on licenses) */
const licenseOrderSchema = z.object({
  processor: z.enum(processors),
  connection_id: number,
  order_id: string,
  subscription_id: orNull(string),
  ref: orNull(string),
  line: orNull(string),
  test: flag,
});
export interface LicenseOrder extends Stored<typeof licenseOrderSchema> {}

/** The devices that have taken a seat in the current window of 7 days. A device that has taken a seat several times counts once. */
export const newDevicesSchema = z.object({
  /** When the first device of the window took a seat, in epoch ms. */
  since: number,
  /** A short hash of each fingerprint. */
  hashes: list(string),
});
export interface NewDevices extends Stored<typeof newDevicesSchema> {}

/** The devices that the buyer has freed in the portal in the current window of 30 days. */
export const buyerFreesSchema = z.object({
  /** When the first device of the window was freed, in epoch ms. */
  since: number,
  count: number,
});
export interface BuyerFrees extends Stored<typeof buyerFreesSchema> {}

/** A change of a meter's period. Whenever a meter gets another period, it starts at 0, also if it gets an earlier period again. */
const meterChangeSchema = z.object({
  /** The meter's latest period. */
  period: z.enum(meterPeriods),
  /** How often the meter has changed its period. What was consumed before the latest change does not count. */
  generation: number,
});
export interface MeterChange extends Stored<typeof meterChangeSchema> {}

const meterChangesSchema = z.pipe(
  z.record(string, meterChangeSchema),
  z.transform((changes) => Object.fromEntries(Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1)))),
);

export const licenseSchema = z.object({
  id: number,
  product_id: number,
  product_slug: string,
  /** The license key as people see it. It has this service's format, or the format of another system that issued it. */
  key: string,
  status: z.enum(licenseStatuses),
  expires_at: orNull(number),
  /** A term that waits for the first activation; null if the term has started or there is no term. */
  term: orNull(waitingTermSchema),
  /** The license covers releases up to this time; null: no limit. */
  updates_until: orNull(number),
  /** The license covers releases up to this major version; null: no limit. */
  max_major: orNull(number),
  license_type: termsSchema,
  /** The license's own number of seats; null: the number of its license type. */
  max_seats: orNull(number),
  /** The license's own features, sorted; null: the features of its license type. */
  features: orNull(list(string)),
  /** The license's own limits, sorted by name; null: the limits of its license type. */
  limits: orNull(limitsSchema),
  /** The license's own meters, sorted by name; null: the meters of its license type. */
  meters: orNull(metersSchema),
  /** For each meter that changed its period, or that the license no longer has: see {@link MeterChange}. */
  meter_changes: z._default(meterChangesSchema, {}),
  /** The start of the current term, if it is not the issue, followed by the known starts of future terms; see `terms.ts`. */
  term_starts: list(number),
  /** The number of bound devices. Unless the license has members, each of them takes a seat. */
  seats_used: number,
  /** The number of members, each of whom takes a seat; null for the binding `device`. */
  members: orNull(number),
  /**
   * A counter that increases when all seats are freed: by a reset, or when the license gets a new key. A device with an older epoch has no
   * seat.
   */
  epoch: number,
  /**
   * A counter that every event of the license increases by one. The event contains the new value. Every change is committed only if the
   * stored value has not changed. A change without an event, such as the id of an order, leaves the value as it is.
   */
  sequence: number,
  customer_email: orNull(addressSchema),
  /**
   * The e-mail address with which a trial was started. The address may belong to a stranger. It is shown with the license, but no search or
   * export by address finds the license until the operator sets `customer_email`. Null if the trial was started without an address, or if
   * `customer_email` is set.
   */
  unverified_email: orNull(addressSchema),
  /** The language of the license's mails; null: the product's language. */
  language: orNull(z.enum(languages)),
  /** The label that the buyer has given the license; null: none. */
  label: orNull(string),
  metadata: z
    .object({ json: z.optional(string), ref: z.optional(string) })
    .check(z.refine(({ json, ref }) => json !== undefined || ref !== undefined)),
  created_at: number,
  revoked_at: orNull(number),
  /** The reason that the operator gave for the revocation; null if there is no reason. */
  revoked_reason: orNull(string),
  suspended: orNull(suspensionSchema),
  order: orNull(licenseOrderSchema),
  new_devices: orNull(newDevicesSchema),
  /** The expiry for which `license.expiring` was sent. */
  warned_expiry: orNull(number),
  /** The end of updates for which `license.updates_expiring` was sent. */
  warned_updates: orNull(number),
  /** When `license.seats_exhausted` was last sent. */
  exhausted_at: orNull(number),
  /**
   * When the buyer's data was erased. After the erasure, no payment processor may fill in the data again. (docs/spec/operator.md, A buyer's
   * data)
   */
  erased_at: orNull(number),
  buyer_frees: orNull(buyerFreesSchema),
  /** When the buyer replaced the key within the last 24 hours before the latest replacement, and that replacement (epoch ms). */
  buyer_reissues: list(number),
  /**
   * Whether the key of a trial was mailed. A trial's buyer gets reminders only in this case. The field is not recorded for licenses that
   * are not trials.
   */
  key_mailed: flag,
});
export interface License extends Stored<typeof licenseSchema> {}

/** The latest approved sign-in on a device, which gave the device a key (docs/spec/sign-in.md, Device keys). */
const signInSchema = z.object({
  /** The hash of the device key. An older key of the device no longer works. */
  key_hash: string,
  /** When the buyer approved the sign-in, in epoch ms. */
  at: number,
});
export interface SignIn extends Stored<typeof signInSchema> {}

export const deviceSchema = z.object({
  fingerprint: string,
  platform: string,
  name: string,
  activated_at: number,
  /** The epoch of the license when the device was bound. */
  epoch: number,
  /** When the lease ends and another device can take the seat; null: the device keeps the seat until the seat is freed. */
  lease_expires_at: orNull(number),
  /** The UTC day of the device's last check, such as `2026-11-20`; null if no such day was recorded. */
  last_seen_on: orNull(string),
  /** Null if nobody has signed in on the device. */
  sign_in: orNull(signInSchema),
  /** The e-mail address of the member who uses the device; null for the binding `device`. */
  member: orNull(string),
  /** The version of the app as it was last stored (see {@link DeviceUse}); null: not known. */
  app_version: orNull(string),
  /** The country of the request that reported it (ISO 3166-1 alpha-2); null: not known. */
  country: orNull(string),
});
export interface Device extends Stored<typeof deviceSchema> {}

/** What a request tells about the use of its device. The first check of a day stores it. */
export type DeviceUse = Pick<Device, 'app_version' | 'country'>;

/** Maximum length of a version that is stored with a device, in characters. */
const MAX_APP_VERSION = 40;

/** The version of the app as it is stored with a device: `v2.4.0` and `2.4.0` are the same version. */
export const appVersionOf = (version: string | null | undefined): string | null =>
  Array.from((version ?? '').replace(/^v(?=\d)/i, ''))
    .slice(0, MAX_APP_VERSION)
    .join('') || null;

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
