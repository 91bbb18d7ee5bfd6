import { isDeviceId, type CacheRecord, type LicenseCache, type Warn } from './cache';
import { within } from './deadline';
import type { Fault } from './state';
import { canonicalFingerprint } from './token';

/** A fingerprint, or a function that finds it; undefined if this machine has none. */
export type FingerprintSource = string | (() => string | undefined | Promise<string | undefined>);

/** This device, as the service identifies it. */
export type Device =
  | { readonly id: string; readonly kind: NonNullable<CacheRecord['device']>; readonly fault?: undefined }
  | { readonly id?: undefined; readonly kind?: undefined; readonly fault: Fault };

/**
 * Maximum number of calls of the fingerprint function, one after the other. The first call may fail because of a virus scanner. If all
 * calls fail, the device counts as unknown, until the client needs the fingerprint again.
 */
const ATTEMPTS = 2;

const NOT_FOUND = 'the fingerprint of this device was not found';
const NOT_STORED = 'the id of this device was neither read nor stored';

/**
 * Finds this device's id: its fingerprint, or a random id. The random id is used if the current key was activated with it. It is also used
 * if the device has no fingerprint, and no seat in this storage was ever taken with a fingerprint. In all other cases a device whose
 * fingerprint isn't found is unknown, so that a temporary fault doesn't change the id. With another id, the user would lose the license and
 * need a second seat.
 *
 * @param timeoutMs maximum time for each attempt to find the fingerprint
 */
export function createDeviceFinder(
  source: FingerprintSource | undefined,
  cache: LicenseCache,
  timeoutMs: number,
  warn: Warn,
): (record: CacheRecord) => Promise<Device> {
  /** The machine's fingerprint, after it was found. */
  let found: string | undefined;
  /** True if the machine reported that it has no fingerprint. */
  let isNone = false;
  let finding: Promise<void> | undefined;

  async function find(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        const text = await within(timeoutMs, () => (typeof source === 'function' ? source() : source));
        isNone = text === undefined;
        if (text === undefined) return;
        const id = canonicalFingerprint(text);
        if (isDeviceId(id)) return void (found = id);
        throw new TypeError('it must be 8 to 128 printable ASCII characters without spaces');
      } catch (error) {
        warn(NOT_FOUND, error);
      }
    }
  }

  return async (record) => {
    const isRandom = record.device === 'random' && record.key;
    if (!isRandom) {
      if (!found && !isNone) await (finding ??= find().finally(() => (finding = undefined)));
      if (found) return { id: found, kind: 'machine' };
      if (!isNone || record.device === 'machine') return { fault: { kind: 'device', message: NOT_FOUND } };
    }
    try {
      return { id: await cache.randomId(), kind: 'random' };
    } catch (error) {
      warn(NOT_STORED, error);
      return { fault: { kind: 'storage', message: NOT_STORED } };
    }
  };
}
