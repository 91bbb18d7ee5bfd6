import * as z from 'zod';
import { endpoint } from './endpoint';
import { commitOrdersStore, commitPaymentStore } from './payment-access';
import { pageByTime } from './paging';
import { paymentColumns } from './payment-columns';
import { processors } from './processors';
import { orderId, pathId, payment } from './resources';
import { secret, secretIfPermitted } from './secret';
import { nameText, text, timestamp, timestampInput } from './text';

/**
 * Connections to payment processors, the notifications that arrive through them, and the effects of the notifications
 * (docs/spec/payments.md).
 */

/** Maximum size of a processor's notification, in bytes. */
export const MAX_NOTIFICATION_BYTES = 1_048_576;
export const MAX_CONNECTIONS = 20;

/** A regular expression for the token at the end of a connection's URL: 32 random bytes in base64url. */
export const CONNECTION_TOKEN = /^[A-Za-z0-9_-]{43}$/;

const plan = z
  .object({
    ref: text(1, 255).meta({ description: "The processor's id of the product or price that is sold." }),
    license_type_id: z.int().min(1).meta({ description: 'A license type of this product.' }),
    quantity: z.enum(['licenses', 'seats', 'one']).default('licenses').meta({
      description:
        '`licenses`: n licenses for a quantity of n; `seats`: one license with n times the seats of the type; `one`: one license.',
    }),
    extends: z.enum(['license', 'updates']).default('license').meta({
      description:
        '`license`: a paid period extends the license; `updates`: it extends only `updates_until`, and the license itself has no expiry from payments.',
    }),
    fallback_months: z.int().min(1).max(120).nullable().default(null).meta({
      description:
        'If a subscription ends after at least this many consecutive paid months, its license stays valid for what was released until that many months before the end of the paid time. Null: it expires. Only with `extends: "license"`.',
    }),
  })
  .refine((one) => one.fallback_months === null || one.extends === 'license', {
    path: ['fallback_months'],
    error: 'applies only with extends: "license"',
  });

/** A secret for a payment processor; null removes the secret. */
const secretText = z
  .string()
  .transform((value) => value.trim())
  .pipe(z.string().min(1).max(512))
  .nullable()
  .optional()
  .meta({ type: ['string', 'null'], minLength: 1, maxLength: 512 });

/** The settings of a connection. The processor is not a setting, because it never changes. */
const settings = {
  mode: z
    .enum(['live', 'test'])
    .optional()
    .meta({ description: 'True: this connection is for the test mode. A live connection ignores notifications of the test mode.' }),
  name: nameText(0, 200).optional().meta({ description: "A label; default the processor's name." }),
  enabled: z.boolean().optional().meta({ description: 'False: its URL responds 401.' }),
  signing_secret: secretText.meta({
    description:
      'Write-only. A new secret replaces the previous one, which still verifies for `overlap_hours`; null removes both. At least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar, because shorter ones can be guessed. Gumroad has none.',
  }),
  overlap_hours: z
    .int()
    .min(0)
    .max(168)
    .optional()
    .meta({ description: 'Write-only. How many hours the previous signing secret still verifies. Default 24.' }),
  api_key: secretText.meta({
    description:
      "Write-only. The key of the processor's API, to read details that a notification lacks and notifications that were missed.",
  }),
  plans: z
    .array(plan)
    .max(200)
    .refine((plans) => new Set(plans.map(({ ref }) => ref)).size === plans.length, { error: 'must name each ref once' })
    .optional()
    .meta({ description: 'Which license type is issued for which product or price. The given list replaces the previous one.' }),
  default_license_type_id: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .meta({ description: 'The license type for a sale that matches no plan; null: such a sale is held.' }),
  grace_days: z.int().min(0).max(60).optional().meta({ description: 'Days from the end of the paid period to the expiry. Default 3.' }),
  on_payment_failed: z.enum(['nothing', 'suspend']).optional(),
  on_dispute: z.enum(['nothing', 'suspend', 'revoke']).optional(),
  on_partial_refund: z.enum(['nothing', 'revoke']).optional(),
} as const;

