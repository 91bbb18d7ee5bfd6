import type { Action, Notification } from './model';
import { mapActions } from './notification';

/** Limits for the data of one order. The data must fit into a row of 400 KB, regardless of what a processor sends. */

/**
 * Maximum total length of all lines of one action as JSON, in characters. This is enough for more than a hundred lines with a few refs each.
 */
const MAX_LINES_LENGTH = 20_000;
/** Maximum length of a text that is only displayed, in characters. */
const MAX_SHOWN = 255;
/** Maximum size of all notifications that wait for one order, in bytes. */
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

/**
 * The notification with its texts cut to the maximum length. If the notification has too many lines, the lines are removed, and the
 * notification will be `held`.
 */
export const withinLimits = (notification: Notification): Notification => ({
  ...notification,
  eventId: notification.eventId.slice(0, MAX_SHOWN),
  type: notification.type.slice(0, MAX_SHOWN),
  actions: mapActions(notification.actions, withoutTooManyLines),
});

/**
 * For each notification that waits for an order, whether it can be stored with the order. A notification is not stored if its size and the
 * sizes of the stored notifications before it add up to more than the maximum.
 */
export function fitting(waiting: readonly unknown[]): readonly boolean[] {
  let bytes = 0;
  return waiting.map((entry) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (bytes + size > MAX_WAITING_BYTES) return false;
    bytes += size;
    return true;
  });
}

/** The reason that the log shows for a held notification that did not fit into its order. */
export const TOO_MANY_WAIT = 'Too many notifications are waiting for this order. Process this notification again later.';
