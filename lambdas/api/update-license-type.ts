import { fail, isFailure } from '../contract/errors';
import { updateLicenseType } from '../contract/license-types';
import { editLicenseType } from '../domain/license-type';
import { licenseTypeView } from '../domain/views';
import { serve } from '../runtime/http/serve';
import { findLicenseType, replaceLicenseType } from '../store/license-types';

/** Maximum tries to change a type that others change at the same moment. */
const MAX_RACES = 5;

export const handler = serve(updateLicenseType, async ({ params, body, app }) => {
  for (let races = 0; races < MAX_RACES; races += 1) {
    const type = await findLicenseType(app.table, params.id);
    if (!type) return fail('not_found', 'There is no such license type');
    const edited = editLicenseType(type, body);
    if (isFailure(edited)) return edited;
    const outcome = await replaceLicenseType(app.table, type, edited);
    if (isFailure(outcome)) return outcome;
    if (outcome === 'replaced') return licenseTypeView(edited);
  }
  return fail('unavailable');
});
