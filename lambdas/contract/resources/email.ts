import { text } from '../text';

/**
 * Whether it is an address to which mail can be sent today: a local part with letters of any script (RFC 5321, 6531),
 * never quoted, and a domain of at least two names. Compiling the pattern takes milliseconds, so that is done when it
 * is first needed.
 */
const isAddress = (value: string): boolean =>
  /^(?=.{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(
    value,
  );

export const email = text(1, 254)
  .refine(isAddress, { error: 'must be a valid e-mail address' })
  .meta({ type: 'string', format: 'email', examples: ['ada@example.com'] });
