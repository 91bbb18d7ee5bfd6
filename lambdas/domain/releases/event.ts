import { eventId, type Event } from '../event';
import { payloadTimestampOf } from '../time';
import { releaseView, type Release } from './release';

/** An event about a release. It has no license, and its files are without their signatures. */
export function releaseEvent(
  event: 'release.published' | 'release.yanked',
  release: Release,
  product: { readonly id: number; readonly slug: string },
  at: number,
  random: Uint8Array,
): Event {
  const id = eventId(0, product.id, random);
  const { artifacts, ...view } = releaseView(release);
  const shown = { ...view, artifacts: artifacts.map(({ signature: _, ...artifact }) => artifact) };
  return {
    id,
    event,
    product_id: product.id,
    license_id: null,
    body: JSON.stringify({ id, event, timestamp: payloadTimestampOf(at), data: { product: product.slug, release: shown } }),
    status: 'pending',
    created_at: at,
  };
}
