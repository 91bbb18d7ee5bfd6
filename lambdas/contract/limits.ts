/**
 * Limits for one e-mail address or one license. These limits apply in addition to the rate limits of routes, which count all callers
 * together.
 */

/** Maximum number of trials that apps of one product may start with one e-mail address within 24 hours. */
export const TRIALS_PER_DAY = 5;

/**
 * The number of new trials of a product within an hour: the limit of a product whose operator has set no other limit, and the highest limit
 * that an operator may set.
 */
export const TRIALS_PER_HOUR = { default: 500, highest: 100_000 } as const;

/** Number of days after its end for which a trial that an app started, and that nobody bought, is kept. */
export const TRIAL_KEPT_DAYS = 90;

/**
 * Limits for the rows that record refused requests of apps. The limits in `license` apply to the rows of each license, and the limits in
 * `product` to all rows about unknown keys in each product. `rows` is the maximum number of rows that are shown. The rows are stored in
 * `groups` groups, each with a fixed number of slots. Recording a refusal reads only the group of the refusal, so that its cost does not
 * depend on the number of rows. A product has more slots than shown rows, because the groups fill unevenly. `perMinute` is the maximum number
 * of rows that are written in a group within a minute. `keptMs` is the time for which a row is stored. `waitMs` is the maximum time that a
 * refused request waits until its row is written.
 *
 * The texts that an app sends are shortened to a number of bytes (`labelBytes`), so that a row has at most 512 bytes. Reading a group with
 * 32 slots then costs at most 2 read units, and writing a row costs one write unit.
 */
export const REFUSALS = {
  license: { rows: 20, groups: 1, slots: 20, perMinute: 60 },
  product: { rows: 200, groups: 16, slots: 32, perMinute: 32 },
  keptMs: 30 * 86_400_000,
  waitMs: 200,
  labelBytes: { name: 120, platform: 60, version: 40 },
} as const;

/**
 * Maximum number of mails with a license key that operators may request within an hour. `license` applies to each license, and `address` to
 * each e-mail address in a product.
 */
export const KEY_MAILS_PER_HOUR = { license: 5, address: 3 } as const;

/** Maximum number of mails with a code for a product's portal that are sent to one e-mail address within 10 minutes. */
export const CODE_MAILS = 3;
/** Maximum number of mails with a code for one product's portal within a minute. Further mails wait. */
export const CODE_MAILS_PER_MINUTE = 20;
/** Maximum number of attempts to enter a code. After this number of attempts the code is invalid. */
export const CODE_ATTEMPTS = 5;
/** Maximum number of mails with the license key that a buyer may request for one license within 24 hours. */
export const BUYER_KEY_MAILS_PER_DAY = 3;
/** Maximum number of times that a buyer may replace the key of one license within 24 hours. */
export const BUYER_REISSUES_PER_DAY = 3;
/** Maximum number of times that a buyer may request a change of the buyer's e-mail address within 24 hours. */
export const EMAIL_CHANGES_PER_DAY = 5;

/** Number of minutes for which a buyer can approve an app's request to be activated by sign-in. */
export const ACTIVATION_REQUEST_MINUTES = 10;
/** Maximum number of mails about a sign-in on a device that are sent for one license within 24 hours. */
export const DEVICE_MAILS_PER_DAY = 10;

/** Maximum number of members of a license. */
export const MAX_MEMBERS = 1000;
/**
 * Maximum number of invitations that are mailed on a UTC day for one license, and for all licenses of one product. An address gets at most
 * one invitation of a product within 24 hours.
 */
export const INVITATIONS_PER_DAY = { license: 250, product: 1_000 } as const;

/** Number of days for which an entry of the audit log is stored (docs/spec/operator.md, Audit log). */
export const AUDIT_DAYS = 400;
