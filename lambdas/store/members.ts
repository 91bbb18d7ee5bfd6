import { devicesOf, memberId, memberSchema, positionOf, type Member, type MemberChange } from '../domain/member';
import { domainTerm, emailTerm } from '../domain/search-term';
import { hasMembers, type Device, type License } from '../domain/license';
import type { Action } from './action';
import type { Item } from './codec';
import { getItem, getItems, queryAll, wholePartition } from './items';
import { licenseMembers, memberKey, termList, termPosition } from './keys';
import { deviceRowKey, toDevice } from './licenses/rows';
import { readRow, rowFields } from './row';
import type { Table } from './table';

/**
 * The rows of members. They are in a partition of their license that does not depend on the license's key, so that they stay where they are
 * when the license gets another key.
 */

const rowKey = ({ license_id, email }: Pick<Member, 'license_id' | 'email'>) => memberKey(license_id, memberId(license_id, email));

const toItem = (member: Member): Item => ({
  ...rowKey(member),
  // The same search finds licenses by the addresses of their buyers and of their members, and by the domains of these addresses.
  email_pk: termList(emailTerm(member.email)),
  email_sk: termPosition(emailTerm(member.email), { created_at: member.added_at, product_id: member.product_id }),
  list_pk: termList(domainTerm(member.email)),
  list_sk: termPosition(domainTerm(member.email), { created_at: member.added_at, product_id: member.product_id }),
  version: 1,
  ...rowFields(memberSchema, member),
});

/** @throws UnreadableRow */
export const toMember = (item: Item): Member => readRow(memberSchema, item);

/** The action of a member's change. It fails if the member was added, changed or removed since it was read. */
export function updateMember({ before, after }: MemberChange): Action {
  const condition = before
    ? { ConditionExpression: 'revision = :read', ExpressionAttributeValues: { ':read': before.revision } }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  return after ? { Put: { Item: toItem(after), ...condition } } : { Delete: { Key: rowKey(before!), ...condition } };
}

/** The action that fails if the member was removed or got another role since it was read. */
export const checkMember = (member: Member): Action => ({
  Check: {
    Key: rowKey(member),
    ConditionExpression: 'revision = :read AND #role = :role',
    ExpressionAttributeNames: { '#role': 'role' },
    ExpressionAttributeValues: { ':read': member.revision, ':role': member.role },
  },
});

/** The member of a license with an e-mail address. A license that does not belong to named people costs no read. */
export const getOwnMember = async (table: Table, license: License, email: string): Promise<Member | undefined> =>
  hasMembers(license) ? getMember(table, license.id, memberId(license.id, email)) : undefined;

/** @param id as returned by `memberId` */
export async function getMember(table: Table, licenseId: number, id: string): Promise<Member | undefined> {
  const item = await getItem(table, memberKey(licenseId, id));
  return item && toMember(item);
}

/** All members of a license, oldest first. There are at most 1,000, so they are sorted after they are read. */
export async function readMembers(table: Table, licenseId: number): Promise<Member[]> {
  const rows = await queryAll(table, wholePartition(licenseMembers(licenseId)));
  return rows.map(toMember).sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
}

/** The devices of members of a license, read in one round trip. */
export async function readDevicesOf(table: Table, license: License, members: readonly Member[]): Promise<Device[]> {
  const rows = await getItems(
    table,
    members.flatMap((member) => devicesOf(member, license)).map((fingerprint) => deviceRowKey(license, fingerprint)),
  );
  return rows.flatMap((row) => (row ? [toDevice(row)] : []));
}
