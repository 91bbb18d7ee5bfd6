import { createHash } from 'node:crypto';

/**
 * A license's metadata. Short metadata stays in the license's row. Long metadata has a row of its own, named by
 * its hash: then it costs nothing to activate a license, whose row and event refer to it.
 */
export interface Metadata {
  /** The object as JSON; undefined when it was not loaded. */
  readonly json?: string | undefined;
  /** The hash that names the row of long metadata; undefined when it is short. */
  readonly ref?: string | undefined;
}

/** Longest metadata that stays in the license's row, in bytes of JSON. */
export const INLINE_BYTES = 256;

/** @param json the metadata object as JSON */
export const metadataOf = (json: string): Metadata =>
  Buffer.byteLength(json) <= INLINE_BYTES ? { json } : { json, ref: createHash('sha256').update(json).digest('base64url').slice(0, 22) };

/** The metadata as JSON. Throws when it was not loaded. */
export function metadataJson({ json, ref }: Metadata): string {
  if (json === undefined) throw new Error(`The metadata ${ref ?? ''} was not loaded`);
  return json;
}

/** Stands in an event's stored body for metadata that has a row of its own. */
const placeholder = (ref: string): string => JSON.stringify(`metadata:${ref}`);

/** The metadata as an event's stored body holds it: the value, or a reference to its row. */
export const storedMetadata = (metadata: Metadata): unknown =>
  metadata.ref === undefined ? (JSON.parse(metadataJson(metadata)) as unknown) : `metadata:${metadata.ref}`;

/** The body of an event with its metadata in place. `"metadata":"…"` can only be that field: quotes within values are escaped. */
export const withMetadata = (body: string, ref: string, json: string): string =>
  body.replace(`"metadata":${placeholder(ref)}`, () => `"metadata":${json}`);
