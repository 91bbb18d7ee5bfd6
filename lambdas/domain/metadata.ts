import { createHash } from 'node:crypto';

/**
 * A license's metadata. Short metadata is stored in the license's row. Long metadata is stored in a separate row, whose key contains the
 * hash of the metadata. The license's row and its events refer to that row, so that an activation does not have to write the metadata
 * again.
 */
export interface Metadata {
  /** The metadata object as JSON; undefined if it was not loaded. */
  readonly json?: string | undefined;
  /** The hash that names the row of long metadata; undefined if the metadata is short. */
  readonly ref?: string | undefined;
}

/** Maximum length of metadata in the license's row, in bytes of JSON. */
export const INLINE_BYTES = 256;

/** @param json the metadata object as JSON */
export const metadataOf = (json: string): Metadata =>
  Buffer.byteLength(json) <= INLINE_BYTES ? { json } : { json, ref: createHash('sha256').update(json).digest('base64url').slice(0, 22) };

/**
 * The metadata as JSON.
 *
 * @throws Error if the metadata was not loaded
 */
export function metadataJson({ json, ref }: Metadata): string {
  if (json === undefined) throw new Error(`The metadata ${ref ?? ''} was not loaded`);
  return json;
}

/** The text in an event's stored body that refers to metadata in a separate row. */
const placeholder = (ref: string): string => JSON.stringify(`metadata:${ref}`);

/** The value of the metadata field in an event's stored body: the metadata, or a reference to its row. */
export const storedMetadata = (metadata: Metadata): unknown =>
  metadata.ref === undefined ? (JSON.parse(metadataJson(metadata)) as unknown) : `metadata:${metadata.ref}`;

/**
 * The body of an event in which the metadata replaces the reference to it. The text `"metadata":"…"` matches only this field, because
 * quotes within values are escaped.
 */
export const withMetadata = (body: string, ref: string, json: string): string =>
  body.replace(`"metadata":${placeholder(ref)}`, () => `"metadata":${json}`);
