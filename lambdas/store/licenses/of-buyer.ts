import { listProductIds } from '../products';
import type { Table } from '../table';
import { findLicensesByEmail } from './list';
import type { LicenseAddress } from './read';

/** Products that are asked at the same time. */
const ASK_TOGETHER = 20;

/**
 * Where the licenses with this address are, in the order of products and ids.
 *
 * @param productId the only product that is searched; null: all
 */
export async function licensesOfBuyer(table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> {
  const ids = productId === null ? await listProductIds(table) : [productId];
  const found: LicenseAddress[] = [];
  for (let start = 0; start < ids.length; start += ASK_TOGETHER) {
    const keys = await Promise.all(
      ids.slice(start, start + ASK_TOGETHER).map(async (id) => (await findLicensesByEmail(table, id, email, { order: 'asc', past: 0 })).map((key) => ({ productId: id, key }))),
    );
    found.push(...keys.flat());
  }
  return found;
}
