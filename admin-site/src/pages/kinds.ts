import type { LicenseType } from '../api';
import { t } from '../texts';

/** The kinds of license types with their descriptions. */
export const kinds: Readonly<Record<LicenseType['kind'], { readonly label: string; readonly words: string; readonly timed: boolean }>> = {
  lifetime: { label: t('Lifetime'), words: t('Bought once, never expires.'), timed: false },
  subscription: { label: t('Subscription'), words: t('Expires unless it is renewed.'), timed: true },
  trial: { label: t('Trial'), words: t('For trying the product for some days.'), timed: true },
  floating: { label: t('Floating'), words: t('A team shares its seats; never expires.'), timed: false },
};
