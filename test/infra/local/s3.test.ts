import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { rangeOf } from '../../../infra/local/s3/range';
import { startFiles, type FileOptions, type TestFiles } from '../../support/files';
import { until } from '../../support/until';

/**
 * Tests the local S3: an updater that works with it must also work with the deployed service, and callers without permission must be
 * refused.
 */

const open: TestFiles[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function start(options: FileOptions = {}): Promise<TestFiles> {
  const started = await startFiles(options);
  open.push(started);
  return started;
}

const file = (bytes: Uint8Array, key = 'releases/1/app.zip') => ({
  key,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  contentType: 'application/zip',
});
const put = (url: string, headers: object, body: Uint8Array, more: object = {}): Promise<Response> =>
  fetch(url, { method: 'PUT', headers: { ...headers, ...more }, body: Uint8Array.from(body) });
const codeOf = async (response: Response): Promise<string> => `${response.status} ${/<Code>(\w+)/.exec(await response.text())?.[1] ?? ''}`;

/** Sends a request with exactly the given path and headers. `fetch` would change some paths and headers. */
function raw(url: string, method: string, headers: object = {}, body: Uint8Array = Buffer.alloc(0)): Promise<number | undefined> {
  const [, hostname, port, path] = /^http:\/\/([\d.]+):(\d+)(.*)$/s.exec(url) ?? [];
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { ...headers, 'content-length': body.length } }, (response) =>
      resolve(response.resume().statusCode),
    );
    sent.on('error', reject).end(body);
  });
}

async function stored({ files }: TestFiles, bytes: Uint8Array, key?: string): Promise<string> {
  const { url, headers } = await files.signUpload(file(bytes, key), 3600, Date.now());
  expect((await put(url, headers, bytes)).status).toBe(200);
  return files.signDownload(file(bytes, key), 300, Date.now());
}

test('an uploaded file has its size, hash and type, even after a restart, until it is deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lks-s3-'));
  const bytes = randomBytes(100_000);
  const first = await start({ folder });
  expect(await first.files.isUploaded(file(bytes))).toBe(false);
  await stored(first, bytes);
  await first.close();
  const { files } = await start({ folder });
  expect(await files.isUploaded(file(bytes))).toBe(true);
  expect(await files.isUploaded({ ...file(bytes), size: 1 })).toBe(false);
  const download = await fetch(await files.signDownload(file(bytes), 300, Date.now()));
  expect(download.headers.get('content-type')).toBe('application/zip');
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  await files.remove(file(bytes).key);
  await files.remove(file(bytes).key);
  expect(await files.isUploaded(file(bytes))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('bytes that differ from the declared size or hash are refused and not stored', async () => {
  const store = await start();
  const bytes = Buffer.from('the declared bytes');
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  expect(await codeOf(await put(url, headers, Buffer.from('other bytes, 18 ch')))).toBe('400 BadDigest');
  expect(await codeOf(await put(url, headers, Buffer.from('longer than the declared bytes')))).toBe('403 SignatureDoesNotMatch');
  const others = { ...headers, 'x-amz-checksum-sha256': createHash('sha256').update('x').digest('base64') };
  expect(await codeOf(await put(url, others, bytes))).toBe('403 SignatureDoesNotMatch');
  expect(await codeOf(await put(url, {}, bytes))).toBe('403 SignatureDoesNotMatch');
  expect(await codeOf(await put(url, headers, bytes, { 'content-type': 'text/html' }))).toBe('403 SignatureDoesNotMatch');
  expect(await codeOf(await put(url, headers, bytes, { 'x-amz-acl': 'public-read' }))).toBe('403 AccessDenied');
  expect(await store.files.isUploaded(file(bytes))).toBe(false);
  expect(readdirSync(store.folder)).toEqual([]);
});

test('an interrupted upload leaves nothing behind', async () => {
  const store = await start();
  const bytes = randomBytes(1_000_000);
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  const broken = request(url, { method: 'PUT', headers: { ...headers, 'content-length': bytes.length } });
  broken.on('error', () => undefined);
  broken.write(bytes.subarray(0, 500_000));
  await until('the upload has begun', () => readdirSync(store.folder).length === 1);
  broken.destroy();
  await until('nothing is left of it', () => readdirSync(store.folder).length === 0);
  expect(await store.files.isUploaded(file(bytes))).toBe(false);
});

test('an object keeps its new bytes if the upload fails after its description was replaced', async () => {
  const store = await start();
  const bytes = randomBytes(1000);
  await stored(store, bytes);
  // A folder takes the place of the file that contains the previous bytes. The store cannot delete the folder, because it deletes only
  // files.
  const previous = join(store.folder, readdirSync(store.folder).find((name) => name.endsWith('.bytes')) ?? '');
  rmSync(previous);
  mkdirSync(previous);
  const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
  expect((await put(url, headers, bytes)).status).toBe(500);
  const download = await fetch(await store.files.signDownload(file(bytes), 300, Date.now()));
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
});

test('requests for ranges get the same responses as from S3', async () => {
  const bytes = randomBytes(1000);
  const url = await stored(await start(), bytes);
  const ask = async (range: string): Promise<[number, string | null, string]> => {
    const response = await fetch(url, { headers: { Range: range } });
    return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer()).toString('hex')];
  };
  const part = (first: number, last: number): string => bytes.subarray(first, last + 1).toString('hex');
  expect(await ask('bytes=0-0')).toEqual([206, 'bytes 0-0/1000', part(0, 0)]);
  expect(await ask('bytes=990-')).toEqual([206, 'bytes 990-999/1000', part(990, 999)]);
  expect(await ask('bytes=-10')).toEqual([206, 'bytes 990-999/1000', part(990, 999)]);
  expect(await ask('bytes=500-5000')).toEqual([206, 'bytes 500-999/1000', part(500, 999)]);
  expect((await ask('bytes=1000-'))[0]).toBe(416);
  // S3 sends the whole object if a request names several ranges or an invalid range.
  for (const whole of ['bytes=0-1,5-6', 'bytes=5-1', 'lines=1-2', 'bytes=-']) expect(await ask(whole)).toEqual([200, null, part(0, 999)]);
});

