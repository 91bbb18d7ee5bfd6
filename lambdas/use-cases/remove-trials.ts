import { trialRemovalTime } from '../domain/trial';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { getLicense } from '../store/licenses/read';
import { removeLicense, removeRowsAbout } from '../store/licenses/remove';
import { UnreadableRow } from '../store/row';
import { dueTrials, relistTrial, type ListedTrial } from '../store/trials';

/**
 * Removes trials that apps started and that nobody bought, some time after their end (docs/spec/activation.md, Trials without a key).
 *
 * @param until the time after which no further trial is removed, epoch ms. The next run continues.
 * @returns the number of removed licenses
 */
export async function removeTrials(app: App, until: number): Promise<number> {
  let removed = 0;
  for await (const trial of dueTrials(app.table, app.clock())) {
    if (app.realClock() >= until) break;
    try {
      if (await removeTrial(app, trial)) removed += 1;
    } catch (error) {
      // An unreadable license must not keep the other trials from being removed.
      if (!(error instanceof UnreadableRow)) throw error;
      log.error('TRIAL_NOT_REMOVED', { license_id: trial.licenseId }, error);
    }
  }
  return removed;
}

/** Removes a trial. Returns false if it must stay, or if another request has changed it in the meantime. */
async function removeTrial({ table, clock }: App, trial: ListedTrial): Promise<boolean> {
  const license = await getLicense(table, trial.licenseId);
  if (license) {
    const removal = trialRemovalTime(license);
    if (removal === null || removal > clock()) {
      await relistTrial(table, trial, removal);
      return false;
    }
    if (!(await removeLicense(table, license))) return false;
  }
  // If a previous run was interrupted, the license no longer exists, but rows about it may be left.
  await removeRowsAbout(table, trial.licenseId);
  await relistTrial(table, trial, null);
  return license !== undefined;
}
