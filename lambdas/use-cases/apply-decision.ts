import type { NeedsDevices, Decision } from '../domain/transition';
import type { App } from '../runtime/app';
import { licenseIdKey } from '../store/keys';
import { commitDecision, readState, type CommitOptions, type LicenseState } from '../store/licenses/commit';
import { getLicense } from '../store/licenses/read';
import { PROGRESS, retry, TRY_AGAIN } from '../store/retry';
import { RESPONSE_EXISTS, type ResponseExists } from '../store/transaction';
import { announce, readReceiver } from './announce';

export interface ApplyOptions<State, Result> extends CommitOptions<Result> {
  /**
   * The fingerprint of the device that the decision depends on. The default is the fingerprint of the device that was read. The caller must
   * set the fingerprint if it is possible that the device is not bound yet.
   */
  readonly fingerprint?: string | undefined;
  /**
   * Reads the state again. A caller sets this function if the state contains more than the license and its device. The result is undefined
   * if the key no longer works.
   *
   * @param needsDevices true if a decision has asked for all devices of the license
   */
  readonly reread?: (known: State, needsDevices: boolean) => Promise<State | undefined>;
  /**
   * Finds the license under its new key, if another request has replaced the key in the meantime. Without this function, {@link
   * applyDecision} returns undefined in that case.
   */
  readonly follow?: () => Promise<State | undefined>;
  /**
   * Stores data after the commit, outside of the transaction. The result is false if other requests have changed that data since it was
   * read. The decision is then made again.
   */
  readonly afterwards?: (result: Result) => Promise<boolean>;
}

/**
 * Applies a decision to a license: decides on the state that was read, commits the decision, and announces the events. If another request
 * changed the license in the meantime, the function reads the state again and decides again. Callers must not repeat the call, so that a
 * request has a single deadline.
 *
 * @returns undefined if the license was moved to another key in the meantime and `follow` does not find it. Callers that store the response
 * with the transaction can also get `RESPONSE_EXISTS`.
 * @throws StoreUnavailable if other requests keep changing the license until the time for retries ends
 */
export function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result> | NeedsDevices,
  options?: Omit<ApplyOptions<State, Result>, 'storeResponse'>,
): Promise<Result | undefined>;
export function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result> | NeedsDevices,
  options: ApplyOptions<State, Result>,
): Promise<Result | ResponseExists | undefined>;
export async function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result> | NeedsDevices,
  options: ApplyOptions<State, Result> = {},
): Promise<Result | ResponseExists | undefined> {
  const { table } = app;
  const fingerprint = options.fingerprint ?? read.device?.fingerprint;
  let state = read;
  let isStale = false;
  let needsDevices = false;
  let { readProduct } = options;

  const reread = async (): Promise<State | undefined> => {
    if (options.reread) return options.reread(state, needsDevices);
    const current = await readState(table, state.license, fingerprint);
    return current && { ...state, ...current };
  };
  /** The decision on the current state; undefined if the license is not found any more. */
  const decideNow = async (): Promise<Decision<Result> | NeedsDevices | undefined> => {
    const current = isStale ? ((await reread()) ?? (await options.follow?.())) : state;
    if (!current) return undefined;
    [state, isStale] = [current, true];
    return decide(current);
  };
  const commit = async (
    decision: Decision<Result> | NeedsDevices | undefined,
    retryUntil: number,
  ): Promise<Result | ResponseExists | typeof TRY_AGAIN | typeof PROGRESS | undefined> => {
    if (!decision) return undefined;
    const { transition } = decision;
    if (transition) readProduct ??= await readReceiver(app, transition.after, transition.occurrences);
    const committed = await commitDecision(table, state, decision, { ...options, readProduct }, retryUntil);
    if (committed === RESPONSE_EXISTS) return RESPONSE_EXISTS;
    if (!committed) return TRY_AGAIN;
    await announce(app, committed.events);
    if ('needs' in decision) {
      needsDevices = true;
      return PROGRESS;
    }
    return ((await options.afterwards?.(decision.result)) ?? true) ? decision.result : TRY_AGAIN;
  };

  return retry(table, 'The license', async ({ retryUntil }) => {
    const decision = await decideNow();
    if (!decision?.transition) return commit(decision, retryUntil);
    // Requests of one process change a license one after another. A request that had to wait decides again on the current state. The license
    // is identified by its id, because it may be moved to another key in the meantime.
    return table.withLock(licenseIdKey(read.license.id).pk, async (hasWaited) =>
      commit(hasWaited ? await decideNow() : decision, retryUntil),
    );
  });
}

/** Returns a function that reads a license by its id, under its current key. Decisions that need no device use it as `follow`. */
export const followLicense =
  ({ table }: App, id: number) =>
  async (): Promise<LicenseState | undefined> => {
    const license = await getLicense(table, id);
    return license && { license };
  };
