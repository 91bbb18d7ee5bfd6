import { memoryStorage, type LicenseStorage } from '../storage';

/**
 * The page's `localStorage`; memory where the browser forbids it (blocked cookies, a sandboxed frame), so that the
 * app works and merely asks the service at every start.
 */
export function browserStorage(): LicenseStorage {
  try {
    const { localStorage } = globalThis as { localStorage?: LicenseStorage };
    return localStorage ?? memoryStorage();
  } catch {
    return memoryStorage();
  }
}
