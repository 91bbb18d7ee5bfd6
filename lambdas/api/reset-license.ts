import { fail, isFailure } from '../contract/errors';
import { resetLicense } from '../contract/licenses';
import { reset } from '../domain/license';
import { change } from '../use-cases/change-license';
import { serve } from '../runtime/http/serve';
import { getLicense } from '../store/licenses/read';

export const handler = serve(resetLicense, async ({ params, app, now }) => {
  const license = await getLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  const answer = await change(app, { license }, (state) => reset(state.license, now));
  return isFailure(answer) ? answer : { status: 'reset' as const, freed: answer.freed };
});
