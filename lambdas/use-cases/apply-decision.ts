import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import { LOOK_CLOSER, type Decision } from '../domain/transition';
import type { License } from '../domain/license';
import { licenseSummary, licenseView, truncateToBytes } from '../domain/views';
import type { App } from '../runtime/app';
import { licenseIdKey } from '../store/keys';
import { commitDecision, readState, type CommitOptions, type LicenseState, type Lost } from '../store/licenses/commit';
import { getLicense, getLicenseWithDevices, readById, type LicenseWithDevices } from '../store/licenses/read';
import { retry, TRY_AGAIN } from '../store/retry';
import { RESPONSE_EXISTS, type Action, type ResponseExists } from '../store/transaction';
import { announce, readReceiver } from './announce';

/**
 * The result of an attempt that must first wait in the queue of the license (see `Table.inTurn`), because its decision changes the license.
 * Requests of the same function instance change a license one after another.
 */
const NEEDS_TURN = Symbol('needs turn');

/** The facts that {@link ApplyOptions.reread} gets when the state must be read again. */
export interface Reread<State> {
  /** The state on which the previous decision was made. */
  readonly known: State;
  /** The state that the failed transaction returned; undefined if that state is incomplete or may be out of date. */
  readonly present: State | undefined;
  /** True if a previous decision of this call returned {@link LOOK_CLOSER}. */
  readonly closer: boolean;
}

export interface ApplyOptions<State, Result> extends CommitOptions<Result> {
  /**
   * The fingerprint of the device that the decision depends on. The default is the fingerprint of the device that was read. The caller must
   * set the fingerprint if it is possible that the device is not bound yet.
   */
  readonly fingerprint?: string | undefined;
  /**
   * Reads the state again. A caller sets this function if the state contains more than the license and its device. The result is undefined
   * if the key no longer works.
   */
  readonly reread?: (why: Reread<State>) => Promise<State | undefined>;
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
 * Applies a decision to a license: makes the decision for the state that was read, commits it, and announces the events. If another request
 * changed the license in the meantime, the function makes the decision again for the new state. Callers must not repeat the call, so that a
 * request has a single deadline.
 *
 * @returns undefined if the license was moved to another key in the meantime and `follow` does not find it. Callers that store the response
 * with the transaction can also get `RESPONSE_EXISTS`.
 * @throws StoreUnavailable if other requests keep changing the license until the time for retries ends
 */
export function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result>,
  options?: Omit<ApplyOptions<State, Result>, 'storeResponse'>,
): Promise<Result | undefined>;
export function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result>,
  options: ApplyOptions<State, Result>,
): Promise<Result | ResponseExists | undefined>;
export async function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result>,
  options: ApplyOptions<State, Result> = {},
): Promise<Result | ResponseExists | undefined> {
  const { table } = app;
  const fingerprint = options.fingerprint ?? read.device?.fingerprint;
  let state = read;
  let decision = decide(read);
  let closer = false;
  let lost: Lost | undefined;
  let { readProduct } = options;

  const readAgain = async (present: State | undefined): Promise<State | undefined> => {
    if (options.reread) return options.reread({ known: state, present, closer });
    const now = present ?? (await readState(table, state.license, fingerprint));
    return now && { ...state, ...now };
  };
  /** Makes the decision again for the current state. Returns false if the license cannot be found any more. */
  const decideAgain = async ({ present, isDeadKey }: Lost): Promise<boolean> => {
    // If the transition changed no device, the failed transaction returned only the license. The device is then read again, because it may
    // have been bound or freed in the meantime.
    const isWhole = present !== undefined && (fingerprint === undefined || 'device' in present);
    const again = isDeadKey ? undefined : await readAgain(isWhole ? { ...state, ...present } : undefined);
    const next = again ?? (await options.follow?.());
    if (!next) return false;
    state = next;
    decision = decide(state);
    return true;
  };

  const attempts = (isInTurn: boolean): Promise<Result | ResponseExists | typeof NEEDS_TURN | undefined> =>
    retry(table, 'The license', async ({ hasWaited, retryUntil }) => {
      // After a wait, the state may be out of date, so it is read again before the commit.
      if (lost && !(await decideAgain(hasWaited ? {} : lost))) return undefined;
      lost = undefined;
      if (decision.result === LOOK_CLOSER && !closer) {
        // No race was lost, so the state is read again in the same attempt, even if the time for retries has ended. Otherwise an activation
        // of a license without free seats could get a 503 instead of the refusal that no seat is free.
        closer = true;
        if (!(await decideAgain({}))) return undefined;
      }
      if (decision.transition && !isInTurn) return NEEDS_TURN;
      const { transition, result } = decision;
      if (transition) readProduct ??= await readReceiver(app, transition.after, transition.occurrences);
      const committed = await commitDecision(table, state, decision, { ...options, readProduct }, retryUntil);
      if (committed === RESPONSE_EXISTS) return RESPONSE_EXISTS;
      if (committed.events) {
        await announce(app, committed.events);
        if (result !== LOOK_CLOSER && ((await options.afterwards?.(result)) ?? true)) return result;
      }
      lost = committed.events ? {} : committed;
      return TRY_AGAIN;
    });

  const done = await attempts(false);
  if (done !== NEEDS_TURN) return done;
  // Requests for the same license are identified by its id, because the license may be moved to another key in the meantime.
  const result = await table.inTurn(licenseIdKey(read.license.id).pk, (hasWaited) => {
    if (hasWaited) lost = {};
    return attempts(true);
  });
  return result === NEEDS_TURN ? undefined : result;
}

