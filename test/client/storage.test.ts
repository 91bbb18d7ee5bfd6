import { build } from 'esbuild';
import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStorage, type LicenseStorage } from '../../client/src';
import { browserStorage } from '../../client/src/browser';
import { fileStorage } from '../../client/src/node';
import { anyCharacter } from '../support/any-text';
import { until } from '../support/until';
import { closeShops } from '../support/shop';
import { DAY, openWorld, type World } from './support';

let world: World;
let folder: string;
beforeEach(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'lks-client-'));
});
afterEach(async () => {
  closeShops();
  await rm(folder, { recursive: true, force: true });
});
const itemName = (): string => `license-key-service.${world.productId}`;

describe("the client's cache in files", () => {
  const file = (): string => join(folder, 'app', `${itemName()}.json`);
  const activate = async (): ReturnType<World['licensed']> => {
    const device = await world.licensed({ storage: fileStorage(join(folder, 'app')) });
    await device.client.idle();
    return device;
  };

  test('the file keeps the license after a restart, and only its owner may read it', async () => {
    const device = await activate();
    world.network = false;
    expect(await device.restart({ storage: fileStorage(join(folder, 'app')) }).client.check()).toMatchObject({
      status: 'licensed',
      source: 'cache',
    });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'app'))).mode & 0o777).toBe(0o700);
  });

  test('the file is replaced as a whole, so nobody reads a half-written file and no temporary file remains', async () => {
    const storage = fileStorage(folder);
    const texts = Array.from({ length: 20 }, (_, place) => `${place}`.repeat(2000));
    const seen = new Set<string>();
    let isDone = false;
    const writing = Promise.all(texts.map((text) => storage.setItem('item', text))).finally(() => (isDone = true));
    do {
      const text = await storage.getItem('item');
      if (text != null) seen.add(text);
    } while (!isDone);
    await writing;
    for (const text of seen) expect(texts).toContain(text);
    expect(await readdir(folder)).toEqual(['item.json']);
  });

  test('a failed write leaves the previous content and no temporary file', async () => {
    const storage = fileStorage(folder);
    await storage.setItem('item', 'old');
    await expect(storage.setItem('item', { toString: 'no text' } as unknown as string)).rejects.toThrow();
    expect(await storage.getItem('item')).toBe('old');
    expect(await readdir(folder)).toEqual(['item.json']);
  });

  test('an item is removed together with the drafts of processes that were killed while they wrote it', async () => {
    const storage = fileStorage(folder);
    await storage.removeItem('item');
    for (const name of ['item', 'item.device']) await storage.setItem(name, 'x');
    await writeFile(join(folder, 'item.json.0123456789ab.tmp'), 'a license key');
    await storage.removeItem('item');
    expect(await readdir(folder)).toEqual(['item.device.json']);
    await rm(folder, { recursive: true });
    await storage.removeItem('item');
  });

  test('no lock remains if it cannot be written', async () => {
    const outfile = join(folder, 'storage.cjs');
    await build({ entryPoints: ['client/src/node/file-storage.ts'], bundle: true, platform: 'node', outfile });
    const program = `require('./storage.cjs').fileStorage('app').lock('item', async () => 1).catch((error) => console.log(error.code))`;
    // Files can be created but not filled, as on a full disk.
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$0" -e "$1"', process.execPath, program], { cwd: folder });
    expect(stdout.toString().trim()).toBe('EFBIG');
    expect(await readdir(join(folder, 'app'))).toEqual([]);
  });

  test('the name of an item cannot lead out of the folder', async () => {
    await fileStorage(join(folder, 'app')).setItem('../../evil', 'x');
    expect(await readdir(folder)).toEqual(['app']);
  });

  test.each([
    ['empty', ''],
    ['full of zeros, as after a power failure', '\0'.repeat(500)],
    ['not JSON', '{"v": 1, "key"'],
    ['different JSON', '[1, 2]'],
    ['null', 'null'],
    ['of a future version', '{"v": 2, "key": "x", "token": 5}'],
    ['JSON with fields of wrong types', '{"v": 1, "key": {"a": 1}, "token": [], "seen": "now", "refused": 7, "release": [1], "seats": {}}'],
  ])('a file that is %s counts as missing, and a new activation replaces it', async (_what, content) => {
    const device = await activate();
    await writeFile(file(), content);
    const { client } = device.restart({ storage: fileStorage(join(folder, 'app')) });
    expect(await client.check()).toEqual({ status: 'unbound' });
    expect(await client.activate(device.license.key)).toMatchObject({ status: 'licensed' });
    await client.idle();
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ v: 1, key: device.license.key });
    expect((await world.license(device.license.id)).seats.used).toBe(1);
  });

  test('a file with a damaged token is repaired by the service if the key is intact', async () => {
    const device = await activate();
    const record = JSON.parse(await readFile(file(), 'utf8')) as { token: string };
    await writeFile(file(), JSON.stringify({ ...record, token: record.token.slice(5) }));
    expect(await device.restart({ storage: fileStorage(join(folder, 'app')) }).client.check()).toMatchObject({
      status: 'licensed',
      source: 'network',
    });
  });

  test("if the file can't be written, the app works until its process ends", async () => {
    const storage = { ...fileStorage(join(folder, 'app')), setItem: () => Promise.reject(new Error('read-only')) };
    const device = await world.licensed({ storage });
    await device.client.idle();
    expect(await device.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(device.warnings.join()).toContain('The license cache was not written');
  });

  test("if the file can't be read, the device does not count as a device without a license", async () => {
    await writeFile(join(folder, 'app'), 'a file in the place of the folder');
    const { client, requests } = world.install({ storage: fileStorage(join(folder, 'app')) });
    const { key } = await world.newLicense();
    const unreadable = { status: 'offline_without_token', reason: 'storage_failed', fault: { kind: 'storage' } };
    expect([await client.check(), await client.activate(key), requests]).toMatchObject([unreadable, unreadable, []]);
  });

  test('only one process at a time changes the file, and the lock of a crashed process is released', async () => {
    const storage = fileStorage(folder);
    let isTaken = false;
    const task = async (): Promise<void> => {
      expect(isTaken).toBe(false);
      isTaken = true;
      await new Promise((resolve) => setImmediate(resolve));
      isTaken = false;
    };
    await Promise.all(Array.from({ length: 8 }, () => storage.lock('item', task)));
    await writeFile(join(folder, 'item.lock'), 'a process that has crashed');
    await storage.lock('item', task);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a client that is closed no longer waits for the lock of another process, so its own process can end', async () => {
    const storage = fileStorage(join(folder, 'app'));
    const waits: Promise<unknown>[] = [];
    const device = await world.licensed({
      storage: {
        ...storage,
        lock: (...request) => {
          const run = storage.lock(...request);
          if (request[0].endsWith('.seat')) waits.push(run);
          return run;
        },
      },
    });
    await new Promise<void>((resolve) => {
      void storage.lock(`${itemName()}.seat`, async () => {
        waits.length = 0;
        const call = device.client.activate(device.license.key);
        await until('the activation waits for the lock', () => waits.length === 1);
        await device.client.close();
        expect(await call).toMatchObject({ status: 'licensed', fault: { kind: 'closed' } });
        expect(await Promise.allSettled(waits)).toMatchObject([{ status: 'rejected' }]);
        resolve();
      });
    });
  });

  test.each<[string, (lock: string) => Promise<unknown>]>([
    ['a process has crashed while it had the lock', (lock) => writeFile(lock, 'a process that has crashed')],
    ['this user may not read the lock of a crashed process', (lock) => writeFile(lock, 'a process of another user', { mode: 0 })],
    ['there is a folder in the place of the lock', (lock) => mkdir(join(lock, 'of something else'), { recursive: true })],
    ['there is a link to nothing in the place of the lock', (lock) => symlink(join(folder, 'nothing'), lock)],
  ])(
    'an activation is stored before it returns, even if %s',
    async (_what, leave) => {
      await leave(join(folder, `${itemName()}.lock`));
      const { license } = await world.licensed({ storage: fileStorage(folder) });
      expect(JSON.parse(await readFile(join(folder, `${itemName()}.json`), 'utf8'))).toMatchObject({ key: license.key });
    },
    30_000,
  );
});

