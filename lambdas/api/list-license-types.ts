import { fail } from '../contract/errors';
import { listLicenseTypes } from '../contract/license-types';
import { licenseTypeView } from '../domain/views';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as licenseTypes from '../store/license-types';
import { getProduct } from '../store/products';

export const handler = serve(listLicenseTypes, operator, async ({ params, query, app }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { types, unreadable, next } = await licenseTypes.listLicenseTypes(
    app.table,
    params.id,
    Number(query.cursor ?? 0),
    pageLimit(query.limit),
  );
  return pageOf(types, next, ({ id }) => id, licenseTypeView, unreadable);
});
