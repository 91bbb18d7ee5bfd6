import { deflateSync, inflateSync } from 'node:zlib';

/**
 * Compresses the stored bodies of events. Without compression, the row of an activation would exceed 1 KB and cost twice as much to write.
 * (docs/decisions.md 88)
 */

/** Text that most bodies have in common. This text must never change, because stored bodies refer to it. */
const DICTIONARY = Buffer.from(
  [
    '"suspended_reason":"chargeback","revoked_at":"2026-","reason":"lease_ended"}}"replaced","previous_key":"',
    'license.reissued","license.reset","license.renewed","license.updated","license.suspended","license.reinstated","license.expired","',
    'license.expiring","license.revoked","license.updates_renewed","license.seats_exhausted","license.deactivated","',
    '"kind":"floating","kind":"trial","duration_days":30,"lease_minutes":60,"macos","linux","expires_at":"',
    '"order":{"processor":"stripe","connection_id":1,"order_id":"cs_live_","subscription_id":"sub_","ref":"price_","line":"si_","test":false},',
    '{"id":"00000000","event":"license.created","event":"license.activated","timestamp":"2026-12-01 10:00:00.000+00:00","data":{"product":"',
    '","license":{"id":1,"product_id":1,"key":"","status":"active","expires_at":null,"term":null,"updates":{"until":null,"max_major":null},',
    '"license_type":{"id":1,"name":"Pro","kind":"subscription","kind":"lifetime","max_seats":0,"duration_days":null,"features":[],',
    '"lease_minutes":null,"new_devices_per_week":0,"updates_days":null,"max_major":null,"starts":"creation","downloads_when_expired":false},',
    '"seats":{"used":1,"max":0},"features":[],"customer_email":null,"metadata":{},"created_at":"2026-12-01T10:00:00.000Z","revoked_at":null,',
    '"suspended_at":null,"suspended_reason":null,"suspended_by":null,"suspended_cause":null,"order":null,"new_devices":{"count":0,"since":null},',
    '"sequence":1},"device":{"fingerprint":"","platform":"windows","name":"","activated_at":"2026-12-01T10:00:00.000Z",',
    '"lease_expires_at":null,"last_seen_on":"2026-12-01"}}}',
  ].join(''),
);

export const packBody = (body: string): Uint8Array => deflateSync(body, { dictionary: DICTIONARY });

/** @throws Error if the bytes are damaged */
export const unpackBody = (bytes: Uint8Array): string => inflateSync(bytes, { dictionary: DICTIONARY }).toString();