const connection = z
  .object({
    id: z.int(),
    product_id: z.int(),
    processor: z.enum(processors),
    mode: z.enum(['live', 'test']),
    name: z.string(),
    enabled: z.boolean(),
    url: secret(
      z
        .string()
        .meta({ description: 'The URL to enter at the processor. It is a credential: anyone who has it may send notifications to it.' }),
    ),
    signing_secret_set: z.boolean(),
    api_key_set: z.boolean(),
    plans: z.array(
      z.object({
        ref: z.string(),
        license_type_id: z.int(),
        quantity: z.enum(['licenses', 'seats', 'one']),
        extends: z.enum(['license', 'updates']),
        fallback_months: z.int().nullable(),
      }),
    ),
    default_license_type_id: z.int().nullable(),
    grace_days: z.int(),
    on_payment_failed: z.enum(['nothing', 'suspend']),
    on_dispute: z.enum(['nothing', 'suspend', 'revoke']),
    on_partial_refund: z.enum(['nothing', 'revoke']),
    last_received_at: timestamp.nullable(),
    last_reconciled_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'PaymentConnection' });

/** A connection in responses to any admin token. The URL is missing for tokens that may not see secrets. */
const shownConnection = connection.extend({ url: secretIfPermitted(connection.shape.url) }).meta({ id: 'ShownPaymentConnection' });

const connectionExample = {
  id: 1,
  product_id: 1,
  processor: 'stripe',
  mode: 'live',
  name: 'Stripe',
  enabled: true,
  url: 'https://licenses.example.com/v1/payments/b0qg2lRZ1nG2bJ4x5sVxkVhOe5T1Jm7wq3r8u9y0z1A',
  signing_secret_set: true,
  api_key_set: false,
  plans: [
    { ref: 'price_1QaZ', license_type_id: 1, quantity: 'seats', extends: 'license', fallback_months: 12 },
    { ref: 'price_1QbA', license_type_id: 2, quantity: 'licenses', extends: 'updates', fallback_months: null },
  ],
  default_license_type_id: null,
  grace_days: 3,
  on_payment_failed: 'nothing',
  on_dispute: 'suspend',
  on_partial_refund: 'nothing',
  last_received_at: null,
  last_reconciled_at: null,
  created_at: '2026-11-20T13:52:00.123Z',
  updated_at: '2026-11-20T13:52:00.123Z',
};

const byProduct = { credential: 'admin', subject: 'product', tag: 'Payments', params: z.object({ id: pathId }) } as const;
const byConnection = { credential: 'admin', subject: 'payment_connection', tag: 'Payments', params: z.object({ id: pathId }) } as const;
const byPayment = {
  credential: 'admin',
  subject: 'payment',
  tag: 'Payments',
  params: z.object({ payment: z.string().regex(/^[0-9a-f]{32}$/) }),
} as const;

export const createPaymentConnection = endpoint({
  ...byProduct,
  name: 'createPaymentConnection',
  method: 'POST',
  path: '/v1/products/{id}/payment-connections',
  summary: 'Connect a payment processor',
  description:
    'A connection is one account of one processor that sells the product. Enter its `url` at the processor. A product has at most 20 connections. They can be disabled, but not deleted.',
  scope: 'manage',
  body: z.object({ processor: z.enum(processors), ...settings }),
  idempotent: true,
  status: 201,
  response: connection,
  errors: [],
  store: {
    GetItem: ['product', 'idempotency'],
    BatchGetItem: ['product', 'payment'],
    UpdateItem: ['counter'],
    Query: ['payment'],
    PutItem: ['payment', 'idempotency'],
  },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: {
    request: {
      processor: 'stripe',
      signing_secret: 'whsec_8sJt0cQ2vYb6nXfK1mRz4uLw',
      plans: [
        { ref: 'price_1QaZ', license_type_id: 1, quantity: 'seats', fallback_months: 12 },
        { ref: 'price_1QbA', license_type_id: 2, extends: 'updates' },
      ],
    },
    response: connectionExample,
  },
});

export const listPaymentConnections = endpoint({
  ...byProduct,
  name: 'listPaymentConnections',
  method: 'GET',
  path: '/v1/products/{id}/payment-connections',
  summary: 'List payment connections',
  description: 'The connections of the product, by id.',
  scope: 'read',
  status: 200,
  response: z.array(shownConnection),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['payment'], Query: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { response: [connectionExample] },
});

