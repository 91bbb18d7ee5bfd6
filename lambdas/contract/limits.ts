/** Limits for one address or license, in addition to the rate limits of routes, which count all callers together. */

/** Trials that apps of one product may start with one address within 24 hours. */
export const TRIALS_PER_DAY = 5;

/**
 * Rows about refused requests of apps: how many there are for a license and for the unknown keys of a product, how many
 * are written in a minute, and how long they are kept, in ms.
 */
export const REFUSALS = {
  license: { rows: 20, perMinute: 60 },
  product: { rows: 200, perMinute: 300 },
  keptMs: 30 * 86_400_000,
} as const;

/** Mails with a key that may be requested within an hour: for one license, and for one address of a product. */
export const KEY_MAILS_PER_HOUR = { license: 5, address: 3 } as const;

/** Mails with a code for the portal, for one address of a product within 10 minutes. */
export const CODE_MAILS = 3;
/** Mails with a code for one product's portal within a minute. Further ones wait. */
export const CODE_MAILS_PER_MINUTE = 20;
/** Attempts to enter a code, after which it is dead. */
export const CODE_ATTEMPTS = 5;
/** Mails with the key of one license that its buyer may request within 24 hours. */
export const BUYER_KEY_MAILS_PER_DAY = 3;
/** Changes of the address that a buyer may begin within 24 hours. */
export const EMAIL_CHANGES_PER_DAY = 5;
