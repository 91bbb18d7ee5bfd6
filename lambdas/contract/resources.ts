import * as z from 'zod';
import { processors } from './processors';
import { secret, secretIfPermitted } from './secret';
import { licenseStatuses } from './statuses';
import { hasNulOrLoneSurrogate, nameText, text, textLike, timestamp } from './text';

/** The resources of the API as they appear in requests and responses (decisions.md). */

/** Largest request body, in bytes of UTF-8. */
export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_METADATA_BYTES = 16 * 1024;
export const MAX_METADATA_DEPTH = 20;

export const licenseKinds = ['lifetime', 'subscription', 'floating', 'trial'] as const;
export type LicenseKind = (typeof licenseKinds)[number];
export const licenseKind = z.enum(licenseKinds).meta({
  id: 'LicenseKind',
  description: 'Licenses of the kinds `subscription` and `trial` run out; the others never do unless an expiry is given.',
});
/** Kinds whose licenses run out after the type's `duration_days`. */
export const isTimed = (kind: LicenseKind): boolean => kind === 'subscription' || kind === 'trial';

export const licenseStatus = z.enum(licenseStatuses).meta({
  id: 'LicenseStatus',
  description: 'The stored status. Expiry is noticed only when an activation or a validation checks the license.',
});

/** The body of every error. */
export const errorBody = z
  .object({ detail: z.string().meta({ description: 'What went wrong, for a person to read.' }) })
  .meta({ id: 'Error' });

/** What an `Idempotency-Key` header may hold: 1 to 255 printable ASCII characters without spaces. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 printable ASCII characters without spaces' })
  .meta({ examples: ['order-A-1001'] });

/** An integer id in a path or a query: decimal, from 1, no sign, no leading zero. */
export const pathId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, { error: 'must be a decimal integer from 1' })
  .transform(Number)
  .refine(Number.isSafeInteger, { error: 'is too large' })
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] });

const id = z.int().min(1);
const productId = id.meta({ description: 'Id of the product it belongs to.' });
const createdAt = timestamp.meta({ description: 'When it was created.' });

export const name = nameText(1, 200);
export const slug = textLike(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  'consist of letters, digits, ".", "_" and "-" and start with a letter or digit',
  64,
);
/**
 * Whether it is an address as mail is sent to today: the local part with letters of every script (RFC 5321, 6531) but
 * never quoted, and a domain of two names or more. The pattern takes milliseconds to make, so it is made when needed.
 */
const isAddress = (value: string): boolean =>
  /^(?=.{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(value);

export const email = text(1, 254)
  .refine(isAddress, { error: 'must be an e-mail address' })
  .meta({ type: 'string', format: 'email', examples: ['ada@example.com'] });

const depthExceeds = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => depthExceeds(inner, levels - 1)));

const someText = (value: unknown, holds: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return holds(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => holds(name) || someText(inner, holds));
};

/** Free-form object: at most 16 KB as JSON and 20 levels deep. Kept as it is, byte for byte where JSON allows. */
export const metadata = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
    abort: true,
  })
  .refine((value) => !depthExceeds(value, MAX_METADATA_DEPTH), {
    error: `must be at most ${MAX_METADATA_DEPTH} levels deep`,
    abort: true,
  })
  .refine((value) => !someText(value, hasNulOrLoneSurrogate), { error: 'must not contain NUL or lone surrogates' })
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES, {
    error: `must be at most ${MAX_METADATA_BYTES / 1024} KB`,
  })
  .meta({
    id: 'Metadata',
    type: 'object',
    additionalProperties: true,
    description: `Anything the operator wants to keep with the license: at most ${MAX_METADATA_BYTES / 1024} KB as JSON, at most ${MAX_METADATA_DEPTH} levels deep. A number that would lose digits is refused; send it as text. Clients never see it.`,
  });