/** The arguments of an endpoint that changes a license found by its id. */
export interface LicenseCall {
  readonly params: { readonly id: number };
  readonly app: App;
}

/** The arguments of an endpoint that changes a license found by its id and returns the license's admin view. */
export interface ShowingCall extends LicenseCall {
  readonly idempotencyKey: string | undefined;
  readonly storeResponse: (response: LicenseView) => Action | undefined;
}

/** Returns a function that reads a license by its id, under its current key. Decisions that need no device use it as `follow`. */
export const followLicense =
  ({ table }: App, id: number) =>
  async (): Promise<LicenseState | undefined> => {
    const license = await getLicense(table, id);
    return license && { license };
  };

/** The options that an endpoint can pass in addition to its function `decide`. */
export type ChangeOptions = Pick<CommitOptions<unknown>, 'alongside' | 'readProduct'>;

const notFound = (): Failure => fail('not_found', 'There is no such license');

/** Maximum size of the devices in a stored response, in bytes. The encrypted response must fit into a row of 400 KB. */
const STORED_DEVICES_BYTES = 200_000;

/**
 * Changes a license found by its id, under its current key, and returns the result of `decide`. The transaction does not include the
 * license's devices, so that it never waits for them: a license can have thousands of devices.
 */
export async function applyById<Result>(
  { params, app }: LicenseCall,
  decide: (license: License) => Decision<Failure | Result>,
  options?: ChangeOptions,
): Promise<Failure | Result> {
  const read = followLicense(app, params.id);
  const state = await read();
  const result = state && (await applyDecision(app, state, ({ license }) => decide(license), { ...options, follow: read }));
  return result ?? notFound();
}

/** Reads a license by its id and returns its admin view. */
export async function showLicense(app: App, id: number): Promise<Failure | LicenseView> {
  const record = await readById(app.table, id, (address) => getLicenseWithDevices(app.table, address));
  return record ? licenseView(record.license, record.devices) : notFound();
}

/**
 * Changes a license found by its id and returns its admin view. Without an `Idempotency-Key` the devices are read after the commit, so that
 * they do not delay a revocation. With an `Idempotency-Key` the response is created before the commit, because it is stored in the same
 * transaction.
 */
export async function applyAndShow(
  call: ShowingCall,
  decide: (license: License) => Decision<Failure | License>,
  options?: ChangeOptions,
): Promise<Failure | ResponseExists | LicenseView> {
  const { app, params } = call;
  if (call.idempotencyKey === undefined) {
    const changed = await applyById(call, decide, options);
    if (isFailure(changed)) return changed;
    const view = await showLicense(app, params.id);
    return isFailure(view) ? view : resultOf(changed, view);
  }
  return applyAndStore(call, decide, options);
}

/**
 * The admin view of the license as this change left it, even if other requests have changed the license since. The seats and devices come
 * from one read after the change, so that they are consistent with each other.
 */
const resultOf = (license: License, { metadata, license_type, seats, activations }: LicenseView): LicenseView => {
  const summary = licenseSummary(
    license,
    license.metadata.json === undefined ? metadata : (JSON.parse(license.metadata.json) as Record<string, unknown>),
  );
  // If the license still has this license type, the result shows the type's current name. If the license has been moved to another type
  // since, the result shows the name that was stored with the license.
  const name = license_type.id === summary.license_type.id ? license_type.name : summary.license_type.name;
  return { ...summary, license_type: { ...summary.license_type, name }, seats, activations };
};

async function applyAndStore(
  { params, app, storeResponse }: ShowingCall,
  decide: (license: License) => Decision<Failure | License>,
  options?: ChangeOptions,
): Promise<Failure | ResponseExists | LicenseView> {
  const read = (): Promise<LicenseWithDevices | undefined> =>
    readById(app.table, params.id, (address) => getLicenseWithDevices(app.table, address));
  const storedView = ({ license, devices }: LicenseWithDevices): LicenseView => {
    const view = licenseView(license, devices);
    return { ...view, activations: truncateToBytes(view.activations, STORED_DEVICES_BYTES) };
  };
  const record = await read();
  if (!record) return notFound();
  const result = await applyDecision<LicenseWithDevices, Failure | LicenseWithDevices>(
    app,
    record,
    ({ license, devices }) => {
      const { transition, result: decided } = decide(license);
      return { transition, result: isFailure(decided) ? decided : { license: decided, devices } };
    },
    {
      ...options,
      storeResponse: (made: Failure | LicenseWithDevices) => (isFailure(made) ? undefined : storeResponse(storedView(made))),
      reread: read,
      follow: read,
    },
  );
  if (result === undefined) return notFound();
  return result === RESPONSE_EXISTS || isFailure(result) ? result : licenseView(result.license, result.devices);
}
