import { fail } from '../contract/errors';
import { getLicense } from '../contract/licenses';
import { hasMembers } from '../domain/license';
import { countedDevicesOfAll } from '../domain/member';
import { licenseView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import { getLicenseWithDevices, readById } from '../store/licenses/read';
import { readMembers } from '../store/members';

export const handler = serve(getLicense, operator, async ({ params, app: { table } }) => {
  const record = await readById(table, params.id, (address) => getLicenseWithDevices(table, address));
  if (!record) return fail('not_found', 'There is no such license');
  const { license, devices } = record;
  const view = licenseView(license, devices);
  // Members count their new devices themselves.
  return hasMembers(license) ? { ...view, new_devices: countedDevicesOfAll(await readMembers(table, license.id), license) } : view;
});
