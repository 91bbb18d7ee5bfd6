import * as z from 'zod/mini';
import { documented } from '../schema';
import { processors } from '../processors';
import { timestamp } from '../text';

/** The link to the buyer's receipt. */
export const receiptUrl = documented(z.nullable(z.string()), {
  description:
    "The processor's page with the buyer's receipt or invoice, or the processor's portal for the buyer. Null if no notification had such a link, or after the link has expired.",
});

/** The state of a subscription, see docs/spec/payments.md, Orders. */
export const subscriptionStates = ['trial', 'active', 'past_due', 'paused', 'canceled', 'ended', 'paid_off'] as const;

/** The subscription of an order. */
export const subscription = documented(
  z.nullable(
    z.object({
      state: z.enum(subscriptionStates),
      renews_at: documented(z.nullable(timestamp), { description: 'When the next payment is due; null if none is expected.' }),
      ends_at: documented(z.nullable(timestamp), { description: 'When the subscription ends or ended; null if it continues.' }),
    }),
  ),
  { description: 'Null if the order does not recur.' },
);

/** An order of a payment processor, with everything that its notifications reported. */
export const order = documented(
  z.object({
    id: documented(z.string(), { description: "The service's own id of the order." }),
    product_id: z.int(),
    connection_id: z.int(),
    processor: z.enum(processors),
    order_id: documented(z.nullable(z.string()), { description: "The processor's id of the order, as the buyer sees it." }),
    subscription_id: z.nullable(z.string()),
    customer_email: z.nullable(z.string()),
    test: z.boolean(),
    status: documented(z.enum(['done', 'held', 'waiting']), {
      description:
        '`held`: a notification about the order needs the operator. `waiting`: a notification waits for the rest of the order. `done`: every notification was processed.',
    }),
    lines: documented(
      z.array(
        z.object({
          ref: documented(z.nullable(z.string()), { description: "The processor's id of the product or price; null if it is unknown." }),
          quantity: z.int(),
          license_type_id: documented(z.nullable(z.int()), {
            description: 'The license type that is sold; null if no plan names the line.',
          }),
        }),
      ),
      { description: 'What the buyer has bought. Empty if no notification has shown it yet.' },
    ),
    license_ids: z.array(z.int()),
    amounts: documented(
      z.array(
        z.object({
          currency: documented(z.nullable(z.string()), { description: 'The currency as an ISO 4217 code.' }),
          paid: documented(z.int(), { description: 'Everything that was paid, including tax.' }),
          refunded: z.int(),
          fees: documented(z.nullable(z.int()), { description: "The processor's fees; null if the processor reports none." }),
          net: documented(z.int(), { description: 'What was paid minus what was refunded.' }),
        }),
      ),
      {
        description:
          "The money of the order for each currency, in the currency's minor unit. Each payment and refund counts once, however often it was reported. Empty if no amount was reported.",
      },
    ),
    subscription,
    links: documented(z.object({ order: z.nullable(z.string()), subscription: z.nullable(z.string()) }), {
      description:
        "The addresses of the processor's own pages about the order and the subscription. An address is null if the service cannot determine it.",
    }),
    receipt_url: receiptUrl,
    created_at: documented(timestamp, { description: 'When the first event of the order happened, according to the processor.' }),
  }),
  { id: 'Order' },
);

export type OrderView = z.output<typeof order>;
