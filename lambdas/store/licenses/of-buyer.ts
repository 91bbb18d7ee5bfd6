import { listProducts } from '../products';
import type { Table } from '../table';
import { findLicensesByEmail } from './list';
import type { LicenseAddress } from './read';

/** Products that are asked at the same time. */
const ASK_TOGETHER = 20;

/** The products of which a buyer's licenses are looked for: one, or all. */
async function productIds(table: Table, productId: number | null): Promise<number[]> {
  if (productId !== null) return [productId];
  const ids: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof listProducts>> = await listProducts(table, after, 100);
    ids.push(...page.products.map(({ id }) => id));
    after = page.next;
  }
  return ids;
}

/** Where the licenses with this address are, in the order of products and ids. */
export async function licensesOfBuyer(table: Table, email: string, productId: number | null): Promise<LicenseAddress[]> {
  const ids = await productIds(table, productId);
  const found: LicenseAddress[] = [];
  for (let start = 0; start < ids.length; start += ASK_TOGETHER) {
    const keys = await Promise.all(
      ids.slice(start, start + ASK_TOGETHER).map(async (id) => (await findLicensesByEmail(table, id, email, { order: 'asc', past: 0 })).map((key) => ({ productId: id, key }))),
    );
    found.push(...keys.flat());
  }
  return found;
}
