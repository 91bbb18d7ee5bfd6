import * as z from 'zod';
import { timestamp } from '../text';

/** The limits that decide which releases a license covers (docs/spec/releases.md, What a license covers). */
export const updates = z
  .object({
    until: timestamp.nullable().meta({ description: 'Releases up to this instant are covered; null: no such limit.' }),
    max_major: z.int().min(0).nullable().meta({ description: 'Releases up to this major version are covered; null: no such limit.' }),
  })
  .meta({ id: 'Updates', description: 'A release that either limit covers is covered, and every release if there is none.' });

export type UpdatesView = z.infer<typeof updates>;