test('an empty object has no range', () => {
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0']) expect(rangeOf(range, 0)).toBe('unsatisfiable');
});

test('20 simultaneous ranges contain all bytes of a file of 200 MB, which is never in memory as a whole', async () => {
  const size = 200_000_000;
  const block = randomBytes(1_000_000);
  const hash = createHash('sha256');
  for (let at = 0; at < size; at += block.length) hash.update(block);
  const store = await start();
  const large = { key: 'releases/1/large.bin', size, sha256: hash.digest('hex'), contentType: 'application/octet-stream' };
  const { url, headers } = await store.files.signUpload(large, 3600, Date.now());
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': size } }, (response) =>
      resolve(response.resume().statusCode),
    );
    Readable.from(
      (function* () {
        for (let at = 0; at < size; at += block.length) yield block;
      })(),
    )
      .on('error', reject)
      .pipe(sent)
      .on('error', reject);
  });
  expect(status).toBe(200);
  const download = await store.files.signDownload(large, 300, Date.now());
  const share = size / 20;
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const response = await fetch(download, { headers: { Range: `bytes=${index * share}-${(index + 1) * share - 1}` } });
      expect(response.status).toBe(206);
      let at = index * share;
      for await (const chunk of response.body ?? []) {
        const bytes = chunk as Uint8Array;
        // The first byte of each chunk shows that the chunk comes from the right place.
        expect(bytes[0]).toBe(block[at % block.length]);
        at += bytes.length;
      }
      expect(at).toBe((index + 1) * share);
    }),
  );
  clearInterval(watch);
  expect(most - before).toBeLessThan(size);
});

test('a download link expires by the test clock that the service uses', async () => {
  let advanced = 0;
  const store = await start({ advancedMs: () => advanced });
  const url = await stored(store, Buffer.from('bytes'));
  expect((await fetch(url)).status).toBe(200);
  advanced = 301_000;
  const late = await fetch(url);
  expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
  const fresh = await store.files.signDownload({ key: 'releases/1/app.zip' }, 300, Date.now() + advanced);
  expect((await fetch(fresh)).status).toBe(200);
});