/** 8 to 128 printable ASCII characters without spaces; a hex string is compared in lower case. */
export const fingerprint = z
  .string()
  .transform((raw) => raw.trim())
  .pipe(z.string().regex(/^[\x21-\x7e]{8,128}$/, { error: 'must be 8 to 128 printable ASCII characters without spaces' }))
  .transform((value) => (/^[0-9a-fA-F]+$/.test(value) ? value.toLowerCase() : value))
  .meta({
    type: 'string',
    minLength: 8,
    maxLength: 128,
    pattern: '^[\\x21-\\x7e]{8,128}$',
    description: 'Identifies the machine, the same on every run: by convention the SHA-256 of a machine identifier in hex. A hex string is compared in lower case.',
    examples: ['b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31'],
  });

/** An id that a payment processor uses for an order. */
export const orderId = text(1, 255);

/** A key as another system issued it (licenses.md, Existing keys). */
export const existingKey = textLike(/^(?=(?:-*[A-Za-z0-9]){8})[A-Za-z0-9-]{8,64}$/, 'consist of 8 to 64 letters, digits and hyphens, 8 letters or digits at least', 64);

/** A license key as typed by a person. One whose check fails is an unknown key, not a malformed request. */
export const licenseKey = text(1, MAX_BODY_BYTES).meta({
  type: 'string',
  minLength: 1,
  description: 'The license key as typed: case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L` as `1`.',
  examples: ['9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z'],
});

/** A license key in a response: as this service made it, or as another system issued it. */
const canonicalKey = z.string().meta({ description: 'The license key.', examples: ['9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z'] });

