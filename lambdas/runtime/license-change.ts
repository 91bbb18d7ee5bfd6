import { fail, isFailure, type Failure } from '../contract/errors';
import type { LicenseView } from '../contract/resources';
import type { Decision, License } from '../domain/license';
import { licenseView } from '../domain/views';
import { changeLicense, getDevices, getLicense, type LicenseState } from '../store/licenses';
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

/** Changes a license found by its id and answers its admin view: what revoke and renew share. */
export async function changeAndShow(
  { params, app, remember }: LicenseCall,
  decide: (license: License) => Decision<Failure | License>,
): Promise<Failure | Answered | LicenseView> {
  const license = await getLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  const devices = await getDevices(app.table, license);

  const changed = await changeLicense(
    app.table,
    { license },
    ({ license: current }) => decide(current),
    (answer) => (isFailure(answer) ? undefined : remember(licenseView(answer, devices))),
  );
  if (changed === ANSWERED) return ANSWERED;
  if (changed.event) await announce(app, changed.event);
  return isFailure(changed.answer) ? changed.answer : licenseView(changed.answer, devices);
}
