import { isFailure, type Failure } from '../../contract/errors';
import type { ReleaseView } from '../../contract/resources';
import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import type { Product } from '../../domain/product';
import { releaseEvent } from '../../domain/releases/event';
import { releaseView, type Release } from '../../domain/releases/release';
import type { App } from '../../runtime/app';
import { getProduct } from '../../store/products';
import { changeRelease } from '../../store/releases/change';
import { announce } from '../announce';

/** Changes a release, records an event about it and starts the event's delivery. A decision that changes nothing records no event. */
export async function changeAndAnnounce(
  app: App,
  id: number,
  name: 'release.published' | 'release.yanked',
  now: number,
  decide: (release: Release) => Failure | Release | Promise<Failure | Release>,
): Promise<Failure | ReleaseView> {
  let product: Product | undefined;
  let event: Event | undefined;
  const changed = await changeRelease(app.table, id, async (release) => {
    event = undefined;
    const decided = await decide(release);
    if (isFailure(decided)) return decided;
    if (decided === release) return { release };
    product = await getProduct(app.table, release.product_id);
    if (!product) throw new Error(`The product of release ${id} is gone`);
    event = releaseEvent(name, decided, product, now, app.random(EVENT_RANDOM_BYTES));
    return { release: decided, event };
  });
  if (isFailure(changed)) return changed;
  if (event) await announce(app, [event], product);
  return releaseView(changed.release);
}
