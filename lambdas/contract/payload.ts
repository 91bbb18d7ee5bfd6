import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { deliveryExample, releaseExample } from './examples';
import { eventNames, loggedEvents, type EventName } from './events';
import { reminderDays, reminderEvent } from './reminders';
import { adminMeter, device, eventRelease, licenseFields, memberRole } from './resources';
import { timestamp } from './text';

/** The license in an event. It has the fields of the admin view except the devices. It also has the sequence number of the change. */
const eventLicense = documented(
  z.object({
    ...licenseFields,
    sequence: documented(checked(z.int(), z.minimum(1)), {
      description:
        'A number that rises by one with every change of the license. Receivers can sort the events of a license by this number.',
    }),
  }),
  { id: 'EventLicense' },
);

/** The body that is posted to a webhook (docs/spec/events.md, Payload). */
export const eventPayload = documented(
  z.object({
    id: documented(z.string(), {
      description:
        'The id of the event, 32 hex digits. The id is the same in every delivery attempt, so that receivers can discard duplicates.',
    }),
    event: z.enum(eventNames),
    timestamp: documented(z.string(), {
      description: 'When the event happened: the date and the time, separated by a space, with milliseconds and a UTC offset.',
      examples: [deliveryExample.payload.timestamp],
    }),
    data: z.object({
      product: documented(z.string(), { description: 'The slug of the product.' }),
      license: documented(z.optional(eventLicense), {
        description: 'The license that the event is about. Absent in `webhook.test` and in the events of releases.',
      }),
      release: documented(z.optional(eventRelease), { description: 'The release, present only in the events of releases.' }),
      device: documented(z.optional(device), {
        description: 'The device that was bound or freed, present only in events about a single device.',
      }),
      reason: documented(z.optional(z.string()), {
        description:
          'Why a device was freed: `lease_ended`, `replaced` (by another device), `buyer` (in the portal), `member_removed`, or `moved` (another member has signed in on the device). `sign_in` if a device was bound by a sign-in. Absent if an app or an operator bound or freed the device.',
      }),
      member: documented(z.optional(z.object({ email: z.nullable(z.string()), role: memberRole })), {
        description:
          'The member whom the event is about, or who has or loses the device; only for licenses of named people. `email` is null after an erasure.',
      }),
      meter: documented(
        z.optional(
          z.object({
            name: z.string(),
            used: adminMeter.shape.used,
            included: adminMeter.shape.included,
            percent: documented(z.union([z.literal(80), z.literal(100)]), { description: 'The threshold that was reached.' }),
          }),
        ),
        { description: 'The meter whose threshold was reached, present only in `license.meter_reached`.' },
      ),
      previous_key: documented(z.optional(z.string()), {
        description: 'The previous key of the license, present only in `license.reissued`.',
      }),
    }),
  }),
  { id: 'Event' },
);

/**
 * The payload of a delivery in the delivery log. For a webhook, it is the body of the event. For a mail, it contains the ids of the
 * licenses, but never the text of the mail.
 */
export const loggedPayload = documented(
  z.extend(eventPayload, {
    event: z.enum(loggedEvents),
    data: z.extend(eventPayload.shape.data, {
      license_ids: documented(z.optional(z.array(checked(z.int(), z.minimum(1)))), {
        description: 'The ids of the licenses that a mail is about.',
      }),
      reminder: documented(z.optional(z.object({ event: reminderEvent, days: reminderDays, date: timestamp })), {
        description:
          'Present only for a mail with a reminder. `event` and `days` identify the reminder in the mail settings. `date` is the expiry or the end of updates that the mail is about.',
      }),
    }),
  }),
  { id: 'LoggedEvent' },
);

/** A description of each event, which says when the event is sent. */
export const eventDescriptions: Readonly<Record<EventName, string>> = {
  'license.created': 'A license was issued.',
  'license.activated': 'A device took a seat.',
  'license.deactivated': 'A device freed its seat.',
  'license.reset': 'All seats of a license were freed at once.',
  'license.revoked': 'A license was revoked, for example after a refund.',
  'license.expired':
    'An activation, a validation or a request for the device list noticed that the license has expired. Sent once for each expiry.',
  'license.renewed': 'The expiry of a license was moved to a later time.',
  'license.updated': "The terms, the buyer's address, the language or the metadata of a license were changed.",
  'license.suspended': 'A license was suspended. It cannot be used until it is reinstated.',
  'license.reinstated': 'The suspension of a license ended.',
  'license.reissued': 'A license got a new key, and all its seats were freed.',
  'license.expiring':
    'A license expires soon. The first activation or validation in the last days before the expiry sends the event, once for each expiry. The number of days is a setting of the deployment; default 14.',
  'license.updates_renewed': 'The end of updates of a license was moved to a later time.',
  'license.updates_expiring':
    'The updates of a license end soon. The first activation or validation in the last days before the end of updates sends the event, once for each end of updates. The number of days is a setting of the deployment; default 14.',
  'license.seats_exhausted':
    'An activation was refused because every seat of the license is taken. Sent at most once in 24 hours for each license.',
  'license.meter_reached':
    'What was consumed from a meter has reached 80 or 100 percent of `included`. Sent once for each meter, period and threshold.',
  'license.member_added': 'A person became a member of a license.',
  'license.member_removed':
    'A person is no longer a member of a license. The events `license.deactivated` of the person’s devices come first.',
  'release.published': 'A release was published. It is now offered to the licenses that cover it.',
  'release.yanked': 'A release was yanked (withdrawn). It is no longer offered to anybody.',
  'webhook.test': 'An operator requested a test event.',
};

const { device: deviceOfExample, ...dataOfExample } = deliveryExample.payload.data;
const { license: licenseOfExample } = dataOfExample;

/** All examples of events contain the same example license. For each event, these fields replace fields of that license. */
const differences: Partial<Readonly<Record<EventName, Partial<z.input<typeof eventLicense>>>>> = {
  'license.created': { seats: { used: 0, max: 3 }, sequence: 1 },
  'license.deactivated': { seats: { used: 0, max: 3 }, sequence: 3 },
  'license.reset': { seats: { used: 0, max: 3 }, sequence: 3 },
  'license.revoked': { status: 'revoked', revoked_at: '2026-11-20T14:00:00.000Z', sequence: 3 },
  'license.expired': { status: 'expired', expires_at: '2026-11-20T13:54:00.000Z', sequence: 3 },
  'license.member_added': { seats: { used: 1, max: 3 }, members: 1, sequence: 2 },
  'license.member_removed': { seats: { used: 0, max: 3 }, members: 0, sequence: 3 },
  'license.renewed': { expires_at: '2028-11-20T13:54:00.000Z', sequence: 3 },
};

const memberExample = { email: 'grace@example.com', role: 'member' as const };

const teamOfExample = { ...licenseOfExample.license_type, binding: 'user' as const, devices_per_user: 3 };

const isAboutMember = (event: EventName): boolean => event === 'license.member_added' || event === 'license.member_removed';
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
              license: { ...licenseOfExample, ...differences[event], ...(isAboutMember(event) && { license_type: teamOfExample }) },
              ...(hasDevice(event) && { device: deviceOfExample }),
              ...(isAboutMember(event) && { member: memberExample }),
              ...(event === 'license.meter_reached' && { meter: { name: 'exports', used: 800, included: 1000, percent: 80 as const } }),
            },
    },
  ]),
) as Record<EventName, z.input<typeof eventPayload>>;
