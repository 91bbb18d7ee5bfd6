import { getLatestRelease } from '../contract/downloads';
import { isFailure } from '../contract/errors';
import { STABLE } from '../contract/resources/release';
import { filesFor } from '../domain/releases/offer';
import { timestampOf } from '../domain/time';
import { checkedByOperation, serve } from '../runtime/http';
import { parseRequest } from '../runtime/http/request';
import { serviceUrl } from '../runtime/http/service-url';
import { findOffers } from '../use-cases/releases/offers';

export const handler = serve(getLatestRelease, checkedByOperation, async ({ app, event }) => {
  const input = parseRequest(getLatestRelease, event);
  const found = await findOffers(app, event, input, ({ query: { channel, version, platform, arch } }) => ({
    channel: channel ?? STABLE,
    wanted: [{ platform, arch, above: version }],
  }));
  if (isFailure(found)) return found;
  if (isFailure(input)) return input;
  const [{ release, newest } = { release: undefined, newest: undefined }] = found.offers;
  const files = `${serviceUrl(app, event)}/v1/products/${found.product.id}/releases/${release?.version ?? ''}/artifacts`;
  return {
    update: release
      ? {
          version: release.version,
          channel: release.channel,
          released_at: timestampOf(release.released_at ?? 0),
          notes: release.notes,
          artifacts: filesFor(input.query, release).map((artifact) => ({ ...artifact, url: `${files}/${artifact.filename}` })),
        }
      : null,
    newest: newest ? { version: newest.version, released_at: timestampOf(newest.released_at), covered: newest.covered } : null,
  };
});
