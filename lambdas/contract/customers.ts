import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { adminMeterExample, deliveryExample, licenseExample } from './examples';
import { note, noteExample } from './notes';
import { refusal, refusalExample } from './refusals';
import { adminMeter, email, license, memberRole, order, payment } from './resources';
import { boundDevice } from './resources/device';
import { timestamp } from './text';
import { delivery } from './webhooks';

/** Export and erasure of all data about a buyer (docs/spec/operator.md, A buyer's data). */

const customerEmail = documented(email, {
  description: "The buyer's e-mail address. Case does not matter.",
  examples: ['sam.buyer@example.com'],
});

/** A person's membership of a license, as an export contains it. */
const membership = z.object({
  license_id: z.int(),
  product_id: z.int(),
  role: memberRole,
  added_at: timestamp,
  devices: z.array(boundDevice),
});

export const exportCustomer = /* @__PURE__ */ endpoint(() => ({
  name: 'exportCustomer',
  method: 'POST',
  path: '/v1/customers/export',
  tag: 'Customers',
  summary: "Export a buyer's data",
  description:
    'Returns all data that is stored about the buyer with this e-mail address: the licenses with their devices, what was consumed from their meters, the notes on the licenses, the refused requests, the events and mails, the rows of the payments log, and the memberships of licenses of named people. For an unknown address the lists are empty. Trials with an unverified address are not included. A response may contain only a part of the data: if `next` is not null, send it as `cursor` to get the next part.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({
    customer_email: customerEmail,
    cursor: documented(z.nullish(checked(z.string(), z.maxLength(200))), { description: 'The value of `next` in the previous response.' }),
  }),
  additive: true,
  repeatable: true,
  response: documented(
    z.object({
      customer_email: z.string(),
      licenses: z.array(license),
      notes: documented(z.array(z.object({ license_id: z.int(), ...note.shape })), {
        description: 'The notes of operators about the licenses. For each license, the newest note is first.',
      }),
      meters: documented(z.array(z.object({ license_id: z.int(), ...adminMeter.shape })), {
        description: 'What was consumed from the meters of the licenses.',
      }),
      refusals: documented(z.array(refusal), { description: 'Refused requests of apps about the licenses.' }),
      events: documented(z.array(delivery), {
        description: 'The events of the licenses, as the delivery log shows them. For each license, the newest event is first.',
      }),
      orders: documented(z.array(order), {
        description:
          'The orders with the address of the buyer, and the orders without an address whose licenses the buyer has. The oldest is first.',
      }),
      payments: documented(z.array(payment), { description: 'The rows of the payments log that are about the buyer.' }),
      memberships: documented(z.array(membership), {
        description:
          'The licenses of named people of which the person is a member, with the person’s devices. They contain neither the key and the buyer of the license nor its other members.',
      }),
      unreadable: documented(z.optional(z.int()), {
        description:
          'The number of stored rows that are missing from the response because they could not be read; absent if every row could be read.',
      }),
      next: documented(z.nullable(z.string()), { description: 'The cursor of the next part; null: this is the last part.' }),
    }),
    { id: 'CustomerExport' },
  ),
  store: {
    GetItem: ['license', 'licenseId', 'member', 'payment', 'product'],
    BatchGetItem: ['product', 'license', 'licenseId', 'member', 'metadata', 'meter', 'payment'],
    Query: ['license', 'note', 'refusal', 'event', 'payment', 'previousAddress'],
    indexes: ['list', 'email', 'lookup'],
  },
  secrets: ['encryptionKey'],
  size: 'large',
  examples: {
    request: { customer_email: 'sam.buyer@example.com' },
    response: {
      customer_email: 'sam.buyer@example.com',
      licenses: [{ ...licenseExample, customer_email: 'sam.buyer@example.com' }],
      notes: [{ license_id: 1, ...noteExample }],
      meters: [{ license_id: 1, ...adminMeterExample }],
      refusals: [refusalExample],
      events: [deliveryExample],
      orders: [],
      payments: [],
      memberships: [
        { license_id: 7, product_id: 1, role: 'member', added_at: '2026-11-20T14:10:00.000Z', devices: licenseExample.activations },
      ],
      next: null,
    },
  },
}));

export const eraseCustomer = /* @__PURE__ */ endpoint(() => ({
  name: 'eraseCustomer',
  method: 'POST',
  path: '/v1/customers/erase',
  tag: 'Customers',
  summary: "Erase a buyer's data",
  description:
    'Erases the data about the buyer with this e-mail address. The licenses lose the address, their metadata, the names and platforms of their devices, their notes, and the records of refused requests. The bodies of events and mails, the stored responses of idempotent requests, and the data that payment processors reported about the buyer are removed too. The buyer’s sessions, codes and links of the portal become invalid. The address is also removed from trials that were started with it. The person is removed from licenses of named people, and the person’s devices are freed. The licenses and their keys stay valid, and notifications of payment processors do not add the address again. The body of a pending event is removed only after its delivery. One request does a limited amount of work. If any data is left, `complete` is false, and a repeated request continues the work. If the address was already removed from a license, the service erases the rest of this license’s data even without a repeated request, usually within minutes.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({ customer_email: customerEmail }),
  repeatable: true,
  response: documented(
    z.object({
      licenses: documented(checked(z.int(), z.minimum(0)), {
        description: 'The number of licenses from which this request erased the address and metadata.',
      }),
      pending_events: documented(checked(z.int(), z.minimum(0)), {
        description: 'The number of events that are still pending. The body of a pending event is erased after its delivery.',
      }),
      complete: documented(z.boolean(), {
        description:
          'True: all data is erased. False: repeat the request to erase the rest. If events are pending, repeat the request after their deliveries.',
      }),
    }),
    { id: 'CustomerErasure' },
  ),
  store: {
    GetItem: ['licenseId', 'license', 'member', 'payment', 'portalBuyer', 'suppressed'],
    BatchGetItem: ['product', 'license', 'licenseId', 'member', 'payment'],
    Query: ['license', 'note', 'refusal', 'event', 'metadata', 'payment', 'erasure', 'previousAddress'],
    PutItem: ['erasure', 'previousAddress'],
    UpdateItem: ['license', 'licenseId', 'metadata', 'event', 'payment', 'erasure'],
    DeleteItem: [
      'license',
      'licenseId',
      'member',
      'note',
      'refusal',
      'metadata',
      'idempotency',
      'payment',
      'erasure',
      'previousAddress',
      'suppressed',
      'portalBuyer',
      'portalLink',
      'portalSession',
    ],
    indexes: ['list', 'email', 'lookup'],
  },
  emits: ['license.updated', 'license.member_removed', 'license.deactivated'],
  size: 'large',
  examples: { request: { customer_email: 'sam.buyer@example.com' }, response: { licenses: 2, pending_events: 0, complete: true } },
}));
