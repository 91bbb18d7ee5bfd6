import { fail } from '../contract/errors';
import { listLicenses } from '../contract/licenses';
import { lookupKey } from '../domain/license-key';
import { licenseView } from '../domain/views';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import * as licenses from '../store/licenses/list';
import { getProduct } from '../store/products';

export const handler = serve(listLicenses, async ({ params, query, app }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');

  const filter = {
    status: query.status,
    license_type_id: query.license_type_id,
    customer_email: query.customer_email,
    key: query.key === undefined ? undefined : (lookupKey(query.key) ?? ''),
  };
  const page = await licenses.listLicenses(app.table, params.id, filter, { order: query.order ?? 'asc', past: Number(query.cursor ?? 0) }, pageLimit(query.limit));
  return pageOf(
    page.licenses,
    page.next,
    ({ license }) => license.id,
    ({ license, devices }) => licenseView(license, devices),
    page.unreadable,
  );
});
