import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { text } from '../text';

/**
 * Whether a text has the format of an e-mail address to which mail can be sent. The local part may contain letters of any script (RFC 5321,
 * 6531), but no quotes. The domain must have at least two parts. Compiling the pattern takes milliseconds, so the pattern is compiled only
 * when it is first needed.
 */
const isAddress = (value: string): boolean =>
  /^(?=.{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(
    value,
  );

export const email = documented(checked(text(1, 254), z.refine(isAddress, { error: 'must be a valid e-mail address' })), {
  type: 'string',
  format: 'email',
  examples: ['ada@example.com'],
});
