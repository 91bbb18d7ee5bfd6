import { matching } from './shape';
import type { LicenseState, Seats } from './state';

/** Refusals that the service signs: statuses of a license, and `unbound`, which says that this device has no seat. */
const signed = ['revoked', 'suspended', 'expired', 'reissued', 'sign_in_required', 'unbound'] as const;
const unsigned = ['no_seats', 'too_many_devices', 'unknown_key', 'no_trial', 'not_covered'] as const;

type KnownRefusal = (typeof signed | typeof unsigned)[number];

/**
 * The name under which the refusal of a key is stored. The name may be a status that this client doesn't know, because the service is
 * newer.
 */
export type RefusalName = string;

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name => names.includes(name as Name);

/** The form of a status name; a text of another form does not come from the service. */
export const isStatusName = matching(/^[a-z][a-z0-9_]{0,63}$/);

/** Whether the service signs this refusal. It signs the statuses of a license, and `unbound`. An unknown name counts as a status. */
export const isSignable = (name: RefusalName): boolean => !isOneOf(unsigned, name);

/**
 * Whether a text can be the status of a license that must not be used. An unknown name counts as a status that only a newer version of the
 * service knows. `active`, `unbound`, and the refusals that the service does not sign (such as `no_seats`) are not such statuses: a
 * response that contains one of them as the license's status does not come from the service.
 */
export const isRefusedStatus = (name: unknown): name is RefusalName =>
  isStatusName(name) && isSignable(name) && name !== 'unbound' && name !== 'active';

/** The state of a device whose key was refused. */
export function refusalState(
  name: RefusalName,
  { key, seats = null }: { readonly key?: string | undefined; readonly seats?: Seats | null | undefined } = {},
): LicenseState {
  if (!isOneOf<KnownRefusal>([...signed, ...unsigned], name)) return { status: 'refused', reason: name };
  if (name === 'unbound' && key) return { status: name, key };
  if (name === 'no_seats') return { status: name, seats };
  return { status: name };
}
