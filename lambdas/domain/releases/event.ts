import { firstStatus, productEvent, type Event } from '../event';
import type { Product } from '../product';
import { releaseView, type Release } from './release';

/**
 * The event about a release. It contains the release's files without their signatures.
 *
 * @param product the release's product as this request has read it from the table
 */
export function releaseEvent(
  event: 'release.published' | 'release.yanked',
  release: Release,
  product: Product,
  at: number,
  random: Uint8Array,
): Event {
  const { artifacts, ...view } = releaseView(release);
  const shown = { ...view, artifacts: artifacts.map(({ signature: _, ...artifact }) => artifact) };
  return { ...productEvent(event, product, { release: shown }, at, random), status: firstStatus(event, product) };
}
