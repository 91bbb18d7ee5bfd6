import type { Processor } from '../../contract/processors';
import { custom } from './custom';
import { gumroad } from './gumroad';
import { lemonsqueezy } from './lemonsqueezy';
import type { Adapter } from './model';
import { paddle } from './paddle';
import { polar } from './polar';
import { stripe } from './stripe';

export * from './model';
export { NO_MONEY } from './notification';

/** The adapter of each processor. */
export const adapters: Readonly<Record<Processor, Adapter>> = { stripe, paddle, lemonsqueezy, polar, gumroad, custom };
