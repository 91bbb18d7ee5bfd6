import { listPortalDownloads, MAX_PORTAL_LICENSES } from '../contract/portal';
import { STABLE } from '../contract/resources/release';
import { newestFor } from '../domain/portal/downloads';
import { timestampOf } from '../domain/time';
import { pageOf } from '../runtime/http/paging';
import { buyer, serve } from '../runtime/http';
import { catalogueKey } from '../store/keys';
import { listOfPerson } from '../store/licenses/of-person';
import { toCatalogue } from '../store/releases/catalogue';
import { readReleases } from '../store/releases/read';
import { getItem } from '../store/items';
import { signFiles } from '../use-cases/releases/files';

export const handler = serve(listPortalDownloads, buyer, async ({ app, portal, session, query, now }) => {
  const { product_id } = portal;
  const [{ licenses, unreadable, next }, stored] = await Promise.all([
    listOfPerson(app.table, session, { order: 'desc', past: Number(query.cursor ?? 0) }, query.limit ?? MAX_PORTAL_LICENSES, 'licenses'),
    getItem(app.table, catalogueKey(product_id, STABLE)),
  ]);
  const { catalogue } = toCatalogue(stored);
  const chosen = licenses.flatMap(({ license }) => {
    const entry = newestFor(license, catalogue, now);
    return entry ? [{ license, version: entry.version }] : [];
  });
  const releases = await readReleases(app.table, product_id, new Set(chosen.map(({ version }) => version)));
  const files = new Map(await Promise.all(releases.map(async (release) => [release.version, await signFiles(app, release, now)] as const)));
  return pageOf(
    chosen.flatMap(({ license, version }) => {
      const release = releases.find((one) => one.version === version);
      return release?.released_at == null ? [] : [{ license, release, released_at: release.released_at }];
    }),
    next,
    ({ license }) => license.id,
    ({ license, release, released_at }) => ({
      license_id: license.id,
      version: release.version,
      released_at: timestampOf(released_at),
      notes: release.notes,
      artifacts: files.get(release.version) ?? [],
    }),
    unreadable,
  );
});
