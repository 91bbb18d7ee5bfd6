import fc from 'fast-check';
import { DAY } from './license';

/** A random plan for a run of interleavings: a license type, and bursts of simultaneous requests, deliveries and sweeps. */

/** The fields of a PATCH. Times are relative to the start of the burst, in ms. */
export interface Patch {
  readonly customer_email?: string | null;
  readonly max_seats?: number | null;
  readonly features?: readonly string[] | null;
  readonly expires_in?: number | null;
  readonly updates_in?: number | null;
  readonly max_major?: number | null;
  /** The license type to which the license moves. */
  readonly type?: 'first' | 'second';
}

export type ActOnLicense =
  /** `old`: the request uses the key that the license had before its latest reissue. Has no effect if there was no reissue. */
  | {
      readonly act: 'activate';
      readonly license: number;
      readonly device: number;
      readonly old: boolean;
      readonly name: string | undefined;
      /** The device that loses its seat to the new device if the license is full. */
      readonly replace: number | undefined;
      /** The major version of the app. */
      readonly major: number | undefined;
    }
  | { readonly act: 'validate' | 'deactivate'; readonly license: number; readonly device: number; readonly old: boolean }
  | { readonly act: 'freeByRef'; readonly license: number; readonly device: number; readonly old: boolean }
  | { readonly act: 'free' | 'mintFor'; readonly license: number; readonly device: number }
  | { readonly act: 'revoke' | 'get' | 'mint' | 'suspend' | 'reinstate'; readonly license: number }
  | { readonly act: 'reset'; readonly license: number; readonly newDevices: boolean }
  | { readonly act: 'renew'; readonly license: number; readonly days: number | undefined; readonly once: boolean }
  | { readonly act: 'renewUpdates'; readonly license: number; readonly days: number | undefined; readonly once: boolean }
  | { readonly act: 'patch'; readonly license: number; readonly patch: Patch; readonly once: boolean }
  | { readonly act: 'reissue'; readonly license: number; readonly once: boolean };
export type Act =
  | ActOnLicense
  | { readonly act: 'sell'; readonly once: boolean }
  | { readonly act: 'type' }
  | { readonly act: 'sweep' }
  | { readonly act: 'deliver'; readonly message: number; readonly again: boolean };

export interface Burst {
  /**
   * The pause before the burst: either a duration in ms, or a pause until one of the first license's dates (for example its expiry), plus
   * `offset` ms.
   */
  readonly pause: number | { readonly until: 'expiry' | 'end of a lease' | 'third of a lease'; readonly offset: number };
  readonly webhook: boolean;
  readonly acts: readonly Act[];
}

export interface Interleaving {
  readonly seed: number;
  readonly faultRate: number;
  readonly deathRate: number;
  readonly expiringDays: number;
  readonly max_seats: number;
  /** `timed` licenses expire, and `leased` licenses lease their seats. */
  readonly kind: 'timed' | 'leased' | 'held';
  /** When the term of `timed` licenses starts. */
  readonly starts: 'creation' | 'activation';
  readonly new_devices_per_week: number;
  readonly licenses: number;
  readonly bursts: readonly Burst[];
}

export const LEASE_MINUTES = 5;

const license = fc.nat(1);
const device = fc.nat(4);
const old = fc.constantFrom(false, false, true);
const once = fc.boolean();
const patch: fc.Arbitrary<Patch> = fc.constantFrom<Patch[]>(
  { max_seats: 1 },
  { max_seats: 3 },
  { max_seats: 0 },
  { max_seats: null },
  { features: ['export'] },
  { features: null },
  { expires_in: DAY },
  { expires_in: 0 },
  { expires_in: null },
  { updates_in: DAY },
  { updates_in: null },
  { max_major: 2 },
  { max_major: null },
  { customer_email: 'ada@example.com' },
  { type: 'first' },
  { type: 'second' },
  { type: 'second', max_seats: 2, expires_in: 2 * DAY },
);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant('activate' as const),
      license,
      device,
      old,
      name: fc.constantFrom(undefined, undefined, 'laptop', 'desktop'),
      replace: fc.constantFrom(undefined, 0, 1, 2),
      major: fc.constantFrom(undefined, undefined, 2, 3),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ act: fc.constantFrom('validate' as const, 'deactivate' as const), license, device, old }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('freeByRef' as const), license, device, old }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('free' as const, 'mintFor' as const), license, device }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('get' as const, 'mint' as const), license }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('reset' as const), license, newDevices: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('suspend' as const, 'reinstate' as const, 'reinstate' as const), license }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('revoke' as const), license }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('renew' as const), license, days: fc.constantFrom(undefined, 1, 2), once }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('renewUpdates' as const), license, days: fc.constantFrom(undefined, 1, 2), once }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('patch' as const), license, patch, once }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('reissue' as const), license, once }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('sell' as const), once }) },
  { weight: 2, arbitrary: fc.constantFrom({ act: 'type' as const }, { act: 'sweep' as const }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('deliver' as const), message: fc.nat(30), again: fc.boolean() }) },
);

const until = (instant: 'expiry' | 'end of a lease' | 'third of a lease'): fc.Arbitrary<Burst['pause']> =>
  fc.record({ until: fc.constant(instant), offset: fc.constantFrom(-1, 0, 0, 1) });
const burst: fc.Arbitrary<Burst> = fc.record({
  pause: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Burst['pause'][]>(0, 1000, 61_000, DAY, 8 * DAY) },
    { weight: 2, arbitrary: until('expiry') },
    { weight: 2, arbitrary: until('end of a lease') },
    { weight: 1, arbitrary: until('third of a lease') },
  ),
  webhook: fc.boolean(),
  // The same request is often sent several times simultaneously, because this finds most faults.
  acts: fc
    .array(fc.tuple(act, fc.constantFrom(1, 1, 2, 3)), { minLength: 1, maxLength: 7, size: 'max' })
    .map((acts) => acts.flatMap(([one, times]) => Array<Act>(times).fill(one))),
});
export const interleaving: fc.Arbitrary<Interleaving> = fc.record({
  seed: fc.noShrink(fc.nat()),
  faultRate: fc.constantFrom(0, 0.03, 0.15),
  deathRate: fc.constantFrom(0, 0, 0.03),
  expiringDays: fc.constantFrom(0, 1, 14),
  max_seats: fc.nat(3),
  kind: fc.constantFrom('timed' as const, 'leased' as const, 'leased' as const, 'held' as const),
  starts: fc.constantFrom('creation' as const, 'activation' as const),
  new_devices_per_week: fc.constantFrom(0, 0, 2),
  licenses: fc.integer({ min: 1, max: 2 }),
  bursts: fc.array(burst, { minLength: 1, maxLength: 5, size: 'max' }),
});

export const show = ({ bursts, ...rest }: Interleaving): string[] => [
  JSON.stringify(rest),
  ...bursts.flatMap(({ acts, ...before }) => [JSON.stringify(before), ...acts.map((one) => `  ${JSON.stringify(one)}`)]),
];
