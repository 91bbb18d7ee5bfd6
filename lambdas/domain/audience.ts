import { AUDIENCE_DAYS, MAX_AUDIENCE_VALUES } from '../contract/overview';
import type { Device } from './license';
import { dateOf, DAY_MS, timestampOf } from './time';

/** Counts the devices that were used in the last days by version, platform and country (docs/spec/operator.md, Audience). */

/** The numbers of devices by value. */
export interface Distribution {
  readonly values: readonly { readonly value: string; readonly devices: number }[];
  /** Devices with further values. */
  readonly other: number;
  /** Devices without a value. */
  readonly unknown: number;
}

export interface Audience {
  readonly devices: number;
  readonly versions: Distribution;
  readonly platforms: Distribution;
  readonly countries: Distribution;
}

/** An audience, and when its counting began (epoch ms). */
export interface CountedAudience extends Audience {
  readonly counted_at: number;
}

const NOBODY: Distribution = { values: [], other: 0, unknown: 0 };
export const NO_AUDIENCE: Audience = { devices: 0, versions: NOBODY, platforms: NOBODY, countries: NOBODY };

/** The first of the days on which a device must have been used to count at the time `now`. */
export const audienceSince = (now: number): string => dateOf(now - (AUDIENCE_DAYS - 1) * DAY_MS);

/**
 * Maximum number of values that are distinguished while devices are counted. It is higher than the number of values that are shown, so that
 * values that are rare at the beginning are not lost.
 */
const MAX_COUNTED = 3 * MAX_AUDIENCE_VALUES;

/** Maximum length of a platform in the audience, in characters. */
const MAX_PLATFORM = 40;
const shortened = (platform: string): string | null => Array.from(platform).slice(0, MAX_PLATFORM).join('') || null;

/** Keeps the values with the most devices. */
function limited({ values, other, unknown }: Distribution, limit: number): Distribution {
  const sorted = [...values].sort((a, b) => b.devices - a.devices || (a.value < b.value ? -1 : 1));
  return { values: sorted.slice(0, limit), other: sorted.slice(limit).reduce((sum, { devices }) => sum + devices, other), unknown };
}

function counted(before: Distribution, given: readonly (string | null)[]): Distribution {
  const known = given.filter((value) => value !== null);
  const counts = new Map(before.values.map(({ value, devices }) => [value, devices]));
  for (const value of known) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].map(([value, devices]) => ({ value, devices }));
  return limited({ values, other: before.other, unknown: before.unknown + given.length - known.length }, MAX_COUNTED);
}

/** Counts further devices that were used since {@link audienceSince}. */
export const withDevices = (before: Audience, devices: readonly Pick<Device, 'app_version' | 'platform' | 'country'>[]): Audience => ({
  devices: before.devices + devices.length,
  versions: counted(
    before.versions,
    devices.map(({ app_version }) => app_version),
  ),
  platforms: counted(
    before.platforms,
    devices.map(({ platform }) => shortened(platform)),
  ),
  countries: counted(
    before.countries,
    devices.map(({ country }) => country),
  ),
});

/** An audience whose counting has ended, with at most {@link MAX_AUDIENCE_VALUES} values of each kind. */
export const finished = ({ devices, versions, platforms, countries }: Audience, counted_at: number): CountedAudience => ({
  counted_at,
  devices,
  versions: limited(versions, MAX_AUDIENCE_VALUES),
  platforms: limited(platforms, MAX_AUDIENCE_VALUES),
  countries: limited(countries, MAX_AUDIENCE_VALUES),
});

const distributionView = ({ values, other, unknown }: Distribution) => ({ values: [...values], other, unknown });

/** An audience in the format of responses. */
export const audienceView = ({ counted_at, devices, versions, platforms, countries }: CountedAudience) => ({
  counted_at: timestampOf(counted_at),
  devices,
  versions: distributionView(versions),
  platforms: distributionView(platforms),
  countries: distributionView(countries),
});
