import { readableAddress } from '../../contract/mail-address';
import { meterPeriods, overages, sortedLimits, type Limits, type MeterTerms } from '../../contract/resources';
import { languages } from '../../contract/languages';
import { processors } from '../../contract/processors';
import { bindings, licenseKinds, termStarts } from '../../contract/license-kinds';
import { licenseStatuses } from '../../contract/statuses';
import { suspensionCauses, type Device, type License, type LicenseTerms } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import type { Metadata } from '../../domain/metadata';
import {
  deviceKey,
  devicePosition,
  emailList,
  expiryList,
  expiryPosition,
  fingerprintList,
  licenseKey,
  licenseList,
  listPosition,
  unverifiedEmailList,
  type Key,
} from '../keys';
import { RowReader } from '../row';
import type { Item } from '../codec';

/** Codecs of the rows of licenses and devices. The functions that write and read a kind of row are next to each other. */

/** The format version of the license rows that this version of the service writes. */
const LICENSE_VERSION = 2;

/**
 * The key of a license's row.
 *
 * @throws Error if the license key has an invalid format, which no stored license has
 */
export function licenseRowKey({ product_id, key }: Pick<License, 'product_id' | 'key'>): Key {
  const found = lookupKey(key);
  if (found === undefined) throw new Error('The license has a key that cannot be looked up');
  return licenseKey(product_id, found);
}

export const deviceRowKey = (license: Pick<License, 'product_id' | 'key'>, fingerprint: string): Key =>
  deviceKey(licenseRowKey(license), fingerprint);

/**
 * Leaves out fields that are null or undefined, so that the row stays small. Each activation writes the row, and the size determines the
 * cost.
 */
const present = (fields: Item): Item =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

export const licenseItem = (license: License): Item => {
  const { metadata, license_type, product_id, id, customer_email, unverified_email, expires_at } = license;
  const emailPartition =
    customer_email !== null
      ? emailList(product_id, customer_email)
      : unverified_email !== null
        ? unverifiedEmailList(product_id, unverified_email)
        : undefined;
  return {
    ...licenseRowKey(license),
    version: LICENSE_VERSION,
    list_pk: licenseList(product_id),
    list_sk: listPosition(id),
    ...(emailPartition !== undefined && { email_pk: emailPartition, email_sk: listPosition(id) }),
    ...(expires_at !== null && { lookup_pk: expiryList(product_id), lookup_sk: expiryPosition(expires_at, id) }),
    id,
    product_id,
    product_slug: license.product_slug,
    key: license.key,
    status: license.status,
    license_type: termsItem(license_type),
    license_type_id: license_type.id,
    seats_used: license.seats_used,
    epoch: license.epoch,
    sequence: license.sequence,
    created_at: license.created_at,
    expires_at,
    revoked_at: license.revoked_at,
    customer_email,
    ...(metadata.ref === undefined ? { metadata: metadata.json } : { metadata_ref: metadata.ref }),
    ...present({
      unverified_email,
      language: license.language,
      label: license.label,
      members: license.members,
      term: license.term,
      updates_until: license.updates_until,
      max_major: license.max_major,
      max_seats: license.max_seats,
      features: license.features,
      limits: license.limits,
      meters: license.meters,
      ...(Object.keys(license.meter_changes).length > 0 && { meter_changes: license.meter_changes }),
      ...(license.term_starts.length > 0 && { term_starts: license.term_starts }),
      revoked_reason: license.revoked_reason,
      suspended: license.suspended,
      order: license.order,
      new_devices: license.new_devices,
      warned_expiry: license.warned_expiry,
      warned_updates: license.warned_updates,
      exhausted_at: license.exhausted_at,
      erased_at: license.erased_at,
      buyer_frees: license.buyer_frees,
      ...(license.buyer_reissues.length > 0 && { buyer_reissues: license.buyer_reissues }),
      ...(license.key_mailed && { key_mailed: true }),
    }),
  };
};

