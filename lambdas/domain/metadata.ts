import { createHash } from 'node:crypto';

/**
 * A license's metadata. Short metadata is stored in the license's row. Long metadata has its own row, named by its
 * hash; the license's row and its events only refer to it, so that an activation does not have to write it.
 */
export interface Metadata {
  /** The object as JSON; undefined if it was not loaded. */
  readonly json?: string | undefined;
  /** The hash that names the row of long metadata; undefined if it is short. */
  readonly ref?: string | undefined;
}

/** Longest metadata that is stored in the license's row, in bytes of JSON. */
export const INLINE_BYTES = 256;

/** @param json the metadata object as JSON */
export const metadataOf = (json: string): Metadata =>
  Buffer.byteLength(json) <= INLINE_BYTES ? { json } : { json, ref: createHash('sha256').update(json).digest('base64url').slice(0, 22) };

/** The metadata as JSON. Throws if it was not loaded. */
export function metadataJson({ json, ref }: Metadata): string {
  if (json === undefined) throw new Error(`The metadata ${ref ?? ''} was not loaded`);
  return json;
}

/** In an event's stored body, stands for metadata that has its own row. */
const placeholder = (ref: string): string => JSON.stringify(`metadata:${ref}`);

/** The metadata in an event's stored body: the value, or a reference to its row. */
export const storedMetadata = (metadata: Metadata): unknown =>
  metadata.ref === undefined ? (JSON.parse(metadataJson(metadata)) as unknown) : `metadata:${metadata.ref}`;

/**
 * The body of an event with its metadata inserted. `"metadata":"…"` can match that field only, because quotes within
 * values are escaped.
 */
export const withMetadata = (body: string, ref: string, json: string): string =>
  body.replace(`"metadata":${placeholder(ref)}`, () => `"metadata":${json}`);
