import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import type { Decision } from '../domain/transition';
import type { License } from '../domain/license';
import { licenseSummary, licenseView, ownTermsView, truncateToBytes } from '../domain/views';
import type { App } from '../runtime/app';
import type { CommitOptions } from '../store/licenses/commit';
import { getLicenseWithDevices, readById, type LicenseWithDevices } from '../store/licenses/read';
import { RESPONSE_EXISTS, type Action, type ResponseExists } from '../store/transaction';
import { applyDecision, followLicense } from './apply-decision';

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
async function showLicense(app: App, id: number): Promise<Failure | LicenseView> {
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
  return { ...summary, license_type: { ...summary.license_type, name }, seats, own_terms: ownTermsView(license), activations };
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
