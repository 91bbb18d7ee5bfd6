import { useSyncExternalStore } from 'react';

/** Display preferences of this browser. They are kept in local storage, because they are not secret. */

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

/** The columns that can be hidden in the list of licenses. */
export const licenseColumnNames = ['Id', 'Status', 'Covers', 'Expiry', 'Issued', 'Buyer', 'Type', 'Seats'] as const;
export type LicenseColumnName = (typeof licenseColumnNames)[number];
/** The columns that an operator sees who has chosen none. They fit into a window of 1280 pixels. */
export const usualLicenseColumns: readonly LicenseColumnName[] = ['Status', 'Covers', 'Expiry', 'Buyer', 'Type', 'Seats'];

/** A filter of a product's licenses that the operator saved under a name. */
export interface SavedFilter {
  readonly product: number;
  readonly name: string;
  /** The query parameters of the page of licenses. */
  readonly query: Readonly<Record<string, string>>;
}

export interface Preferences {
  /** `auto` follows the system. */
  readonly theme: Theme;
  readonly density: Density;
  /** The tag of the chosen language; null for the browser's language. */
  readonly language: string | null;
  /** The columns that the list of licenses shows; null: the usual ones. */
  readonly licenseColumns: readonly LicenseColumnName[] | null;
  readonly savedFilters: readonly SavedFilter[];
}

const STORED = 'lks.preferences';
const usual: Preferences = { theme: 'auto', density: 'comfortable', language: null, licenseColumns: null, savedFilters: [] };

const isSavedFilter = (value: unknown): value is SavedFilter => {
  const { product, name, query } = (value ?? {}) as Partial<Record<keyof SavedFilter, unknown>>;
  return typeof product === 'number' && typeof name === 'string' && typeof query === 'object' && query !== null;
};

function stored(): Preferences {
  try {
    const { theme, density, language, licenseColumns, savedFilters } = {
      ...usual,
      ...(JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Preferences>),
    };
    return {
      theme: themes.includes(theme) ? theme : usual.theme,
      density: densities.includes(density) ? density : usual.density,
      language: typeof language === 'string' ? language : null,
      licenseColumns: Array.isArray(licenseColumns) ? licenseColumnNames.filter((name) => licenseColumns.includes(name)) : null,
      savedFilters: Array.isArray(savedFilters) ? savedFilters.filter(isSavedFilter) : [],
    };
  } catch {
    // The browser blocks the storage, or the stored text is not valid, so the default preferences apply.
    return usual;
  }
}

let preferences = stored();
const listeners = new Set<() => void>();

function apply(): void {
  document.documentElement.dataset['density'] = preferences.density;
  for (const listener of listeners) listener();
}
apply();
// The browser sends this event if another tab changed the preferences.
window.addEventListener('storage', ({ key }) => {
  if (key !== STORED) return;
  preferences = stored();
  apply();
});

export function prefer(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  try {
    localStorage.setItem(STORED, JSON.stringify(preferences));
  } catch {
    // The storage is blocked, so the preferences last until the page is closed.
  }
  apply();
}

export const currentPreferences = (): Preferences => preferences;

export function subscribePreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribePreferences, currentPreferences);
