import { fail, type Failure } from '../contract/errors';
import type { AdminMeterView } from '../contract/resources';
import { adminMeterView, correctAmount, meterOf, readMeter } from '../domain/meters';
import type { App } from '../runtime/app';
import { licenseIdKey } from '../store/keys';
import { transitionActions } from '../store/licenses/commit';
import { writeMeter } from '../store/meters';
import { retry, TRY_AGAIN } from '../store/retry';
import { RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../store/transaction';
import { announce, readReceiver } from './announce';
import { readMeterById } from './meters';

/**
 * Corrects what was consumed from a meter, in every status of the license. Thresholds that the correction reaches are reported.
 *
 * @returns undefined if there is no such license
 */
export function correct(
  app: App,
  { id, name }: { readonly id: number; readonly name: string },
  change: Parameters<typeof correctAmount>[2],
  storeResponse: (response: AdminMeterView) => Action | undefined,
): Promise<Failure | AdminMeterView | ResponseExists | undefined> {
  return retry(app.table, 'The meter', ({ retryUntil }) =>
    app.table.withLock(licenseIdKey(id).pk, async () => {
      const state = await readMeterById(app, id, name);
      if (!state) return undefined;
      const { license } = state;
      const terms = meterOf(license, name);
      if (!terms) return fail('unknown_meter');

      const reading = readMeter(license, terms, state.meter, app.clock());
      const { write, transition } = correctAmount(license, reading, change, app.clock());
      app.table.audit?.describe({
        product_id: license.product_id,
        license_id: id,
        target: `license/${id}/meters/${name}`,
        changes: [{ field: 'used', before: String(reading.used), after: String(write.used) }],
      });
      const readProduct = transition ? await readReceiver(app, transition.after, transition.occurrences) : undefined;
      const { actions, events } = transition ? transitionActions(app.table, transition, { readProduct }) : { actions: [], events: [] };
      const response = adminMeterView(reading, write.used);
      const done = await transactOnce(app.table, [...actions, writeMeter(license, write)], storeResponse(response), retryUntil);
      if (done === RESPONSE_EXISTS) return RESPONSE_EXISTS;
      if (!done.committed) return TRY_AGAIN;
      await announce(app, events);
      return response;
    }),
  );
}
