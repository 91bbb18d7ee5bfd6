import { useSyncExternalStore } from 'react';

/** Display preferences of this browser. They are not secret, so changed ones are kept in local storage. */

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

export interface Preferences {
  /** `auto` follows the system. */
  readonly theme: Theme;
  readonly density: Density;
}

const STORED = 'lks.preferences';
const usual: Preferences = { theme: 'auto', density: 'comfortable' };

function stored(): Preferences {
  try {
    const { theme, density } = { ...usual, ...(JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Preferences>) };
    return { theme: themes.includes(theme) ? theme : usual.theme, density: densities.includes(density) ? density : usual.density };
  } catch {
    // The storage is blocked or contains something else.
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
// Another tab of this browser changed them.
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
