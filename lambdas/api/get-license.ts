import { fail } from '../contract/errors';
import { getLicense } from '../contract/licenses';
import { licenseView } from '../domain/views';
import { serve } from '../runtime/http/serve';
import { findLicense, getLicenseWithDevices } from '../store/licenses/read';

export const handler = serve(getLicense, async ({ params, app }) => {
  const found = await findLicense(app.table, params.id);
  const record = found && (await getLicenseWithDevices(app.table, found.productId, found.key));
  return record ? licenseView(record.license, record.devices) : fail('not_found', 'There is no such license');
});
