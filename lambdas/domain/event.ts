import * as z from 'zod/mini';
import { channels, deliveryStatuses, KEY_MAILED, type DeliveryStatus, type LoggedEvent } from '../contract/events';
import { licenseStatuses } from '../contract/statuses';
import type { Transition, Occurrence } from './transition';
import type { License } from './license';
import { storedMetadata } from './metadata';
import { portalMailFactsSchema } from './portal/mail-facts';
import { isPosted, type Product } from './product';
import { payloadTimestampOf } from './time';
import { deviceView, licenseSummary } from './views';
import { number, orNull, string, type Stored } from './stored';

/** An event. The row of an event is both its outbox entry, which guarantees the delivery, and its entry in the delivery log. */
export const eventSchema = z.object({
  id: string,
  /** The name is not checked: an event that a newer version recorded is delivered unchanged. */
  event: z.pipe(
    string,
    z.transform((name) => name as LoggedEvent),
  ),
  product_id: number,
  /** The id of the license; null for an event about a product. */
  license_id: orNull(number),
  /** The JSON payload. It is serialized only once, so that every attempt sends the same bytes. */
  body: string,
  /** The hash that names the row with the license's metadata, if the stored body refers to that row (see `metadata.ts`). */
  metadata_ref: z.optional(string),
  /** The channel on which the event is sent; undefined means `webhook`. */
  channel: z.optional(z.enum(channels)),
  /** Additional fields of an event for a mail from the portal. */
  mail: z.optional(portalMailFactsSchema),
  /** The destination, if it is known when the event is recorded. For a mail, it is the buyer's `mailto:` address. */
  url: z.optional(string),
  status: z.enum(deliveryStatuses),
  created_at: number,
  /**
   * The previous status of the license, if the event changes the license's status or license type. In the product's statistics, the number
   * of licenses with this status then decreases by one.
   */
  previous_status: z.optional(z.enum(licenseStatuses)),
  /** The previous license type, if the event changes the license type. */
  previous_type_id: z.optional(number),
  /** The name of the actor who asked for the change; undefined if an app or the service itself caused it. */
  by: z.optional(string),
});
export interface Event extends Stored<typeof eventSchema> {}

/** The beginning of the URL of a mail. The buyer's e-mail address follows, unless an erasure has removed the address. */
export const MAILTO = 'mailto:';

/**
 * The buyer's e-mail address in an event: the address of a mail, or the address of the license in the body. Null if the event has no
 * address, or if the address was erased.
 */
export function addressIn({ channel, url = '', body }: Pick<Event, 'channel' | 'url' | 'body'>): string | null {
  if (channel === 'mail') return url.slice(MAILTO.length) || null;
  const { license } = (JSON.parse(body) as { data: { license?: { customer_email?: string | null } } }).data;
  return license?.customer_email ?? null;
}

/** The e-mail address of the member whom the event of a webhook is about; null if there is none. */
export function memberIn({ channel, body }: Pick<Event, 'channel' | 'body'>): string | null {
  if (channel === 'mail') return null;
  const { member } = (JSON.parse(body) as { data: { member?: { email?: string | null } } }).data;
  return member?.email ?? null;
}

/** Number of random bytes in an event id. */
export const EVENT_RANDOM_BYTES = 7;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * An event id: 32 hex digits, of which 10 are the license's id, 8 the license's sequence number and 14 random. Events are stored in the
 * order of their ids. Therefore one query reads the history of a license, and one read finds an event by its id.
 */
export const eventId = (license: number, sequence: number, random: Uint8Array): string =>
  hex(license, 10) + hex(sequence, 8) + Buffer.from(random.subarray(0, EVENT_RANDOM_BYTES)).toString('hex');

/** The license's sequence number at an event, read from the event's id. */
export const sequenceOf = (id: string): number => Number.parseInt(id.slice(10, 18), 16);

