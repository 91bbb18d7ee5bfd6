import * as z from 'zod/mini';
import { documented } from '../schema';
import { processors } from '../processors';
import { secret } from '../secret';
import { timestamp } from '../text';

/** A notification in the payments log. */
export const payment = documented(
  z.object({
    id: z.string(),
    product_id: z.int(),
    connection_id: z.int(),
    processor: z.enum(processors),
    source: z.enum(['webhook', 'reconcile']),
    event_id: z.string(),
    type: z.string(),
    action: z.string(),
    status: z.enum(['done', 'ignored', 'held', 'waiting']),
    reason: z.nullable(z.string()),
    order_id: z.nullable(z.string()),
    subscription_id: z.nullable(z.string()),
    customer_email: z.nullable(z.string()),
    test: z.boolean(),
    license_ids: z.array(z.int()),
    amount: documented(z.nullable(z.int()), {
      description:
        "The amount that the notification reports as paid or refunded, in the currency's minor unit and including tax; null if it reports no amount.",
    }),
    fee: documented(z.nullable(z.int()), {
      description: "The processor's fee, in the currency's minor unit. Only Paddle, Polar and Gumroad report a fee.",
    }),
    currency: documented(z.nullable(z.string()), { description: 'The currency as an ISO 4217 code.' }),
    country: documented(z.nullable(z.string()), { description: "The buyer's country as an ISO 3166-1 alpha-2 code." }),
    transaction_id: documented(z.nullable(z.string()), {
      description:
        "The processor's id of the payment or refund. Several rows can report the same payment or the same refund. These rows have the same id. To add up amounts, take only the largest amount of each id, separately for payments and refunds. If the id is null, don't add the amount, because another row reports the same money.",
    }),
    links: documented(z.object({ order: z.nullable(z.string()), subscription: z.nullable(z.string()) }), {
      description:
        "The addresses of the processor's own pages about the order and the subscription. An address is null if the service cannot determine it.",
    }),
    occurred_at: z.nullable(timestamp),
    received_at: timestamp,
    processed_at: z.nullable(timestamp),
    // The payload counts as a secret, because some processors include links that open a buyer's account.
    payload: secret(
      documented(z.nullable(z.record(z.string(), z.unknown())), {
        description:
          'The notification as the processor sent it. A form-encoded notification is shown as an object with the fields of the form. The payload is null if it was erased, and `{"unreadable": <reason>}` if it can no longer be decrypted.',
      }),
    ),
  }),
  { id: 'Payment' },
);

export type PaymentView = z.output<typeof payment>;
