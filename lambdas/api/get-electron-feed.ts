import { getElectronFeed } from '../contract/downloads';
import { fail, isFailure } from '../contract/errors';
import { electronDevice, electronFeed } from '../domain/releases/feeds';
import { checkedByOperation, serve } from '../runtime/http';
import { parseRequest } from '../runtime/http/request';
import { findOffers } from '../use-cases/releases/offers';

export const handler = serve(getElectronFeed, checkedByOperation, async ({ app, event }) => {
  const input = parseRequest(getElectronFeed, event);
  const device = isFailure(input) ? undefined : electronDevice(input.params.channel, input.params.file);
  const found = await findOffers(app, event, input, ({ params: { channel } }) => ({ channel, wanted: device ? [device] : [] }));
  if (isFailure(found)) return found;
  const release = found.offers[0]?.release;
  return device && release ? electronFeed(release, device) : fail('not_found', 'There is no release to offer');
});
