import { productEvent, type Event } from '../event';
import { releaseView, type Release } from './release';

/** The event about a release. It contains the release's files without their signatures. */
export function releaseEvent(
  event: 'release.published' | 'release.yanked',
  release: Release,
  product: { readonly id: number; readonly slug: string },
  at: number,
  random: Uint8Array,
): Event {
  const { artifacts, ...view } = releaseView(release);
  const shown = { ...view, artifacts: artifacts.map(({ signature: _, ...artifact }) => artifact) };
  return productEvent(event, product, { release: shown }, at, random);
}
