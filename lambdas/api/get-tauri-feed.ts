import { getTauriFeed, tauriArchitectures, tauriTargets } from '../contract/downloads';
import { isFailure } from '../contract/errors';
import { tauriFile } from '../domain/releases/feeds';
import { timestampOf } from '../domain/time';
import { NOTHING } from '../runtime/http/response';
import { checkedByOperation, serve } from '../runtime/http';
import { parseRequest } from '../runtime/http/request';
import { serviceUrl } from '../runtime/http/service-url';
import { findOffers } from '../use-cases/releases/offers';

export const handler = serve(getTauriFeed, checkedByOperation, async ({ app, event }) => {
  const input = parseRequest(getTauriFeed, event);
  const found = await findOffers(app, event, input, ({ params }) => ({
    channel: params.channel,
    wanted: [{ ...deviceOf(params), above: params.current_version, signed: true }],
  }));
  if (isFailure(found)) return found;
  if (isFailure(input)) return input;
  const release = found.offers[0]?.release;
  const file = release && tauriFile(release, deviceOf(input.params), input.query.bundle_type);
  if (!release || !file) return NOTHING;
  return {
    version: release.version,
    pub_date: timestampOf(release.released_at ?? 0),
    url: `${serviceUrl(app, event)}/feeds/${input.params.slug}/files/${release.version}/${file.filename}`,
    // The updater would refuse a signature with a line end.
    signature: file.signature?.trim() ?? '',
    notes: release.notes ?? '',
  };
});

const deviceOf = ({ target, arch }: { readonly target: keyof typeof tauriTargets; readonly arch: string }) => ({
  platform: tauriTargets[target],
  arch: tauriArchitectures[arch] ?? ('any' as const),
});
