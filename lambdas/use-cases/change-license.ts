import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import type { Decision, Device, License } from '../domain/license';
import { truncateToBytes, licenseView } from '../domain/views';
import { changeLicense, type LicenseState } from '../store/licenses/change';
import { findLicense, getLicense, getLicenseWithDevices, type LicenseWithDevices } from '../store/licenses/read';
import { RESPONSE_EXISTS, type Action, type ResponseExists } from '../store/transaction';
import { announce } from './announce';
import type { App } from '../runtime/app';

/** Decides about a license, commits what was decided, and wakes the delivery of its event. */
export async function change<Answer>(app: App, read: LicenseState, decide: (state: LicenseState) => Decision<Answer>): Promise<Answer> {
  const { answer, event } = await changeLicense(app.table, read, decide);
  if (event) await announce(app, event);
  return answer;
}

interface LicenseCall {
  readonly params: { readonly id: number };
  readonly idempotencyKey: string | undefined;
  readonly app: App;
  readonly storeResponse: (answer: LicenseView) => Action | undefined;
}

/** Lost races after which a change is decided on the license alone: to read its devices takes longer than others take to be faster once more. */
const MAX_FULL_REREADS = 2;

/** Most bytes of devices in an answer that is kept for a repeated request: a row of the table holds 400 KB, sealed. */
const KEPT_DEVICES_BYTES = 200_000;

/** A license with its devices, unless they were left out for haste. */
type Read = Pick<LicenseWithDevices, 'license'> & Partial<LicenseWithDevices>;

/** Changes a license found by its id and answers its admin view: what revoke and renew share. */
export async function changeAndShow(
  { params, idempotencyKey, app, storeResponse }: LicenseCall,
  decide: (license: License) => Decision<Failure | License>,
): Promise<Failure | ResponseExists | LicenseView> {
  const found = await findLicense(app.table, params.id);
  const read = (): Promise<LicenseWithDevices | undefined> =>
    found ? getLicenseWithDevices(app.table, found.productId, found.key) : Promise.resolve(undefined);
  const record = await read();
  if (!record) return fail('not_found', 'There is no such license');

  let races = 0;
  const reread = async (): Promise<Read> => {
    races += 1;
    // An answer that is kept is made before the commit, and so needs the devices.
    const license = races > MAX_FULL_REREADS && idempotencyKey === undefined ? await getLicense(app.table, params.id) : undefined;
    return license ? { license } : ((await read()) ?? record);
  };
  const kept = (license: License, devices: readonly Device[] = []): LicenseView => {
    const view = licenseView(license, devices);
    return { ...view, activations: truncateToBytes(view.activations, KEPT_DEVICES_BYTES) };
  };

  const changed = await changeLicense<Read, Failure | Read>(
    app.table,
    record,
    ({ license, devices }) => {
      const { change, answer } = decide(license);
      return { change, answer: isFailure(answer) ? answer : { license: answer, devices } };
    },
    { storeResponse: (answer) => (isFailure(answer) ? undefined : storeResponse(kept(answer.license, answer.devices))), reread },
  );
  if (changed === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (changed.event) await announce(app, changed.event);
  if (isFailure(changed.answer)) return changed.answer;
  const { license, devices } = changed.answer;
  if (devices) return licenseView(license, devices);
  // What this change made of the license, with seats and devices of one read, so that they agree.
  const { license: { seats_used, epoch }, devices: bound } = (await read()) ?? record;
  return licenseView({ ...license, seats_used, epoch }, bound);
}
