import {
  DeleteObjectsCommand,
  GetBucketTaggingCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publish, respond, type SiteFile } from '../../lambdas/deploy/publish-site';

const folder = mkdtempSync(join(tmpdir(), 'publish-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const site: readonly SiteFile[] = [
  { key: 'admin/index.html', contentType: 'text/html; charset=utf-8', cacheControl: 'no-cache' },
  { key: 'admin/assets/admin-1.js', contentType: 'text/javascript; charset=utf-8', cacheControl: 'public, max-age=31536000, immutable' },
];
for (const { key } of site) {
  mkdirSync(dirname(join(folder, 'files', key)), { recursive: true });
  writeFileSync(join(folder, 'files', key), `content of ${key}`);
}
writeFileSync(join(folder, 'site.json'), JSON.stringify(site));

/** A simulated bucket in memory. */
class FakeBucket {
  readonly objects = new Map<string, { content: string; headers: string; modified?: Date }>();
  readonly order: string[] = [];
  /** The ids of the objects' earlier versions and delete markers, by key. */
  readonly earlier = new Map<string, string>();
  readonly markers = new Map<string, string>();
  tags: Readonly<Record<string, string>> | undefined;
  refusal: Error | undefined;
  undeletable: string | undefined;

  readonly s3: Pick<S3Client, 'send'> = {
    send: async (command: unknown): Promise<never> => {
      await Promise.resolve();
      if (this.refusal) throw this.refusal;
      return this.answer(command) as never;
    },
  };

  private answer(command: unknown): object {
    if (command instanceof PutObjectCommand) {
      const { Bucket, Key = '', Body, ContentType, CacheControl } = command.input;
      expect(Bucket).toBe('pages');
      this.order.push(Key);
      this.objects.set(Key, { content: Buffer.from(Body as Uint8Array).toString(), headers: `${ContentType} | ${CacheControl}` });
      return {};
    }
    // Each page of this list has two objects; S3's pages have a thousand.
    if (command instanceof ListObjectsV2Command) {
      const from = Number(command.input.ContinuationToken ?? 0);
      const Contents = [...this.objects].slice(from, from + 2).map(([Key, { modified }]) => ({ Key, LastModified: modified }));
      return { Contents, ...(from + 2 < this.objects.size && { NextContinuationToken: String(from + 2) }) };
    }
    if (command instanceof GetBucketTaggingCommand) {
      if (!this.tags) throw Object.assign(new Error('The TagSet does not exist'), { name: 'NoSuchTagSet' });
      return { TagSet: Object.entries(this.tags).map(([Key, Value]) => ({ Key, Value })) };
    }
    if (command instanceof ListObjectVersionsCommand) {
      const versions = [...[...this.objects.keys()].map((key) => [key, 'null'] as const), ...this.earlier];
      const listed = (all: Iterable<readonly [string, string]>) => [...all].slice(0, 2).map(([Key, VersionId]) => ({ Key, VersionId }));
      return { Versions: listed(versions), DeleteMarkers: listed(this.markers) };
    }
    if (command instanceof DeleteObjectsCommand) {
      const objects = command.input.Delete?.Objects ?? [];
      const keys = objects.map(({ Key }) => Key ?? '');
      for (const { Key = '', VersionId } of objects) {
        if (this.earlier.get(Key) === VersionId) this.earlier.delete(Key);
        if (this.markers.get(Key) === VersionId) this.markers.delete(Key);
      }
      if (this.undeletable !== undefined && keys.includes(this.undeletable))
        return { Errors: [{ Key: this.undeletable, Code: 'AccessDenied', Message: 'Access Denied' }] };
      for (const key of keys) this.objects.delete(key);
      return {};
    }
    throw new Error('Not a command of the publisher');
  }
}

const NOW = Date.parse('2026-11-22T00:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW - days * 86_400_000);

const event = (RequestType: 'Create' | 'Update' | 'Delete', more: object = {}): CloudFormationCustomResourceEvent =>
  ({
    RequestType,
    ResponseURL: 'https://cloudformation.example.com/answer',
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Site',
    ResourceProperties: { Bucket: 'pages' },
    ...(RequestType !== 'Create' && { PhysicalResourceId: 'pages' }),
    ...more,
  }) as unknown as CloudFormationCustomResourceEvent;

async function run(bucket: FakeBucket, request: CloudFormationCustomResourceEvent): Promise<object> {
  const answers: string[] = [];
  await publish(request, {
    s3: bucket.s3,
    folder,
    now: () => NOW,
    respond: async (url, body) => {
      await Promise.resolve();
      expect(url).toBe('https://cloudformation.example.com/answer');
      answers.push(body);
    },
  });
  expect(answers).toHaveLength(1);
  return JSON.parse(answers[0] ?? '') as object;
}

const success = { Status: 'SUCCESS', PhysicalResourceId: 'pages', StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Site' };

test.each(['Create', 'Update'] as const)(
  '%s uploads every file with its headers, and uploads the page after the files that it needs',
  async (type) => {
    const bucket = new FakeBucket();
    expect(await run(bucket, event(type))).toEqual(success);
    expect(bucket.order).toEqual(['admin/assets/admin-1.js', 'admin/index.html']);
    expect([...bucket.objects.values()]).toEqual([
      { content: 'content of admin/assets/admin-1.js', headers: 'text/javascript; charset=utf-8 | public, max-age=31536000, immutable' },
      { content: 'content of admin/index.html', headers: 'text/html; charset=utf-8 | no-cache' },
    ]);
  },
);

test('an update keeps the files that older pages need', async () => {
  const bucket = new FakeBucket();
  bucket.objects.set('admin/assets/admin-0.js', { content: 'older', headers: '' });
  await run(bucket, event('Update'));
  expect(bucket.objects.has('admin/assets/admin-0.js')).toBe(true);
});

test('a deployment deletes files that no page has needed for a week, and keeps the files of the previous page', async () => {
  const files = (page: number): FakeBucket => {
    const bucket = new FakeBucket();
    const put = (key: string, days: number): void => void bucket.objects.set(key, { content: '', headers: '', modified: daysAgo(days) });
    put('admin/assets/oldest.js', 90);
    put('admin/assets/before.js', page);
    put('admin/index.html', page);
    put('admin/assets/admin-1.js', 90);
    return bucket;
  };
  const [weekOld, recent] = [files(8), files(2)];
  await run(weekOld, event('Update'));
  expect([...weekOld.objects.keys()].sort()).toEqual(['admin/assets/admin-1.js', 'admin/assets/before.js', 'admin/index.html']);
  await run(recent, event('Update'));
  expect(recent.objects.has('admin/assets/oldest.js')).toBe(true);
});

test('a long reason is cut, because CloudFormation would ignore a longer response and wait for an hour', async () => {
  const bucket = new FakeBucket();
  bucket.refusal = new Error('no '.repeat(5000));
  expect(JSON.stringify(await run(bucket, event('Create'))).length).toBeLessThan(1000);
});

test('if another bucket replaces the old bucket, CloudFormation gets a new physical id, and then has the old bucket emptied', async () => {
  expect(await run(new FakeBucket(), event('Update', { PhysicalResourceId: 'pages-of-old' }))).toEqual(success);
  expect(await run(new FakeBucket(), event('Delete', { PhysicalResourceId: 'pages-of-old' }))).toEqual({
    ...success,
    PhysicalResourceId: 'pages-of-old',
  });
});

test('a deletion of the stack empties the bucket, regardless of the number of objects', async () => {
  const bucket = new FakeBucket();
  for (let n = 0; n < 5; n += 1) bucket.objects.set(`admin/assets/${n}.js`, { content: '', headers: '' });
  expect(await run(bucket, event('Delete'))).toEqual(success);
  expect(bucket.objects.size).toBe(0);
});

describe('a bucket that is only emptied', () => {
  const ofFiles = { ResourceProperties: { Bucket: 'files', EmptyIfTagged: 'empty' } };
  const full = (tags?: FakeBucket['tags']): FakeBucket => {
    const bucket = new FakeBucket();
    bucket.tags = tags;
    for (let n = 0; n < 5; n += 1) {
      bucket.objects.set(`releases/${n}`, { content: '', headers: '' });
      bucket.earlier.set(`releases/${n}`, `first-${n}`);
      bucket.markers.set(`deleted/${n}`, `marker-${n}`);
    }
    return bucket;
  };
  const sizes = ({ objects, earlier, markers }: FakeBucket) => [objects.size, earlier.size, markers.size];

  test('a deletion of the stack deletes every version of every object', async () => {
    const bucket = full({ stage: 'dev', empty: 'true' });
    expect(await run(bucket, event('Delete', { ...ofFiles, PhysicalResourceId: 'files' }))).toMatchObject({ Status: 'SUCCESS' });
    expect(sizes(bucket)).toEqual([0, 0, 0]);
  });

  test.each<[string, FakeBucket['tags']]>([
    ['other tags', { stage: 'dev' }],
    ['no tags', undefined],
    ['a tag that says that its data is retained', { empty: 'false' }],
  ])('the objects stay if the bucket has %s, for example because the custom resource leaves the stack', async (_, tags) => {
    const bucket = full(tags);
    expect(await run(bucket, event('Delete', { ...ofFiles, PhysicalResourceId: 'files' }))).toMatchObject({ Status: 'SUCCESS' });
    expect(sizes(bucket)).toEqual([5, 5, 5]);
  });

  test.each(['Create', 'Update'] as const)('%s changes nothing', async (type) => {
    const bucket = full({ empty: 'true' });
    expect(await run(bucket, event(type, ofFiles))).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'files' });
    expect([sizes(bucket), bucket.order]).toEqual([[5, 5, 5], []]);
  });
});

test('the report also reaches an emulator of CloudFormation, whose URLs use plain HTTP', async () => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    request.on('data', (part) => received.push(String(part))).on('end', () => response.end());
    received.push(request.method, request.headers['content-type']);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await respond(`http://127.0.0.1:${(server.address() as AddressInfo).port}/answer`, '{}');
  server.close();
  expect(received).toEqual(['PUT', '', '{}']);
});

test('CloudFormation gets a failure with its reason', async () => {
  const denied = new FakeBucket();
  denied.refusal = new Error('Access Denied');
  expect(await run(denied, event('Create'))).toEqual({ ...success, Status: 'FAILED', Reason: 'Access Denied' });

  const stubborn = new FakeBucket();
  stubborn.objects.set('kept.html', { content: '', headers: '' });
  stubborn.undeletable = 'kept.html';
  expect(await run(stubborn, event('Delete'))).toEqual({
    ...success,
    Status: 'FAILED',
    Reason: 'kept.html could not be deleted: Access Denied',
  });
});
