import type { Deactivation, InvalidInput, LicenseState } from '@license-key-service/client';

/** What the windows may do with the license: the one interface between preload and renderer. */
export interface LicenseBridge {
  /** The newest state; undefined before the first check. */
  state(): Promise<LicenseState | undefined>;
  activate(key: string): Promise<LicenseState | InvalidInput>;
  deactivate(): Promise<Deactivation>;
  /** @returns what ends it */
  onState(listener: (state: LicenseState) => void): () => void;
}
