import type { Action, Notification } from './model';
import { mapActions } from './notification';

/** What is stored of one order must fit a row of 400 KB, whatever a processor reports. */

/** Characters of the lines of one action, written as JSON: more than a hundred lines with a few refs each. */
const MAX_LINES_LENGTH = 20_000;
/** Characters of what is only shown. */
const MAX_SHOWN = 255;
/** Bytes of all that waits for one order. */
const MAX_WAITING_BYTES = 200_000;

const withoutTooManyLines = (action: Action): Action => {
  if (!('lines' in action) || JSON.stringify(action.lines).length <= MAX_LINES_LENGTH) return action;
  const refs = action.lines.reduce((sum, line) => sum + line.refs.length, 0);
  return {
    kind: 'oversized',
    of: action.kind,
    paidUntil: action.kind === 'changed' ? null : action.paidUntil,
    reason: `The notification names ${action.lines.length} lines with ${refs} ids of what was sold: more than can be kept of an order.`,
  };
};

/** The notification as far as it can be stored. Lines of which there are too many are left out: it is `held` then. */
export const withinLimits = (notification: Notification): Notification => ({
  ...notification,
  eventId: notification.eventId.slice(0, MAX_SHOWN),
  type: notification.type.slice(0, MAX_SHOWN),
  actions: mapActions(notification.actions, withoutTooManyLines),
});

/** Which of the notifications that wait for an order are kept with it: the first ones, as far as they fit. */
export function fitting(waiting: readonly unknown[]): readonly boolean[] {
  let bytes = 0;
  return waiting.map((entry) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (bytes + size > MAX_WAITING_BYTES) return false;
    bytes += size;
    return true;
  });
}

/** Why a notification is held that does not fit. */
export const TOO_MANY_WAIT = 'Too many notifications wait for this order: process this one again when they have been carried out.';
