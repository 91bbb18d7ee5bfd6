/**
 * The storage for a client's cache. The cache consists of a few small texts, each with a name. `localStorage` and React Native's
 * `AsyncStorage` have this interface already. Any method may fail; the client then continues without the storage.
 */
export interface LicenseStorage {
  /** The text with that name; null or undefined if there is none. */
  getItem(name: string): Stored | Promise<Stored>;
  setItem(name: string, value: string): unknown;
  /** Deletes the text with that name, if there is one. If the storage has no such method, `forget()` writes an empty text. */
  removeItem?(name: string): unknown;
  /**
   * Runs a task while no other process runs a task with the same name, and returns the task's result. If the storage has no such method,
   * the client uses the browser's locks (`navigator.locks`), if there are any.
   *
   * @param signal ends the wait for the lock: if the task has not started yet, it is not run, and the result is rejected
   */
  lock?<Value>(name: string, task: () => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

type Stored = string | null | undefined;

/** Keeps the data in memory, until the process ends. */
export function memoryStorage(): LicenseStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name),
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}
