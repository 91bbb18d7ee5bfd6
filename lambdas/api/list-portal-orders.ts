import { listPortalOrders, MAX_PORTAL_LICENSES } from '../contract/portal';
import { pageOf } from '../runtime/http/paging';
import { buyer, serve } from '../runtime/http';
import { showOrders } from '../use-cases/payments/show-orders';

export const handler = serve(listPortalOrders, buyer, async ({ app, portal, session, query }) => {
  const { product_id } = portal;
  const filter = { customer_email: session.address };
  const { orders, unreadable, next } = await showOrders(app, product_id, filter, query.cursor, query.limit ?? MAX_PORTAL_LICENSES);
  return pageOf(
    // An order without licenses, such as a held sale, is for the operator only.
    orders.filter(({ view }) => view.license_ids.length > 0),
    next,
    ({ position }) => position,
    ({ view: { order_id, processor, created_at, license_ids, amounts, subscription, receipt_url } }) => ({
      order_id,
      processor,
      created_at,
      license_ids,
      amounts: amounts.map(({ currency, paid, refunded }) => ({ currency, paid, refunded })),
      subscription,
      receipt_url,
    }),
    unreadable,
  );
});