const expiresAt = timestamp.nullable().meta({ description: 'The license is expired from this moment on; null if it never expires.' });
const maxSeats = z.int().min(0).meta({ description: 'Maximum number of devices at a time; 0 means unlimited.' });
/** Names of what the buyer may use (licenses.md, Features): at most 50, distinct; kept sorted. */
export const features = z
  .array(z.string().regex(/^[a-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-"' }))
  .max(50, { error: 'must have at most 50 entries' })
  .refine((names) => new Set(names).size === names.length, { error: 'must be distinct' })
  .transform((names) => [...names].sort())
  .meta({ type: 'array', items: { type: 'string', pattern: '^[a-z0-9._-]{1,64}$' }, maxItems: 50, uniqueItems: true, examples: [['export', 'sync']] });
export const featureNames = z.array(z.string()).meta({ description: 'What the buyer may use, sorted.' });
export const leaseMinutes = z
  .int()
  .min(5)
  .max(43_200)
  .nullable()
  .meta({ description: 'Minutes that a floating seat is held after a check of its device; null: until it is freed.' });
export const newDevicesPerWeek = z.int().min(0).max(1000).meta({ description: 'How many new devices may take a seat of one license within 7 days; 0 means any number.' });
const durationDays = z
  .int()
  .min(1)
  .nullable()
  .meta({ description: 'Days from issue to expiry; null for the kinds `lifetime` and `floating`.' });

export const product = z
  .object({
    id,
    name: z.string(),
    slug: z.string().meta({ description: 'Short name; the audience (`aud`) of offline tokens and the `product` of events.' }),
    api_key: secret(z.string().meta({ description: 'The credential of client apps (`X-API-Key`).' })),
    public_key: z.string().meta({ description: 'Ed25519 public key, SubjectPublicKeyInfo PEM; verifies offline tokens.' }),
    created_at: createdAt,
  })
  .meta({ id: 'Product' });

/** A product as every admin token may see it. */
export const shownProduct = product.extend({ api_key: secretIfPermitted(product.shape.api_key) }).meta({ id: 'ShownProduct' });

export const licenseType = z
  .object({
    id,
    product_id: productId,
    name: z.string(),
    kind: licenseKind,
    max_seats: maxSeats,
    duration_days: durationDays,
    features: featureNames,
    lease_minutes: leaseMinutes,
    new_devices_per_week: newDevicesPerWeek,
    self_service: z.boolean().meta({ description: 'Client apps may issue themselves a license of this type: a trial without a key.' }),
    archived: z.boolean().meta({ description: 'No new licenses of this type are issued.' }),
    created_at: createdAt,
  })
  .meta({ id: 'LicenseType' });

export const seats = z
  .object({
    used: z.int().min(0).meta({ description: 'Devices bound now.' }),
    max: maxSeats,
  })
  .meta({ id: 'Seats' });

export const device = z
  .object({
    fingerprint: z.string().meta({ description: 'As it is compared: a hex string is in lower case.' }),
    platform: z.string().meta({ description: 'As the client named it, for example its operating system; may be empty.' }),
    name: z.string().meta({ description: 'A label for people; may be empty.' }),
    activated_at: timestamp.meta({ description: 'When the device was bound.' }),
    lease_expires_at: timestamp.nullable().meta({ description: 'Until when the device holds its seat for certain; null: until it is freed.' }),
  })
  .meta({ id: 'Device' });

const licenseOrder = z
  .object({
    processor: z.enum(processors),
    connection_id: z.int(),
    order_id: z.string().meta({ description: 'The id that the buyer knows.' }),
    subscription_id: z.string().nullable(),
    ref: z.string().nullable().meta({ description: "The processor's id of what was sold." }),
    line: z.string().nullable(),
    test: z.boolean().meta({ description: 'True for a sale in the test mode of the processor.' }),
  })
  .meta({ id: 'LicenseOrder' });

/** The result of freeing a device. */
export const deactivation = z.object({ freed: z.boolean().meta({ description: 'True when this request freed a seat.' }) }).meta({ id: 'Deactivation' });

/** A license as the operator sees it, without the list of its devices: also what events carry. */
export const licenseFields = {
  id,
  product_id: productId,
  key: canonicalKey,
  status: licenseStatus,
  expires_at: expiresAt,
  license_type: z.object({
    id,
    name: z.string(),
    kind: licenseKind,
    max_seats: maxSeats,
    duration_days: durationDays,
    features: featureNames,
    lease_minutes: leaseMinutes,
    new_devices_per_week: newDevicesPerWeek,
  }),
  seats,
  features: featureNames,
  customer_email: z.string().nullable().meta({ description: "The buyer's address. Clients never see it." }),
  metadata,
  created_at: createdAt,
  revoked_at: timestamp.nullable().meta({ description: 'When it was revoked; null when it is not.' }),
  suspended_at: timestamp.nullable().meta({ description: 'When it was suspended; null when it is not.' }),
  suspended_reason: z.string().nullable().meta({ description: 'Why, as the operator or the processor said.' }),
  suspended_by: z.string().nullable().meta({ description: '`operator`, or the name of a payment processor.' }),
  suspended_cause: z.enum(['operator', 'payment', 'pause', 'dispute']).nullable().meta({ description: 'What must end for the suspension to end.' }),
  order: licenseOrder.nullable().meta({ description: "The payment processor's order that the license was issued for." }),
  new_devices: z
    .object({ count: z.int().min(0), since: timestamp.nullable() })
    .meta({ description: 'Devices that took a seat for the first time within 7 days, and when the first of them did.' }),
};

/** The admin view of a license. */
export const license = z.object({ ...licenseFields, activations: z.array(device).meta({ description: 'The devices bound now.' }) }).meta({ id: 'License' });

/** The client view: exactly these, never the buyer's e-mail or metadata. */
export const clientLicense = z
  .object({
    id,
    key: canonicalKey,
    status: licenseStatus,
    expires_at: expiresAt,
    license_type: z.object({ name: z.string(), kind: licenseKind }),
  })
  .meta({ id: 'ClientLicense' });

export type ProductView = z.infer<typeof product>;
export type LicenseTypeView = z.infer<typeof licenseType>;
export type LicenseView = z.infer<typeof license>;
export type ClientLicenseView = z.infer<typeof clientLicense>;
export type DeviceView = z.infer<typeof device>;
export type SeatsView = z.infer<typeof seats>;
