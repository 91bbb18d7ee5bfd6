import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { memberRoles, type LicenseView, type MemberRole, type MemberView } from '../contract/resources';
import { comparableEmail } from './email';
import { buyerFreesSchema, newDevicesSchema, type BuyerFrees, type Device, type License, type NewDevices } from './license';
import { timestampOf } from './time';
import { list, number, orNull, string, type Stored } from './stored';

/** A member of a license of named people (docs/spec/sign-in.md, Licenses of named people). Times are epoch ms. */

export const memberSchema = z.object({
  license_id: number,
  product_id: number,
  email: string,
  role: z.enum(memberRoles),
  added_at: number,
  /** A counter that every change of the member increases. A change is committed only if the stored value has not changed. */
  revision: number,
  /** The epoch of the license in which the devices were bound. In a later epoch, a reset has freed them. */
  epoch: number,
  /** The fingerprints of the member's devices. */
  devices: list(string),
  /** The latest known UTC day on which a device of the member was seen. The rows of the devices may contain a later day. */
  last_seen_on: orNull(string),
  /** The count for the limit `new_devices_per_week`, which applies to each member. */
  new_devices: orNull(newDevicesSchema),
  /** The devices that the member has freed in the portal. */
  frees: orNull(buyerFreesSchema),
});
export interface Member extends Stored<typeof memberSchema> {}

/** The change of a member's row: a new member has no `before`, and a removed member has no `after`. */
export interface MemberChange {
  readonly before: Member | undefined;
  readonly after: Member | undefined;
}

/**
 * The id of a member. It is the same for a license and an address, and does not contain the address, so that addresses are in no path and no
 * cursor.
 */
export const memberId = (licenseId: number, address: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['member', licenseId, comparableEmail(address)]))
    .digest('base64url')
    .slice(0, 22);

/** The position of a member in the list of the license's members, which is sorted by the time at which they were added. */
export const positionOf = ({ license_id, email, added_at }: Member): string =>
  `${String(added_at).padStart(16, '0')}-${memberId(license_id, email)}`;

export const isSameAddress = (a: string, b: string): boolean => comparableEmail(a) === comparableEmail(b);

/** The fingerprints of the devices that the member uses now. */
export const devicesOf = (member: Member, { epoch }: Pick<License, 'epoch'>): readonly string[] =>
  member.epoch === epoch ? member.devices : [];

/** The count of the member's new devices; null if none was counted since an operator reset the counts of the license. */
export const countedDevices = ({ new_devices: counted }: Member, license: Pick<License, 'new_devices'>): NewDevices | null =>
  counted && counted.since >= (license.new_devices?.since ?? 0) ? counted : null;

/** The sum of the counts of all members of a license. */
export function countedDevicesOfAll(members: readonly Member[], license: Pick<License, 'new_devices'>): LicenseView['new_devices'] {
  const counts = members.flatMap((member) => countedDevices(member, license) ?? []);
  return {
    count: counts.reduce((sum, { hashes }) => sum + hashes.length, 0),
    since: counts.length === 0 ? null : timestampOf(Math.min(...counts.map(({ since }) => since))),
  };
}

/** What events contain about a member. */
export const memberFacts = ({ email, role }: Pick<Member, 'role'> & { readonly email: string | null }) => ({ member: { email, role } });

const later = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a);

/** @param bound the member's devices, which may have been seen after the member's row was written */
export const memberView = (member: Member, license: License, bound: readonly Device[]): MemberView => ({
  id: memberId(member.license_id, member.email),
  email: member.email,
  role: member.role,
  devices: devicesOf(member, license).length,
  added_at: timestampOf(member.added_at),
  last_seen_on: bound.reduce((day, device) => later(day, device.last_seen_on), member.last_seen_on),
});

/** The change that takes a device from its member. */
export const withoutDevice = (member: Member, license: License, device: Device, patch: Partial<Member> = {}): MemberChange => ({
  before: member,
  after: {
    ...member,
    ...patch,
    revision: member.revision + 1,
    epoch: license.epoch,
    devices: devicesOf(member, license).filter((fingerprint) => fingerprint !== device.fingerprint),
    last_seen_on: later(member.last_seen_on, device.last_seen_on),
  },
});

const joinedDevices = (a: NewDevices | null, b: NewDevices | null): NewDevices | null =>
  a && b ? { since: Math.min(a.since, b.since), hashes: [...new Set([...a.hashes, ...b.hashes])] } : (a ?? b);

const joinedFrees = (a: BuyerFrees | null, b: BuyerFrees | null): BuyerFrees | null =>
  a && b ? { since: Math.min(a.since, b.since), count: a.count + b.count } : (a ?? b);

/**
 * The member after a membership was moved to another address of the same person. If that address already is a member, both are joined: with
 * the higher role, the earlier `added_at`, and the sums of both counts.
 *
 * @param devices the devices that the person keeps
 */
export const movedMember = (from: Member, to: Member | undefined, email: string, license: License, devices: readonly Device[]): Member => ({
  ...from,
  email,
  role: to?.role === 'manager' ? 'manager' : from.role,
  added_at: Math.min(from.added_at, to?.added_at ?? from.added_at),
  revision: (to ?? from).revision + 1,
  epoch: license.epoch,
  devices: devices.map(({ fingerprint }) => fingerprint),
  last_seen_on: later(from.last_seen_on, to?.last_seen_on ?? null),
  new_devices: joinedDevices(from.new_devices, to?.new_devices ?? null),
  frees: joinedFrees(from.frees, to?.frees ?? null),
});

export const newMember = (license: License, email: string, role: MemberRole, now: number): Member => ({
  license_id: license.id,
  product_id: license.product_id,
  email,
  role,
  added_at: now,
  revision: 1,
  epoch: license.epoch,
  devices: [],
  last_seen_on: null,
  new_devices: null,
  frees: null,
});
