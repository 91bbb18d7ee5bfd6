import * as z from 'zod/mini';
import { checked, documented } from '../schema';

/** Names of features that the buyer may use (docs/spec/licenses.md, Features): at most 50 distinct names, stored in sorted order. */
export const features = documented(
  z.pipe(
    checked(
      z.array(checked(z.string(), z.regex(/^[a-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-"' }))),
      z.maxLength(50),
      z.refine((names) => new Set(names).size === names.length, { error: 'must be distinct' }),
    ),
    z.transform((names) => [...names].sort()),
  ),
  {
    type: 'array',
    items: { type: 'string', pattern: '^[a-z0-9._-]{1,64}$' },
    maxItems: 50,
    uniqueItems: true,
    examples: [['export', 'sync']],
  },
);
