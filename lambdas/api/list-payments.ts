import { fail } from '../contract/errors';
import { listPayments } from '../contract/payments';
import { formatOf } from '../runtime/http/formats';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { ordersWithId } from '../store/licenses/of-order';
import * as log from '../store/payments/log';
import { getProduct } from '../store/products';
import { showPayment } from '../use-cases/payments/show';

export const handler = serve(listPayments, operator, async ({ params, query, app, event }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const found = query.order === undefined ? undefined : await ordersWithId(app.table, query.order, params.id);
  const orders = found && new Set(found.flatMap(({ uid, joined }) => [uid, ...joined]));
  const { payments, unreadable, next } = await log.listPayments(
    app.table,
    params.id,
    { status: query.status, connection_id: query.connection_id, orders },
    query.cursor,
    pageLimit(query.limit),
  );
  const shown = await Promise.all(payments.map(async (payment) => ({ payment, view: await showPayment(app, payment) })));
  return pageOf(
    shown,
    next,
    ({ payment }) => log.paymentPosition(payment),
    ({ view }) => view,
    unreadable,
    formatOf(listPayments, event)?.row,
  );
});
