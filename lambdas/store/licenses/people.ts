import { boundDevice, hasMembers } from '../../domain/license';
import { memberId, type Member } from '../../domain/member';
import { getItems } from '../items';
import { memberKey } from '../keys';
import { toMember } from '../members';
import type { Table } from '../table';
import { readState, type LicenseState } from './commit';

/** Reads the members that a decision about a device concerns, together with the license and the device. */

/** A license and a device, with the members that a decision about the device concerns. */
export interface PeopleState extends LicenseState {
  /** The membership of the person who makes the request. */
  readonly own?: Member | undefined;
  /** The member who uses the device. */
  readonly holder?: Member | undefined;
}

/**
 * Adds the members to a license and a device that were read. Nothing is read for a license without members.
 *
 * @param address the address of the person who makes the request; undefined if an app or an operator makes it
 */
export async function withPeople(table: Table, state: LicenseState, address?: string): Promise<PeopleState> {
  const { license, device } = state;
  if (!hasMembers(license)) return state;
  const user = boundDevice(license, device)?.member ?? undefined;
  const ids = [address, user].map((email) => email !== undefined && memberId(license.id, email));
  const wanted = [...new Set(ids.filter((id) => id !== false))];
  const items = await getItems(
    table,
    wanted.map((id) => memberKey(license.id, id)),
  );
  const [own, holder] = ids.map((id) => {
    const item = id === false ? undefined : items[wanted.indexOf(id)];
    return item && toMember(item);
  });
  return { ...state, own, holder };
}

/** Reads the license, its device and their members again. */
export const rereadPeople =
  (table: Table, address?: string) =>
  async ({ license, device }: LicenseState): Promise<PeopleState | undefined> => {
    const state = await readState(table, license, device?.fingerprint);
    return state && withPeople(table, state, address);
  };
