import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { timeouts } from './aws';
import type { Config } from './config';

/**
 * The store of release files: a private bucket. The files never pass through a function: the function signs a URL with which the caller
 * uploads or downloads a file. A signed URL permits only what the function's own role permits.
 */

const CHECKSUM = 'x-amz-checksum-sha256';

/** A release file as the operator declared it before the upload. */
export interface StoredFile {
  /** The object key in the bucket. It contains the file's hash, so that different content never has the same key. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly contentType: string;
}

/** A signed upload request. Anybody who has it can send it until it expires. */
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
  /** Deletes a file; does nothing if the file does not exist. */
  remove(key: string): Promise<void>;
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/**
 * The file store in the function's bucket. The S3 client is loaded when it is first needed.
 *
 * @param options of the S3 client; the default is the function's environment
 */
export function fileStore({ fileBucket }: Pick<Config, 'fileBucket'>, options: S3ClientConfig = {}): FileStore {
  const load = async () => {
    const { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
    // The client must not add a checksum of its own, because the upload already has a checksum, which is part of its signature.
    const client = new S3Client({ requestHandler: timeouts, maxAttempts: 3, requestChecksumCalculation: 'WHEN_REQUIRED', ...options });
    return { client, DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand };
  };
  let loading: ReturnType<typeof load> | undefined;
  const s3 = (): ReturnType<typeof load> => (loading ??= load());
  const bucket = (): string => {
    if (fileBucket === undefined) throw new Error('FILE_BUCKET is not set');
    return fileBucket;
  };

  return {
    signUpload: async ({ key, size, sha256, contentType }, seconds, now) => {
      const { client, PutObjectCommand } = await s3();
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const headers = { 'content-type': contentType, [CHECKSUM]: base64(sha256) };
      const command = new PutObjectCommand({
        Bucket: bucket(),
        Key: key,
        ContentLength: size,
        ContentType: contentType,
        ChecksumSHA256: headers[CHECKSUM],
      });
      const signed = new Set(['host', 'content-length', ...Object.keys(headers)]);
      const url = await getSignedUrl(client, command, {
        expiresIn: seconds,
        signingDate: new Date(now),
        signableHeaders: signed,
        // By default, the presigner would put the checksum into the query, where S3 does not compare it with the content.
        unhoistableHeaders: new Set([CHECKSUM]),
      });
      return { url, headers };
    },
    signDownload: async ({ key }, seconds, now) => {
      const { client, GetObjectCommand } = await s3();
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket(), Key: key }), {
        expiresIn: seconds,
        signingDate: new Date(now),
      });
    },
    isUploaded: async ({ key, size, sha256 }) => {
      const { client, HeadObjectCommand } = await s3();
      const found = await whatIsThere(client.send(new HeadObjectCommand({ Bucket: bucket(), Key: key, ChecksumMode: 'ENABLED' })));
      return found?.ContentLength === size && found.ChecksumSHA256 === base64(sha256);
    },
    remove: async (key) => {
      const { client, DeleteObjectCommand } = await s3();
      await client.send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }));
    },
  };
}

/** The result of a request for an object; undefined if the object does not exist. */
async function whatIsThere<Result>(look: Promise<Result>): Promise<Result | undefined> {
  try {
    return await look;
  } catch (error) {
    const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
    if ($metadata?.httpStatusCode === 404) return undefined;
    throw error;
  }
}
