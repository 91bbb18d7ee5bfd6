import { isFailure, type Failure } from '../../contract/errors';
import type { ReleaseView } from '../../contract/resources';
import { EVENT_RANDOM_BYTES } from '../../domain/event';
import { releaseEvent } from '../../domain/releases/event';
import { releaseView, type Release } from '../../domain/releases/release';
import type { App } from '../../runtime/app';
import { getProduct } from '../../store/products';
import { changeRelease } from '../../store/releases/change';
import { announce } from '../announce';

/**
 * Changes a release, records an event about the change and starts the event's delivery. If `decide` returns a release without changes, no
 * event is recorded.
 */
export async function changeAndAnnounce(
  app: App,
  id: number,
  name: 'release.published' | 'release.yanked',
  now: number,
  decide: (release: Release) => Failure | Release | Promise<Failure | Release>,
): Promise<Failure | ReleaseView> {
  const changed = await changeRelease(app.table, id, decide, async (release) => {
    const product = await getProduct(app.table, release.product_id);
    if (!product) throw new Error(`The product of release ${id} does not exist`);
    return releaseEvent(name, release, product, now, app.random(EVENT_RANDOM_BYTES));
  });
  if (isFailure(changed)) return changed;
  if (changed.event) await announce(app, [changed.event]);
  return releaseView(changed.release);
}
