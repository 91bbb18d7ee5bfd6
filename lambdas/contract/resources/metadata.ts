import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { hasNulOrLoneSurrogate } from '../text';

export const MAX_METADATA_BYTES = 16 * 1024;
export const MAX_METADATA_DEPTH = 20;

/**
 * Whether a JSON value has more than `levels` levels of nested objects and lists. The function does not look below that depth, so that a
 * very deeply nested value cannot exhaust the stack.
 */
export const depthExceeds = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inner) => depthExceeds(inner, levels - 1)));

const someText = (value: unknown, holds: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return holds(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => holds(name) || someText(inner, holds));
};

/**
 * A schema for an object with any fields: at most 16 KB as JSON and at most 20 levels deep. The object is stored as JSON, with all its
 * fields and values.
 */
export const metadata = documented(
  checked(
    z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
      error: 'must be an object',
      abort: true,
    }),
    z.refine((value) => !depthExceeds(value, MAX_METADATA_DEPTH), {
      error: `must be at most ${MAX_METADATA_DEPTH} levels deep`,
      abort: true,
    }),
    z.refine((value) => !someText(value, hasNulOrLoneSurrogate), { error: 'must not contain NUL or lone surrogates' }),
    z.refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES, {
      error: `must be at most ${MAX_METADATA_BYTES / 1024} KB`,
    }),
  ),
  {
    id: 'Metadata',
    type: 'object',
    additionalProperties: true,
    description: `Data that the operator stores with the license: at most ${MAX_METADATA_BYTES / 1024} KB as JSON, and at most ${MAX_METADATA_DEPTH} levels deep. A number that cannot be stored exactly is refused: send such a number as text. Client apps never see the metadata.`,
  },
);
