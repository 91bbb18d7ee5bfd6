import { partitions } from '../../contract/access';
import { memberId } from '../../domain/member';
import { emailTerm } from '../../domain/search-term';
import { lookupKey } from '../../domain/license-key';
import { getItems, queryPages } from '../items';
import { licenseIdKey, memberKey, termList } from '../keys';
import { toMember } from '../members';
import type { Table } from '../table';
import { byId, type FoundLicense } from './by-email';
import { isPast, type Start } from './page';

/**
 * The licenses of which an e-mail address is a member, by product, in the order of their ids.
 *
 * @param productId the only product whose licenses are returned; null: all products
 */
export async function membershipsOf(
  table: Table,
  email: string,
  productId: number | null,
): Promise<readonly (FoundLicense & { readonly product_id: number })[]> {
  const term = emailTerm(email);
  const ids: number[] = [];
  for await (const page of queryPages(table, {
    IndexName: 'email',
    KeyConditionExpression: 'email_pk = :list AND begins_with(email_sk, :term)',
    ExpressionAttributeValues: { ':list': termList(term), ':term': `${term}#` },
  })) {
    const members = page.map(({ pk }) => String(pk)).filter((pk) => pk.startsWith(partitions.member));
    ids.push(...members.map((pk) => Number(pk.slice(partitions.member.length))));
  }
  // The index may be slightly behind the table, so the rows of the members are read.
  const rows = await getItems(
    table,
    ids.flatMap((id) => [memberKey(id, memberId(id, email)), licenseIdKey(id)]),
  );
  return ids
    .flatMap((id, place) => {
      const [row, pointer] = rows.slice(2 * place);
      const key = pointer && lookupKey(String(pointer['key']));
      return row && key !== undefined ? [{ id, key, product_id: toMember(row).product_id }] : [];
    })
    .filter(({ product_id }) => productId === null || product_id === productId)
    .sort((a, b) => a.product_id - b.product_id || a.id - b.id);
}

/** A product's licenses of which an e-mail address is a member, beginning at `start`. */
export const findLicensesOfMember = async (
  table: Table,
  productId: number,
  email: string,
  start: Start,
): Promise<readonly FoundLicense[]> =>
  (await membershipsOf(table, email, productId)).filter(({ id }) => isPast(id, start)).sort(byId(start));