/** The terms of a license type, as stored in the rows of licenses and license types. Fields with their default value are left out. */
export const termsItem = ({
  features,
  limits,
  meters,
  lease_minutes,
  new_devices_per_week,
  updates_days,
  max_major,
  starts,
  downloads_when_expired,
  binding,
  devices_per_user,
  ...terms
}: LicenseTerms): Item => ({
  ...terms,
  ...(features.length > 0 && { features }),
  ...(Object.keys(limits).length > 0 && { limits }),
  ...(meters.length > 0 && { meters }),
  ...(lease_minutes !== null && { lease_minutes }),
  ...(new_devices_per_week !== 0 && { new_devices_per_week }),
  ...(updates_days !== null && { updates_days }),
  ...(max_major !== null && { max_major }),
  ...(starts !== 'creation' && { starts }),
  ...(downloads_when_expired && { downloads_when_expired }),
  ...(binding !== 'device' && { binding }),
  ...(devices_per_user !== null && { devices_per_user }),
});

/** Reads limits. A map in a row has no order. */
const toLimits = (row: RowReader): Limits | null => {
  const limits = row.nullableNumbersByName('limits');
  return limits && sortedLimits(limits);
};

const toMeterTerms = (row: RowReader): readonly MeterTerms[] =>
  row.maps('meters').map((meter) => ({
    name: meter.string('name'),
    included: meter.number('included'),
    period: meter.oneOf('period', meterPeriods),
    overage: meter.oneOf('overage', overages),
    returnable: meter.boolean('returnable'),
  }));

const toMeterChanges = (changes: RowReader | null): License['meter_changes'] =>
  Object.fromEntries(
    (changes?.fields() ?? []).sort().map((name) => {
      const change = changes!.map(name);
      return [name, { period: change.oneOf('period', meterPeriods), generation: change.number('generation') }];
    }),
  );

/** Reads the terms of a license type from the row of a license or a license type. */
export const toTerms = (row: RowReader): LicenseTerms => ({
  id: row.number('id'),
  name: row.string('name'),
  kind: row.oneOf('kind', licenseKinds),
  max_seats: row.number('max_seats'),
  duration_days: row.nullableNumber('duration_days'),
  features: row.nullableStrings('features') ?? [],
  limits: toLimits(row) ?? {},
  meters: toMeterTerms(row),
  lease_minutes: row.nullableNumber('lease_minutes'),
  new_devices_per_week: row.nullableNumber('new_devices_per_week') ?? 0,
  updates_days: row.nullableNumber('updates_days'),
  max_major: row.nullableNumber('max_major'),
  starts: row.nullableString('starts') === null ? 'creation' : row.oneOf('starts', termStarts),
  downloads_when_expired: row.boolean('downloads_when_expired'),
  binding: row.nullableString('binding') === null ? 'device' : row.oneOf('binding', bindings),
  devices_per_user: row.nullableNumber('devices_per_user'),
});

const toMetadata = (row: RowReader): Metadata => {
  const ref = row.nullableString('metadata_ref');
  return ref === null ? { json: row.string('metadata') } : { ref };
};

const toSuspension = (row: RowReader | null): License['suspended'] =>
  row && { at: row.number('at'), reason: row.nullableString('reason'), by: row.string('by'), cause: row.oneOf('cause', suspensionCauses) };

const toOrder = (row: RowReader | null): License['order'] =>
  row && {
    processor: row.oneOf('processor', processors),
    connection_id: row.number('connection_id'),
    order_id: row.string('order_id'),
    subscription_id: row.nullableString('subscription_id'),
    ref: row.nullableString('ref'),
    line: row.nullableString('line'),
    test: row.boolean('test'),
  };

export const toNewDevices = (row: RowReader | null): License['new_devices'] =>
  row && { since: row.number('since'), hashes: row.nullableStrings('hashes') ?? [] };

export const toBuyerFrees = (row: RowReader | null): License['buyer_frees'] =>
  row && { since: row.number('since'), count: row.number('count') };

const toTerm = (row: RowReader | null): License['term'] =>
  row && { days: row.number('days'), updates_days: row.nullableNumber('updates_days') };

/** An address in the spelling in which this version stores it. Earlier versions stored an address as it was given. */
const toAddress = (stored: string | null): string | null => (stored === null ? null : readableAddress(stored));

