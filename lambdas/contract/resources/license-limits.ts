import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { sortedLimits, type Limits } from './limits-text';

/** The schemas of a license's limits. */

const MAX_LIMITS = 50;
/** Maximum size of the limits as JSON. An offline token contains them, and clients accept tokens of at most 8,192 characters. */
const MAX_LIMITS_BYTES = 1536;

/** The format of a name of a limit or a meter. */
export const itemName = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const itemNameRule = 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-", and begin with a letter or digit';

/** Limits in a request: at most 50 names with integers. They are stored in the order of their names. */
export const limits = documented(
  z.pipe(
    checked(
      z.custom<Limits>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
        error: 'must be an object',
        abort: true,
      }),
      z.superRefine((value, context) => {
        const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
        const entries = Object.entries(value);
        if (entries.length > MAX_LIMITS) return refuse([], `must have at most ${MAX_LIMITS} entries`);
        for (const [name, limit] of entries) {
          if (!itemName.test(name)) refuse([name], `${itemNameRule} (the name of a limit)`);
          else if (!Number.isSafeInteger(limit) || limit < 0) refuse([name], `must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
        }
        if (JSON.stringify(value).length > MAX_LIMITS_BYTES) refuse([], `must have at most ${MAX_LIMITS_BYTES} bytes as JSON`);
      }),
    ),
    z.transform(sortedLimits),
  ),
  {
    type: 'object',
    propertyNames: { pattern: itemName.source },
    additionalProperties: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    maxProperties: MAX_LIMITS,
    description: `Numbers that the app reads, by name: at most ${MAX_LIMITS}, and at most ${MAX_LIMITS_BYTES} bytes as JSON. The service does not enforce them.`,
    examples: [{ cores: 8, projects: 50 }],
  },
);

/** Limits in a response. */
export const shownLimits = documented(z.record(z.string(), checked(z.int(), z.minimum(0))), {
  description: 'Numbers that the app reads, by name, such as the number of projects. The service does not enforce them.',
});
