import * as z from 'zod';
import { date, timestamp } from '../text';

/** The fingerprint of a device: 8 to 128 printable ASCII characters without spaces. A hex string is converted to lower case. */
export const fingerprint = z
  .string()
  .transform((raw) => raw.trim())
  .pipe(z.string().regex(/^[\x21-\x7e]{8,128}$/, { error: 'must be 8 to 128 printable ASCII characters without spaces' }))
  .transform((value) => (/^[0-9a-fA-F]+$/.test(value) ? value.toLowerCase() : value))
  .meta({
    type: 'string',
    minLength: 8,
    maxLength: 128,
    pattern: '^[\\x21-\\x7e]{8,128}$',
    description:
      'A text that identifies the device and is the same on every run of the app. By convention it is the SHA-256 of a hardware or system identifier, in hex. A hex string is converted to lower case.',
    examples: ['b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31'],
  });

export const maxSeats = z.int().min(0).meta({ description: 'Maximum number of devices at a time; 0 means unlimited.' });

export const seats = z
  .object({
    used: z.int().min(0).meta({ description: 'The number of devices that are bound now.' }),
    max: maxSeats,
  })
  .meta({ id: 'Seats' });

export const device = z
  .object({
    fingerprint: z.string().meta({ description: 'The fingerprint of the device. A hex string is in lower case.' }),
    platform: z.string().meta({ description: 'The platform that the client sent, for example the operating system; may be empty.' }),
    name: z.string().meta({ description: 'The name of the device, for people; may be empty.' }),
    activated_at: timestamp.meta({ description: 'The time at which the device was bound to the license.' }),
    lease_expires_at: timestamp.nullable().meta({
      description: 'The time until which the device is certain to keep its seat; null: the device keeps its seat until it is freed.',
    }),
    last_seen_on: date.nullable().meta({ description: 'The UTC day of the last activation or validation of the device; null: not known.' }),
  })
  .meta({ id: 'Device' });

/** The result of freeing a device. */
export const deactivation = z
  .object({ freed: z.boolean().meta({ description: 'True if this request freed a seat.' }) })
  .meta({ id: 'Deactivation' });

export type DeviceView = z.infer<typeof device>;
export type SeatsView = z.infer<typeof seats>;
