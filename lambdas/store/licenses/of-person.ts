import { boundDevice, hasMembers, type Device, type License } from '../../domain/license';
import { memberId } from '../../domain/member';
import type { Session } from '../../domain/portal/session';
import { portalAccessOf, type PortalAccess } from '../../domain/portal/access';
import { chunks } from '../chunks';
import { BATCH_SIZE, getItems } from '../items';
import { licenseKey, memberKey } from '../keys';
import { readDevicesOf, toMember } from '../members';
import type { Table } from '../table';
import { byId, findLicensesByEmail } from './by-email';
import { findLicensesOfMember, membershipsOf } from './of-member';
import { withDetails } from './details';
import type { Start } from './page';
import { MAX_LISTED_DEVICES, MAX_ROWS, readDevices, readLicenses } from './read';

/** The licenses that a signed-in person sees in the portal: as their buyer, or as a member. */

type Person = Pick<Session, 'product_id' | 'address'>;

/** A license with what the person is for it, and the devices that the person may see. */
export interface PersonalLicense {
  readonly license: License;
  readonly access: PortalAccess;
  readonly devices: readonly Device[];
}

/** Whether any license of the product has the person as its buyer or as a member, according to the index. */
export const ownsLicense = async (table: Table, person: Person): Promise<boolean> =>
  (await keysOf(table, person, { order: 'asc', past: 0 })).length > 0;

/** Whether the person is a member of licenses of the product and the buyer of none, according to the index. */
export const isOnlyMember = async (table: Table, { product_id, address }: Person): Promise<boolean> =>
  (await findLicensesByEmail(table, product_id, address, { order: 'asc', past: 0 })).length === 0 &&
  (await membershipsOf(table, address, product_id)).length > 0;

async function keysOf(table: Table, { product_id, address }: Person, start: Start): Promise<string[]> {
  const [bought, used] = await Promise.all([
    findLicensesByEmail(table, product_id, address, start),
    findLicensesOfMember(table, product_id, address, start),
  ]);
  const distinct = new Map([...bought, ...used].map((found) => [found.id, found]));
  return [...distinct.values()].sort(byId(start)).map(({ key }) => key);
}

/**
 * Lists up to `limit` licenses of a person, beginning at `start`.
 *
 * @param read whether the devices and the current names of the license types are read, too
 */
export async function listOfPerson(
  table: Table,
  person: Person,
  start: Start,
  limit: number,
  read: 'licenses' | 'everything',
): Promise<{ readonly licenses: readonly PersonalLicense[]; readonly unreadable: number; readonly next?: number }> {
  const licenses: PersonalLicense[] = [];
  let unreadable = 0;
  let devicesRead = 0;
  for (const batch of chunks(await keysOf(table, person, start), Math.min(limit + 1, BATCH_SIZE))) {
    const page = await readLicenses(
      table,
      batch.map((key) => licenseKey(person.product_id, key)),
    );
    unreadable += page.unreadable;
    const found = page.entities.map(({ license }) => license);
    for (const { license, access } of await accessesOf(table, person, read === 'everything' ? await withDetails(table, found) : found)) {
      if (licenses.length === limit || devicesRead >= MAX_ROWS)
        return { licenses, unreadable, next: licenses.at(-1)?.license.id ?? start.past };
      const devices = read === 'everything' ? await visibleDevices(table, license, access) : [];
      licenses.push({ license, access, devices });
      devicesRead += devices.length;
    }
  }
  return { licenses, unreadable };
}

/** What a person is for each license. Licenses that are none of the person's are left out. */
async function accessesOf(
  table: Table,
  person: Person,
  licenses: readonly License[],
): Promise<readonly { readonly license: License; readonly access: PortalAccess }[]> {
  const shared = licenses.filter(hasMembers);
  const rows = await getItems(
    table,
    shared.map(({ id }) => memberKey(id, memberId(id, person.address))),
  );
  const members = new Map(rows.flatMap((row) => (row ? [toMember(row)] : [])).map((member) => [member.license_id, member]));
  return licenses.flatMap((license) => {
    const access = portalAccessOf(license, members.get(license.id), person);
    return access ? [{ license, access }] : [];
  });
}

/** The bound devices of a license that a person may see: a member sees only the member's own devices. */
export async function visibleDevices(table: Table, license: License, { role, member }: PortalAccess): Promise<Device[]> {
  const devices = role === 'member' && member ? await readDevicesOf(table, license, [member]) : await readDevices(table, license);
  return devices.filter((device) => boundDevice(license, device) !== undefined).slice(0, MAX_LISTED_DEVICES);
}
