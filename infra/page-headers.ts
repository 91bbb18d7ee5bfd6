import { extname } from 'node:path';
import { KEPT_FOR_EVER } from '../lambdas/contract/edge';

/** The response headers of the pages. CloudFront sends them in a deployment, and the server of the local run sends the same. */

/**
 * The value of the header `Content-Security-Policy`, which is sent with every file. The policy allows only what the pages need: the pages
 * load nothing from other origins and have no inline script or style.
 *
 * @param fileOrigins the origins of stores to which a page sends files
 */
export const contentSecurityPolicy = (...fileOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...fileOrigins].join(' ')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** The security headers of a page of the local run, which has no TLS. A test compares them with the distribution's headers. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy(),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** Browsers keep files whose names contain a hash of their content, and revalidate the page that loads them. */
export const cacheControl = (path: string): string => (path.includes('/assets/') ? KEPT_FOR_EVER : 'no-cache');

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** The media type of a file, by the extension of its name. */
export function contentType(path: string): string {
  const type = contentTypes[extname(path)];
  if (type === undefined) throw new Error(`The content type of ${path} is not known: add it to infra/site-bucket.ts`);
  return type;
}
