import type { Action, Notification } from './model';
import { mapActions } from './notification';

/** The stored data of one order must fit into a row of 400 KB, no matter what a processor sends. */

/** Maximum characters of the lines of one action, as JSON: more than a hundred lines with a few refs each. */
const MAX_LINES_LENGTH = 20_000;
/** Maximum characters of texts that are only displayed. */
const MAX_SHOWN = 255;
/** Maximum bytes of all notifications that wait for one order. */
const MAX_WAITING_BYTES = 200_000;

const withoutTooManyLines = (action: Action): Action => {
  if (!('lines' in action) || JSON.stringify(action.lines).length <= MAX_LINES_LENGTH) return action;
  const refs = action.lines.reduce((sum, line) => sum + line.refs.length, 0);
  return {
    kind: 'oversized',
    of: action.kind,
    paidUntil: action.kind === 'changed' ? null : action.paidUntil,
    reason: `The notification has ${action.lines.length} lines with ${refs} product ids: more than can be stored for an order.`,
  };
};

/** The notification with its texts shortened to what can be stored. If it has too many lines, they are removed and it is `held`. */
export const withinLimits = (notification: Notification): Notification => ({
  ...notification,
  eventId: notification.eventId.slice(0, MAX_SHOWN),
  type: notification.type.slice(0, MAX_SHOWN),
  actions: mapActions(notification.actions, withoutTooManyLines),
});

/** Which of the notifications that wait for an order are stored with it: the first ones, as long as they fit. */
export function fitting(waiting: readonly unknown[]): readonly boolean[] {
  let bytes = 0;
  return waiting.map((entry) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (bytes + size > MAX_WAITING_BYTES) return false;
    bytes += size;
    return true;
  });
}

/** Why a notification is held that no longer fits. */
export const TOO_MANY_WAIT = 'Too many notifications are waiting for this order. Process this one again after they have been processed.';
