import type { LicenseType } from '../api';

/** The kinds of license types with their descriptions. */
export const kinds: Readonly<Record<LicenseType['kind'], { readonly label: string; readonly words: string; readonly timed: boolean }>> = {
  lifetime: { label: 'Lifetime', words: 'Bought once, never expires.', timed: false },
  subscription: { label: 'Subscription', words: 'Expires unless it is renewed.', timed: true },
  trial: { label: 'Trial', words: 'For trying the product for some days.', timed: true },
  floating: { label: 'Floating', words: 'A team shares its seats; never expires.', timed: false },
};
