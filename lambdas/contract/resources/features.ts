import * as z from 'zod';

/** Names of features that the buyer may use (docs/spec/licenses.md, Features): at most 50 distinct names, stored in sorted order. */
export const features = z
  .array(z.string().regex(/^[a-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-"' }))
  .max(50)
  .refine((names) => new Set(names).size === names.length, { error: 'must be distinct' })
  .transform((names) => [...names].sort())
  .meta({
    type: 'array',
    items: { type: 'string', pattern: '^[a-z0-9._-]{1,64}$' },
    maxItems: 50,
    uniqueItems: true,
    examples: [['export', 'sync']],
  });
export const featureNames = z.array(z.string()).meta({ description: 'The names of the features that the buyer may use, sorted.' });
