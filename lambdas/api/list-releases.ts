import { fail } from '../contract/errors';
import { listReleases } from '../contract/releases';
import { releaseView } from '../domain/releases/release';
import { versionPosition } from '../domain/releases/version';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import * as releases from '../store/releases/read';
import { findUploads } from '../use-cases/releases/files';

export const handler = serve(listReleases, operator, async ({ params, query, app }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const {
    releases: found,
    unreadable,
    next,
  } = await releases.listReleases(app.table, params.id, query, query.cursor, pageLimit(query.limit));
  const isUploaded = await findUploads(app, found);
  return pageOf(
    found,
    next,
    ({ version }) => versionPosition(version),
    (release) => releaseView(release, isUploaded),
    unreadable,
  );
});
