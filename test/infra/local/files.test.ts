import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rangeOf } from '../../../infra/local/files';
import { startFiles, type TestFiles } from '../../support/files';
import { until } from '../../support/until';

/**
 * Tests the files of the local run: an updater that works with them must also work with S3, and only the holder of an address gets a file.
 */

const running: TestFiles[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});
async function open(folder?: string, now: () => number = Date.now): Promise<TestFiles> {
  const started = await startFiles(now, folder);
  running.push(started);
  return started;
}
const KEY = 'releases/1/an app (ä).zip';
const file = (bytes: Uint8Array, key = KEY) => ({
  key,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  contentType: 'application/zip',
});
const put = async (url: string, headers: object, body: Uint8Array): Promise<string> => {
  const response = await fetch(url, { method: 'PUT', headers: { ...headers }, body: Uint8Array.from(body) });
  return `${response.status} ${/^\w*/.exec(await response.text())?.[0] ?? ''}`.trim();
};
async function stored({ files }: TestFiles, bytes: Uint8Array, key?: string): Promise<string> {
  const { url, headers } = await files.signUpload(file(bytes, key), 3600, Date.now());
  expect(await put(url, headers, bytes)).toBe('200');
  return files.signDownload(file(bytes, key), 300, Date.now());
}

test('an uploaded file has its size, hash and type, even after a restart, until it is deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lks-files-'));
  const bytes = randomBytes(100_000);
  const first = await open(folder);
  expect(await first.files.isUploaded(file(bytes))).toBe(false);
  const url = await stored(first, bytes);
  await first.close();
  const { files } = await open(folder);
  expect(await files.isUploaded(file(bytes))).toBe(true);
  expect(await files.isUploaded({ ...file(bytes), size: 1 })).toBe(false);
  const download = await fetch(await files.signDownload(file(bytes), 300, Date.now()));
  expect(download.headers.get('content-type')).toBe('application/zip');
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  // An address of an earlier run is worthless, because each run signs with a new secret.
  const [, , query] = /^(.*)\?(.*)$/.exec(url) ?? [];
  const [path] = (await files.signDownload(file(bytes), 300, Date.now())).split('?');
  expect((await fetch(`${path}?${query}`)).status).toBe(403);
  await files.remove(KEY);
  await files.remove(KEY);
  expect(await files.isUploaded(file(bytes))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('bytes that differ from the declared size or hash are refused and not stored', async () => {
  const store = await open();
  const bytes = Buffer.from('the declared bytes');
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  expect(await put(url, headers, Buffer.from('other bytes, 18 ch'))).toBe('400 BadDigest');
  expect(await put(url, headers, Buffer.from('longer than the declared bytes'))).toBe('403 SignatureDoesNotMatch');
  const others = { ...headers, 'x-amz-checksum-sha256': createHash('sha256').update('x').digest('base64') };
  for (const changed of [others, {}, { ...headers, 'content-type': 'text/html' }])
    expect(await put(url, changed, bytes)).toBe('403 SignatureDoesNotMatch');
  expect(await store.files.isUploaded(file(bytes))).toBe(false);
  expect(readdirSync(store.folder)).toEqual([]);
});

test('an address is valid for one file, one method and a limited time of the test clock', async () => {
  let ahead = 0;
  const store = await open(undefined, () => Date.now() + ahead);
  const bytes = randomBytes(1000);
  const url = await stored(store, bytes);
  await stored(store, bytes, 'releases/2/other.zip');
  const statuses = async (...urls: readonly string[]): Promise<number[]> => Promise.all(urls.map(async (one) => (await fetch(one)).status));
  const later = url.replace(/until=\d+/, `until=${Date.now() + 86_400_000}`);
  const other = url.replace('releases/1/an%20app%20(%C3%A4).zip', 'releases/2/other.zip');
  expect(other).not.toBe(url);
  expect(await statuses(url, later, other, url.split('?')[0]!)).toEqual([200, 403, 403, 403]);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  for (const method of ['PUT', 'DELETE', 'POST'])
    expect((await fetch(url, { method, ...(method === 'PUT' && { body: 'x' }) })).status).toBe(403);
  ahead = 301_000;
  expect(await statuses(url)).toEqual([403]);
});

test('an interrupted upload leaves nothing behind', async () => {
  const store = await open();
  const bytes = randomBytes(1_000_000);
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  const broken = request(url, { method: 'PUT', headers: { ...headers, 'content-length': bytes.length } });
  broken.on('error', () => undefined);
  broken.write(bytes.subarray(0, 500_000));
  await until('the upload has begun', () => readdirSync(store.folder).length === 1);
  broken.destroy();
  await until('nothing is left of it', () => readdirSync(store.folder).length === 0);
});

test('a file keeps its new bytes if the upload fails after its description was replaced', async () => {
  const store = await open();
  const bytes = randomBytes(1000);
  await stored(store, bytes);
  // A folder takes the place of the file that contains the previous bytes. The store cannot delete the folder, because it deletes only
  // files.
  const previous = join(store.folder, readdirSync(store.folder).find((name) => name.endsWith('.bytes')) ?? '');
  rmSync(previous);
  mkdirSync(previous);
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  expect(await put(url, headers, bytes)).toMatch(/^500/);
  const download = await fetch(await store.files.signDownload(file(bytes), 300, Date.now()));
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
});

test('requests for ranges get the same responses as from S3', async () => {
  const bytes = randomBytes(1000);
  const url = await stored(await open(), bytes);
  const ask = async (range: string, more: object = {}): Promise<[number, string | null, string]> => {
    const response = await fetch(url, { headers: { Range: range, ...more } });
    return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer()).toString('hex')];
  };
  const part = (first: number, last: number): string => bytes.subarray(first, last + 1).toString('hex');
  expect(await ask('bytes=0-0')).toEqual([206, 'bytes 0-0/1000', part(0, 0)]);
  expect(await ask('bytes=990-')).toEqual([206, 'bytes 990-999/1000', part(990, 999)]);
  expect(await ask('bytes=-10')).toEqual([206, 'bytes 990-999/1000', part(990, 999)]);
  expect(await ask('bytes=500-5000')).toEqual([206, 'bytes 500-999/1000', part(500, 999)]);
  expect((await ask('bytes=1000-'))[0]).toBe(416);
  const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag');
  expect((await ask('bytes=0-0', { 'If-Range': etag }))[0]).toBe(206);
  expect((await ask('bytes=0-0', { 'If-Range': '"another"' }))[0]).toBe(200);
  // S3 sends the whole object if a request names several ranges or an invalid range.
  for (const whole of ['bytes=0-1,5-6', 'bytes=5-1', 'lines=1-2', 'bytes=-']) expect(await ask(whole)).toEqual([200, null, part(0, 999)]);
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0']) expect(rangeOf(range, 0)).toBe('unsatisfiable');
});
