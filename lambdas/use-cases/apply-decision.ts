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
import { announce } from './announce';

/** A transition waits for its turn among the requests of this instance; a result without one needs none. */
const NEEDS_TURN = Symbol('needs turn');

/** Why the state is read again. */
export interface Reread<State> {
  /** As it was known. */
  readonly known: State;
  /** As a lost race handed it over; undefined if that is not all of it, or may be out of date. */
  readonly present: State | undefined;
  /** True once a decision asked to {@link LOOK_CLOSER}. */
  readonly closer: boolean;
}

export interface ApplyOptions<State, Result> extends CommitOptions<Result> {
  /** Reads the state again; needed if it holds more than the license and its device. Undefined: the key is dead. */
  readonly reread?: (why: Reread<State>) => Promise<State | undefined>;
  /** Finds the license under its new key if its key was replaced. Without it, that ends the request. */
  readonly follow?: () => Promise<State | undefined>;
  /** Stores what is not part of the transaction. False: others have changed it since, so that the decision is made again. */
  readonly afterwards?: (result: Result) => Promise<boolean>;
}

/**
 * Applies a decision to a license: decides on the state as read, commits, and announces the events. As long as others are
 * faster, decides again on what they left. This is the only loop of a request, so that it has one deadline.
 *
 * @returns undefined if the license was moved to another key meanwhile and nothing follows it; `RESPONSE_EXISTS` only if
 *   the response is stored with the transaction
 * @throws StoreUnavailable if others stay faster until the request may retry no longer
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
  let state = read;
  let decision = decide(read);
  let closer = false;
  let lost: Lost | undefined;

  const readAgain = async (present: State | undefined): Promise<State | undefined> => {
    if (options.reread) return options.reread({ known: state, present, closer });
    const now = present ?? (await readState(table, state.license, read.device?.fingerprint));
    return now && { ...state, ...now };
  };
  /** Decides again on the present state; false if the license is gone. */
  const decideAgain = async ({ present, isDeadKey }: Lost): Promise<boolean> => {
    const again = isDeadKey ? undefined : await readAgain(present && { ...state, ...present });
    const next = again ?? (await options.follow?.());
    if (!next) return false;
    state = next;
    decision = decide(state);
    return true;
  };

  const attempts = (isInTurn: boolean): Promise<Result | ResponseExists | typeof NEEDS_TURN | undefined> =>
    retry(table, 'The license', async ({ hasWaited, retryUntil }) => {
      // After a wait, only a fresh read can win.
      if (lost && !(await decideAgain(hasWaited ? {} : lost))) return undefined;
      lost = undefined;
      if (decision.result === LOOK_CLOSER && !closer) {
        // No race was lost: the second look is taken even if the time to retry is up, so that a full license is no 503.
        closer = true;
        if (!(await decideAgain({}))) return undefined;
      }
      if (decision.transition && !isInTurn) return NEEDS_TURN;
      const { result } = decision;
      const committed = await commitDecision(table, state, decision, options, retryUntil);
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
  // By the id: a license that is moved to another key meanwhile is still the same one.
  const result = await table.inTurn(licenseIdKey(read.license.id).pk, (hasWaited) => {
    if (hasWaited) lost = {};
    return attempts(true);
  });
  return result === NEEDS_TURN ? undefined : result;
}

/** What an endpoint that changes a license found by its id is called with. */
export interface LicenseCall {
  readonly params: { readonly id: number };
  readonly app: App;
}

/** The same, when the license's admin view is the response. */
export interface ShowingCall extends LicenseCall {
  readonly idempotencyKey: string | undefined;
  readonly storeResponse: (response: LicenseView) => Action | undefined;
}

/** What commits together with a change of a license. */
export type Alongside = NonNullable<CommitOptions<unknown>['alongside']>;

const notFound = (): Failure => fail('not_found', 'There is no such license');

/** Maximum bytes of devices in a stored response: a row of the table holds 400 KB, sealed. */
const STORED_DEVICES_BYTES = 200_000;

/**
 * Changes a license found by its id, under the key that it has by then, and returns what `decide` made of it. The
 * change is committed on the license alone: it never waits for the license's devices, of which there may be thousands.
 */
export async function applyById<Result>(
  { params, app }: LicenseCall,
  decide: (license: License) => Decision<Failure | Result>,
  alongside?: Alongside,
): Promise<Failure | Result> {
  const read = async (): Promise<LicenseState | undefined> => {
    const license = await getLicense(app.table, params.id);
    return license && { license };
  };
  const state = await read();
  const options = { follow: read, ...(alongside && { alongside }) };
  const result = state && (await applyDecision(app, state, ({ license }) => decide(license), options));
  return result ?? notFound();
}

/** The admin view of a license by its id, read now. */
export async function showLicense(app: App, id: number): Promise<Failure | LicenseView> {
  const record = await readById(app.table, id, (address) => getLicenseWithDevices(app.table, address));
  return record ? licenseView(record.license, record.devices) : notFound();
}

/**
 * Changes a license found by its id and returns its admin view. Without an `Idempotency-Key` the devices are read
 * after the commit, so that nothing holds up a revocation. With one, the response is stored in the transaction of
 * the change, and so is made before.
 */
export async function applyAndShow(
  call: ShowingCall,
  decide: (license: License) => Decision<Failure | License>,
  alongside?: Alongside,
): Promise<Failure | ResponseExists | LicenseView> {
  const { app, params } = call;
  if (call.idempotencyKey === undefined) {
    const changed = await applyById(call, decide, alongside);
    if (isFailure(changed)) return changed;
    const view = await showLicense(app, params.id);
    return isFailure(view) ? view : resultOf(changed, view);
  }
  return applyAndStore(call, decide, alongside);
}

/**
 * What this change made of the license, even when others have changed it since; its seats and devices are those of one later read, so that
 * they agree.
 */
const resultOf = (license: License, { metadata, license_type, seats, activations }: LicenseView): LicenseView => {
  const summary = licenseSummary(
    license,
    license.metadata.json === undefined ? metadata : (JSON.parse(license.metadata.json) as Record<string, unknown>),
  );
  // The present name of the type; if the license was moved to another type since, the name that it was sold under.
  const name = license_type.id === summary.license_type.id ? license_type.name : summary.license_type.name;
  return { ...summary, license_type: { ...summary.license_type, name }, seats, activations };
};

async function applyAndStore(
  { params, app, storeResponse }: ShowingCall,
  decide: (license: License) => Decision<Failure | License>,
  alongside?: Alongside,
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
      storeResponse: (made: Failure | LicenseWithDevices) => (isFailure(made) ? undefined : storeResponse(storedView(made))),
      reread: read,
      follow: read,
      ...(alongside && { alongside }),
    },
  );
  if (result === undefined) return notFound();
  return result === RESPONSE_EXISTS || isFailure(result) ? result : licenseView(result.license, result.devices);
}
