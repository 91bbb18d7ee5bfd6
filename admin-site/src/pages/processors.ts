import type { Processor } from '../../../lambdas/contract/processors';
import { t } from '../texts';

/** The steps for an operator at each processor, with the labels of the processor's own pages. docs/payments has the details. */
export interface Guide {
  readonly name: string;
  /** Where to paste the connection's URL. */
  readonly address: string;
  /** The events to choose at the processor. */
  readonly events: readonly string[];
  /** Where to find the signing secret; null if there is none. */
  readonly secret: { readonly where: string; readonly example: string } | null;
  /** Where to create an API key, and why the service needs it; null if the service reads nothing from the processor. */
  readonly apiKey: { readonly where: string; readonly why: string } | null;
  /** What a plan can refer to at the processor, such as a price or a product, with an example of an id. */
  readonly refs: { readonly what: string; readonly example: string };
  /** How to test without a real payment. */
  readonly test: string;
}

export const guides: Readonly<Record<Processor, Guide>> = {
  stripe: {
    name: 'Stripe',
    address: t('In Stripe, open Developers → Webhooks → Add destination. Choose events of your account, and the type Webhook endpoint.'),
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
      'credit_note.created',
      'refund.failed',
      'charge.dispute.created',
      'charge.dispute.closed',
    ],
    secret: { where: t('After you create the destination, Stripe shows the secret under “Signing secret”.'), example: 'whsec_…' },
    apiKey: {
      where: t(
        'A restricted key with read permission for Checkout Sessions, Invoices, Credit notes, Subscriptions, Charges and Refunds, and Events.',
      ),
      why: t('Stripe’s event does not name the product of a one-time payment. With a key, the service reads the product from Stripe.'),
    },
    refs: { what: t('A price, a product or a Payment Link.'), example: 'price_1QaZ' },
    test: t('Test mode has its own webhooks, secrets and prices: create a second connection with the mode “test” for it.'),
  },
  paddle: {
    name: 'Paddle',
    address: t('In Paddle, open Developer Tools → Notifications → New destination. Choose the type Webhook.'),
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
    secret: { where: t('In the menu of the destination: Edit → “Secret key”.'), example: 'pdl_ntfset_…' },
    apiKey: {
      where: t(
        'Developer Tools → Authentication, with read permission for customers, transactions, subscriptions, adjustments and notifications.',
      ),
      why: t('Paddle’s events contain no e-mail address. With a key, the service reads the address from Paddle at once.'),
    },
    refs: { what: t('A price or a product.'), example: 'pri_01…' },
    test: t('The sandbox is a separate account with its own secrets: create a second connection with the mode “test” for it.'),
  },
  lemonsqueezy: {
    name: 'Lemon Squeezy',
    address: t('In Lemon Squeezy, open Settings → Webhooks → the plus sign.'),
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
      where: t('You choose the secret in the same form: 6 to 40 characters, preferably 40 random ones. Paste the same secret here.'),
      example: t('a long random text'),
    },
    apiKey: {
      where: t('Settings → API.'),
      why: t('Lemon Squeezy stops retrying a notification after three minutes. With a key, the service finds lost sales within an hour.'),
    },
    refs: { what: t('A variant or a product, by its number.'), example: '71' },
    test: t('Test mode has its own webhooks: create a second connection with the mode “test” for it.'),
  },
  polar: {
    name: 'Polar',
    address: t('In Polar, open Settings → Webhooks → Add endpoint. Choose the format Raw.'),
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
    secret: { where: t('Polar shows the secret with the endpoint.'), example: 'whsec_… or polar_whs_…' },
    apiKey: {
      where: t('Settings → Developers: an organization token with read scopes for orders, subscriptions, refunds, disputes and checkouts.'),
      why: t('Polar does not report disputes. With a key, the service finds disputes and lost sales within an hour.'),
    },
    refs: { what: t('A product, or one of its prices, by its id.'), example: '8a1b7c4e-…' },
    test: t('The sandbox is a separate host with its own secrets: create a second connection with the mode “test” for it.'),
  },
  gumroad: {
    name: 'Gumroad',
    address: t(
      'Register the address through Gumroad’s API, once for each event: docs/payments/gumroad.md has the command. The field Ping under Settings → Advanced reports sales only.',
    ),
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
      where: t('Settings → Advanced → Applications: create an application and generate an access token with the scope view_sales.'),
      why: t(
        'Gumroad does not sign notifications. With a key, the service confirms each sale with Gumroad first. Without a key, anybody who knows the address can issue licenses.',
      ),
    },
    refs: { what: t('A product id, a permalink, or an option such as a tier.'), example: 'aurora/Pro' },
    test: t('Gumroad has no test mode: its test ping repeats your latest sale, and is always ignored.'),
  },
  custom: {
    name: t('Your own shop'),
    address: t(
      'Let your shop send each sale, renewal and refund to this address in the service’s own format: docs/payments/custom.md has recipes for FastSpring, WooCommerce and Shopify.',
    ),
    events: ['sale', 'renewal', 'refund', 'dispute', 'subscription'],
    secret: {
      where: t(
        'You choose the secret: at least 24 random bytes as base64, for example from “openssl rand -base64 32”. Your shop signs with it.',
      ),
      example: 'whsec_…',
    },
    apiKey: null,
    refs: { what: t('A product by the ref that your shop sends in its lines.'), example: 'pro' },
    test: t('Create a second connection with the mode “test” for tests: its licenses are marked as test licenses.'),
  },
};

/** The name of a connection, or the name of its processor if the connection has no name. */
export const connectionName = ({ name, processor }: { readonly name: string; readonly processor: Processor }): string =>
  name || guides[processor].name;

export const processors = Object.keys(guides) as readonly Processor[];
