import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { date, nameText, timestamp } from '../text';

/** The fingerprint of a device: 8 to 128 printable ASCII characters without spaces. A hex string is converted to lower case. */
export const fingerprint = documented(
  z.pipe(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((raw) => raw.trim()),
      ),
      checked(z.string(), z.regex(/^[\x21-\x7e]{8,128}$/, { error: 'must be 8 to 128 printable ASCII characters without spaces' })),
    ),
    z.transform((value) => (/^[0-9a-fA-F]+$/.test(value) ? value.toLowerCase() : value)),
  ),
  {
    type: 'string',
    minLength: 8,
    maxLength: 128,
    pattern: '^[\\x21-\\x7e]{8,128}$',
    description:
      'A text that identifies the device and is the same on every run of the app. By convention it is the SHA-256 of a hardware or system identifier, in hex. A hex string is converted to lower case.',
    examples: ['b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31'],
  },
);

export const maxSeats = documented(checked(z.int(), z.minimum(0)), {
  description: 'Maximum number of seats that can be taken at the same time; 0 means unlimited.',
});

export const seats = documented(
  z.object({
    used: documented(checked(z.int(), z.minimum(0)), {
      description: 'The number of devices that are bound now, or of members for the binding `user`.',
    }),
    max: maxSeats,
  }),
  { id: 'Seats' },
);

export const device = documented(
  z.object({
    fingerprint: documented(z.string(), { description: 'The fingerprint of the device. A hex string is in lower case.' }),
    platform: documented(z.string(), { description: 'The platform that the client sent, for example the operating system; may be empty.' }),
    name: documented(z.string(), { description: 'A name by which people recognize the device; may be empty.' }),
    activated_at: documented(timestamp, { description: 'The time at which the device was bound to the license.' }),
    lease_expires_at: documented(z.nullable(timestamp), {
      description: 'The time until which the device is certain to keep its seat; null: the device keeps its seat until the seat is freed.',
    }),
    last_seen_on: documented(z.nullable(date), {
      description: 'The UTC day of the last activation or validation of the device; null: not known.',
    }),
  }),
  { id: 'Device' },
);

/** A bound device of a license, for operators. */
export const boundDevice = documented(
  z.extend(device, {
    member: documented(z.nullable(z.string()), {
      description: 'The e-mail address of the member who uses the device; null for the binding `device`.',
    }),
    app_version: documented(z.nullable(z.string()), {
      description:
        'The version of the app, as its last activation or its first validation of a day reported it, without a leading `v` and cut to 40 characters; null: not known.',
      examples: ['2.4.0'],
    }),
    country: documented(z.nullable(z.string()), {
      description:
        'The country (ISO 3166-1 alpha-2) from which this request was sent; null: not known, because the request did not come through the distribution.',
      examples: ['DE'],
    }),
  }),
  { id: 'BoundDevice' },
);

/** The result of freeing a device. */
export const deactivation = documented(
  z.object({ freed: documented(z.boolean(), { description: 'True if this request freed a seat.' }) }),
  { id: 'Deactivation' },
);

export type DeviceView = z.infer<typeof device>;
export type SeatsView = z.infer<typeof seats>;

/** A device as an app describes it in a request to bind it. */
export const newDevice = {
  fingerprint,
  name: documented(z.nullish(nameText(0, 200)), { description: 'A name by which people recognize the device; default empty.' }),
  platform: documented(z.nullish(nameText(0, 200)), {
    description: 'The platform of the device, for example its operating system; default empty.',
  }),
};

/** A device in a list for people who may not see fingerprints. */
export const listedDevice = {
  ref: documented(z.string(), { description: 'An opaque identifier of the device within its license. It is not the fingerprint.' }),
  name: z.string(),
  platform: z.string(),
  activated_at: timestamp,
  last_seen_on: z.nullable(date),
};
