import {
  DeleteObjectsCommand,
  GetBucketTaggingCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  type ObjectIdentifier,
} from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

/**
 * Uploads the pages to their bucket when the stack is deployed. The pages are bundled with this function's code, together with a list of
 * their names and headers (see `infra/site-bucket.ts`). Therefore the function needs no permission to read the pages from another bucket.
 *
 * Also empties a bucket before CloudFormation deletes it.
 */

/**
 * Maximum length of an error message. CloudFormation ignores a response of more than 4,096 bytes and continues to wait. Most of that size
 * is reserved for the other fields.
 */
const MAX_REASON = 500;
/**
 * Minimum time, in ms, for which a file is kept after the deployment of pages that no longer need it. Somebody may still have an older page
 * open.
 */
const KEEP_UNUSED = 7 * 86_400_000;
/**
 * Maximum duration of a deployment's upload, in ms. If a file is older than the newest page by more than this duration, an earlier
 * deployment uploaded the file.
 */
const UPLOAD_LIMIT = 5 * 60_000;

/** One file of the site, as `site.json` lists it. */
export interface SiteFile {
  /** The key of the object, which is also the file's path below `files/`. */
  readonly key: string;
  readonly contentType: string;
  readonly cacheControl: string;
}

interface StoredObject {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly modified: number;
}

export interface PublisherParts {
  readonly s3: Pick<S3Client, 'send'>;
  /** The folder with `site.json` and `files/`. */
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Reports the result to CloudFormation. Without a report CloudFormation would wait until its timeout. */
  readonly respond: (url: string, body: string) => Promise<void>;
}

/**
 * Uploads the pages after all other files. A browser that loads a new page then finds all files that the page needs. Files of older pages
 * stay, because somebody may have an older page open.
 */
async function upload({ s3, folder }: PublisherParts, Bucket: string, files: readonly SiteFile[]): Promise<void> {
  const isPage = ({ key }: SiteFile): boolean => key.endsWith('.html');
  for (const group of [files.filter((file) => !isPage(file)), files.filter(isPage)]) {
    await Promise.all(
      group.map(({ key, contentType, cacheControl }) =>
        s3.send(
          new PutObjectCommand({
            Bucket,
            Key: key,
            Body: readFileSync(join(folder, 'files', key)),
            ContentType: contentType,
            CacheControl: cacheControl,
          }),
        ),
      ),
    );
  }
}

/** Every object of the bucket. */
async function list({ s3 }: PublisherParts, Bucket: string): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for (let ContinuationToken: string | undefined, more = true; more; more = ContinuationToken !== undefined) {
    const { Contents = [], NextContinuationToken } = await s3.send(
      new ListObjectsV2Command({ Bucket, ...(ContinuationToken !== undefined && { ContinuationToken }) }),
    );
    for (const { Key = '', LastModified } of Contents) found.push({ key: Key, modified: LastModified?.getTime() ?? 0 });
    ContinuationToken = NextContinuationToken;
  }
  return found;
}

async function remove({ s3 }: PublisherParts, Bucket: string, objects: readonly ObjectIdentifier[]): Promise<void> {
  // S3 deletes up to a thousand objects in one call.
  for (let start = 0; start < objects.length; start += 1000) {
    const Objects = objects.slice(start, start + 1000);
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    if (Errors[0])
      throw new Error(`${Errors[0].Key ?? 'An object'} could not be deleted: ${Errors[0].Message ?? Errors[0].Code ?? 'no reason given'}`);
  }
}

/**
 * The keys of the objects that no page has needed for at least {@link KEEP_UNUSED}. Each deployment uploads all of its files. Therefore, if
 * an object was uploaded before the deployment of the newest stored page, no page has needed the object since that deployment.
 *
 * @param stored the objects that the bucket contained before the files of this version were uploaded
 * @param files the files of this version; they are never outdated
 */
