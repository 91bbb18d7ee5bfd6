/**
 * Where a client keeps its cache: two small texts by name. `localStorage` and React Native's `AsyncStorage` are
 * such storages as they are. Anything may fail; the client then goes on without.
 */
export interface LicenseStorage {
  /** The text of that name; null or undefined where there is none. */
  getItem(name: string): Stored | Promise<Stored>;
  setItem(name: string, value: string): unknown;
}

type Stored = string | null | undefined;

/** Keeps nothing beyond the process. */
export function memoryStorage(): LicenseStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name),
    setItem: (name, value) => void items.set(name, value),
  };
}
