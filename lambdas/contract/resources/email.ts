import { text } from '../text';

/**
 * Whether it is an address as mail is sent to today: the local part with letters of every script (RFC 5321, 6531) but
 * never quoted, and a domain of two names or more. The pattern takes milliseconds to make, so it is made when needed.
 */
const isAddress = (value: string): boolean =>
  /^(?=.{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(
    value,
  );

export const email = text(1, 254)
  .refine(isAddress, { error: 'must be a valid e-mail address' })
  .meta({ type: 'string', format: 'email', examples: ['ada@example.com'] });
