import { getApp } from '../runtime/app';
import { mailFrom } from '../runtime/mail/mailer';
import { log } from '../runtime/observability/log';
import { getProducts } from '../store/products';
import { readReminderProducts } from '../store/reminders/progress';
import { beginLook, stepLook, type Look } from '../use-cases/reminders/look';

/**
 * Records the reminders that are due (docs/spec/mail.md, Reminders). The products take turns, a page each, so that a
 * product with many licenses delays no other.
 */

/** Maximum number of pages in one run. */
const MAX_PAGES = 2000;
/** Time in one run, in ms, after which no further page begins. */
const RUN_MS = 180_000;

/** Runs on a schedule. If the look at one product fails, the others continue, and the run fails at its end. */
export const handler = async (): Promise<void> => {
  const app = getApp();
  if (mailFrom(app) === null) return;
  const now = app.clock();
  const end = app.inRealTime.clock() + RUN_MS;
  const states = await readReminderProducts(app.table);
  const products = await getProducts(app.table, new Set(states.map(({ product_id }) => product_id)));
  let looks = states.flatMap((state): Look[] => {
    const product = products.get(state.product_id);
    return product ? [beginLook(product, state)] : [];
  });
  let faults = 0;
  for (let pages = 0; looks.length > 0 && pages < MAX_PAGES && app.inRealTime.clock() < end; pages += 1) {
    const [look, ...others] = looks;
    if (!look) break;
    try {
      const step = await stepLook(app, look, now);
      // The schedule is full for every product.
      if (step === 'schedule_full') break;
      looks = step === 'done' ? others : [...others, step];
    } catch (error) {
      faults += 1;
      log.error('REMINDER_FAULT', { product_id: look.product.id }, error);
      looks = others;
    }
  }
  if (faults > 0) throw new Error(`The look for reminders was not complete: ${faults} products failed`);
};
