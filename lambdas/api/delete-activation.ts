import { fail } from '../contract/errors';
import { deleteActivation, deviceFingerprint } from '../contract/license-operations';
import { describeProblems, wording } from '../contract/problems';
import { deactivate } from '../domain/activation';
import { operator, serve } from '../runtime/http';
import { readWithDevice } from '../store/licenses/activation-state';
import { rereadPeople, withPeople } from '../store/licenses/people';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(deleteActivation, operator, async ({ params, app, now }) => {
  const fingerprint = deviceFingerprint.safeParse(params.fingerprint, { error: wording });
  if (!fingerprint.success) return fail('invalid_request', describeProblems(fingerprint.error.issues, 'fingerprint'));
  const found = await readWithDevice(app.table, params.id, fingerprint.data);
  if (!found) return fail('not_found', 'There is no such license');
  // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
  // free.
  const freed = await applyDecision(
    app,
    await withPeople(app.table, found),
    ({ license, device, holder }) => deactivate(license, device, now, { holder }),
    { reread: rereadPeople(app.table) },
  );
  return freed ?? { freed: false };
});
