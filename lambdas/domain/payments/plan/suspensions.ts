import type { Cause } from '../order';
import { INDEPENDENT, isIndependent, type LicenseDraft, type OrderDraft } from './order-draft';
import { done, type Outcome } from './order-plan';

/** Plans the actions that suspend licenses temporarily: a missing payment, a pause, or a dispute. */

/** Plans the beginning of a cause of suspension. A setting of the connection decides what the cause does. */
export function stop(draft: OrderDraft, cause: Cause, effect: 'nothing' | 'suspend' | 'revoke'): Outcome {
  draft.note({ standing: [...new Set([...draft.order.standing, cause])] });
  if (effect === 'nothing') return done('The connection is configured to change nothing in this case.');
  if (cause !== 'dispute' && draft.licenses.length > 0 && draft.licenses.every(isIndependent)) return done(INDEPENDENT);
  if (effect === 'revoke') draft.revokeAll();
  else for (const license of draft.licenses) draft.suspend(license, cause);
  return done();
}

/**
 * Plans the end of a cause of suspension. Only licenses that this cause suspended are reinstated. If another active cause suspends
 * licenses, they are suspended again for that cause.
 */
export function restart(draft: OrderDraft, cause: Cause): Outcome {
  draft.note({ standing: draft.order.standing.filter((one) => one !== cause) });
  for (const license of draft.licenses) {
    if (license.status !== 'suspended' || license.cause !== cause) continue;
    license.status = 'active';
    license.cause = null;
    draft.step(license, { do: 'reinstate' });
    suspendIfStopped(draft, license);
  }
  return done();
}

/** Suspends a license if an active cause requires it. */
export function suspendIfStopped(draft: OrderDraft, license: LicenseDraft): void {
  const { on_dispute, on_payment_failed } = draft.terms;
  const cause = draft.order.standing.find((one) => one === 'pause' || (one === 'dispute' ? on_dispute : on_payment_failed) === 'suspend');
  if (cause !== undefined) draft.suspend(license, cause);
}
