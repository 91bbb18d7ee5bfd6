import * as z from 'zod';
import { languages } from '../languages';
import { processors } from '../processors';
import { timestamp } from '../text';
import { createdAt, id, productId } from './common';
import { device, seats } from './device';
import { featureNames } from './features';
import { canonicalKey } from './license-key';
import { expiresAt, licenseStatus } from './license-state';
import { updates } from './updates';
import { licenseTerms } from './license-type';
import { metadata } from './metadata';

const licenseOrder = z
  .object({
    processor: z.enum(processors),
    connection_id: z.int(),
    order_id: z.string().meta({ description: 'The id of the order, as the buyer sees it.' }),
    subscription_id: z.string().nullable(),
    ref: z.string().nullable().meta({ description: "The processor's id of the product or price that was sold." }),
    line: z.string().nullable(),
    test: z.boolean().meta({ description: 'True for a sale in the test mode of the processor.' }),
  })
  .meta({ id: 'LicenseOrder' });

/** The fields of a license for operators, without the list of its devices. Events contain the same fields. */
export const licenseFields = {
  id,
  product_id: productId,
  key: canonicalKey,
  status: licenseStatus,
  expires_at: expiresAt,
  term: z
    .object({ starts: z.literal('activation'), days: z.int().min(1) })
    .nullable()
    .meta({ description: 'The term that will start with the first activation; null if no term waits for an activation.' }),
  updates,
  license_type: z.object({ id, ...licenseTerms }),
  seats,
  features: featureNames,
  customer_email: z.string().nullable().meta({ description: "The buyer's e-mail address. Client apps never see it." }),
  language: z
    .enum(languages)
    .nullable()
    .meta({ description: 'The language of mails about the license; null: the language of the product.' }),
  metadata,
  created_at: createdAt,
  revoked_at: timestamp.nullable().meta({ description: 'The time at which the license was revoked; null if it is not revoked.' }),
  revoked_reason: z.string().nullable().meta({ description: 'The reason for the revocation; null if no reason was given.' }),
  suspended_at: timestamp.nullable().meta({ description: 'The time at which the license was suspended; null if it is not suspended.' }),
  suspended_reason: z
    .string()
    .nullable()
    .meta({ description: 'The reason for the suspension, from the operator or the processor; null if no reason was given.' }),
  suspended_by: z.string().nullable().meta({ description: 'Who suspended the license: `operator`, or the name of a payment processor.' }),
  suspended_cause: z
    .enum(['operator', 'payment', 'pause', 'dispute'])
    .nullable()
    .meta({ description: 'The cause of the suspension. The suspension lasts until its cause ends.' }),
  order: licenseOrder
    .nullable()
    .meta({ description: 'The order at a payment processor for which the license was issued; null if there is no order.' }),
  new_devices: z.object({ count: z.int().min(0), since: timestamp.nullable() }).meta({
    description: 'The number of devices that took a seat for the first time within 7 days, and the time of the first of these activations.',
  }),
};

/** The admin view of a license. */
export const license = z
  .object({ ...licenseFields, activations: z.array(device).meta({ description: 'The devices that are bound now.' }) })
  .meta({ id: 'License' });

export type LicenseView = z.infer<typeof license>;
