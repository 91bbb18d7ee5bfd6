import type { LicenseState, Seats } from './state';

/** Refusals that the service signs: statuses of a license, and that this device is not bound to it. */
const signed = ['revoked', 'suspended', 'expired', 'unbound'] as const;
const unsigned = ['no_seats', 'too_many_devices', 'unknown_key', 'no_trial', 'not_covered'] as const;

type KnownRefusal = (typeof signed | typeof unsigned)[number];

/** Every way in which a key can be refused, by the name under which it is stored, or the status of a newer service: a refusal as well. */
export type RefusalName = string;

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name => names.includes(name as Name);

/** How statuses are named; what doesn't fit is not the service's. */
export const isStatusName = (name: unknown): name is string => typeof name === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(name);

/** Whether the service signs such a refusal: a status of the license, or that this device is not bound to it. */
export const isSignable = (name: RefusalName): boolean => !isOneOf(unsigned, name);

/** The state of a device whose key was refused. */
export function refusalState(
  name: RefusalName,
  { key, seats = null }: { readonly key?: string | undefined; readonly seats?: Seats | null | undefined } = {},
): LicenseState {
  if (!isOneOf<KnownRefusal>([...signed, ...unsigned], name)) return { status: 'refused', reason: name };
  if (name === 'unbound') return key ? { status: name, key } : { status: name };
  if (name === 'no_seats') return { status: name, seats };
  return { status: name };
}
