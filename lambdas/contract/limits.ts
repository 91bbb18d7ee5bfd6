/** Limits for one address or license, in addition to the rate limits of routes, which count all callers together. */

/** Trials that apps of one product may start with one address within 24 hours. */
export const TRIALS_PER_DAY = 5;

/** Mails with a key that may be requested within an hour: for one license, and for one address of a product. */
export const KEY_MAILS_PER_HOUR = { license: 5, address: 3 } as const;
