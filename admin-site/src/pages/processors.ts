import type { Processor } from '../../../lambdas/contract/processors';

/** What an operator does at each processor, in the words that stand there. docs/payments has the details. */
export interface Guide {
  readonly name: string;
  /** Where the address is pasted. */
  readonly address: string;
  /** The events to choose there. */
  readonly events: readonly string[];
  /** Where the signing secret is shown; null: there is none. */
  readonly secret: { readonly where: string; readonly example: string } | null;
  /** What the service can read with an API key, and where one is made. */
  readonly apiKey: { readonly where: string; readonly why: string };
  /** What a plan can name, with examples. */
  readonly refs: { readonly what: string; readonly example: string };
  /** How to try it without money. */
  readonly test: string;
}

export const guides: Readonly<Record<Processor, Guide>> = {
  stripe: {
    name: 'Stripe',
    address: 'In Stripe, open Developers → Webhooks → Add destination. Choose events of your account, and the type Webhook endpoint.',
    events: [
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.async_payment_failed',
      'invoice.paid',
      'invoice.payment_failed',
      'invoice_payment.paid',
      'customer.subscription.updated',
      'customer.subscription.paused',
      'customer.subscription.resumed',
      'customer.subscription.deleted',
      'charge.refunded',
      'refund.failed',
      'charge.dispute.created',
      'charge.dispute.closed',
    ],
    secret: { where: 'Stripe shows it after the destination is created: “Signing secret”.', example: 'whsec_…' },
    apiKey: {
      where: 'A restricted key with read permission for Checkout Sessions, Invoices, Subscriptions, Charges and Refunds, and Events.',
      why: 'Stripe does not say in its event what a one-time payment bought: with a key it is asked.',
    },
    refs: { what: 'A price, a product or a Payment Link.', example: 'price_1QaZ' },
    test: 'Test mode has its own webhooks, secrets and prices: make a second connection of mode “test” for it.',
  },
  paddle: {
    name: 'Paddle',
    address: 'In Paddle, open Developer Tools → Notifications → New destination. Choose the type Webhook.',
    events: [
      'transaction.completed',
      'customer.created',
      'customer.updated',
      'subscription.created',
      'subscription.updated',
      'subscription.past_due',
      'subscription.paused',
      'subscription.resumed',
      'subscription.canceled',
      'adjustment.created',
      'adjustment.updated',
    ],
    secret: { where: 'In the menu of the destination: Edit → “Secret key”.', example: 'pdl_ntfset_…' },
    apiKey: {
      where:
        'Developer Tools → Authentication, with read permission for customers, transactions, subscriptions, adjustments and notifications.',
      why: 'Paddle’s events carry no e-mail address: with a key it is read at once.',
    },
    refs: { what: 'A price or a product.', example: 'pri_01…' },
    test: 'The sandbox is another account with its own secrets: make a second connection of mode “test” for it.',
  },
  lemonsqueezy: {
    name: 'Lemon Squeezy',
    address: 'In Lemon Squeezy, open Settings → Webhooks → the plus sign.',
    events: [
      'order_created',
      'order_refunded',
      'subscription_created',
      'subscription_updated',
      'subscription_cancelled',
      'subscription_resumed',
      'subscription_expired',
      'subscription_paused',
      'subscription_unpaused',
      'subscription_payment_success',
      'subscription_payment_failed',
      'subscription_payment_recovered',
      'subscription_payment_refunded',
    ],
    secret: {
      where: 'You choose it yourself, in the same form: 6 to 40 characters, best 40 random ones. Paste the same here.',
      example: 'a long random text',
    },
    apiKey: {
      where: 'Settings → API.',
      why: 'Lemon Squeezy gives up on a notification after three minutes: with a key, what was lost is found within the hour.',
    },
    refs: { what: 'A variant or a product, by its number.', example: '71' },
    test: 'Test mode has its own webhooks: make a second connection of mode “test” for it.',
  },
  polar: {
    name: 'Polar',
    address: 'In Polar, open Settings → Webhooks → Add endpoint. Choose the format Raw.',
    events: [
      'order.paid',
      'order.refunded',
      'refund.updated',
      'subscription.updated',
      'subscription.active',
      'subscription.past_due',
      'subscription.paused',
      'subscription.resumed',
      'subscription.canceled',
      'subscription.uncanceled',
      'subscription.revoked',
    ],
    secret: { where: 'Polar shows it with the endpoint.', example: 'whsec_… or polar_whs_…' },
    apiKey: {
      where: 'Settings → Developers: an organization token with read scopes for orders, subscriptions, refunds, disputes and checkouts.',
      why: 'Polar reports no dispute: with a key they are found within the hour, and so is what was lost.',
    },
    refs: { what: 'A product, or one of its prices, by its id.', example: '8a1b7c4e-…' },
    test: 'The sandbox is another host with its own secrets: make a second connection of mode “test” for it.',
  },
  gumroad: {
    name: 'Gumroad',
    address:
      'Gumroad takes the address through its API, once for each event: docs/payments/gumroad.md has the command. The field Ping under Settings → Advanced reports sales only.',
    events: [
      'sale',
      'refund',
      'dispute',
      'dispute_won',
      'cancellation',
      'subscription_updated',
      'subscription_ended',
      'subscription_restarted',
    ],
    secret: null,
    apiKey: {
      where: 'Settings → Advanced → Applications: create one and generate an access token with the scope view_sales.',
      why: 'Gumroad signs nothing. With a key each sale is read back before anything is done: without one, whoever knows the address can issue licenses.',
    },
    refs: { what: 'A product id, a permalink, or an option such as a tier.', example: 'aurora/Pro' },
    test: 'Gumroad has no test mode: its test ping repeats your latest sale, and is always ignored.',
  },
};

/** What a connection is called: its own name, or that of its processor. */
export const connectionName = ({ name, processor }: { readonly name: string; readonly processor: Processor }): string =>
  name || guides[processor].name;

export const processors = Object.keys(guides) as readonly Processor[];
