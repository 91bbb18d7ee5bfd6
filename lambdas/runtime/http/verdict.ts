import { VERDICT_HEADER } from '../../contract/edge';
import type { Product } from '../../domain/product';
import { signVerdict, type VerdictStatus } from '../../domain/verdict';
import type { App } from '../app';
import { Reply } from './response';

/** The data for a signed verdict. */
interface VerdictCall {
  readonly app: App;
  readonly product: Product;
  readonly now: number;
}

/**
 * Adds a signed verdict about a license on a device to a response. If `status` is undefined, the response needs no verdict and is returned
 * unchanged.
 */
export async function withVerdict<Result>(
  { app, product, now }: VerdictCall,
  { licenseId, fingerprint }: { readonly licenseId: number; readonly fingerprint: string },
  result: Result,
  status: VerdictStatus | undefined,
): Promise<Result | Reply<Result>> {
  if (status === undefined) return result;
  const verdict = signVerdict(await app.products.signer(product), { licenseId, slug: product.slug }, status, fingerprint, now);
  return new Reply(result, { headers: { [VERDICT_HEADER]: verdict } });
}
