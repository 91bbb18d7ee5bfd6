import type { LicenseType } from '../api';

/** The kinds of license types as an operator chooses between them. */
export const kinds: Readonly<Record<LicenseType['kind'], { readonly label: string; readonly words: string; readonly timed: boolean }>> = {
  lifetime: { label: 'Lifetime', words: 'Bought once, never runs out.', timed: false },
  subscription: { label: 'Subscription', words: 'Runs out unless it is renewed.', timed: true },
  trial: { label: 'Trial', words: 'To try the product for some days.', timed: true },
  floating: { label: 'Floating', words: 'Seats that a team passes around; never runs out.', timed: false },
};
