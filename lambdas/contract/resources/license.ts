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
    order_id: z.string().meta({ description: 'The id that the buyer sees.' }),
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
    .meta({ description: 'The term that starts with the first activation; null if none waits for it.' }),
  updates,
  license_type: z.object({ id, ...licenseTerms }),
  seats,
  features: featureNames,
  customer_email: z.string().nullable().meta({ description: "The buyer's address. Clients never see it." }),
  language: z.enum(languages).nullable().meta({ description: "The language of its mails; null: the product's." }),
  metadata,
  created_at: createdAt,
  revoked_at: timestamp.nullable().meta({ description: 'When it was revoked; null when it is not.' }),
  revoked_reason: z.string().nullable().meta({ description: 'The reason that the operator gave.' }),
  suspended_at: timestamp.nullable().meta({ description: 'When it was suspended; null when it is not.' }),
  suspended_reason: z.string().nullable().meta({ description: 'The reason that the operator or the processor gave.' }),
  suspended_by: z.string().nullable().meta({ description: '`operator`, or the name of a payment processor.' }),
  suspended_cause: z
    .enum(['operator', 'payment', 'pause', 'dispute'])
    .nullable()
    .meta({ description: 'The cause of the suspension, which lasts until the cause ends.' }),
  order: licenseOrder.nullable().meta({ description: "The payment processor's order that the license was issued for." }),
  new_devices: z
    .object({ count: z.int().min(0), since: timestamp.nullable() })
    .meta({ description: 'Number of devices that took a seat for the first time within 7 days, and the time of the first of them.' }),
};

/** The admin view of a license. */
export const license = z
  .object({ ...licenseFields, activations: z.array(device).meta({ description: 'The devices bound now.' }) })
  .meta({ id: 'License' });

export type LicenseView = z.infer<typeof license>;
