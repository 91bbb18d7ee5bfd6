import type { Cause } from '../order';
import { canSuspend, INDEPENDENT, isIndependent, type LicenseDraft, type OrderDraft } from './order-draft';
import { done, type Outcome } from './order-plan';

/** Plans the actions that suspend licenses temporarily: a missing payment, a pause, or a dispute. */

/** Plans the beginning of a cause of suspension. `effect` is what the cause does to the licenses. */
export function stop(draft: OrderDraft, cause: Cause, effect: 'nothing' | 'suspend'): Outcome {
  draft.note({ standing: [...new Set([...draft.order.standing, cause])] });
  if (effect === 'nothing') return done('The connection is configured to change nothing in this case.');
  if (cause !== 'dispute' && draft.licenses.length > 0 && draft.licenses.every(isIndependent)) return done(INDEPENDENT);
  for (const license of draft.licenses) draft.suspend(license, cause);
  return done();
}

/** Plans the changes after a cause of suspension has ended. Suspensions with this cause end; suspensions with other causes remain. */
export function restart(draft: OrderDraft, cause: Cause): Outcome {
  draft.note({ standing: draft.order.standing.filter((one) => one !== cause) });
  for (const license of draft.licenses) if (license.status === 'suspended' && license.cause === cause) endSuspension(draft, license);
  return done();
}

/**
 * Ends the suspension of a license. If another active cause suspends the license, the license stays suspended for that cause. The license
 * is then not reported as reinstated, because it does not become usable.
 */
export function endSuspension(draft: OrderDraft, license: LicenseDraft): void {
  const next = suspendingCause(draft, license);
  license.status = next === undefined ? 'active' : 'suspended';
  license.cause = next ?? null;
  draft.step(license, next === undefined ? { do: 'reinstate' } : { do: 'stay_suspended', cause: next });
}

/** Suspends a license if an active cause requires it. */
export function suspendIfStopped(draft: OrderDraft, license: LicenseDraft): void {
  const cause = suspendingCause(draft, license);
  if (cause !== undefined) draft.suspend(license, cause);
}

/** The first active cause that suspends a license; undefined if there is none. */
const suspendingCause = ({ order, terms }: OrderDraft, license: LicenseDraft): Cause | undefined =>
  order.standing.find(
    (cause) =>
      canSuspend(license, cause) && (cause === 'pause' || (cause === 'dispute' ? terms.on_dispute : terms.on_payment_failed) === 'suspend'),
  );
