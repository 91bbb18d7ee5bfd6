import * as z from 'zod/mini';
import { documented } from './schema';
import { endpoint } from './endpoint';
import { receiptExample } from './examples';
import { pageBy } from './paging';
import { order, orderId, pathId } from './resources';
import { text } from './text';

/** Orders of payment processors (docs/spec/payments.md, Orders). */

/** The query parameters of a list of orders, which is sorted by time. */
export const pageOfOrders = pageBy(/^\d{16}#[0-9a-f]{22}$/);

const orderExample = {
  id: '3f9b1c07d2a84e5f6b7c8d',
  product_id: 1,
  connection_id: 1,
  processor: 'stripe',
  order_id: 'cs_live_a1',
  subscription_id: 'sub_1QaZ',
  customer_email: 'ada@example.com',
  test: false,
  status: 'done',
  lines: [{ ref: 'price_1QaZ', quantity: 1, license_type_id: 1 }],
  license_ids: [1],
  amounts: [{ currency: 'USD', paid: 9800, refunded: 0, fees: null, net: 9800 }],
  subscription: { state: 'active', renews_at: '2027-01-20T13:52:00.000Z', ends_at: null },
  links: {
    order: 'https://dashboard.stripe.com/invoices/in_1QaZ',
    subscription: 'https://dashboard.stripe.com/subscriptions/sub_1QaZ',
  },
  receipt_url: receiptExample,
  created_at: '2026-11-20T13:52:00.000Z',
};

export const listOrders = /* @__PURE__ */ endpoint(() => ({
  name: 'listOrders',
  method: 'GET',
  path: '/v1/products/{id}/orders',
  tag: 'Payments',
  summary: 'List orders',
  description:
    'Returns the orders of the product with their licenses, money and subscription, newest first. An order with licenses is kept as long as the product. An order without licenses, such as a held sale, is kept for 90 days after its last notification.',
  credential: 'admin',
  subject: 'product',
  scope: 'read',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageOfOrders,
    customer_email: documented(z.optional(text(1, 254)), {
      description: 'Only orders whose buyer has exactly this e-mail address. Case does not matter.',
    }),
    order: documented(z.optional(orderId), {
      description:
        'Only the order with this id. The value is the complete id. If the processor uses several ids for the order, each of these ids is accepted.',
    }),
  }),
  response: z.array(order),
  store: { GetItem: ['product'], BatchGetItem: ['payment'], Query: ['payment'], indexes: ['list', 'email'] },
  examples: { response: [orderExample] },
}));