/** @throws UnreadableRow */
export function toLicense(item: Item): License {
  const row = new RowReader(item);
  return {
    id: row.number('id'),
    product_id: row.number('product_id'),
    product_slug: row.string('product_slug'),
    key: row.string('key'),
    status: row.oneOf('status', licenseStatuses),
    expires_at: row.nullableNumber('expires_at'),
    term: toTerm(row.nullableMap('term')),
    updates_until: row.nullableNumber('updates_until'),
    max_major: row.nullableNumber('max_major'),
    license_type: toTerms(row.map('license_type')),
    max_seats: row.nullableNumber('max_seats'),
    features: row.nullableStrings('features'),
    limits: toLimits(row),
    meters: row.has('meters') ? toMeterTerms(row) : null,
    meter_changes: toMeterChanges(row.nullableMap('meter_changes')),
    term_starts: row.numbers('term_starts'),
    seats_used: row.number('seats_used'),
    members: row.nullableNumber('members'),
    epoch: row.number('epoch'),
    sequence: row.number('sequence'),
    customer_email: toAddress(row.nullableString('customer_email')),
    unverified_email: toAddress(row.nullableString('unverified_email')),
    language: row.nullableString('language') === null ? null : row.oneOf('language', languages),
    label: row.nullableString('label'),
    metadata: toMetadata(row),
    created_at: row.number('created_at'),
    revoked_at: row.nullableNumber('revoked_at'),
    revoked_reason: row.nullableString('revoked_reason'),
    suspended: toSuspension(row.nullableMap('suspended')),
    order: toOrder(row.nullableMap('order')),
    new_devices: toNewDevices(row.nullableMap('new_devices')),
    warned_expiry: row.nullableNumber('warned_expiry'),
    warned_updates: row.nullableNumber('warned_updates'),
    exhausted_at: row.nullableNumber('exhausted_at'),
    erased_at: row.nullableNumber('erased_at'),
    buyer_frees: toBuyerFrees(row.nullableMap('buyer_frees')),
    buyer_reissues: row.numbers('buyer_reissues'),
    key_mailed: row.boolean('key_mailed'),
  };
}

/**
 * The marker that replaces the row of a license that was moved to a new key. The old key is dead from then on. The marker does not contain
 * the new key. (docs/spec/licenses.md, Reissue)
 */
export const deadKeyItem = (license: Pick<License, 'product_id' | 'key' | 'id'>): Item => ({
  ...licenseRowKey(license),
  version: LICENSE_VERSION,
  dead: true,
  id: license.id,
});

/** Whether a row is the marker of a key whose license was moved to another key. */
export const isDeadKey = (item: Item): boolean => item['dead'] === true;

export const deviceItem = (license: License, device: Device): Item => ({
  ...deviceRowKey(license, device.fingerprint),
  list_pk: licenseList(license.product_id),
  list_sk: devicePosition(license.id, device.fingerprint),
  lookup_pk: fingerprintList(device.fingerprint),
  lookup_sk: listPosition(license.id),
  fingerprint: device.fingerprint,
  platform: device.platform,
  name: device.name,
  activated_at: device.activated_at,
  epoch: device.epoch,
  ...(device.lease_expires_at !== null && { lease_expires_at: device.lease_expires_at }),
  ...(device.last_seen_on !== null && { last_seen_on: device.last_seen_on }),
  ...(device.sign_in !== null && { sign_in: device.sign_in }),
  ...(device.member !== null && { member: device.member }),
});

const toSignIn = (row: RowReader | null): Device['sign_in'] => row && { key_hash: row.string('key_hash'), at: row.number('at') };

/** @throws UnreadableRow */
export function toDevice(item: Item): Device {
  const row = new RowReader(item);
  return {
    fingerprint: row.string('fingerprint'),
    platform: row.string('platform'),
    name: row.string('name'),
    activated_at: row.number('activated_at'),
    epoch: row.number('epoch'),
    lease_expires_at: row.nullableNumber('lease_expires_at'),
    last_seen_on: row.nullableString('last_seen_on'),
    sign_in: toSignIn(row.nullableMap('sign_in')),
    member: row.nullableString('member'),
  };
}
