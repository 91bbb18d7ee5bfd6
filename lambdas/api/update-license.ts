import { fail } from '../contract/errors';
import { updateLicense } from '../contract/license-operations';
import { edit } from '../domain/license-operations';
import { metadataOf } from '../domain/metadata';
import { termsOf } from '../domain/license-type';
import { operator, serve } from '../runtime/http';
import { getProductAndType } from '../store/license-types';
import { findLicense } from '../store/licenses/read';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(updateLicense, operator, async (call) => {
  const { license_type_id, metadata, ...fields } = call.body;
  const found = license_type_id === undefined ? undefined : await findLicense(call.app.table, call.params.id);
  if (license_type_id !== undefined && !found) return fail('not_found', 'There is no such license');
  const type =
    license_type_id !== undefined && found ? (await getProductAndType(call.app.table, found.productId, license_type_id)).type : undefined;
  if (license_type_id !== undefined && !type) return fail('not_found', 'There is no such license type of this product');
  if (type?.archived) return fail('invalid_request', 'license_type_id must not name a license type that is archived');

  const changes = {
    ...fields,
    ...(metadata !== undefined && { metadata: metadataOf(JSON.stringify(metadata)) }),
    ...(type && { license_type: termsOf(type) }),
  };
  return applyAndShow(call, (license) => edit(license, changes, call.now));
});
