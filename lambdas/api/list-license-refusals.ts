import { fail } from '../contract/errors';
import { listLicenseRefusals } from '../contract/refusals';
import { operator, serve } from '../runtime/http';
import { findLicense } from '../store/licenses/read';
import { listRefusals } from '../use-cases/list-refusals';

export const handler = serve(listLicenseRefusals, operator, async ({ params, query, app, now }) => {
  const license = await findLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  return listRefusals(app, { product_id: license.productId, license_id: params.id }, query, now);
});
