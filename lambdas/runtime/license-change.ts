import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import type { Decision, License } from '../domain/license';
import { fitting, licenseView } from '../domain/views';
import { changeLicense, findLicense, getLicense, getLicenseWithDevices, type LicenseState, type LicenseWithDevices } from '../store/licenses';
import { ANSWERED, type Action, type Answered } from '../store/transaction';
import { announce } from './announce';
import type { App } from './app';

/** Decides about a license, commits what was decided, and wakes the delivery of its event. */
export async function change<Answer>(app: App, read: LicenseState, decide: (state: LicenseState) => Decision<Answer>): Promise<Answer> {
  const { answer, event } = await changeLicense(app.table, read, decide);
  if (event) await announce(app, event);
  return answer;
}

interface LicenseCall {
  readonly params: { readonly id: number };
  readonly app: App;
  readonly remember: (answer: LicenseView) => Action | undefined;
}

/** Lost races after which the devices are not read again: that takes longer than others take to be faster once more. */
const WHOLE_READS = 2;

/** Most bytes of devices in an answer that is kept for a repeated request: a row of the table holds 400 KB, sealed. */
const KEPT_DEVICES_BYTES = 200_000;

/** Changes a license found by its id and answers its admin view: what revoke and renew share. */
export async function changeAndShow(
  { params, app, remember }: LicenseCall,
  decide: (license: License) => Decision<Failure | License>,
): Promise<Failure | Answered | LicenseView> {
  const found = await findLicense(app.table, params.id);
  const read = (): Promise<LicenseWithDevices | undefined> =>
    found ? getLicenseWithDevices(app.table, found.productId, found.key) : Promise.resolve(undefined);
  const record = await read();
  if (!record) return fail('not_found', 'There is no such license');

  let latest = record;
  let races = 0;
  const reread = async (): Promise<LicenseWithDevices> => {
    races += 1;
    const license = races > WHOLE_READS ? await getLicense(app.table, params.id) : undefined;
    latest = license ? { ...latest, license } : ((await read()) ?? latest);
    return latest;
  };

  // The view is made of the state that the change commits on top of: its seats and its devices agree.
  const decideView = ({ license, devices }: LicenseWithDevices): Decision<Failure | LicenseView> => {
    const { change, answer } = decide(license);
    return { change, answer: isFailure(answer) ? answer : licenseView(answer, devices) };
  };
  const changed = await changeLicense(app.table, record, decideView, {
    remember: (answer) => (isFailure(answer) ? undefined : remember({ ...answer, activations: fitting(answer.activations, KEPT_DEVICES_BYTES) })),
    reread,
  });
  if (changed === ANSWERED) return ANSWERED;
  if (changed.event) await announce(app, changed.event);
  return changed.answer;
}
