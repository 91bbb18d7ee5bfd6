import type { ImportedColumn } from '../../contract/license-columns';
import type { AddedDevice } from '../../contract/license-operations';
import { inexactNumber } from '../exact-numbers';

/**
 * The file formats that an import reads: this service's own format, and the formats of other license services. Each source converts the
 * file's columns into the columns of this service's format. (docs/migration.md describes the formats for operators)
 */

export const sourceNames = ['own', 'keygen', 'lemonsqueezy', 'gumroad', 'cryptlex', 'woocommerce'] as const;
export type SourceName = (typeof sourceNames)[number];

/** Returns the first cell that is not empty in the columns with these names; '' if all are empty. */
export type Get = (...names: readonly string[]) => string;

/** The values of a row, by the column names of this service's format. A missing column counts as empty. */
export type Fields = Partial<Readonly<Record<ImportedColumn, string>>>;

/** The values that a source reads from a row. */
export interface SourceFields extends Fields {
  /** The number of units that were sold with one key. The license gets the seats of its type for each unit, unless `max_seats` is set. */
  readonly quantity?: string;
}

export interface Source {
  /**
   * Reads a row. For every row, the function must call `get` for all columns that it knows, because these calls show which columns the
   * source reads.
   */
  readonly fields: (get: Get) => SourceFields;
  /** The names of the fields that describe a device, for each field of this service. Without it, the names are those of this service. */
  readonly device?: Partial<Readonly<Record<keyof AddedDevice, readonly string[]>>>;
  /**
   * Returns the reason why a row is skipped: it describes no license, or a license that an earlier row already described. Undefined if the
   * row must be imported.
   */
  readonly passOver?: (get: Get, isKnownKey: (key: string) => boolean) => string | undefined;
  /**
   * Whether the system adds a column for each custom field of the seller after its own columns. If a custom field has the name of one of
   * the system's columns, the system's column counts.
   */
  readonly hasCustomColumns?: true;
}

/** A name in the form in which names are compared: `User email`, `user_email` and `userEmail` are equal. */
export const comparableName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const isYes = (cell: string): boolean => /^(1|true|yes)$/i.test(cell.trim());
const isNo = (cell: string): boolean => /^(0|false|no)$/i.test(cell.trim());

/**
 * Adds facts from other columns, such as the buyer's name or the license's id in the other system, to the license's metadata.
 *
 * @param metadata JSON or empty. If it is not a JSON object, or has a number that parsing would change, it remains unchanged and is
 *   refused later.
 */
function withNotes(metadata: string, notes: Readonly<Record<string, string>>): string {
  const given = Object.entries(notes).filter(([, value]) => value !== '');
  if (given.length === 0 || inexactNumber(`{"metadata":${metadata}}`, 'metadata') !== undefined) return metadata;
  let own: unknown;
  try {
    own = JSON.parse(metadata === '' ? '{}' : metadata);
  } catch {
    return metadata;
  }
  return typeof own === 'object' && own !== null && !Array.isArray(own)
    ? JSON.stringify({ ...Object.fromEntries(given), ...own })
    : metadata;
}

/** Converts names to the format of feature names. */
const featureNames = (cell: string): string =>
  cell
    .toLowerCase()
    .split(/[\s,;|]+/)
    .filter(Boolean)
    .join(' ');

const own: Source = {
  fields: (get) => ({
    key: get('key'),
    license_type: get('license_type'),
    customer_email: get('customer_email'),
    metadata: withNotes(get('metadata'), { name: get('name'), company: get('company') }),
    expires_at: get('expires_at'),
    updates_until: get('updates_until'),
    max_major: get('max_major'),
    max_seats: get('max_seats'),
    features: get('features'),
    limits: get('limits'),
    created_at: get('created_at'),
    status: get('status'),
    order: get('order'),
    language: get('language'),
    devices: get('devices', 'activations'),
    member_list: get('member_list'),
  }),
};

const KEYGEN_STATUS: Readonly<Record<string, string>> = {
  ACTIVE: 'active',
  INACTIVE: 'active',
  EXPIRING: 'active',
  EXPIRED: 'expired',
  SUSPENDED: 'suspended',
  BANNED: 'revoked',
};

/**
 * The attributes of a license in Keygen's API. A license without its own limit has the limit of its policy in Keygen. After the import,
 * such a license has the limit of its license type.
 */
const keygen: Source = {
  fields: (get) => {
    const [status, suspended, id, name] = [get('status'), get('suspended'), get('id'), get('name')];
    return {
      key: get('key'),
      license_type: get('policy', 'policy name', 'policy id'),
      customer_email: get('email', 'user email', 'owner email', 'user', 'owner'),
      metadata: withNotes(get('metadata'), { keygen_id: id, name }),
      expires_at: get('expiry'),
      max_seats: get('max machines'),
      features: featureNames(get('entitlements')),
      created_at: get('created'),
      status: isYes(suspended) ? 'suspended' : (KEYGEN_STATUS[status.toUpperCase()] ?? status),
      devices: get('machines'),
    };
  },
  device: { name: ['name', 'hostname'], activated_at: ['created'] },
};

const LEMONSQUEEZY_STATUS: Readonly<Record<string, string>> = {
  inactive: 'active',
  active: 'active',
  expired: 'expired',
  disabled: 'suspended',
};

