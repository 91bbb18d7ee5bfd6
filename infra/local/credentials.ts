import { createHmac, randomBytes } from 'node:crypto';
import { stableId } from './aws';

/**
 * The AWS credentials of functions. A presigned URL contains the access key and session token of the function that signed it, and everybody
 * can read the URL. Therefore these two values alone permit nothing. The database and most other services require another token, which no
 * presigned URL contains (`RUN_TOKEN`, see door.ts). The file store requires a signature with the secret key, which is derived from a
 * random value of this run.
 */

const RUN_SECRET = randomBytes(32);

/** The session token of every function. The signatures of AWS clients include it. */
export const FUNCTION_TOKEN = randomBytes(24).toString('base64url');

/** The access key of a function. `id` is the function's logical id. */
export const accessKeyOf = (id: string): string => `ASIA${stableId(`key ${id}`, 16).toUpperCase()}`;

/** The secret key for an access key. It is valid in this run only. */
export const secretKeyOf = (accessKey: string): string => createHmac('sha256', RUN_SECRET).update(accessKey).digest('base64url');