describe("other storages for the client's cache", () => {
  const failing = (part: 'getItem' | 'setItem', how: () => never | Promise<never>): LicenseStorage => ({ ...memoryStorage(), [part]: how });
  const refuse = (): never => {
    throw new Error('quota exceeded');
  };

  test.each<[string, LicenseStorage]>([
    ['throws when it is written', failing('setItem', refuse)],
    ['fails when it is written', failing('setItem', () => Promise.reject(new Error('disk full')))],
  ])('if the storage %s, the app stays licensed until its process ends', async (_what, storage) => {
    const device = world.install({ storage });
    const { key } = await world.newLicense();
    expect((await device.client.check()).status).toBe('unbound');
    expect(await device.client.activate(key)).toMatchObject({ status: 'licensed' });
    await device.client.idle();
    world.network = false;
    expect(await device.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test.each<[string, LicenseStorage]>([
    ['throws when it is read', failing('getItem', refuse)],
    ['fails when it is read', failing('getItem', () => Promise.reject(new Error('locked')))],
    ['hangs when it is read', failing('getItem', () => new Promise<never>(() => undefined))],
  ])('if the storage %s, the client neither sends requests nor writes, because there may be a license', async (_what, storage) => {
    const written: string[] = [];
    const setItem = (_name: string, value: string): void => void written.push(value);
    const { client, requests } = world.install({ storage: { ...storage, setItem }, timeoutMs: 50 });
    const { key } = await world.newLicense();
    const unreadable = { status: 'offline_without_token', reason: 'storage_failed', fault: { kind: 'storage' } };
    expect([await client.check(), await client.activate(key), await client.trial()]).toMatchObject([unreadable, unreadable, unreadable]);
    expect(await client.deactivate()).toMatchObject({ status: 'failed', fault: { kind: 'storage' } });
    expect([requests, written]).toEqual([[], []]);
  });

  test('a storage that writes late does not overwrite a newer value', async () => {
    const kept = memoryStorage();
    let isSlow = false;
    let write = (): void => undefined;
    const slow: LicenseStorage = {
      getItem: kept.getItem,
      setItem: (name, value) =>
        isSlow ? new Promise<void>((resolve) => (write = () => (kept.setItem(name, value), resolve()))) : kept.setItem(name, value),
    };
    const device = await world.licensed({ storage: slow, timeoutMs: 1000 });
    isSlow = true;
    await device.client.validate();
    isSlow = false;
    const second = await world.newLicense();
    const activation = device.client.activate(second.key);
    write();
    expect(await activation).toMatchObject({ status: 'licensed', license: { id: second.id } });
    await device.client.idle();
    expect(JSON.parse(String(await kept.getItem(itemName())))).toMatchObject({ key: second.key });
  });

  test('a storage that returns something else than a text causes no exception', async () => {
    const { client } = world.install({ storage: { ...memoryStorage(), getItem: () => ({ v: 1 }) as unknown as string } });
    expect(await client.check()).toEqual({ status: 'unbound' });
  });

  test('a storage that fails for a while gets everything when it works again', async () => {
    const storage = memoryStorage();
    let isFull = true;
    const device = await world.licensed({
      storage: { getItem: storage.getItem, setItem: (name, value) => (isFull ? refuse() : storage.setItem(name, value)) },
    });
    await device.client.idle();
    expect(await storage.getItem(itemName())).toBeUndefined();
    isFull = false;
    world.advance(DAY);
    await device.client.check();
    await device.client.idle();
    world.network = false;
    expect(await device.restart({ storage }).client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
  });

  test("two processes that share a storage see each other's changes", async () => {
    const first = await world.licensed();
    await first.client.idle();
    const second = first.restart();
    expect(await second.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await second.client.deactivate();
    await second.client.idle();
    expect(await first.client.check()).toEqual({ status: 'unbound' });
  });

  test('no content of the storage makes check() throw an error or licenses the app', async () => {
    world.network = false;
    const value = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.json(),
      fc
        .record(
          {
            v: fc.constant(1),
            key: fc.oneof(fc.string({ unit: anyCharacter }), fc.constant('\ud800')),
            token: fc.string(),
            seen: fc.double(),
            refused: fc.string(),
          },
          { requiredKeys: ['v'] },
        )
        .map((record) => JSON.stringify(record)),
    );
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        const device = world.install();
        await device.storage.setItem(itemName(), text);
        expect((await device.client.check()).status).toMatch(
          /^(unbound|offline_without_token|expired|revoked|no_seats|unknown_key|refused)$/,
        );
        await device.client.idle();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a device without a fingerprint', () => {
  test('the client stores a random id for the device, which remains the same after a deactivation', async () => {
    const fingerprint = (): undefined => undefined;
    const device = await world.licensed({ fingerprint });
    await device.client.idle();
    const id = await device.client.fingerprint();
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect((await world.license(device.license.id)).activations).toMatchObject([{ fingerprint: id }]);
    const next = device.restart();
    expect(await next.client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    await next.client.deactivate();
    await next.client.idle();
    expect(await device.restart().client.fingerprint()).toBe(id);
    expect(await world.install({ fingerprint }).client.fingerprint()).not.toBe(id);
  });
});

describe('the default storage in a browser', () => {
  const define = (descriptor: PropertyDescriptor): void =>
    void Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...descriptor });
  afterEach(() => {
    delete (globalThis as { localStorage?: unknown }).localStorage;
  });

  test("the storage is the page's localStorage", async () => {
    const local = memoryStorage();
    define({ value: local });
    expect(browserStorage()).toBe(local);
  });

  test.each([
    [
      'forbidden',
      {
        get: () => {
          throw new Error('The operation is insecure.');
        },
      },
    ],
    ['missing', { value: undefined }],
    ['null, as in some web views', { value: null }],
  ])('the storage is in memory if localStorage is %s', async (_what, descriptor) => {
    define(descriptor);
    const storage = browserStorage();
    await storage.setItem('a', 'b');
    expect(await storage.getItem('a')).toBe('b');
  });
});
