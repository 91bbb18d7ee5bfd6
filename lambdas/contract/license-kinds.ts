export const licenseKinds = ['lifetime', 'subscription', 'floating', 'trial'] as const;
export type LicenseKind = (typeof licenseKinds)[number];

/** Whether licenses of a kind expire after the type's `duration_days`. */
export const isTimed = (kind: LicenseKind): boolean => kind === 'subscription' || kind === 'trial';

/** When the term of a license can start. */
export const termStarts = ['creation', 'activation'] as const;
export type TermStart = (typeof termStarts)[number];

/** What takes the seats of a license: its devices, or its members, who may use several devices each. */
export const bindings = ['device', 'user'] as const;
export type Binding = (typeof bindings)[number];

/** The number of devices that each member may use, unless the license type sets another number. */
export const DEVICES_PER_USER = 3;
/** Maximum value of `devices_per_user`. Everything that frees the devices of a member must fit into one transaction. */
export const MAX_DEVICES_PER_USER = 20;
