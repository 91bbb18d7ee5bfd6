import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

/**
 * Puts the pages into their bucket when the stack is deployed. They come along with this function's code,
 * beside a list of their names and headers (see `infra/site-bucket.ts`), so that it needs no other rights
 * than those on this one bucket.
 */

/** One file of the site, as `site.json` lists it. */
export interface SiteFile {
  /** The object's key, which is also the file's path below `files/`. */
  readonly key: string;
  readonly contentType: string;
  readonly cacheControl: string;
}

export interface PublisherParts {
  readonly s3: Pick<S3Client, 'send'>;
  /** Folder with `site.json` and `files/`. */
  readonly folder: string;
  /** Tells CloudFormation how it went; without that it would wait. */
  readonly respond: (url: string, body: string) => Promise<void>;
}

/**
 * Uploads what a page needs before the page itself, so that whoever loads it meanwhile finds everything.
 * What older pages need stays where it is: somebody may have one open.
 */
async function upload({ s3, folder }: PublisherParts, Bucket: string): Promise<void> {
  const files = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as readonly SiteFile[];
  const isPage = ({ key }: SiteFile): boolean => key.endsWith('.html');
  for (const group of [files.filter((file) => !isPage(file)), files.filter(isPage)]) {
    await Promise.all(
      group.map(({ key, contentType, cacheControl }) =>
        s3.send(new PutObjectCommand({ Bucket, Key: key, Body: readFileSync(join(folder, 'files', key)), ContentType: contentType, CacheControl: cacheControl })),
      ),
    );
  }
}

/** Removes every object: CloudFormation deletes only an empty bucket. */
async function empty({ s3 }: PublisherParts, Bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    if (Contents.length === 0) return;
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })), Quiet: true } }));
    if (Errors[0]) throw new Error(`${Errors[0].Key ?? 'An object'} could not be deleted: ${Errors[0].Message ?? Errors[0].Code ?? 'no reason given'}`);
  }
}

/** Does what CloudFormation asks for, and tells it how that went, in every case. */
export async function publish(event: CloudFormationCustomResourceEvent, parts: PublisherParts): Promise<void> {
  const bucket = String(event.ResourceProperties['Bucket']);
  const common = {
    // The bucket is the identity: where another one takes its place, CloudFormation asks to delete what is in this one.
    PhysicalResourceId: event.RequestType === 'Delete' ? event.PhysicalResourceId : bucket,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
  };
  let answer: CloudFormationCustomResourceResponse;
  try {
    if (event.RequestType === 'Delete') await empty(parts, bucket);
    else await upload(parts, bucket);
    answer = { Status: 'SUCCESS', ...common };
  } catch (error) {
    answer = { Status: 'FAILED', Reason: error instanceof Error ? error.message : String(error), ...common };
  }
  await parts.respond(event.ResponseURL, JSON.stringify(answer));
}

/** The address is signed for an empty content type. */
const respond = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers: { 'Content-Type': '', 'Content-Length': Buffer.byteLength(body) } }, (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`CloudFormation's address answered ${response.statusCode}`))));
    });
    sent.on('error', reject);
    sent.end(body);
  });

export const handler = (event: CloudFormationCustomResourceEvent): Promise<void> => publish(event, { s3: new S3Client({}), folder: __dirname, respond });