export const getPaymentConnection = endpoint({
  ...byConnection,
  name: 'getPaymentConnection',
  method: 'GET',
  path: '/v1/payment-connections/{id}',
  summary: 'Get a payment connection',
  description: 'One connection.',
  scope: 'read',
  status: 200,
  response: shownConnection,
  errors: [],
  store: { GetItem: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { response: connectionExample },
});

export const updatePaymentConnection = endpoint({
  ...byConnection,
  name: 'updatePaymentConnection',
  method: 'PATCH',
  path: '/v1/payment-connections/{id}',
  summary: 'Change a payment connection',
  description: 'Changes the given fields only. The processor never changes.',
  scope: 'manage',
  body: z
    .strictObject(settings)
    .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  status: 200,
  response: connection,
  errors: [],
  store: { GetItem: ['payment'], BatchGetItem: ['product'], PutItem: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { request: { grace_days: 7 }, response: { ...connectionExample, grace_days: 7 } },
});

const licenseEvents = [
  'license.created',
  'license.renewed',
  'license.updates_renewed',
  'license.updated',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
] as const;

const receipt = z
  .object({
    status: z.enum(['done', 'ignored', 'held', 'waiting', 'duplicate']),
    id: z.string().nullable().meta({ description: "Of the notification's row in the payments log; null if no row was made." }),
  })
  .meta({ id: 'PaymentReceipt' });

export const receivePayment = endpoint({
  name: 'receivePayment',
  method: 'POST',
  path: '/v1/payments/{payment}',
  tag: 'Payments',
  summary: 'Receive a notification of a payment processor',
  description:
    "The endpoint behind a connection's `url`. The credential is the URL together with the processor's signature over the body. The service responds after everything is committed. A fault is 503 and commits nothing, so that the processor sends the notification again.",
  credential: 'signature',
  params: z.object({ payment: z.string() }),
  status: 200,
  response: receipt,
  errors: ['invalid_request'],
  store: commitOrdersStore,
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  size: 'fast',
  throttle: { rate: 500, burst: 1000 },
  examples: { response: { status: 'done', id: '5f0c8a9be3d14c6f9a7d2b1e0c4f6a88' } },
});

/** A notification in responses to any admin token. The payload is missing for tokens that may not see secrets. */
const shownPayment = payment.extend({ payload: secretIfPermitted(payment.shape.payload) }).meta({ id: 'ShownPayment' });

const paymentExample = {
  id: '5f0c8a9be3d14c6f9a7d2b1e0c4f6a88',
  product_id: 1,
  connection_id: 1,
  processor: 'stripe',
  source: 'webhook',
  event_id: 'evt_1QaZ',
  type: 'invoice.paid',
  action: 'sale',
  status: 'done',
  reason: null,
  order_id: 'cs_live_a1',
  subscription_id: 'sub_1QaZ',
  customer_email: 'ada@example.com',
  test: false,
  license_ids: [1],
  amount: 4900,
  fee: null,
  currency: 'USD',
  country: 'NL',
  transaction_id: 'in_1QaZ',
  links: {
    order: 'https://dashboard.stripe.com/invoices/in_1QaZ',
    subscription: 'https://dashboard.stripe.com/subscriptions/sub_1QaZ',
  },
  occurred_at: '2026-11-20T13:52:00.000Z',
  received_at: '2026-11-20T13:52:01.123Z',
  processed_at: '2026-11-20T13:52:01.123Z',
  payload: { id: 'evt_1QaZ', type: 'invoice.paid' },
};

export const listPayments = endpoint({
  ...byProduct,
  name: 'listPayments',
  method: 'GET',
  path: '/v1/products/{id}/payments',
  summary: 'The payments log',
  description:
    'The notifications of the processors and their effects, newest first. Kept 90 days. With `Accept: text/csv`, the rows for an accountant.',
  scope: 'read',
  query: z.object({
    ...pageByTime,
    status: z.enum(['done', 'ignored', 'held', 'waiting']).optional(),
    order: orderId
      .optional()
      .meta({ description: "Only notifications about the order with exactly this id; any of the order's ids works." }),
    connection_id: pathId.optional(),
  }),
  status: 200,
  response: z.array(shownPayment),
  columns: paymentColumns,
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['payment'], Query: ['payment'], indexes: ['list'] },
  secrets: ['encryptionKey'],
  examples: { response: [paymentExample] },
});

export const getPayment = endpoint({
  ...byPayment,
  name: 'getPayment',
  method: 'GET',
  path: '/v1/payments/{payment}',
  summary: 'Get a row of the payments log',
  description: 'One notification and its effect.',
  scope: 'read',
  status: 200,
  response: shownPayment,
  errors: [],
  store: { GetItem: ['payment'], BatchGetItem: ['payment'] },
  secrets: ['encryptionKey'],
  examples: { response: paymentExample },
});

export const processPayment = endpoint({
  ...byPayment,
  name: 'processPayment',
  method: 'POST',
  path: '/v1/payments/{payment}/process',
  summary: 'Process a held or waiting notification again',
  description:
    'For use after a plan was added or a license type is no longer archived. Has an effect only on notifications that are held or waiting.',
  scope: 'manage',
  repeatable: true,
  status: 200,
  response: payment,
  errors: [],
  store: commitOrdersStore,
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  examples: { response: paymentExample },
});

export const processPayments = endpoint({
  ...byProduct,
  name: 'processPayments',
  method: 'POST',
  path: '/v1/products/{id}/payments/process',
  summary: 'Process all held notifications again',
  description: 'At most 1,000 in one call.',
  scope: 'manage',
  repeatable: true,
  status: 202,
  response: z.object({ processed: z.int(), held: z.int().meta({ description: 'Number of notifications that are still held.' }) }),
  errors: [],
  store: { ...commitPaymentStore, GetItem: ['product', ...commitPaymentStore.GetItem], indexes: ['list'] },
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  size: 'large',
  examples: { response: { processed: 3, held: 1 } },
});

export const reconcilePayments = endpoint({
  ...byConnection,
  name: 'reconcilePayments',
  method: 'POST',
  path: '/v1/payment-connections/{id}/reconcile',
  summary: 'Look for missed notifications',
  description:
    "Reads the events since the last reconciliation, with an overlap of a day, from the processor's API and processes them like notifications. Runs in the background; it also runs automatically every hour. Needs an `api_key`.",
  scope: 'manage',
  body: z.object({ since: timestampInput.nullish() }),
  bodyOptional: true,
  repeatable: true,
  status: 202,
  response: z.object({ status: z.literal('started') }),
  errors: [],
  store: { GetItem: ['payment'], UpdateItem: ['payment'] },
  secrets: [],
  queue: true,
  examples: { request: { since: '2026-11-19T00:00:00Z' }, response: { status: 'started' } },
});

export const getPurchase = endpoint({
  name: 'getPurchase',
  method: 'GET',
  path: '/v1/products/{id}/purchase',
  tag: 'Payments',
  summary: 'The keys of a purchase, for a thank-you page',
  description:
    'Available for 24 hours after the licenses were issued. Shows a license only while it is active and still has the key that was issued for the order: not after a reissue, a refund or a suspension. If there is nothing to show, the status is `pending`. Accepts only those ids of an order that nobody can guess.',
  credential: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ order: orderId }),
  status: 200,
  response: z.union([
    z.object({ status: z.literal('pending') }),
    z.object({
      status: z.literal('ready'),
      licenses: z.array(
        z.object({ key: z.string(), license_type: z.object({ name: z.string(), kind: z.string() }), expires_at: timestamp.nullable() }),
      ),
    }),
  ]),
  errors: [],
  store: { GetItem: ['product'], BatchGetItem: ['license', 'payment'], Query: ['payment'] },
  throttle: { rate: 200, burst: 400 },
  examples: {
    response: {
      status: 'ready',
      licenses: [
        {
          key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
          license_type: { name: 'Team, yearly', kind: 'subscription' },
          expires_at: '2027-11-20T13:54:00.000Z',
        },
      ],
    },
  },
});
