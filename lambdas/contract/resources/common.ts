import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { nameText, text, textLike, timestamp } from '../text';

/** Maximum size of a request body, in bytes of UTF-8. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The body of every error. */
export const errorBody = documented(
  z.object({ detail: documented(z.string(), { description: 'A sentence that explains the error to people.' }) }),
  { id: 'Error' },
);

/** The format of the `Idempotency-Key` header: 1 to 255 printable ASCII characters without spaces. */
export const idempotencyKey = documented(
  checked(z.string(), z.regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 printable ASCII characters without spaces' })),
  { examples: ['order-A-1001'] },
);

/** An integer id in a path or a query. It is decimal, at least 1, and has no sign or leading zeros. */
export const pathId = documented(
  checked(
    z.pipe(checked(z.string(), z.regex(/^[1-9]\d{0,15}$/, { error: 'must be a decimal integer of at least 1' })), z.transform(Number)),
    z.refine(Number.isSafeInteger, { error: `must be at most ${Number.MAX_SAFE_INTEGER}` }),
  ),
  { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] },
);

export const id = checked(z.int(), z.minimum(1));
export const productId = documented(id, { description: 'The id of the product.' });
export const createdAt = documented(timestamp, { description: 'The time of creation.' });

export const name = nameText(1, 200);
export const slug = textLike(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'consist of letters, digits, ".", "_" and "-" and start with a letter or digit',
  64,
);

/** An id of an order at a payment processor. */
export const orderId = text(1, 255);
