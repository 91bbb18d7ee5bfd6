import { listPortalDownloads, MAX_PORTAL_LICENSES } from '../contract/portal';
import { STABLE } from '../contract/resources/release';
import { newestFor } from '../domain/portal/downloads';
import { isOwn } from '../domain/portal/license';
import { timestampOf } from '../domain/time';
import { pageOf } from '../runtime/http/paging';
import { servePortal } from '../runtime/http/serve-portal';
import { catalogueKey, licenseKey } from '../store/keys';
import { findLicensesByEmail } from '../store/licenses/list';
import { isDeadKey, toLicense } from '../store/licenses/rows';
import { toCatalogue } from '../store/releases/catalogue';
import { readReleases } from '../store/releases/read';
import { getItem, getItems } from '../store/items';
import { signFiles } from '../use-cases/releases/files';

export const handler = servePortal(listPortalDownloads, async ({ app, portal, session, query, now }) => {
  const { product_id } = portal;
  const start = { order: 'desc', past: Number(query.cursor ?? 0) } as const;
  const limit = query.limit ?? MAX_PORTAL_LICENSES;
  const [keys, stored] = await Promise.all([
    findLicensesByEmail(app.table, product_id, session.address, start),
    getItem(app.table, catalogueKey(product_id, STABLE)),
  ]);
  const { catalogue } = toCatalogue(stored);
  const rows = await getItems(
    app.table,
    keys.slice(0, limit).map((key) => licenseKey(product_id, key)),
  );
  const licenses = rows.flatMap((row) => (row && !isDeadKey(row) ? [toLicense(row)] : [])).filter((license) => isOwn(license, session));
  const chosen = licenses.flatMap((license) => {
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
    keys.length > limit ? licenses.at(-1)?.id : undefined,
    ({ license }) => license.id,
    ({ license, release, released_at }) => ({
      license_id: license.id,
      version: release.version,
      released_at: timestampOf(released_at),
      notes: release.notes,
      artifacts: files.get(release.version) ?? [],
    }),
  );
});
