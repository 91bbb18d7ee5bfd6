import { fail } from '../contract/errors';
import { listLicenseMeters } from '../contract/meters';
import { adminMeterView } from '../domain/meters';
import { operator, serve } from '../runtime/http';
import { getLicense } from '../store/licenses/read';
import { metersOf } from '../use-cases/meters';

export const handler = serve(listLicenseMeters, operator, async ({ params, app }) => {
  const license = await getLicense(app.table, params.id);
  return license ? metersOf(app, license, adminMeterView) : fail('not_found', 'There is no such license');
});
