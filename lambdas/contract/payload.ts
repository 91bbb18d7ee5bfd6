import * as z from 'zod';
import { deliveryExample, releaseExample } from './examples';
import { eventNames, loggedEvents, type EventName } from './events';
import { reminderDays, reminderEvent } from './reminders';
import { device, eventRelease, licenseFields } from './resources';
import { timestamp } from './text';

/** The license in an event: the admin view without its devices, and the sequence number of the change in the license's history. */
const eventLicense = z
  .object({
    ...licenseFields,
    sequence: z.int().min(1).meta({ description: 'Rises by one with every change of the license: order events by it.' }),
  })
  .meta({ id: 'EventLicense' });

/** The body that is posted to a webhook (docs/spec/events.md, Payload). */
export const eventPayload = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the event, 32 hex digits. It is the same in every attempt, so that receivers can discard duplicates.' }),
    event: z.enum(eventNames),
    timestamp: z.string().meta({
      description: 'When it happened: date and time with a space between, milliseconds, and a UTC offset.',
      examples: [deliveryExample.payload.timestamp],
    }),
    data: z.object({
      product: z.string().meta({ description: "The product's slug." }),
      license: eventLicense.optional().meta({ description: 'Absent in `webhook.test` and in the events of releases.' }),
      release: eventRelease.optional().meta({ description: 'Present in the events of releases.' }),
      device: device.optional().meta({ description: 'Present when a device was bound or freed.' }),
      reason: z.string().optional().meta({ description: 'Why a device was freed: `lease_ended`, or `replaced` by another device.' }),
      previous_key: z.string().optional().meta({ description: 'The key that `license.reissued` replaced.' }),
    }),
  })
  .meta({ id: 'Event' });

/**
 * The payload in the delivery log. It is the body of an event. For a mail with keys, it contains the licenses of the mail, but never its
 * text.
 */
export const loggedPayload = eventPayload
  .extend({
    event: z.enum(loggedEvents),
    data: eventPayload.shape.data.extend({
      license_ids: z.array(z.int().min(1)).optional().meta({ description: 'The licenses that a mail is about.' }),
      reminder: z
        .object({ event: reminderEvent, days: reminderDays, date: timestamp })
        .optional()
        .meta({ description: 'Present in a reminder: what it is about, and the expiry or end of updates for which it was sent.' }),
    }),
  })
  .meta({ id: 'LoggedEvent' });

/** The documentation of each event, which says when the event is sent. */
export const eventDescriptions: Readonly<Record<EventName, string>> = {
  'license.created': 'A license was issued.',
  'license.activated': 'A device took a seat.',
  'license.deactivated': 'A device freed its seat.',
  'license.reset': 'All seats of a license were freed at once.',
  'license.revoked': 'A license was revoked, for example after a refund.',
  'license.expired': 'The license expired, which an activation or a validation noticed; sent once.',
  'license.renewed': 'The expiry was pushed forward.',
  'license.updated': 'Terms, address or metadata of a license were changed.',
  'license.suspended': 'A license was suspended: it cannot be used until it is reinstated.',
  'license.reinstated': 'A suspension ended.',
  'license.reissued': 'A license was moved to a new key, and every seat was freed.',
  'license.expiring': 'The expiry is near. Sent once for each expiry, by the first check in the last days before it.',
  'license.updates_renewed': 'The end of updates was pushed forward.',
  'license.updates_expiring': 'The end of updates is near. Sent once for each end, by the first check in the last days before it.',
  'license.seats_exhausted': 'An activation was refused because every seat is taken; sent at most once in 24 hours.',
  'release.published': 'A release was published: it is offered to the licenses that cover it.',
  'release.yanked': 'A release was yanked: it is no longer offered to anybody.',
  'webhook.test': 'An operator asked for a test.',
};

const { device: deviceOfExample, ...dataOfExample } = deliveryExample.payload.data;
const { license: licenseOfExample } = dataOfExample;

/** How the license in the example of each event differs from the example license. */
const differences: Partial<Readonly<Record<EventName, Partial<z.input<typeof eventLicense>>>>> = {
  'license.created': { seats: { used: 0, max: 3 }, sequence: 1 },
  'license.deactivated': { seats: { used: 0, max: 3 }, sequence: 3 },
  'license.reset': { seats: { used: 0, max: 3 }, sequence: 3 },
  'license.revoked': { status: 'revoked', revoked_at: '2026-11-20T14:00:00.000Z', sequence: 3 },
  'license.expired': { status: 'expired', expires_at: '2026-11-20T13:54:00.000Z', sequence: 3 },
  'license.renewed': { expires_at: '2028-11-20T13:54:00.000Z', sequence: 3 },
};

const hasDevice = (event: EventName): boolean => event === 'license.activated' || event === 'license.deactivated';

const { artifacts: artifactsOfExample, ...releaseOfExample } = releaseExample;
const publishedExample = {
  ...releaseOfExample,
  status: 'published' as const,
  artifacts: artifactsOfExample.map(({ signature: _, ...artifact }) => ({
    ...artifact,
    platform: 'macos' as const,
    arch: 'arm64' as const,
  })),
};
const releaseExamples: Partial<Readonly<Record<EventName, z.input<typeof eventRelease>>>> = {
  'release.published': publishedExample,
  'release.yanked': { ...publishedExample, status: 'yanked', yanked_at: deliveryExample.created_at, yanked_reason: 'Crashes on start' },
};

/** An example payload of each event, for the documentation. */
export const eventExamples: Readonly<Record<EventName, z.input<typeof eventPayload>>> = Object.fromEntries(
  eventNames.map((event) => [
    event,
    {
      ...deliveryExample.payload,
      event,
      data:
        releaseExamples[event] || event === 'webhook.test'
          ? { product: dataOfExample.product, ...(releaseExamples[event] && { release: releaseExamples[event] }) }
          : {
              ...dataOfExample,
              license: { ...licenseOfExample, ...differences[event] },
              ...(hasDevice(event) && { device: deviceOfExample }),
            },
    },
  ]),
) as Record<EventName, z.input<typeof eventPayload>>;
