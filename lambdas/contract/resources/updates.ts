import * as z from 'zod';
import { timestamp } from '../text';

/** The limits that decide which releases a license covers (docs/spec/releases.md, What a license covers). */
export const updates = z
  .object({
    until: timestamp.nullable().meta({ description: 'The license covers releases up to this instant; null: no limit by date.' }),
    max_major: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'The license covers releases up to this major version; null: no limit by version.' }),
  })
  .meta({
    id: 'Updates',
    description:
      'The limits that decide which releases a license covers. A release is covered if at least one limit covers it, or if there is no limit.',
  });

export type UpdatesView = z.infer<typeof updates>;
