import { useEffect, useSyncExternalStore } from 'react';
import type { LicenseClient } from '../client';
import type { LicenseState } from '../state';

/** What {@link useLicense} gives to a component. */
export interface LicenseView {
  /** Undefined until the first check has ended. */
  readonly state: LicenseState | undefined;
  /** Whether the app may be used; false until the first check has ended. */
  readonly isLicensed: boolean;
  /** Whether the app may be used and the license includes a feature. */
  readonly has: (feature: string) => boolean;
  /** A limit of the license; undefined if there is no such limit, or the app may not be used. */
  readonly limit: (name: string) => number | undefined;
}

/**
 * Gives the license of this device to a React component. The component renders again whenever the license changes, and the hook checks the
 * license when the component mounts. Any number of components may use the same client; they share its checks.
 *
 * @param client must be created once, outside of components
 */
export function useLicense(client: LicenseClient): LicenseView {
  const state = useSyncExternalStore(
    client.subscribe,
    () => client.state,
    () => undefined,
  );
  useEffect(() => void client.check(), [client]);
  return { state, isLicensed: state?.status === 'licensed', has: client.has, limit: client.limit };
}
