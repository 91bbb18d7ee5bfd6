/** Returns the result of `use`. If the browser blocks cookies, each use of the storage throws an error, and the result is undefined. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/**
 * The session storage of the tab, whose content is deleted when the tab is closed. If the browser does not let pages store anything,
 * the storage is always empty.
 */
export const tabStorage = {
  get: (key: string): string | undefined => withStorage((storage) => storage.getItem(key)) ?? undefined,
  /** @param value undefined to remove the stored value */
  set: (key: string, value: string | undefined): void => {
    withStorage((storage) => (value === undefined ? storage.removeItem(key) : storage.setItem(key, value)));
  },
};