/** What a request knows about the events that it records. */
export interface Recorder {
  /** The name of the actor who asked for the change; undefined if an app or the service itself caused it. */
  readonly by?: string | undefined;
  /** The product of the events, if this request read it from the table. A cached product is never used, because it may be outdated. */
  readonly readProduct?: Product | undefined;
  /** Whether the events must not be posted to the webhook. */
  readonly skipsWebhook?: boolean | undefined;
}

/**
 * The status with which an event is recorded. An event that the product's webhook does not get is `skipped` immediately. If the product is
 * undefined, the event is `pending`, and the delivery checks the product's webhook. (docs/decisions.md 3)
 */
export const firstStatus = (event: LoggedEvent, product: Product | undefined, skipsWebhook = false): DeliveryStatus =>
  skipsWebhook || (product && !isPosted(product, event)) ? 'skipped' : 'pending';

/** The event that reports an occurrence. The stored body refers to the metadata if the metadata is long. */
export function occurrenceEvent(
  { event, license, previous_status, previous_type_id, device, details }: Occurrence,
  at: number,
  random: Uint8Array,
  { by, readProduct, skipsWebhook }: Recorder = {},
): Event {
  const id = eventId(license.id, license.sequence, random);
  const data = {
    product: license.product_slug,
    license: { ...licenseSummary(license, storedMetadata(license.metadata)), sequence: license.sequence },
    ...(device && { device: deviceView(license, device) }),
    ...details,
  };
  return {
    id,
    event,
    product_id: license.product_id,
    license_id: license.id,
    body: JSON.stringify({ id, event, timestamp: payloadTimestampOf(at), data }),
    ...(license.metadata.ref !== undefined && { metadata_ref: license.metadata.ref }),
    status: firstStatus(event, readProduct, skipsWebhook),
    created_at: at,
    ...((previous_status !== license.status || previous_type_id !== undefined) && { previous_status }),
    ...(previous_type_id !== undefined && { previous_type_id }),
    ...(by !== undefined && { by }),
  };
}

/** The events of a transition, or of a newly issued license, in order. */
export const eventsOf = (
  { occurrences, at }: Pick<Transition, 'occurrences' | 'at'>,
  random: (bytes: number) => Uint8Array,
  recorder?: Recorder,
): Event[] => occurrences.map((occurrence) => occurrenceEvent(occurrence, at, random(EVENT_RANDOM_BYTES), recorder));

/** An event about a product, not about one of its licenses. */
export function productEvent(
  event: 'webhook.test' | 'release.published' | 'release.yanked',
  product: { readonly id: number; readonly slug: string },
  details: object,
  at: number,
  random: Uint8Array,
): Event {
  const id = eventId(0, product.id, random);
  return {
    id,
    event,
    product_id: product.id,
    license_id: null,
    body: JSON.stringify({ id, event, timestamp: payloadTimestampOf(at), data: { product: product.slug, ...details } }),
    status: 'pending',
    created_at: at,
  };
}

/** The event that tests a product's webhook. */
export const testEvent = (product: { readonly id: number; readonly slug: string }, at: number, random: Uint8Array): Event =>
  productEvent('webhook.test', product, {}, at, random);

/** The event for a mail with the keys of licenses that were bought together. The event belongs to the first of these licenses. */
export function keyMail(licenses: readonly [License, ...License[]], to: string, at: number, random: Uint8Array): Event {
  const [{ id: license_id, sequence, product_id, product_slug }] = licenses;
  const id = eventId(license_id, sequence, random);
  const data = { product: product_slug, license_ids: licenses.map((license) => license.id) };
  return {
    id,
    event: KEY_MAILED,
    channel: 'mail',
    url: `${MAILTO}${to}`,
    product_id,
    license_id,
    body: JSON.stringify({ id, event: KEY_MAILED, timestamp: payloadTimestampOf(at), data }),
    status: 'pending',
    created_at: at,
  };
}
