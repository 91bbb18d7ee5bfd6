import { getApp, type Invocation } from '../runtime/app';
import { mailFrom } from '../runtime/mail/from';
import { log } from '../runtime/observability/log';
import { getProducts } from '../store/products';
import { readReminderProducts } from '../store/reminders/progress';
import { beginLook, stepLook, type Look } from '../use-cases/reminders/look';

/**
 * Records the reminders that are due (docs/spec/mail.md, Reminders). Each round reads one page of each product, so that a product with many
 * licenses does not delay other products.
 */

/** Maximum number of pages that one run reads. */
const MAX_PAGES = 2000;
/** Maximum time, in ms, for which a run reads pages. */
const RUN_MS = 180_000;

/** Runs on a schedule. If one product fails, the run continues with the other products and fails at its end. */
export const handler = async (_event: unknown, context: Invocation): Promise<void> => {
  const app = getApp(context);
  if (mailFrom(app) === null) return;
  const now = app.clock();
  const end = app.realClock() + RUN_MS;
  const states = await readReminderProducts(app.table);
  const products = await getProducts(app.table, new Set(states.map(({ product_id }) => product_id)));
  let looks = states.flatMap((state): Look[] => {
    const product = products.get(state.product_id);
    return product ? [beginLook(product, state)] : [];
  });
  let faults = 0;
  for (let pages = 0; looks.length > 0 && pages < MAX_PAGES && app.realClock() < end; pages += 1) {
    const [look, ...others] = looks;
    if (!look) break;
    try {
      const step = await stepLook(app, look, now);
      // All products share one schedule for sending. If the schedule is full, reminders of the other products cannot be recorded either.
      if (step === 'schedule_full') break;
      looks = step === 'done' ? others : [...others, step];
    } catch (error) {
      faults += 1;
      log.error('REMINDER_FAULT', { product_id: look.product.id }, error);
      looks = others;
    }
  }
  if (faults > 0) throw new Error(`The reminders of ${faults} products could not be checked`);
};
