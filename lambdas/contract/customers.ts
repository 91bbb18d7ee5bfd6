import * as z from 'zod';
import { endpoint } from './endpoint';
import { deliveryExample, licenseExample } from './examples';
import { note, noteExample } from './notes';
import { refusal, refusalExample } from './refusals';
import { email, license, payment } from './resources';
import { delivery } from './webhooks';

/** Export and erasure of all data about a buyer (docs/spec/operator.md, A buyer's data). */

const customerEmail = email.meta({ description: "The buyer's address; matched in any case.", examples: ['sam.buyer@example.com'] });

export const exportCustomer = endpoint({
  name: 'exportCustomer',
  method: 'POST',
  path: '/v1/customers/export',
  tag: 'Customers',
  summary: "Export a buyer's data",
  description:
    'Everything that is stored about an address: the licenses with their devices, the notes on them, why apps were refused, the events about them and the mails that were sent, and what payment processors reported. An unknown address is not an error: the lists are empty. Trials whose address nobody has verified are not included. If `next` is not null, there is more: send it as `cursor`.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({
    customer_email: customerEmail,
    cursor: z.string().max(200).nullish().meta({ description: 'The `next` of the previous response.' }),
  }),
  additive: true,
  repeatable: true,
  status: 200,
  response: z
    .object({
      customer_email: z.string(),
      licenses: z.array(license),
      notes: z
        .array(z.object({ license_id: z.int(), ...note.shape }))
        .meta({ description: 'The notes of operators on the licenses: those of one license newest first.' }),
      refusals: z.array(refusal).meta({ description: 'Refused requests of apps about the licenses.' }),
      events: z
        .array(delivery)
        .meta({ description: 'The events about the licenses: those of one license newest first, as the delivery log shows them.' }),
      payments: z.array(payment).meta({ description: 'The rows of the payments log.' }),
      unreadable: z
        .int()
        .optional()
        .meta({ description: 'Number of stored rows that could not be read and are missing in this response; absent if there are none.' }),
      next: z.string().nullable().meta({ description: 'Cursor of the next part; null: there is no more.' }),
    })
    .meta({ id: 'CustomerExport' }),
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
});

export const eraseCustomer = endpoint({
  name: 'eraseCustomer',
  method: 'POST',
  path: '/v1/customers/erase',
  tag: 'Customers',
  summary: "Erase a buyer's data",
  description:
    'Removes an address and what is stored with it: address and metadata of the licenses, names and platforms of their devices, the notes on them, the record of refused requests, bodies of their events and mails, stored responses of idempotent requests, and what payment processors reported. Sessions, codes and links of the portal end. The address is also removed from trials that were started with it. Licenses and keys stay valid, and no payment processor fills the address in again. An event that is still pending is delivered first: `complete` is then false, and the rest is removed within minutes. It does a limited amount of work: if `complete` is false, the next call continues where it stopped.',
  credential: 'admin',
  scope: 'manage',
  subject: 'products',
  body: z.object({ customer_email: customerEmail }),
  repeatable: true,
  status: 200,
  response: z
    .object({
      licenses: z.int().min(0).meta({ description: 'Number of licenses from which this call erased the address and metadata.' }),
      pending_events: z
        .int()
        .min(0)
        .meta({ description: 'Number of events that are delivered first; their bodies are erased afterwards.' }),
      complete: z.boolean().meta({ description: 'True: nothing is left. False: call again, after pending events have been delivered.' }),
    })
    .meta({ id: 'CustomerErasure' }),
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
});
