import { fail } from '../contract/errors';
import { getLicenseType } from '../contract/license-types';
import { licenseTypeView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import { findLicenseType } from '../store/license-types';

export const handler = serve(getLicenseType, operator, async ({ params, app }) => {
  const type = await findLicenseType(app.table, params.id);
  return type ? licenseTypeView(type) : fail('not_found', 'There is no such license type');
});
