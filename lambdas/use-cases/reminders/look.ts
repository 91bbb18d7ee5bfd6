import type { Delivery } from '../../domain/delivery';
import { EVENT_RANDOM_BYTES } from '../../domain/event';
import { reminderName, remindersOf } from '../../domain/mail-settings';
import type { StoredReminder } from '../../domain/stored-mail-settings';
import type { Product } from '../../domain/product';
import { dateDueAt, dayStart, dueReminder, isRemindable, reminderMail } from '../../domain/reminders';
import { HOUR_MS } from '../../domain/time';
import type { App } from '../../runtime/app';
import { notify } from '../../runtime/queue';
import { findByDate, type Found } from '../../store/reminders/candidates';
import { saveProgress, type Progress, type ReminderProduct } from '../../store/reminders/progress';
import { recordReminders, reserveSlots, withoutSent, type DueReminder } from '../../store/reminders/sent';
import { isTooEarly, settleUpdates } from '../../store/reminders/updates';
import { isRenewed } from './prepare';

/**
 * Finds the reminders of a product that are due, page by page, and records them as mails. The progress is stored after each page, so that
 * the next run continues where this run ended or crashed.
 */

/**
 * Maximum time, in ms, from now until the scheduled time of a mail. If the schedule has no free time within this period, a later run
 * records the reminder.
 */
const HORIZON_MS = HOUR_MS;

/** Minimum time, in ms, between two writes of the progress if no reminder was found. */
const SAVED_EVERY_MS = HOUR_MS;

/** A run through the reminders of one product. */
export interface Look {
  readonly product: Product;
  readonly state: ReminderProduct;
  /** The reminders of the product that this run has not processed yet. */
  readonly left: readonly StoredReminder[];
}

/** The result of one step of a run. The run continues, is finished, or stops because the schedule is full. */
export type Step = Look | 'done' | 'schedule_full';

const progressName = (reminder: StoredReminder): string => `${reminderName(reminder)}-${reminder.since}`;

/** Begins a run for a product. If the operator has removed a reminder, its stored progress is dropped. */
export function beginLook(product: Product, state: ReminderProduct): Look {
  const reminders = remindersOf(product);
  const names = new Set(reminders.map(progressName));
  const progress = Object.fromEntries(Object.entries(state.progress).filter(([name]) => names.has(name)));
  return { product, state: { ...state, progress }, left: reminders };
}

/** The reminders that must be sent for the licenses of a page. */
async function dueOf(app: App, found: readonly Found[], reminder: StoredReminder, now: number): Promise<DueReminder[]> {
  const due = found.flatMap(({ license }) => {
    const reminded = isRemindable(license) ? dueReminder(license, reminder, now) : undefined;
    return reminded ? [{ license, reminded }] : [];
  });
  const fresh = await withoutSent(app.table, due);
  const renewed = await Promise.all(fresh.map(({ license }) => isRenewed(app, license)));
  return fresh.filter((_, index) => !renewed[index]);
}

/**
 * Records reminders, and schedules their mails so that they are sent at the maximum rate of the deployment. Returns false, and records
 * nothing, if not all of these mails can be sent within the next {@link HORIZON_MS}.
 */
async function recordDue(app: App, due: readonly DueReminder[], now: number): Promise<boolean> {
  if (due.length === 0) return true;
  const spacing = 1000 / app.config.mailsPerSecond;
  const realNow = app.realClock();
  const start = await reserveSlots(app.table, due.length, spacing, realNow, realNow + HORIZON_MS);
  if (start === undefined) return false;
  const mails = due.map((one, index) => ({
    ...one,
    mail: reminderMail(one.license, one.reminded, now, Math.floor(start + index * spacing), app.random(EVENT_RANDOM_BYTES)),
  }));
  const recorded = await recordReminders(app.table, mails, now);
  const secondOf = ({ due_at = realNow }: Delivery): number => Math.ceil((due_at - realNow) / 1000);
  const seconds = new Set(recorded.map(secondOf));
  await Promise.all(
    [...seconds].map((second) =>
      notify(
        app,
        recorded.filter((mail) => secondOf(mail) === second),
        second * 1000,
      ),
    ),
  );
  return true;
}

/**
 * Corrects the positions of rows in the index of updates. A row is moved if the updates of its license now end later than the position
 * says.
 */
async function settleRows({ table }: App, found: readonly Found[], now: number): Promise<void> {
  await Promise.all(
    found
      .filter(({ license, position }) => isTooEarly(license, position, now))
      .map(({ license, position }) => settleUpdates(table, license, position, now)),
  );
}

/**
 * The earliest due time that a run checks for a reminder. Due times of the current day are checked again, because the date of a license may
 * have changed since the previous run. The license's reminder may now be due at an earlier time of the same day.
 */
const beginning = ({ event, since }: StoredReminder, progress: Progress | undefined, now: number): number =>
  // In the index of updates, the position of a row can be earlier than the end of the updates. The first run for a reminder therefore
  // checks the index from its beginning; otherwise it would miss such rows.
  event === 'updates_expiring' && !progress ? 0 : Math.max(since, Math.min(progress?.done ?? since, dayStart(now)));

/**
 * Processes the next page for the first remaining reminder.
 *
 * @param now epoch ms, by the clock that decides what is due
 */
export async function stepLook(app: App, look: Look, now: number): Promise<Step> {
  const { product, state, left } = look;
  const [reminder, ...others] = left;
  if (!reminder) return 'done';
  const name = progressName(reminder);
  const progress = state.progress[name];
  const from = dateDueAt(reminder, beginning(reminder, progress, now));
  const range = { from: Math.max(0, from), to: Math.max(0, dateDueAt(reminder, now)) };
  const page = await findByDate(app.table, product.id, reminder.event, range, progress?.past);
  const due = await dueOf(app, page.licenses, reminder, now);
  if (!(await recordDue(app, due, now))) return 'schedule_full';
  if (reminder.event === 'updates_expiring') await settleRows(app, page.licenses, now);

  const isDone = page.last === undefined;
  const reached: Progress = isDone ? { done: now } : { done: progress?.done ?? reminder.since, past: page.last };
  const after: ReminderProduct = { ...state, progress: { ...state.progress, [name]: reached } };
  const isNews = !isDone || progress?.past !== undefined || !progress || now - progress.done >= SAVED_EVERY_MS;
  if (isNews && !(await saveProgress(app.table, after))) return 'done';
  return { ...look, state: isNews ? after : state, left: isDone ? others : left };
}
