import { emailLists, unverifiedEmailLists } from '../keys';
import { listProductIds } from '../products';
import type { Table } from '../table';
import { findLicensesByEmail } from './by-email';
import type { LicenseAddress } from './read';
import { chunks } from '../chunks';

/** Number of products that are searched at the same time. */
const ASK_TOGETHER = 20;

/**
 * The keys of the licenses with an e-mail address, sorted by product and id.
 *
 * @param productId the only product that is searched; null: all products
 */
export const licensesOfBuyer = (table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> =>
  licensesIn(table, email, productId, emailLists);

/**
 * The keys of the trials that were started with an e-mail address that nobody has verified. Only the erasure of a buyer's data uses these
 * keys.
 */
export const trialsWithAddress = (table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> =>
  licensesIn(table, email, productId, unverifiedEmailLists);

async function licensesIn(table: Table, email: string, productId: number | null, listsOf: typeof emailLists): Promise<LicenseAddress[]> {
  const ids = productId === null ? await listProductIds(table) : [productId];
  const found: LicenseAddress[] = [];
  for (const batch of chunks(ids, ASK_TOGETHER)) {
    const keys = await Promise.all(
      batch.map(async (id) =>
        (await findLicensesByEmail(table, id, email, { order: 'asc', past: 0 }, listsOf)).map(({ key }) => ({ productId: id, key })),
      ),
    );
    found.push(...keys.flat());
  }
  return found;
}
