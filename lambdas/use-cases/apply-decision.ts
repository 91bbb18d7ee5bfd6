import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import type { Transition, Decision } from '../domain/transition';
import type { Event } from '../domain/event';
import type { License } from '../domain/license';
import { licenseSummary, licenseView, truncateToBytes } from '../domain/views';
import type { App } from '../runtime/app';
import { commitDecision, type LicenseState } from '../store/licenses/commit';
import { getLicense, getLicenseWithDevices, readById, type LicenseWithDevices } from '../store/licenses/read';
import { RESPONSE_EXISTS, type Action, type ResponseExists } from '../store/transaction';
import { announce } from './announce';

/**
 * Decides about a license, commits what was decided, and wakes the delivery of its events.
 *
 * @returns undefined when the license was moved to another key meanwhile
 */
export async function applyDecision<State extends LicenseState, Result>(
  app: App,
  read: State,
  decide: (state: State) => Decision<Result>,
  reread?: () => Promise<State | undefined>,
): Promise<Result | undefined> {
  const changed = await commitDecision(app.table, read, decide, { ...(reread && { reread }) });
  if (changed === undefined || changed === RESPONSE_EXISTS) return undefined;
  await announce(app, changed.events);
  return changed.result;
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
export type Alongside = (transition: Transition, events: readonly Event[]) => readonly Action[];

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
  const changed =
    state &&
    (await commitDecision<LicenseState, Failure | Result>(app.table, state, ({ license }) => decide(license), {
      follow: read,
      ...(alongside && { alongside }),
    }));
  if (changed === undefined || changed === RESPONSE_EXISTS) return notFound();
  await announce(app, changed.events);
  return changed.result;
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
  const changed = await commitDecision<LicenseWithDevices, Failure | LicenseWithDevices>(
    app.table,
    record,
    ({ license, devices }) => {
      const { transition, result } = decide(license);
      return { transition, result: isFailure(result) ? result : { license: result, devices } };
    },
    {
      storeResponse: (result) => (isFailure(result) ? undefined : storeResponse(storedView(result))),
      reread: read,
      ...(alongside && { alongside }),
    },
  );
  if (changed === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (changed === undefined) return notFound();
  await announce(app, changed.events);
  return isFailure(changed.result) ? changed.result : licenseView(changed.result.license, changed.result.devices);
}
