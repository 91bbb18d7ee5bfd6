import { REPLAYED_HEADER } from '../contract/edge';
import { fail, isFailure, type Failure } from '../contract/errors';
import type { MeterView } from '../contract/resources';
import { boundDevice, hasKey, type License } from '../domain/license';
import { consumeAmount, meterOf, meterView, readAllMeters, readMeter, type MeterState } from '../domain/meters';
import { dateOf } from '../domain/time';
import type { Decision } from '../domain/transition';
import { checkStatus } from '../domain/validation';
import type { App } from '../runtime/app';
import { Reply } from '../runtime/http/response';
import { licenseIdKey } from '../store/keys';
import { commitDecision, type LicenseState } from '../store/licenses/commit';
import { readActivation } from '../store/licenses/activation-state';
import { readById, type LicenseAddress } from '../store/licenses/read';
import { findConsumption, readMeters, recordConsumption, toConsumption, writeMeter, type Consumption } from '../store/meters';
import { retry, TRY_AGAIN } from '../store/retry';
import { RESPONSE_EXISTS, transact, type Action } from '../store/transaction';
import { announce, readReceiver } from './announce';

/** Counts what is consumed from the meters of licenses (docs/spec/meters.md, Meters). */

/** A license, the device of the request, and the meter that the request names. */
export interface MeterRead extends LicenseState {
  readonly meter: MeterState | undefined;
}

/** Reads a license by its key, with a device and a meter, in one round trip. */
export async function readMeterState(
  app: App,
  { productId, key }: LicenseAddress,
  name: string,
  fingerprint?: string,
): Promise<MeterRead | undefined> {
  const { license, device, meter } = await readActivation(app.table, productId, key, fingerprint, {
    product: false,
    seeds: false,
    meter: name,
  });
  return license && { license, device, meter };
}

/** Reads a license by its id, with a meter. */
export const readMeterById = (app: App, id: number, name: string): Promise<MeterRead | undefined> =>
  readById(app.table, id, (address) => readMeterState(app, address, name));

interface ConsumeRequest {
  readonly meter: string;
  readonly amount: number;
  readonly id: string;
}

interface ConsumeOptions {
  /** Whether the device must have a seat. */
  readonly needsSeat: boolean;
  /** The hash of the request's device key; undefined if the request has no device key. */
  readonly keyHash?: string | undefined;
  /** Reads the state again; undefined if the key no longer works. */
  readonly reread: () => Promise<MeterRead | undefined>;
}

type Outcome = Failure | MeterView | Reply<MeterView>;

/**
 * Consumes an amount. The meter and the id are judged in one transaction. If another request was faster, the state is read and judged again.
 *
 * @param read the state as the request has already read it
 * @returns undefined if the license was moved to another key
 * @throws StoreUnavailable if the request loses races until the time for retries ends; it has then consumed nothing, or a retry with the
 * same id gets its response
 */
export function consume(app: App, read: MeterRead, request: ConsumeRequest, options: ConsumeOptions): Promise<Outcome | undefined> {
  let isFresh = true;
  return retry(app.table, 'The meter', ({ retryUntil }) =>
    // Requests of one process run one after another, like all changes of a license.
    app.table.withLock(licenseIdKey(read.license.id).pk, async (hasWaited) => {
      const state = isFresh && !hasWaited ? read : await options.reread();
      isFresh = false;
      return state && attempt(app, state, request, options, retryUntil);
    }),
  );
}

async function attempt(
  app: App,
  state: MeterRead,
  { meter: name, amount, id }: ConsumeRequest,
  { needsSeat, keyHash }: ConsumeOptions,
  retryUntil: number,
): Promise<Outcome | typeof TRY_AGAIN> {
  const { license } = state;
  // The rows are not read at the same moment. The terms of the meter were changed after the license was read.
  if (state.meter && state.meter.terms_sequence > license.sequence) return TRY_AGAIN;
  const now = app.clock();
  const status = checkStatus(license, now);
  // The expiry of a license that has just expired is recorded with the refusal.
  if ('refused' in status) return (await commit(app, state, status.refused, retryUntil)) ? status.refused.result : TRY_AGAIN;
  const bound = boundDevice(license, state.device);
  if (!hasKey(bound, keyHash)) return fail('sign_in_required');
  if (needsSeat && !bound) return fail('not_activated');
  const terms = meterOf(license, name);
  if (!terms) return fail('unknown_meter');

  const reading = readMeter(license, terms, state.meter, now);
  const decision = consumeAmount(license, reading, amount, now);
  // The id is read after the meter: if a twin of this request has used up the meter, its id is found.
  if (isFailure(decision)) return repeatOf(await findConsumption(app.table, license, id, now), name, amount) ?? decision;

  const response = meterView(reading, decision.write.used);
  const actions = [recordConsumption(license, id, { amount, response }, now), writeMeter(license, decision.write, dateOf(now))];
  if (decision.transition) {
    if (await commit(app, state, { transition: decision.transition, result: response }, retryUntil, actions)) return response;
    return repeatOf(await findConsumption(app.table, license, id, now), name, amount) ?? TRY_AGAIN;
  }
  const done = await transact(app.table, actions, retryUntil);
  if (done.committed) return response;
  const [used] = done.failed;
  return (used && repeatOf(toConsumption(used, now), name, amount)) ?? TRY_AGAIN;
}

/** The response to a request with an id that was used before; undefined if the id was not used. */
function repeatOf(first: Consumption | undefined, name: string, amount: number): Failure | Reply<MeterView> | undefined {
  if (!first) return undefined;
  if (first.response.meter !== name || first.amount !== amount)
    return fail('idempotency_mismatch', 'The id was already used for another meter or amount');
  return new Reply(first.response, { headers: { [REPLAYED_HEADER]: 'true' } });
}

/** Commits a decision together with further actions, and announces its events. Returns false if another request was faster. */
async function commit(
  app: App,
  state: LicenseState,
  decision: Decision<unknown>,
  retryUntil: number,
  actions: readonly Action[] = [],
): Promise<boolean> {
  const { transition } = decision;
  const readProduct = transition ? await readReceiver(app, transition.after, transition.occurrences) : undefined;
  const committed = await commitDecision(app.table, state, decision, { readProduct, alongside: () => actions }, retryUntil);
  if (!committed || committed === RESPONSE_EXISTS) return false;
  await announce(app, committed.events);
  return true;
}

/** The license's meters by name, with their numbers. */
export async function metersOf<View>(
  app: App,
  license: License,
  view: (reading: ReturnType<typeof readMeter>, used: number) => View,
): Promise<View[]> {
  const states = await readMeters(app.table, license);
  return readAllMeters(license, states, app.clock()).map((reading) => view(reading, reading.used));
}
