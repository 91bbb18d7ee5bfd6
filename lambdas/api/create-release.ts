import { fail } from '../contract/errors';
import { createRelease } from '../contract/releases';
import { newRelease, releaseView } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import * as releases from '../store/releases/change';

export const handler = serve(createRelease, operator, async ({ params, body, app, now, storeResponse }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const id = await releases.nextReleaseId(app.table);
  const release = newRelease({ id, product_id: params.id, created_at: now }, body);
  const view = releaseView(release);
  return (await releases.createRelease(app.table, release, storeResponse(view))) ?? view;
});
