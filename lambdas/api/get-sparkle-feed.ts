import { getSparkleFeed } from '../contract/downloads';
import { isFailure } from '../contract/errors';
import { appcast, appcastDevices } from '../domain/releases/feeds';
import { header, parseRequest } from '../runtime/http/request';
import { checkedByOperation, serve } from '../runtime/http';
import { serviceUrl } from '../runtime/http/service-url';
import { findOffers } from '../use-cases/releases/offers';

export const handler = serve(getSparkleFeed, checkedByOperation, async ({ app, event }) => {
  const input = parseRequest(getSparkleFeed, event);
  const devices = appcastDevices(header(event, 'user-agent'));
  const found = await findOffers(app, event, input, ({ params: { file } }) => ({
    channel: file.slice(0, -'.xml'.length),
    wanted: devices,
  }));
  if (isFailure(found)) return found;
  const offers = devices.flatMap((device, index) => {
    const release = found.offers[index]?.release;
    return release ? [{ device, release }] : [];
  });
  const files = `${serviceUrl(app, event)}/feeds/${found.product.slug}/files`;
  return appcast(found.product.name, offers, ({ version }, { filename }) => `${files}/${version}/${filename}`);
});
