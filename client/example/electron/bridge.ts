import type { Deactivation, InvalidInput, LicenseState } from '@license-key-service/client';

/** The functions that the windows may use for licensing: the only interface between preload script and renderer. */
export interface LicenseBridge {
  /** The latest state; undefined before the first check. */
  state(): Promise<LicenseState | undefined>;
  activate(key: string): Promise<LicenseState | InvalidInput>;
  /** Opens the browser, where the user signs in and approves this device. Ends after {@link cancelSignIn}, or with the decision. */
  signIn(): Promise<LicenseState | InvalidInput>;
  cancelSignIn(): Promise<void>;
  deactivate(): Promise<Deactivation>;
  /** Receives the code that the user compares with the one in the browser. @returns a function that removes the listener */
  onCode(listener: (code: string) => void): () => void;
  /** @returns a function that removes the listener */
  onState(listener: (state: LicenseState) => void): () => void;
}
