import * as z from 'zod/mini';
import { checked, documented } from './schema';
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

const plan = checked(
  z.object({
    ref: documented(text(1, 255), { description: "The processor's id of the product or price that is sold." }),
    license_type_id: documented(checked(z.int(), z.minimum(1)), { description: 'The id of a license type of the product.' }),
    quantity: documented(z._default(z.enum(['licenses', 'seats', 'one']), 'licenses'), {
      description:
        'What is issued for a purchase with the quantity n. `licenses`: n licenses. `seats`: one license with n times the seats of its type. `one`: one license, regardless of n.',
    }),
    extends: documented(z._default(z.enum(['license', 'updates']), 'license'), {
      description:
        '`license`: each paid period extends the license. `updates`: each paid period extends only `updates_until`, and payments do not set the expiry of the license.',
    }),
    fallback_months: documented(z._default(z.nullable(checked(z.int(), z.minimum(1), z.maximum(120))), null), {
      description:
        'A number of months, only allowed with `extends: "license"`. If a subscription ends after at least this number of consecutive paid months, its license never expires. The license then has an end of updates: the end of the paid time minus this number of months. Null: the license expires with the subscription.',
    }),
  }),
  z.refine((one) => one.fallback_months === null || one.extends === 'license', {
    path: ['fallback_months'],
    error: 'applies only with extends: "license"',
  }),
);

/** A secret for a payment processor; null removes the secret. */
const secretText = documented(
  z.optional(
    z.nullable(
      z.pipe(
        z.pipe(
          z.string(),
          z.transform((value) => value.trim()),
        ),
        checked(z.string(), z.minLength(1), z.maxLength(512)),
      ),
    ),
  ),
  { type: ['string', 'null'], minLength: 1, maxLength: 512 },
);

/** The settings of a connection. The processor is not one of the settings, because it cannot be changed. */
const settings = {
  mode: documented(z.optional(z.enum(['live', 'test'])), {
    description:
      'The mode of the processor. `test`: licenses of this connection are marked as test licenses. `live`: the connection ignores notifications of the test mode.',
  }),
  name: documented(z.optional(nameText(0, 200)), {
    description: "A name by which people recognize the connection; the default is the processor's name.",
  }),
  enabled: documented(z.optional(z.boolean()), { description: 'If false, requests to the URL of the connection are refused with 401.' }),
  signing_secret: documented(secretText, {
    description:
      'Write-only. The secret with which the processor signs notifications. After a change, the previous secret remains valid for `overlap_hours`. Null removes all signing secrets. A secret must be so long that nobody can guess it: at least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar and custom. Gumroad has no signing secret.',
  }),
  overlap_hours: documented(z.optional(checked(z.int(), z.minimum(0), z.maximum(168))), {
    description: 'Write-only. The number of hours for which the previous signing secret remains valid; default 24.',
  }),
  api_key: documented(secretText, {
    description:
      "Write-only. The key for the processor's API. With this key the service reads details that a notification lacks, and notifications that were missed. Custom connections have none.",
  }),
  plans: documented(
    z.optional(
      checked(
        z.array(plan),
        z.maxLength(200),
        z.refine((plans) => new Set(plans.map(({ ref }) => ref)).size === plans.length, { error: 'must name each ref once' }),
      ),
    ),
    {
      description: "The license types that are issued for the processor's products or prices. The given list replaces the previous list.",
    },
  ),
  default_license_type_id: documented(z.optional(z.nullable(checked(z.int(), z.minimum(1)))), {
    description: 'The id of the license type for a sale that matches no plan; null: the sale gets the status `held` and issues no license.',
  }),
  grace_days: documented(z.optional(checked(z.int(), z.minimum(0), z.maximum(60))), {
    description: 'The number of days from the end of the paid period to the expiry of the license; default 3.',
  }),
  on_payment_failed: z.optional(z.enum(['nothing', 'suspend'])),
  on_dispute: z.optional(z.enum(['nothing', 'suspend', 'revoke'])),
  on_partial_refund: z.optional(z.enum(['nothing', 'revoke'])),
} as const;

