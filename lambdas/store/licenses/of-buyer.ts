import { emailList, unverifiedEmailList } from '../keys';
import { listProductIds } from '../products';
import type { Table } from '../table';
import { findLicensesByEmail } from './list';
import type { LicenseAddress } from './read';
import { chunks } from '../chunks';

/** Number of products that are searched at the same time. */
const ASK_TOGETHER = 20;

/**
 * Keys of the licenses with this address, in the order of products and ids.
 *
 * @param productId the only product that is searched; null: all
 */
export const licensesOfBuyer = (table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> =>
  licensesIn(table, email, productId, emailList);

/** Keys of the trials that were started with this address, which nobody has verified: for the erasure only. */
export const trialsWithAddress = (table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> =>
  licensesIn(table, email, productId, unverifiedEmailList);

async function licensesIn(table: Table, email: string, productId: number | null, partitionOf: typeof emailList): Promise<LicenseAddress[]> {
  const ids = productId === null ? await listProductIds(table) : [productId];
  const found: LicenseAddress[] = [];
  for (const batch of chunks(ids, ASK_TOGETHER)) {
    const keys = await Promise.all(
      batch.map(async (id) =>
        (await findLicensesByEmail(table, id, email, { order: 'asc', past: 0 }, partitionOf)).map((key) => ({ productId: id, key })),
      ),
    );
    found.push(...keys.flat());
  }
  return found;
}
