import { resolve } from 'node:path';

/** Stands in for `infra/site.ts`: the same names, with a page that says nothing. */
export const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";
export const cacheControl = (path: string): string => (path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
const folder = resolve(__dirname, 'placeholder');
export const buildSite = (): { admin: string; docs: string } => ({ admin: folder, docs: folder });
