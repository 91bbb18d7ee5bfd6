import * as z from 'zod/mini';
import { parseAddress } from '../mail-address';
import { documented } from '../schema';
import { text } from '../text';

/** An e-mail address to which mail can be sent, in the spelling in which it is stored. */
export const email = documented(
  z.pipe(
    text(1, 254),
    z.transform((raw, context) => {
      const address = parseAddress(raw);
      if (address !== undefined) return address;
      context.issues.push({ code: 'custom', message: 'must be a valid e-mail address', input: raw });
      return z.NEVER;
    }),
  ),
  { type: 'string', format: 'email', examples: ['ada@example.com'] },
);
