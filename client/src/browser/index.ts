import { memoryStorage, type LicenseStorage } from '../storage';

/**
 * The page's `localStorage`. If the browser forbids it (blocked cookies, a sandboxed frame), memory is used: the app still works, but asks
 * the service at every start.
 */
export function browserStorage(): LicenseStorage {
  try {
    const { localStorage } = globalThis as { localStorage?: LicenseStorage };
    return localStorage ?? memoryStorage();
  } catch {
    return memoryStorage();
  }
}
