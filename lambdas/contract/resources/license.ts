import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { languages } from '../languages';
import { processors } from '../processors';
import { timestamp } from '../text';
import { createdAt, id, productId } from './common';
import { boundDevice, seats } from './device';
import { featureNames } from './feature-names';
import { canonicalKey } from './license-key';
import { shownLimits } from './license-limits';
import { expiresAt, licenseStatus } from './license-state';
import { updates } from './updates';
import { licenseTerms } from './license-type';
import { metadata } from './metadata';

const licenseOrder = documented(
  z.object({
    processor: z.enum(processors),
    connection_id: z.int(),
    order_id: documented(z.string(), { description: 'The id of the order, as the buyer sees it.' }),
    subscription_id: z.nullable(z.string()),
    ref: documented(z.nullable(z.string()), { description: "The processor's id of the product or price that was sold." }),
    line: z.nullable(z.string()),
    test: documented(z.boolean(), { description: 'True for a sale in the test mode of the processor.' }),
  }),
  { id: 'LicenseOrder' },
);

/** The fields of a license for operators, without the list of its devices. Events contain the same fields. */
export const licenseFields = {
  id,
  product_id: productId,
  key: canonicalKey,
  status: licenseStatus,
  expires_at: expiresAt,
  term: documented(z.nullable(z.object({ starts: z.literal('activation'), days: checked(z.int(), z.minimum(1)) })), {
    description:
      'The term that will start with the first activation; null if the term has already started, or if the license has no such term.',
  }),
  updates,
  license_type: z.object({ id, ...licenseTerms }),
  seats,
  members: documented(z.nullable(checked(z.int(), z.minimum(0))), {
    description: 'The number of members, each of whom takes a seat; null for the binding `device`.',
  }),
  features: featureNames,
  limits: shownLimits,
  customer_email: documented(z.nullable(z.string()), { description: "The buyer's e-mail address. Client apps never see it." }),
  language: documented(z.nullable(z.enum(languages)), {
    description: 'The language of mails about the license; null: the language of the product.',
  }),
  label: documented(z.nullable(z.string()), {
    description: 'The label that the buyer has given the license in the portal; null if it has none.',
  }),
  metadata,
  created_at: createdAt,
  revoked_at: documented(z.nullable(timestamp), { description: 'The time at which the license was revoked; null if it is not revoked.' }),
  revoked_reason: documented(z.nullable(z.string()), { description: 'The reason for the revocation; null if no reason was given.' }),
  suspended_at: documented(z.nullable(timestamp), {
    description: 'The time at which the license was suspended; null if it is not suspended.',
  }),
  suspended_reason: documented(z.nullable(z.string()), {
    description: 'The reason for the suspension, from the operator or the processor; null if no reason was given.',
  }),
  suspended_by: documented(z.nullable(z.string()), {
    description: 'Who suspended the license: `operator`, or the name of a payment processor.',
  }),
  suspended_cause: documented(z.nullable(z.enum(['operator', 'payment', 'pause', 'dispute'])), {
    description:
      'The cause of the suspension. The suspension ends if the payment processor reports that this cause has ended, or if an operator reinstates the license.',
  }),
  order: documented(z.nullable(licenseOrder), {
    description: 'The order at a payment processor for which the license was issued; null if there is no order.',
  }),
  new_devices: documented(z.object({ count: checked(z.int(), z.minimum(0)), since: z.nullable(timestamp) }), {
    description:
      'The count of new devices for the limit `new_devices_per_week`. The count covers 7 days from `since`, which is the time at which the first of these devices took its seat. `since` is null if the count is 0.',
  }),
};

/** The admin view of a license. */
export const license = documented(
  z.object({
    ...licenseFields,
    own_terms: documented(z.array(z.enum(['max_seats', 'features', 'limits', 'meters'])), {
      description: 'Which terms the license has of its own, even if they equal those of its license type.',
    }),
    activations: documented(z.array(boundDevice), { description: 'The devices that are bound now.' }),
  }),
  { id: 'License' },
);

export type LicenseView = z.infer<typeof license>;
