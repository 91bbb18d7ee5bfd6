import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { KEPT_FOR_EVER } from '../../contract/edge';
import type { Config } from '../config';
import { CHECKSUM, type FileStore } from '../file-store';
import { timeouts } from './timeouts';

/**
 * The store of release files and logos: a private bucket. Files of releases never pass through a Lambda function. Instead, the function
 * signs a URL with which the caller uploads or downloads a file. A signed URL permits only what the role of the Lambda function permits.
 */

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/**
 * The file store in the function's bucket.
 *
 * @param options options for the S3 client; the environment of the function supplies all options that are not given
 */
export function fileStore({ fileBucket }: Pick<Config, 'fileBucket'>, options: S3ClientConfig = {}): FileStore {
  // The client must not add a checksum of its own. The upload already has a checksum, which is part of the upload's signature.
  const client = new S3Client({ requestHandler: timeouts, maxAttempts: 3, requestChecksumCalculation: 'WHEN_REQUIRED', ...options });
  const bucket = (): string => {
    if (fileBucket === undefined) throw new Error('FILE_BUCKET is not set');
    return fileBucket;
  };

  return {
    signUpload: async ({ key, size, sha256, contentType }, seconds, now) => {
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
      return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket(), Key: key }), {
        expiresIn: seconds,
        signingDate: new Date(now),
      });
    },
    isUploaded: async ({ key, size, sha256 }) => {
      const found = await whatIsThere(client.send(new HeadObjectCommand({ Bucket: bucket(), Key: key, ChecksumMode: 'ENABLED' })));
      return found?.ContentLength === size && found.ChecksumSHA256 === base64(sha256);
    },
    read: async (key) => {
      const found = await whatIsThere(client.send(new GetObjectCommand({ Bucket: bucket(), Key: key })));
      return found?.Body?.transformToByteArray();
    },
    publish: async ({ key, contentType }, content) => {
      await client.send(
        new PutObjectCommand({ Bucket: bucket(), Key: key, Body: content, ContentType: contentType, CacheControl: KEPT_FOR_EVER }),
      );
    },
    remove: async (key) => {
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
