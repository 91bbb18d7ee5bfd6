import type { Cause } from '../order';
import type { LicenseDraft, OrderDraft } from './order-draft';
import { done, type Outcome } from './order-plan';

/** What stops an order for a time: a missing payment, a pause, a dispute. */

/** A cause begins; what it does is a setting of the connection. */
export function stop(draft: OrderDraft, cause: Cause, effect: 'nothing' | 'suspend' | 'revoke'): Outcome {
  draft.note({ standing: [...new Set([...draft.order.standing, cause])] });
  if (effect === 'nothing') return done('The connection is set to do nothing about this.');
  if (effect === 'revoke') draft.revokeAll();
  else for (const license of draft.licenses) draft.suspend(license, cause);
  return done();
}

/** A cause ends: only what it suspended is reinstated, and stays suspended if another cause stands. */
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

/** Suspends a license for a cause that stands, if the cause suspends licenses. */
export function suspendIfStopped(draft: OrderDraft, license: LicenseDraft): void {
  const { on_dispute, on_payment_failed } = draft.terms;
  const cause = draft.order.standing.find((one) => one === 'pause' || (one === 'dispute' ? on_dispute : on_payment_failed) === 'suspend');
  if (cause !== undefined) draft.suspend(license, cause);
}