const connection = documented(
  z.object({
    id: z.int(),
    product_id: z.int(),
    processor: z.enum(processors),
    mode: z.enum(['live', 'test']),
    name: z.string(),
    enabled: z.boolean(),
    url: secret(
      documented(z.string(), {
        description:
          'The URL to enter at the processor. Keep the URL secret, because it is part of the credential with which notifications are sent.',
      }),
    ),
    signing_secret_set: z.boolean(),
    api_key_set: z.boolean(),
    plans: z.array(
      z.object({
        ref: z.string(),
        license_type_id: z.int(),
        quantity: z.enum(['licenses', 'seats', 'one']),
        extends: z.enum(['license', 'updates']),
        fallback_months: z.nullable(z.int()),
      }),
    ),
    default_license_type_id: z.nullable(z.int()),
    grace_days: z.int(),
    on_payment_failed: z.enum(['nothing', 'suspend']),
    on_dispute: z.enum(['nothing', 'suspend', 'revoke']),
    on_partial_refund: z.enum(['nothing', 'revoke']),
    last_received_at: z.nullable(timestamp),
    last_reconciled_at: z.nullable(timestamp),
    rejected: documented(z.object({ count: z.int(), last_at: z.nullable(timestamp) }), {
      description:
        'Notifications with a wrong signature that arrived at the URL since the last valid notification. At most one is counted each minute, so there may have been more.',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  }),
  { id: 'PaymentConnection' },
);

/** A connection in responses to admin tokens of any scope. If the token may not see secrets, the response does not contain the URL. */
const shownConnection = documented(z.extend(connection, { url: secretIfPermitted(connection.shape.url) }), {
  id: 'ShownPaymentConnection',
});

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
  rejected: { count: 0, last_at: null },
  created_at: '2026-11-20T13:52:00.123Z',
  updated_at: '2026-11-20T13:52:00.123Z',
};

const byProduct = { credential: 'admin', subject: 'product', tag: 'Payments', params: z.object({ id: pathId }) } as const;
const byConnection = { credential: 'admin', subject: 'payment_connection', tag: 'Payments', params: z.object({ id: pathId }) } as const;
const byPayment = {
  credential: 'admin',
  subject: 'payment',
  tag: 'Payments',
  params: z.object({ payment: checked(z.string(), z.regex(/^[0-9a-f]{32}$/)) }),
} as const;

export const createPaymentConnection = /* @__PURE__ */ endpoint(() => ({
  ...byProduct,
  name: 'createPaymentConnection',
  method: 'POST',
  path: '/v1/products/{id}/payment-connections',
  summary: 'Connect a payment processor',
  description:
    'Creates a connection between the product and one account at a payment processor. Enter the `url` of the connection at the processor. A product has at most 20 connections. Connections can be disabled, but not deleted.',
  scope: 'manage',
  body: z.object({ processor: z.enum(processors), ...settings }),
  idempotent: true,
  status: 201,
  response: connection,
  store: {
    GetItem: ['product'],
    BatchGetItem: ['product', 'payment'],
    UpdateItem: ['counter'],
    Query: ['payment'],
    PutItem: ['payment'],
  },
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
}));

export const listPaymentConnections = /* @__PURE__ */ endpoint(() => ({
  ...byProduct,
  name: 'listPaymentConnections',
  method: 'GET',
  path: '/v1/products/{id}/payment-connections',
  summary: 'List payment connections',
  description: 'Returns the payment connections of the product in ascending id order.',
  scope: 'read',
  response: z.array(shownConnection),
  store: { GetItem: ['product'], BatchGetItem: ['payment'], Query: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { response: [connectionExample] },
}));

export const getPaymentConnection = /* @__PURE__ */ endpoint(() => ({
  ...byConnection,
  name: 'getPaymentConnection',
  method: 'GET',
  path: '/v1/payment-connections/{id}',
  summary: 'Get a payment connection',
  description: 'Returns the payment connection with this id.',
  scope: 'read',
  response: shownConnection,
  store: { GetItem: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { response: connectionExample },
}));

export const updatePaymentConnection = /* @__PURE__ */ endpoint(() => ({
  ...byConnection,
  name: 'updatePaymentConnection',
  method: 'PATCH',
  path: '/v1/payment-connections/{id}',
  summary: 'Change a payment connection',
  description:
    'Changes only the fields in the body. The processor of a connection cannot be changed. An empty body or an unknown field is refused.',
  scope: 'manage',
  body: checked(
    z.strictObject(settings),
    z.refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must name at least one field to change' }),
  ),
  response: connection,
  store: { GetItem: ['payment'], BatchGetItem: ['product'], PutItem: ['payment'] },
  secrets: ['encryptionKey'],
  settings: ['publicUrl'],
  examples: { request: { grace_days: 7 }, response: { ...connectionExample, grace_days: 7 } },
}));

const licenseEvents = [
  'license.created',
  'license.renewed',
  'license.updates_renewed',
  'license.updated',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
] as const;

const receipt = documented(
  z.object({
    status: z.enum(['done', 'ignored', 'held', 'waiting', 'duplicate']),
    id: documented(z.nullable(z.string()), {
      description: "The id of the notification's row in the payments log; null if the notification has no row.",
    }),
    licenses: documented(z.optional(z.array(z.object({ id: z.int(), key: z.string(), line: z.string() }))), {
      description:
        'Only in responses to a sale at a custom connection: the licenses of the order that are active, still have the key that was issued, and were issued in the last 24 hours.',
    }),
  }),
  { id: 'PaymentReceipt' },
);

export const receivePayment = /* @__PURE__ */ endpoint(() => ({
  name: 'receivePayment',
  method: 'POST',
  path: '/v1/payments/{payment}',
  tag: 'Payments',
  summary: 'Receive a notification from a payment processor',
  description:
    "Payment processors send notifications to this endpoint, at the `url` of a connection. The credential is the URL together with the processor's signature of the body. The service responds after all changes are committed. After a fault the response is 503 and nothing is committed, so that the processor sends the notification again. The response to a sale at a `custom` connection also contains the license keys; with `Accept: text/plain` it is one key per line. The error `idempotency_mismatch` means that a custom connection has already received the `id` with another body.",
  credential: 'signature',
  params: z.object({ payment: z.string() }),
  response: receipt,
  errors: ['invalid_request', 'idempotency_mismatch', 'not_issued'],
  store: commitOrdersStore,
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  size: 'fast',
  throttle: { rate: 500, burst: 1000 },
  examples: { response: { status: 'done', id: '5f0c8a9be3d14c6f9a7d2b1e0c4f6a88' } },
}));

/** A notification as every admin token may see it. If the token may not see secrets, the payload is left out. */
const shownPayment = documented(z.extend(payment, { payload: secretIfPermitted(payment.shape.payload) }), { id: 'ShownPayment' });

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

export const listPayments = /* @__PURE__ */ endpoint(() => ({
  ...byProduct,
  name: 'listPayments',
  method: 'GET',
  path: '/v1/products/{id}/payments',
  summary: 'List the payments log',
  description:
    'Returns the notifications of the processors and their effects, newest first. Rows are kept for 90 days. With `Accept: text/csv`, the response is a CSV file for an accountant.',
  scope: 'read',
  query: z.object({
    ...pageByTime,
    status: z.optional(z.enum(['done', 'ignored', 'held', 'waiting'])),
    order: documented(z.optional(orderId), {
      description:
        'Only notifications about this order. The value is the complete order id. If the processor uses several ids for the order, each of these ids is accepted.',
    }),
    connection_id: z.optional(pathId),
  }),
  response: z.array(shownPayment),
  columns: paymentColumns,
  store: { GetItem: ['product'], BatchGetItem: ['payment'], Query: ['payment'], indexes: ['list'] },
  secrets: ['encryptionKey'],
  examples: { response: [paymentExample] },
}));

export const getPayment = /* @__PURE__ */ endpoint(() => ({
  ...byPayment,
  name: 'getPayment',
  method: 'GET',
  path: '/v1/payments/{payment}',
  summary: 'Get a row of the payments log',
  description: 'Returns one notification with its effect.',
  scope: 'read',
  response: shownPayment,
  store: { GetItem: ['payment'], BatchGetItem: ['payment'] },
  secrets: ['encryptionKey'],
  examples: { response: paymentExample },
}));

export const processPayment = /* @__PURE__ */ endpoint(() => ({
  ...byPayment,
  name: 'processPayment',
  method: 'POST',
  path: '/v1/payments/{payment}/process',
  summary: 'Process a held or waiting notification again',
  description:
    'Processes the notification again, for example after you have added a plan or unarchived a license type. The request changes only notifications that are held or waiting.',
  scope: 'manage',
  repeatable: true,
  response: payment,
  store: commitOrdersStore,
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  examples: { response: paymentExample },
}));

export const processPayments = /* @__PURE__ */ endpoint(() => ({
  ...byProduct,
  name: 'processPayments',
  method: 'POST',
  path: '/v1/products/{id}/payments/process',
  summary: 'Process all held notifications again',
  description:
    'Processes all held notifications of the product again, at most 1,000 in one request. The response contains how many of them are still held. One request may not reach all of them: repeat the request to process the rest.',
  scope: 'manage',
  repeatable: true,
  status: 202,
  response: z.object({
    processed: z.int(),
    held: documented(z.int(), {
      description: 'How many notifications are still held, including the notifications that the request did not reach.',
    }),
  }),
  store: { ...commitPaymentStore, GetItem: ['product', ...commitPaymentStore.GetItem], indexes: ['pending'] },
  secrets: ['encryptionKey'],
  settings: ['processorApis'],
  emits: licenseEvents,
  size: 'large',
  examples: { response: { processed: 3, held: 1 } },
}));

export const reconcilePayments = /* @__PURE__ */ endpoint(() => ({
  ...byConnection,
  name: 'reconcilePayments',
  method: 'POST',
  path: '/v1/payment-connections/{id}/reconcile',
  summary: 'Look for missed notifications',
  description:
    "Reads events from the processor's API and processes them like notifications. Reading starts at `since`, or by default one day before the last reconciliation. The reconciliation runs in the background. The service also starts it automatically every hour. The connection needs an `api_key`.",
  scope: 'manage',
  body: z.object({ since: z.nullish(timestampInput) }),
  bodyOptional: true,
  repeatable: true,
  status: 202,
  response: z.object({ status: z.literal('started') }),
  store: { GetItem: ['payment'], UpdateItem: ['payment'] },
  secrets: [],
  examples: { request: { since: '2026-11-19T00:00:00Z' }, response: { status: 'started' } },
}));

export const getPurchase = /* @__PURE__ */ endpoint(() => ({
  name: 'getPurchase',
  method: 'GET',
  path: '/v1/products/{id}/purchase',
  tag: 'Payments',
  summary: 'Get the keys of a purchase for a thank-you page',
  description:
    'Returns the licenses of an order until 24 hours after the licenses were issued. A license is shown only while it is active and still has the key that was issued for the order. The license is not shown after a reissue, a refund or a suspension. If no license can be shown, the status is `pending`. `order` must be an id that nobody can guess, because anyone with the id gets the keys. For any other id of the order, such as a plain number, the status is `pending`.',
  credential: 'product',
  params: z.object({ id: pathId }),
  query: z.object({ order: orderId }),
  response: z.union([
    z.object({ status: z.literal('pending') }),
    z.object({
      status: z.literal('ready'),
      licenses: z.array(
        z.object({ key: z.string(), license_type: z.object({ name: z.string(), kind: z.string() }), expires_at: z.nullable(timestamp) }),
      ),
    }),
  ]),
  store: { BatchGetItem: ['license', 'payment'], Query: ['payment'] },
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
}));
