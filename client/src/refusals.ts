import type { LicenseState, Refusal, Seats, Unbound } from './state';

/**
 * Every way in which a key can be refused, by the name under which it is stored. A name that is not in this table is a
 * status of a newer service: a refusal as well.
 */
const refusals = {
  revoked: { isSignable: true },
  suspended: { isSignable: true },
  expired: { isSignable: true },
  unbound: { isSignable: true },
  no_seats: { isSignable: false },
  too_many_devices: { isSignable: false },
  unknown_key: { isSignable: false },
  no_trial: { isSignable: false },
  not_covered: { isSignable: false },
} as const satisfies Record<
  Exclude<Refusal['status'], 'refused'> | Unbound['status'],
  { /** The service signs it. */ readonly isSignable: boolean }
>;

type KnownRefusal = keyof typeof refusals;

/** One of {@link refusals}, or the name of a status that this version doesn't know. */
export type RefusalName = string;

const isKnown = (name: RefusalName): name is KnownRefusal => Object.prototype.hasOwnProperty.call(refusals, name);

/** How statuses are named; what doesn't fit is not the service's. */
export const isStatusName = (name: unknown): name is string => typeof name === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(name);

/** Whether the service signs such a refusal: a status of the license, or that this device is not bound to it. */
export const isSignable = (name: RefusalName): boolean => !isKnown(name) || refusals[name].isSignable;

/** The state of a device whose key was refused. */
export function refusalState(
  name: RefusalName,
  { key, seats = null }: { readonly key?: string | undefined; readonly seats?: Seats | null | undefined } = {},
): LicenseState {
  if (!isKnown(name)) return { status: 'refused', reason: name };
  if (name === 'unbound') return key === undefined ? { status: name } : { status: name, key };
  if (name === 'no_seats') return { status: name, seats };
  return { status: name };
}
