/**
 * Where a client keeps its cache: a few small texts by name. `localStorage` and React Native's `AsyncStorage` are
 * such storages as they are. Anything may fail; the client then continues without.
 */
export interface LicenseStorage {
  /** The text of that name; null or undefined if there is none. */
  getItem(name: string): Stored | Promise<Stored>;
  setItem(name: string, value: string): unknown;
  /** Deletes the text of that name, if there is one. Without this method `forget()` writes an empty text. */
  removeItem?(name: string): unknown;
  /**
   * Stores a text unless there is one of that name, in one step for all processes, and gives what is stored then.
   * Without this method the client writes and reads again, and two processes that start at the same moment for the
   * first time may take two ids.
   */
  createItem?(name: string, value: string): string | Promise<string>;
}

type Stored = string | null | undefined;

/** Keeps nothing beyond the process. */
export function memoryStorage(): LicenseStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name),
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}
