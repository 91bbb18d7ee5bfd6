import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { timestamp } from '../text';

/** The limits that decide which releases a license covers (docs/spec/releases.md, What a license covers). */
export const updates = documented(
  z.object({
    until: documented(z.nullable(timestamp), { description: 'The license covers releases up to this instant; null: no limit by date.' }),
    max_major: documented(z.nullable(checked(z.int(), z.minimum(0))), {
      description: 'The license covers releases up to this major version; null: no limit by version.',
    }),
  }),
  {
    id: 'Updates',
    description:
      'The limits that decide which releases a license covers. A release is covered if it is within at least one of the limits, or if there is no limit.',
  },
);

export type UpdatesView = z.infer<typeof updates>;
