import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { deliveryExample, testDeliveryExample, webhookExample } from './examples';
import { bounceTypes, channels, deliveryStatuses, eventNames, loggedEvents } from './events';
import { pageBy } from './paging';
import { loggedPayload } from './payload';
import { pathId } from './resources';
import { secret, secretIfPermitted } from './secret';
import { timestamp, timestampInput } from './text';

/** Maximum length of a webhook URL, in characters. */
export const MAX_URL_LENGTH = 2048;

/** The rules for the scheme and the host of the URL depend on the deployment. They are in `runtime/webhooks/url.ts`. */
const url = documented(
  z.pipe(
    checked(z.string(), z.maxLength(MAX_URL_LENGTH)),
    z.transform((value) => value.trim()),
  ),
  {
    type: 'string',
    maxLength: MAX_URL_LENGTH,
    description: 'The URL to which events are posted: an absolute `https:` URL without user info. The empty string removes the URL.',
  },
);

/** The events that are posted to the webhook; null means all events. */
const eventFilter = documented(z.nullable(checked(z.array(z.enum(eventNames)), z.maxLength(100))), {
  description:
    'The events that are posted; null: all events. If the request does not contain this field, the list does not change. Events that are not in the list are logged as `skipped`, except for `webhook.test`, which is always posted.',
});

const webhook = documented(
  z.object({
    url: documented(z.string(), { description: 'The URL to which events are posted; empty if no URL is set.' }),
    events: documented(z.nullable(z.array(z.enum(eventNames))), { description: 'The events that are posted; null: all events.' }),
    secret: secret(
      documented(z.string(), {
        description:
          'The secret with which deliveries are signed. The secret changes only when it is rotated. Keep the secret only on the server.',
      }),
    ),
  }),
  { id: 'Webhook' },
);

/** A webhook in responses that every admin token can get. Responses to a token that may not see secrets do not contain the secret. */
const shownWebhook = documented(z.extend(webhook, { secret: secretIfPermitted(webhook.shape.secret) }), { id: 'ShownWebhook' });

const attempt = documented(
  z.object({
    attempt: documented(checked(z.int(), z.minimum(1)), {
      description: 'The number of the attempt. It counts all attempts of the event, including those of redeliveries.',
    }),
    at: timestamp,
    status: documented(z.nullable(z.int()), {
      description: 'The HTTP status of the response, or the reply code of the mail server; null if there was no response.',
    }),
    error: documented(z.nullable(z.string()), { description: 'The reason why the attempt failed; null if the event was accepted.' }),
    duration_ms: checked(z.int(), z.minimum(0)),
    response: documented(z.optional(z.string()), {
      description:
        "Only for a failed attempt: the first 1,024 bytes of the body of the receiver's response, as text. The newest 4 attempts keep it.",
    }),
  }),
  { id: 'DeliveryAttempt' },
);

export const delivery = documented(
  z.object({
    id: documented(z.string(), { description: 'The id of the event, 32 hex digits. The id is the same in every delivery attempt.' }),
    event: z.enum(loggedEvents),
    channel: z.enum(channels),
    product_id: checked(z.int(), z.minimum(1)),
    license_id: documented(z.nullable(checked(z.int(), z.minimum(1))), {
      description: 'The id of the license; null if the event is not about a license.',
    }),
    by: documented(z.optional(z.string()), {
      description:
        'Who requested the change: the name of an admin token or payment connection, or `buyer`. Absent if an app or the service itself caused the change.',
    }),
    url: documented(z.nullable(z.string()), {
      description:
        'The URL or e-mail address that the last attempt used. Before the first attempt: the URL or e-mail address that the first attempt will use.',
    }),
    status: z.enum(deliveryStatuses),
    attempts: checked(z.int(), z.minimum(0)),
    last_error: z.nullable(z.string()),
    last_status: z.nullable(z.int()),
    created_at: timestamp,
    next_attempt_at: documented(z.nullable(timestamp), {
      description: 'When the next attempt is due; null if there will be no further attempt.',
    }),
    delivered_at: z.nullable(timestamp),
    bounce: documented(
      z.optional(
        z.object({
          at: timestamp,
          type: z.enum(bounceTypes),
          reason: documented(z.string(), { description: 'The cause, such as `General 5.1.1`.' }),
        }),
      ),
      {
        description:
          'Only for a mail that was delivered to a mail server and bounced afterwards. After a `permanent` bounce and after a `complaint` (the recipient has reported the mail as spam), no further mail is sent to the address until an operator allows it.',
      },
    ),
    payload: documented(loggedPayload, {
      description: 'The body that is sent; for a mail, the ids of the licenses that the mail is about.',
    }),
    history: documented(z.array(attempt), { description: 'The last 50 attempts, the oldest first.' }),
  }),
  { id: 'Delivery' },
);

