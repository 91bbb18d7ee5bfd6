import { getSparkleFeed } from '../contract/downloads';
import { isFailure } from '../contract/errors';
import { appcast, appcastPlatforms, type AppcastItem } from '../domain/releases/feeds';
import { serveLicensed } from '../runtime/http/serve-licensed';
import { serviceUrl } from '../runtime/http/service-url';
import { findOffers } from '../use-cases/releases/offers';

export const handler = serveLicensed(getSparkleFeed, async ({ app, event, input }) => {
  const found = await findOffers(app, event, input, ({ params: { file } }) => ({
    channel: file.slice(0, -'.xml'.length),
    wanted: appcastPlatforms.map((platform) => ({ platform })),
  }));
  if (isFailure(found)) return found;
  const items = appcastPlatforms.flatMap((platform, index): AppcastItem[] => {
    const release = found.offers[index]?.release;
    return release ? [{ platform, release }] : [];
  });
  const files = `${serviceUrl(app, event)}/feeds/${found.product.slug}/files`;
  return appcast(found.product.name, items, ({ version }, { filename }) => `${files}/${version}/${filename}`);
});
