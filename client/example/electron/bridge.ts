import type { Deactivation, InvalidInput, LicenseState } from '@license-key-service/client';

/** The functions that the windows may use for licensing: the only interface between preload script and renderer. */
export interface LicenseBridge {
  /** The latest state; undefined before the first check. */
  state(): Promise<LicenseState | undefined>;
  activate(key: string): Promise<LicenseState | InvalidInput>;
  deactivate(): Promise<Deactivation>;
  /** @returns a function that removes the listener */
  onState(listener: (state: LicenseState) => void): () => void;
}