/** The attributes of a license key in Lemon Squeezy's API. An empty limit means that there is no limit. */
const lemonsqueezy: Source = {
  fields: (get) => {
    const [status, disabled, id, name] = [get('status'), get('disabled'), get('id'), get('user name', 'customer name')];
    return {
      key: get('key', 'license key'),
      license_type: get('variant', 'variant name', 'product', 'product name', 'product id'),
      customer_email: get('user email', 'customer email', 'email'),
      metadata: withNotes('', { lemonsqueezy_id: id, name }),
      expires_at: get('expires at'),
      max_seats: get('activation limit') || '0',
      created_at: get('created at'),
      status: isYes(disabled) ? 'suspended' : (LEMONSQUEEZY_STATUS[status.toLowerCase()] ?? status),
      order: get('order id', 'order number'),
      devices: get('instances'),
    };
  },
  device: { fingerprint: ['identifier'], activated_at: ['created_at'] },
};

/**
 * Gumroad's file of sales. A license is revoked if its sale was refunded or lost in a dispute, or if access to the sale was revoked. A
 * license is suspended if its key was disabled.
 */
const gumroad: Source = {
  fields: (get) => {
    const [refunded, barred, disputed, won] = [get('Fully Refunded?'), get('Access Revoked?'), get('Disputed?'), get('Dispute Won?')];
    const isOver = isYes(refunded) || isYes(barred) || (isYes(disputed) && !isYes(won));
    const [enabled, id, number, name] = [get('License Key Enabled?'), get('Purchase ID'), get('Order Number'), get('Buyer Name')];
    return {
      key: get('License Key'),
      license_type: get('Variants', 'Item Name'),
      customer_email: get('Giftee Email', 'Purchase Email', 'Buyer Email'),
      metadata: withNotes('', { gumroad_order_number: number, name }),
      expires_at: get('Subscription End Date'),
      quantity: get('Quantity'),
      created_at: get('Purchase Time (UTC timezone)', 'Purchase Date'),
      status: isOver ? 'revoked' : isNo(enabled) ? 'suspended' : 'active',
      order: id,
    };
  },
  passOver: (get, isKnownKey) => {
    const [id, key, recurring] = [get('Purchase ID'), get('License Key'), get('Recurring Charge?')];
    if (id === 'Totals') return 'the line of totals';
    if (key === '') return 'a sale without a license key';
    return isYes(recurring) && isKnownKey(key) ? 'a further charge for a license of this file' : undefined;
  },
  hasCustomColumns: true,
};

/** Converts Cryptlex's metadata, which is a list of names and values. */
function cryptlexMetadata(cell: string): string {
  try {
    const list: unknown = JSON.parse(cell);
    if (!Array.isArray(list)) return cell;
    return JSON.stringify(Object.fromEntries((list as { key: string; value: unknown }[]).map(({ key, value }) => [key, value])));
  } catch {
    return cell;
  }
}

/** The attributes of a license in Cryptlex's API. */
const cryptlex: Source = {
  fields: (get) => {
    const [revoked, suspended, id, seats] = [get('revoked'), get('suspended'), get('id'), get('allowed activations')];
    return {
      key: get('key', 'license key'),
      license_type: get('license template', 'template', 'product', 'product name', 'product id'),
      customer_email: get('user email', 'email', 'user'),
      metadata: withNotes(cryptlexMetadata(get('metadata')), { cryptlex_id: id, notes: get('notes'), company: get('company') }),
      expires_at: get('expires at'),
      max_seats: seats === '-1' ? '0' : seats,
      created_at: get('created at'),
      status: isYes(revoked) ? 'revoked' : isYes(suspended) ? 'suspended' : 'active',
      devices: get('activations'),
    };
  },
  device: { name: ['hostname'], platform: ['os'], activated_at: ['createdAt'] },
};

const WOOCOMMERCE_STATUS: Readonly<Record<string, string>> = {
  sold: 'active',
  delivered: 'active',
  active: 'active',
  inactive: 'suspended',
  disabled: 'suspended',
};

/**
 * The export of the WordPress plugin License Manager for WooCommerce. The plugin also contains keys that the shop has not sold yet: they
 * have the status `ACTIVE` (for sale) or `INACTIVE`, and belong neither to an order nor to a user. An empty limit means that there is no
 * limit.
 */
const woocommerce: Source = {
  fields: (get) => {
    const [status, id, name] = [get('status'), get('id'), get('user name', 'customer name')];
    return {
      key: get('license key'),
      license_type: get('product name', 'product', 'product id'),
      customer_email: get('user email', 'customer email', 'billing email', 'email'),
      metadata: withNotes('', { woocommerce_license_id: id, name }),
      expires_at: get('expires at').replace(/^0000-00-00.*$/, ''),
      max_seats: get('times activated max') || '0',
      created_at: get('created at'),
      status: WOOCOMMERCE_STATUS[status.toLowerCase()] ?? status,
      order: get('order id', 'order num'),
    };
  },
  passOver: (get) => {
    const [status, order, user] = [get('status'), get('order id', 'order num'), get('user id', 'user email')];
    const isSold = [order, user].some((value) => !/^0?$/.test(value));
    return !isSold && /^(active|inactive)$/i.test(status) ? 'a key that is not sold yet' : undefined;
  },
};

export const sources: Readonly<Record<SourceName, Source>> = { own, keygen, lemonsqueezy, gumroad, cryptlex, woocommerce };
