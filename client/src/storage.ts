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
   * Runs a task while no other process runs one of the same name, and gives its outcome. Without this method the client uses the browser's
   * locks (`navigator.locks`), if there are any.
   */
  lock?<Value>(name: string, task: () => Promise<Value>): Promise<Value>;
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