export type DeliveryView = z.infer<typeof delivery>;

const eventId = documented(checked(z.string(), z.regex(/^[0-9a-f]{32}$/)), { examples: [deliveryExample.id] });

export const getWebhook = /* @__PURE__ */ endpoint(() => ({
  name: 'getWebhook',
  method: 'GET',
  path: '/v1/products/{id}/webhook',
  tag: 'Webhooks',
  summary: "Get the product's webhook",
  description:
    'Returns the URL of the webhook, which is empty if no URL is set. Tokens that may see secrets also get the secret that signs deliveries.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: shownWebhook,
  store: { GetItem: ['product'] },
  secrets: ['encryptionKey'],
  examples: { response: webhookExample },
}));

export const setWebhook = /* @__PURE__ */ endpoint(() => ({
  name: 'setWebhook',
  method: 'POST',
  path: '/v1/products/{id}/webhook',
  tag: 'Webhooks',
  summary: "Set or clear the product's webhook",
  description:
    'Sets the URL to which events are posted. The next attempts of pending events use the new URL too. The empty string removes the URL. An event is logged as `skipped` if no URL is set, or if the event is not in `events`. The secret stays the same.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ url, events: z.optional(eventFilter) }),
  repeatable: true,
  response: webhook,
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  secrets: ['encryptionKey'],
  settings: ['webhookAllowPrivate'],
  examples: { request: { url: webhookExample.url }, response: webhookExample },
}));

export const testWebhook = /* @__PURE__ */ endpoint(() => ({
  name: 'testWebhook',
  method: 'POST',
  path: '/v1/products/{id}/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description: "Sends `webhook.test` to the product's webhook, signed and retried like every event. The response is 422 if no URL is set.",
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  additive: true,
  status: 202,
  response: delivery,
  store: { GetItem: ['product'] },
  emits: ['webhook.test'],
  // The limit is low, because for each request this service sends a request to somebody else's server.
  throttle: { rate: 5, burst: 10 },
  examples: {
    response: testDeliveryExample,
  },
}));

export const listDeliveries = /* @__PURE__ */ endpoint(() => ({
  name: 'listDeliveries',
  method: 'GET',
  path: '/v1/products/{id}/deliveries',
  tag: 'Webhooks',
  summary: "List the product's deliveries",
  description:
    'Returns the events of the last 30 days with their deliveries, newest first. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  query: z.object({
    ...pageBy(/^\d{16}#[0-9a-f]{32}$/),
    status: z.optional(z.enum(deliveryStatuses)),
    channel: z.optional(z.enum(channels)),
    event: documented(z.optional(z.enum(loggedEvents)), {
      description: 'Only events with this name. The service reads up to 1,000 events of the log to find the events of one page.',
    }),
    created_after: documented(z.optional(timestampInput), { description: 'Only events at this instant or later.' }),
    created_before: documented(z.optional(timestampInput), { description: 'Only events before this instant.' }),
  }),
  response: z.array(delivery),
  store: { GetItem: ['product'], BatchGetItem: ['event', 'metadata'], indexes: ['list'] },
  examples: { response: [deliveryExample] },
}));

