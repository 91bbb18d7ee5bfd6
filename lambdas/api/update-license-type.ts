import { fail, isFailure } from '../contract/errors';
import { updateLicenseType } from '../contract/license-types';
import { editLicenseType } from '../domain/license-type';
import { licenseTypeView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import { findLicenseType, replaceLicenseType } from '../store/license-types';
import { retry, TRY_AGAIN } from '../store/retry';

export const handler = serve(updateLicenseType, operator, ({ params, body, app }) =>
  retry(app.table, 'The license type', async () => {
    const type = await findLicenseType(app.table, params.id);
    if (!type) return fail('not_found', 'There is no such license type');
    const edited = editLicenseType(type, body);
    if (isFailure(edited)) return edited;
    const replaced = await replaceLicenseType(app.table, type, edited);
    if (isFailure(replaced)) return replaced;
    return replaced === 'replaced' ? licenseTypeView(edited) : TRY_AGAIN;
  }),
);