function outdated(stored: readonly StoredObject[], files: readonly SiteFile[], now: number): readonly string[] {
  const replaced = Math.max(...stored.filter(({ key }) => key.endsWith('.html')).map(({ modified }) => modified));
  if (now - replaced < KEEP_UNUSED) return [];
  const needed = new Set(files.map(({ key }) => key));
  return stored.filter(({ key, modified }) => !needed.has(key) && modified < replaced - UPLOAD_LIMIT).map(({ key }) => key);
}

/** Uploads the files of this version to the bucket, and removes files that no page has needed for a while. */
async function update(parts: PublisherParts, bucket: string): Promise<void> {
  const files = JSON.parse(readFileSync(join(parts.folder, 'site.json'), 'utf8')) as readonly SiteFile[];
  const before = await list(parts, bucket);
  await upload(parts, bucket, files);
  await remove(
    parts,
    bucket,
    outdated(before, files, parts.now()).map((Key) => ({ Key })),
  );
}

/**
 * Removes every object with all of its versions, because CloudFormation deletes a bucket only if it is empty. In a bucket without
 * versioning, each object has one version.
 */
async function empty(parts: PublisherParts, Bucket: string): Promise<void> {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await parts.s3.send(new ListObjectVersionsCommand({ Bucket }));
    const objects = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }));
    if (objects.length === 0) return;
    await remove(parts, Bucket, objects);
  }
}

async function isTagged({ s3 }: PublisherParts, Bucket: string, tag: string): Promise<boolean> {
  const { TagSet = [] } = await s3.send(new GetBucketTaggingCommand({ Bucket })).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'NoSuchTagSet') return { TagSet: [] };
    throw error;
  });
  return TagSet.some(({ Key, Value }) => Key === tag && Value === 'true');
}

/**
 * @param tag undefined for the bucket of the pages. For any other bucket, nothing is uploaded, and a deletion empties the bucket only if it
 * has this tag with the value `true`. CloudFormation also requests a deletion if only the custom resource is removed from the stack, for
 * example when an update is rolled back. In this case CloudFormation removes the tag first, so the objects stay.
 */
async function handle(
  { RequestType }: CloudFormationCustomResourceEvent,
  parts: PublisherParts,
  bucket: string,
  tag: string | undefined,
): Promise<void> {
  if (RequestType !== 'Delete') return tag === undefined ? update(parts, bucket) : undefined;
  if (tag === undefined || (await isTagged(parts, bucket, tag))) await empty(parts, bucket);
}

/** Handles a request of CloudFormation, and always reports the result. */
export async function publish(event: CloudFormationCustomResourceEvent, parts: PublisherParts): Promise<void> {
  const bucket = String(event.ResourceProperties['Bucket']);
  const common = {
    // The name of the bucket identifies the resource. If another bucket replaces this bucket, CloudFormation requests the deletion of the
    // objects in the replaced bucket.
    PhysicalResourceId: event.RequestType === 'Delete' ? event.PhysicalResourceId : bucket,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
  };
  let response: CloudFormationCustomResourceResponse;
  try {
    await handle(event, parts, bucket, event.ResourceProperties['EmptyIfTagged'] as string | undefined);
    response = { Status: 'SUCCESS', ...common };
  } catch (error) {
    response = { Status: 'FAILED', Reason: (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON), ...common };
  }
  await parts.respond(event.ResponseURL, JSON.stringify(response));
}

/**
 * Sends the report. The content type is empty, because the URL is signed for an empty content type. AWS uses `https:`; emulators of AWS
 * also use `http:`.
 */
export const respond = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith('http:') ? http : https;
    const sent = request(url, { method: 'PUT', headers: { 'Content-Type': '', 'Content-Length': Buffer.byteLength(body) } }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`CloudFormation's address responded with ${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });

export const handler = (event: CloudFormationCustomResourceEvent): Promise<void> =>
  publish(event, { s3: new S3Client({}), folder: __dirname, respond, now: Date.now });