test('a download link is valid only with its signature, and only for its own method, file and query', async () => {
  const store = await start();
  const url = new URL(await stored(store, Buffer.from('bytes')));
  await stored(store, Buffer.from('others'), 'releases/2/app.zip');
  const changed = async (change: (copy: URL) => void, method = 'GET'): Promise<string> => {
    const copy = new URL(url);
    change(copy);
    return codeOf(await fetch(copy, { method }));
  };
  expect(await changed((copy) => (copy.pathname = copy.pathname.replace('releases/1', 'releases/2')))).toBe('403 SignatureDoesNotMatch');
  expect(await changed((copy) => copy.searchParams.set('X-Amz-Expires', '604800'))).toBe('403 SignatureDoesNotMatch');
  expect(await changed((copy) => copy.searchParams.set('response-content-type', 'text/html'))).toBe('403 SignatureDoesNotMatch');
  expect(await changed((copy) => copy.searchParams.delete('X-Amz-Signature'))).toBe('403 SignatureDoesNotMatch');
  expect(await changed((copy) => copy.searchParams.delete('X-Amz-Security-Token'))).toBe('403 InvalidAccessKeyId');
  expect(await changed((copy) => (copy.search = ''))).toBe('403 AccessDenied');
  for (const method of ['PUT', 'DELETE', 'POST']) expect(await changed(() => undefined, method)).toBe('403 SignatureDoesNotMatch');
});

// Otherwise somebody who wrote wrong code for signing would look for a mistake in the access key.
test.each([
  ['day', (scope: readonly string[]) => [scope[0], '20200101', ...scope.slice(2)]],
  ['service', (scope: readonly string[]) => [...scope.slice(0, 3), 's3express', scope[4]]],
])('a link with the wrong %s in its credential is refused for this reason', async (_, change) => {
  const url = new URL(await stored(await start(), Buffer.from('bytes')));
  url.searchParams.set('X-Amz-Credential', change(url.searchParams.get('X-Amz-Credential')!.split('/')).join('/'));
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringMatching(/AuthorizationQueryParametersError.*The scope of the credential must be/s),
  ]);
});

test('no object key can lead out of the folder', async () => {
  const store = await start();
  const bytes = Buffer.from('bytes');
  for (const key of [
    'releases/../../etc/passwd',
    'releases/1/..%2f..%2fx',
    '/etc/passwd',
    'releases/1/a\\..\\b',
    `releases/${'x'.repeat(900)}`,
  ]) {
    const { url, headers } = await store.files.signUpload(file(bytes, key), 3600, Date.now());
    expect([key, await raw(url, 'PUT', headers, bytes)]).toEqual([key, 200]);
    expect([key, await raw(await store.files.signDownload(file(bytes, key), 300, Date.now()), 'GET')]).toEqual([key, 200]);
  }
  expect(readdirSync(store.folder).every((name) => /^[0-9a-f-]+\.(json|bytes)$/.test(name))).toBe(true);
});

test('the permission for downloads does not allow uploads, and the permission for uploads does not allow downloads', async () => {
  const allowed = (...actions: string[]): FileOptions => ({
    statements: [{ Effect: 'Allow', Action: actions, Resource: ['arn:aws:s3:::test-releases/releases/*'], Condition: {} }],
  });
  const bytes = Buffer.from('bytes');
  const reader = await start(allowed('s3:GetObject'));
  const { url, headers } = await reader.files.signUpload(file(bytes), 3600, Date.now());
  expect(await codeOf(await put(url, headers, bytes))).toBe('403 AccessDenied');
  const writer = await start(allowed('s3:PutObject'));
  expect(await codeOf(await fetch(await stored(writer, bytes)))).toBe('403 AccessDenied');
  await expect(writer.files.remove(file(bytes).key)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
});

describe('web pages that use the file store', () => {
  const OWN = 'http://127.0.0.1:8787';
  test("a page of another origin can't use the file store, even with a valid link", async () => {
    const store = await start();
    store.s3.allowOrigin(OWN);
    const url = await stored(store, Buffer.from('bytes'));
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: 'http://127.0.0.1:9999' }]) {
      for (const method of ['GET', 'OPTIONS', 'PUT']) {
        const response = await fetch(url, { method, headers });
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      }
    }
    expect((await fetch(url, { headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' } })).status).toBe(403);
  });

  test("the service's own pages may send and get files, and anybody may open a download link", async () => {
    const store = await start();
    store.s3.allowOrigin(OWN);
    const bytes = Buffer.from('bytes');
    const { url, headers } = await store.files.signUpload(file(bytes), 3600, Date.now());
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { Origin: OWN, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'x-amz-checksum-sha256' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-amz-checksum-sha256']);
    expect((await put(url, headers, bytes, { Origin: OWN })).headers.get('access-control-allow-origin')).toBe(OWN);
    const link = await store.files.signDownload(file(bytes), 300, Date.now());
    expect(await raw(link, 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
  });
});
