/** The store of release files and logos. */

export const CHECKSUM = 'x-amz-checksum-sha256';

/** A release file as the operator declared it before the upload. */
export interface StoredFile {
  /** The object key in the bucket. It contains the file's hash, so that different content never has the same key. */
  readonly key: string;
  /** The size of the file in bytes. */
  readonly size: number;
  /** The SHA-256 hash of the file in hex. */
  readonly sha256: string;
  readonly contentType: string;
}

/** A signed upload request. Anybody who knows the signed URL can send the request until the signature expires. */
export interface SignedUpload {
  readonly url: string;
  /** The caller must send these headers unchanged, because the signature covers them. */
  readonly headers: { readonly 'content-type': string; readonly [CHECKSUM]: string };
}

export interface FileStore {
  /**
   * Signs the upload of a file. The bucket refuses content that differs from the declared file.
   *
   * @param now epoch ms
   */
  signUpload(file: StoredFile, seconds: number, now: number): Promise<SignedUpload>;
  /** Signs the download of a file. @param now epoch ms */
  signDownload(file: Pick<StoredFile, 'key'>, seconds: number, now: number): Promise<string>;
  /** Whether a file was uploaded with the declared size and hash. */
  isUploaded(file: StoredFile): Promise<boolean>;
  /** The content of a file; undefined if the file does not exist. Use it only for small files. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Stores a file that the pages' origin serves to everybody. The file must never change, because caches keep it for ever. */
  publish(file: Pick<StoredFile, 'key' | 'contentType'>, content: Uint8Array): Promise<void>;
  /** Deletes a file; does nothing if the file does not exist. */
  remove(key: string): Promise<void>;
}
