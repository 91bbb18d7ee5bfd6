import { createHmac, randomBytes } from 'node:crypto';
import { stableId } from './aws';

/**
 * The credentials of functions. A presigned URL contains its signer's access key and session token for everybody to read, so neither is
 * enough for access: the database and the other services require the run's own token (see door.ts), and the files require a signature by
 * the secret key, which nobody outside of this run has.
 */

const RUN_SECRET = randomBytes(32);

/** The session token of every function, by which AWS clients sign. */
export const FUNCTION_TOKEN = randomBytes(24).toString('base64url');

/** The access key of a function, by its logical id. */
export const accessKeyOf = (id: string): string => `ASIA${stableId(`key ${id}`, 16).toUpperCase()}`;

/** The secret key that belongs to an access key in this run. */
export const secretKeyOf = (accessKey: string): string => createHmac('sha256', RUN_SECRET).update(accessKey).digest('base64url');