export const listLicenseEvents = /* @__PURE__ */ endpoint(() => ({
  name: 'listLicenseEvents',
  method: 'GET',
  path: '/v1/licenses/{id}/events',
  tag: 'Licenses',
  summary: "List a license's events",
  description: 'Returns the events of the license in the last 30 days with their deliveries, newest first and in pages.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(/^[0-9a-f]{22}$/)),
  response: z.array(delivery),
  store: { GetItem: ['product'], BatchGetItem: ['metadata'], Query: ['event'] },
  examples: { response: [deliveryExample] },
}));

export const getDelivery = /* @__PURE__ */ endpoint(() => ({
  name: 'getDelivery',
  method: 'GET',
  path: '/v1/deliveries/{event_id}',
  tag: 'Webhooks',
  summary: 'Get a delivery',
  description: 'Returns the event with its payload and its attempts.',
  credential: 'admin',
  scope: 'read',
  subject: 'delivery',
  params: z.object({ event_id: eventId }),
  response: delivery,
  store: { GetItem: ['product'], BatchGetItem: ['metadata'] },
  examples: { response: deliveryExample },
}));

export const redeliver = /* @__PURE__ */ endpoint(() => ({
  name: 'redeliver',
  method: 'POST',
  path: '/v1/deliveries/{event_id}/redeliver',
  tag: 'Webhooks',
  summary: 'Send an event again',
  description:
    'Starts a new round of attempts to deliver the event, with the same id and the same body. While the event is pending, the request changes nothing. Sending a delivered mail again counts towards the limit of *Mail a license key*. If this limit is reached, the response is 429.',
  credential: 'admin',
  scope: 'manage',
  subject: 'delivery',
  params: z.object({ event_id: eventId }),
  additive: true,
  status: 202,
  response: delivery,
  errors: ['rate_limited'],
  store: { GetItem: ['product'], BatchGetItem: ['metadata'], UpdateItem: ['event', 'limit'] },
  // The endpoint needs the queue although it records no event: it starts the delivery of an existing event.
  queue: true,
  examples: { response: { ...deliveryExample, status: 'pending', next_attempt_at: '2026-11-20T15:00:00.000Z', delivered_at: null } },
}));

/** Maximum number of events that one request redelivers. */
export const MAX_REDELIVERED = 10_000;

export const redeliverMany = /* @__PURE__ */ endpoint(() => ({
  name: 'redeliverMany',
  method: 'POST',
  path: '/v1/products/{id}/deliveries/redeliver',
  tag: 'Webhooks',
  summary: 'Send many events again',
  description: `Starts a new round of delivery attempts for every event of the product that has the given \`status\` and was created at or after \`since\` and before \`until\`, oldest first. The ids and bodies stay the same. One request sends at most ${MAX_REDELIVERED.toLocaleString('en-US')} events; repeat the request to send more. The response has the number of events, and the deliveries continue in the background.`,
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    status: documented(z.nullish(z.enum(['failed', 'skipped'])), {
      description: 'The status of the events that are sent again; default `failed`.',
    }),
    since: documented(z.nullish(timestampInput), {
      description: 'Only events that were created at this time or later; default: the last 30 days.',
    }),
    until: documented(z.nullish(timestampInput), {
      description: 'Only events that were created before this time; default: all events until now.',
    }),
  }),
  bodyOptional: true,
  additive: true,
  status: 202,
  response: documented(
    z.object({ count: documented(checked(z.int(), z.minimum(0)), { description: 'The number of events that are sent again.' }) }),
    { id: 'BulkRedelivery' },
  ),
  store: { GetItem: ['product'], PutItem: ['redelivery'], UpdateItem: ['redelivery', 'event'], indexes: ['list'] },
  queue: true,
  size: 'large',
  examples: { request: { status: 'failed', since: '2026-11-20T13:00:00Z', until: '2026-11-20T14:00:00Z' }, response: { count: 412 } },
}));
