import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { deliveryExample, licenseExample } from './examples';
import { note, noteExample } from './notes';
import { refusal, refusalExample } from './refusals';
import { email, license, payment } from './resources';
import { delivery } from './webhooks';

/** Export and erasure of all data about a buyer (docs/spec/operator.md, A buyer's data). */

const customerEmail = documented(email, {
  description: "The buyer's e-mail address. Case does not matter.",
  examples: ['sam.buyer@example.com'],
});

export const exportCustomer = /* @__PURE__ */ endpoint(() => ({
  name: 'exportCustomer',
  method: 'POST',
  path: '/v1/customers/export',
  tag: 'Customers',
  summary: "Export a buyer's data",
  description:
    'Returns everything that is stored about an address: the licenses with their devices, notes, refused requests, events and mails, and what payment processors reported. For an unknown address the lists are empty. Trials with an unverified address are not included. If `next` is not null, there is another part: send `next` as `cursor` to get it.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({
    customer_email: customerEmail,
    cursor: documented(z.nullish(checked(z.string(), z.maxLength(200))), { description: 'The value of `next` in the previous response.' }),
  }),
  additive: true,
  repeatable: true,
  status: 200,
  response: documented(
    z.object({
      customer_email: z.string(),
      licenses: z.array(license),
      notes: documented(z.array(z.object({ license_id: z.int(), ...note.shape })), {
        description: 'The notes of operators about the licenses. For each license, the newest note is first.',
      }),
      refusals: documented(z.array(refusal), { description: 'Refused requests of apps about the licenses.' }),
      events: documented(z.array(delivery), {
        description: 'The events of the licenses, as the delivery log shows them. For each license, the newest event is first.',
      }),
      payments: documented(z.array(payment), { description: 'The rows of the payments log.' }),
      unreadable: documented(z.optional(z.int()), {
        description:
          'The number of stored rows that are missing from the response because they could not be read; absent if every row could be read.',
      }),
      next: documented(z.nullable(z.string()), { description: 'The cursor of the next part; null: this is the last part.' }),
    }),
    { id: 'CustomerExport' },
  ),
  errors: [],
  store: {
    GetItem: ['payment', 'product'],
    BatchGetItem: ['product', 'license', 'metadata', 'payment'],
    Query: ['license', 'note', 'refusal', 'event', 'payment'],
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
      refusals: [refusalExample],
      events: [deliveryExample],
      payments: [],
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
    'Removes an address and what is stored with it. The licenses lose the address, their metadata, the names and platforms of their devices, their notes, and the record of refused requests. The bodies of events and mails, stored responses of idempotent requests, and what payment processors reported are removed too. Sessions, codes and links of the portal end. The address is also removed from trials that were started with it. Licenses and keys stay valid, and no payment processor fills the address in again. The body of a pending event is removed after the delivery. In this case, `complete` is false, and the rest is removed within minutes. One request does a limited amount of work. If `complete` is false, the next request continues the work.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({ customer_email: customerEmail }),
  repeatable: true,
  status: 200,
  response: documented(
    z.object({
      licenses: documented(checked(z.int(), z.minimum(0)), {
        description: 'The number of licenses from which this request erased the address and metadata.',
      }),
      pending_events: documented(checked(z.int(), z.minimum(0)), {
        description: 'The number of events that are still pending. The body of a pending event is erased after its delivery.',
      }),
      complete: documented(z.boolean(), {
        description: 'True: all data is erased. False: repeat the request after the pending events have been delivered.',
      }),
    }),
    { id: 'CustomerErasure' },
  ),
  errors: [],
  store: {
    GetItem: ['licenseId', 'license', 'payment', 'portalBuyer'],
    BatchGetItem: ['product', 'license', 'payment'],
    Query: ['license', 'note', 'refusal', 'event', 'metadata', 'payment', 'erasure'],
    PutItem: ['event', 'erasure'],
    UpdateItem: ['license', 'licenseId', 'metadata', 'event', 'payment', 'erasure'],
    DeleteItem: ['note', 'refusal', 'metadata', 'idempotency', 'payment', 'erasure', 'portalBuyer', 'portalLink', 'portalSession'],
    indexes: ['list', 'email', 'lookup'],
  },
  emits: ['license.updated'],
  size: 'large',
  examples: { request: { customer_email: 'sam.buyer@example.com' }, response: { licenses: 2, pending_events: 0, complete: true } },
}));
