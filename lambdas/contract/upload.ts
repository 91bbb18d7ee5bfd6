import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { timestamp } from './text';

/** What the endpoints for uploads have in common. The caller sends the file directly to the file storage, with a signed URL. */

/** Number of seconds within which the upload of a declared file must begin. */
export const UPLOAD_SECONDS = 3600;

/** How to send a file, for the descriptions of endpoints. */
export const HOW_TO_UPLOAD = `Start the upload within ${UPLOAD_SECONDS / 60} minutes: send the file to \`upload.url\`, with the method \`upload.method\`, the headers \`upload.headers\` and the length of the file in \`Content-Length\`. An upload that differs from the declaration is refused.`;

/** The SHA-256 hash of a file that the caller declares. */
export const fileHash = documented(checked(z.string(), z.regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex digits in lower case' })), {
  description: 'SHA-256 of the file, in hex.',
});

export const upload = z.object({
  method: z.literal('PUT'),
  url: documented(z.string(), { description: 'Anyone who has the URL can upload this file, and nothing else.' }),
  headers: documented(z.object({ 'content-type': z.string(), 'x-amz-checksum-sha256': z.string() }), {
    description: 'Send these headers unchanged.',
  }),
  expires_at: timestamp,
});
