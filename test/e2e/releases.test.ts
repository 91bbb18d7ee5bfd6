import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { targetOf } from '../../lambdas/domain/releases/target';
import type { ReleaseView } from '../../lambdas/contract/resources';
import { openTab, startBrowser } from '../support/browser';
import { adminToken, baseUrl, get, newLicense, newProduct, newType, post } from '../support/http';
import { bundledCli } from '../support/program';

/**
 * Tests `npm run releases -- publish` like a build machine: with a token that has the scope `releases`, and with an interrupted run that is
 * started again.
 */

const root = resolve(__dirname, '../..');
const program = bundledCli();
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): { folder: string; paths: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'lks-dist-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return { folder, paths: Object.keys(files).map((name) => join(folder, name)) };
}

async function buildMachine(): Promise<{ product: number; args: string[]; env: NodeJS.ProcessEnv }> {
  const product = await newProduct();
  const { body } = await post<{ token: string }>('/v1/tokens', { name: 'build', scopes: ['releases'], product_id: product.id });
  return {
    product: product.id,
    args: [program, 'releases', 'publish', '--product', String(product.id), '--base-url', baseUrl()],
    env: { ...process.env, SVC_ADMIN_TOKEN: body.token },
  };
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: root, env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
const releasesOf = async (product: number): Promise<ReleaseView[]> => (await get<ReleaseView[]>(`/v1/products/${product}/releases`)).body;

test('the output folders of electron-builder and Tauri are published without a change', async () => {
  const { product, args, env } = await buildMachine();
  const { folder, paths } = folderOf({
    'Photo Studio Setup 2.4.0.exe': 'windows',
    'Photo Studio Setup 2.4.0.exe.blockmap': 'map',
    'Photo-2.4.0-arm64-mac.zip': 'mac',
    'Photo-2.4.0.AppImage': 'linux',
    'latest-linux.yml':
      'version: 2.4.0\nfiles:\n  - url: Photo-2.4.0.AppImage\n    size: 5\n    blockMapSize: 3\nminimumSystemVersion: 5.10\nstagingPercentage: 10\n',
    'latest-mac.yml': 'version: 2.4.0\nfiles:\n  - url: Photo-2.4.0-arm64-mac.zip\nminimumSystemVersion: 22.0.0\nstagingPercentage: 10\n',
    'old-mac.yml': 'version: 2.3.0\nfiles:\n  - url: Photo-2.3.0-arm64-mac.zip\nminimumSystemVersion: 19.0.0\n',
    'builder-debug.yml': 'x64:\n  firstOrDefaultFilePatterns: []\n',
    'compose.yml': 'services: {}\n---\nservices: {}\n',
    'template.yml': 'files: [ {{ files }}\n',
    'photo_2.4.0_aarch64.dmg': 'tauri',
    'photo.app.tar.gz': 'update',
    'photo.app.tar.gz.sig': 'dGF1cmk=\n',
  });
  mkdirSync(join(folder, 'win-unpacked'));
  const all = [...paths, join(folder, 'win-unpacked')];
  const options = ['--version', '2.4.0', '--channel', 'beta', '--feature', 'sync'];

  // No file name says for which Mac architecture the app is, so the program must not guess it.
  const unclear = await run([...args, ...options, ...all], env);
  expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('--target photo.app.tar.gz=macos/arm64')]);
  expect(await releasesOf(product)).toEqual([]);

  const done = await run([...args, ...options, '--target', 'photo.app.tar.gz=macos/universal', ...all], env);
  expect([done.code, done.stderr.replace(/^KB uploaded.*$/gm, '').trim()]).toEqual([0, '']);
  const [release] = await releasesOf(product);
  expect(release).toMatchObject({
    version: '2.4.0',
    channel: 'beta',
    status: 'published',
    features: ['sync'],
    minimum_system_version: { macos: '22.0.0', linux: '5.10' },
    staging_percentage: 10,
  });
  expect(
    release?.artifacts.map(({ filename, platform, arch, signature, block_map_size }) => [
      filename,
      platform,
      arch,
      signature,
      block_map_size,
    ]),
  ).toEqual([
    ['Photo-2.4.0-arm64-mac.zip', 'macos', 'arm64', null, null],
    ['Photo-2.4.0.AppImage', 'linux', 'x64', null, 3],
    ['Photo-Studio-Setup-2.4.0.exe', 'windows', 'x64', null, null],
    ['Photo-Studio-Setup-2.4.0.exe.blockmap', 'windows', 'x64', null, null],
    ['photo.app.tar.gz', 'macos', 'universal', 'dGF1cmk=', null],
    ['photo_2.4.0_aarch64.dmg', 'macos', 'arm64', null, null],
  ]);

  const edit = args.map((arg) => (arg === 'publish' ? 'edit' : arg));
  const raised = await run(
    [...edit, '--version', '2.4.0', '--staging-percentage', '50', '--minimum-system-version', 'none', '--json'],
    env,
  );
  expect([raised.code, raised.stderr]).toEqual([0, '']);
  const changed = await releasesOf(product);
  expect(changed).toMatchObject([{ features: ['sync'], staging_percentage: 50, minimum_system_version: null }]);
  expect([JSON.parse(raised.stdout)]).toEqual(changed);

  writeFileSync(join(folder, 'Photo-2.4.0.AppImage'), 'another build');
  const other = await run([...args, ...options, '--target', 'photo.app.tar.gz=macos/universal', ...all], env);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('these files differ from the published ones: Photo-2.4.0.AppImage. Publish them as a new version.'),
  ]);
});

test('publishing that is killed during an upload and started again uploads only missing files, and publishes once', async () => {
  const { product, args, env } = await buildMachine();
  const { paths } = folderOf({ 'a-x64.exe': 'small', 'b-x64.exe': randomBytes(60_000_000), 'c-x64.exe': randomBytes(60_000_000) });
  const whole = [...args, '--version', '1.0.0', '--parallel', '1', ...paths];
  const child = spawn(process.execPath, whole, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes(`Uploaded ${basename(paths[0] ?? '')}`)) child.kill('SIGKILL');
  });
  await ended;
  expect((await releasesOf(product)).map(({ status }) => status)).toEqual(['draft']);

  const again = await run([...whole, '--json'], env);
  expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/[12] files? already uploaded\.[^]*Published version 1\.0\.0/)]);
  expect(again.stderr).not.toContain('Uploaded a-x64.exe');
  const [release] = await releasesOf(product);
  expect([release?.status, release?.artifacts.length]).toEqual(['published', 3]);
  expect(JSON.parse(again.stdout)).toEqual(release);
  const third = await run(whole, env);
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining('already published with these files')]);
});

test.each([
  [['--version', '1.0'], 'version must be a version by Semantic Versioning'],
  [[], "'--version <version>' not specified"],
  [['--version', '1.0.0', '--target', 'x.zip=mac/arm64'], "option '--target <file=platform/arch>' argument 'x.zip=mac/arm64' is invalid"],
  [['--version', '1.0.0', '--staging-percentage', '0'], "option '--staging-percentage <number>' argument '0' is invalid"],
  [['--version', '1.0.0', '--minimum-system-version', 'mac=13.0'], '--minimum-system-version must be'],
])('publishing with the options %j is refused with an error message', async (options, sentence) => {
  const { args, env } = await buildMachine();
  const { paths } = folderOf({ 'a-x64.exe': 'bytes' });
  const { code, stderr } = await run([...args, ...options, ...paths], env);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(sentence)]);
  expect(adminToken()).not.toBe('');
});

describe('the commands in docs/releases publish a release and find it again', () => {
  const MAC_ARCHIVE = 'Photo.app.tar.gz';
  type Product = Awaited<ReturnType<typeof newProduct>>;
  let product: Product;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  async function published(): Promise<Product> {
    const made = await newProduct();
    const files = [MAC_ARCHIVE, `${MAC_ARCHIVE}.sig`, 'Photo-Setup.exe'].map((name) => join(folder, name));
    const options = ['--version', '2.4.0', '--target', `${MAC_ARCHIVE}=macos/universal`, '--target', 'Photo-Setup.exe=windows/x64'];
    const target = ['--product', String(made.id), '--base-url', baseUrl()];
    const { code } = await run([program, 'releases', 'publish', ...target, ...options, ...files], {
      ...process.env,
      SVC_ADMIN_TOKEN: adminToken(),
    });
    expect(code).toBe(0);
    return made;
  }
  beforeAll(async () => {
    ({ folder } = folderOf({ [MAC_ARCHIVE]: 'the app', [`${MAC_ARCHIVE}.sig`]: 'c2ln', 'Photo-Setup.exe': 'setup' }));
    product = await published();
    const { key } = await newLicense(await newType(product, { max_seats: 1 }));
    env = { ...process.env, BASE_URL: baseUrl(), API_KEY: product.api_key, LICENSE_KEY: key, ADMIN_TOKEN: adminToken() };
  });

  /** Returns a page's code blocks that are written in a given language, with the URL, product id and slug of the test. */
  const blocks = (page: string, language: string, { id, slug } = product): string[] =>
    [...readFileSync(join(root, 'docs/releases', `${page}.md`), 'utf8').matchAll(/```(\w+)\n(.*?)```/gs)]
      .filter(([, found]) => found === language)
      .map(([, , text = '']) =>
        text
          .replaceAll('https://licenses.example.com', baseUrl())
          .replaceAll('/products/1/', `/products/${id}/`)
          .replaceAll('photo-studio', slug),
      );
  const paste = (script = ''): Promise<{ stdout: string }> =>
    promisify(execFile)('bash', ['-euc', script.replaceAll('curl ', 'curl --silent --fail ')], { cwd: folder, env });

  test("the feeds of the three updaters have the URLs that are in the updaters' configurations", async () => {
    const [electron = ''] = blocks('electron', 'yaml').map((text) => `${/url: (.*)/.exec(text)?.[1]}/latest.yml`);
    const [sparkle = ''] = blocks('sparkle', 'xml').map((text) => /<key>SUFeedURL<\/key>\s*<string>(.*)<\/string>/.exec(text)?.[1]);
    const tauri = blocks('tauri', 'json').map((text) => JSON.parse(text) as { plugins: { updater: { endpoints: string[] } } });
    const [endpoint = ''] = tauri.flatMap(({ plugins }) => plugins.updater.endpoints);
    const current = endpoint.replace('{{target}}', 'darwin').replace('{{arch}}', 'aarch64').replace('{{current_version}}', '2.3.0');
    for (const address of [electron, sparkle, current]) {
      const response = await fetch(address, { headers: { 'X-License-Key': String(env['LICENSE_KEY']) } });
      expect([address, response.status, await response.text()]).toEqual([address, 200, expect.stringContaining('2.4.0')]);
    }
  });

  test('a custom updater finds the release, and continues an interrupted download', async () => {
    const [ask, download] = blocks('own-updater', 'sh');
    const { update } = JSON.parse((await paste(ask)).stdout) as { update: { artifacts: { filename: string; url: string }[] } };
    const [archive] = update.artifacts;
    expect(archive?.filename).toBe(MAC_ARCHIVE);
    writeFileSync(join(folder, 'update.dmg'), 'the');
    await paste(`URL=${archive?.url}\n${download}`);
    expect(readFileSync(join(folder, 'update.dmg'), 'utf8')).toBe('the app');
  });

  test('a website of another origin links to the newest version', async () => {
    // The product is new, so that its setting is not cached. Otherwise a change would take up to a minute to take effect.
    const free = await published();
    const [open] = blocks('websites', 'sh', free);
    const [html] = blocks('websites', 'html', free);
    await paste(open);
    const server = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(html));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const browser = await startBrowser();
    try {
      const { page, faults } = await openTab(browser);
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      await page.locator('#download[href^="http"]').waitFor();
      const address = await page.locator('#download').getAttribute('href');
      expect([await (await fetch(address ?? '')).text(), faults]).toEqual(['the app', []]);
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

test.each<[string, string | undefined]>([
  ['App-1.0.0.dmg', 'macos/x64'],
  ['App-1.0.0-universal.dmg', 'macos/universal'],
  ['App-1.0.0-arm64.dmg.blockmap', 'macos/arm64'],
  ['App-1.0.0-mac.zip', 'macos/x64'],
  ['App_x64.app.tar.gz', 'macos/x64'],
  ['App.app.tar.gz', undefined],
  ['app_1.0.0_x64-setup.exe', 'windows/x64'],
  ['app_1.0.0_x64_en-US.msi', 'windows/x64'],
  ['App-1.0.0-ia32-win.zip', 'windows/ia32'],
  ['app_1.0.0_amd64.deb', 'linux/x64'],
  ['app-1.0.0-1.x86_64.rpm', 'linux/x64'],
  ['app_1.0.0_aarch64.AppImage.tar.gz', 'linux/arm64'],
  ['app-1.0.0-armv7l.AppImage', undefined],
  ['app-darwin-arm64.zip', 'macos/arm64'],
  ['manual.pdf', undefined],
])('the file %s is for the platform %s', (name, expected) => {
  const target = targetOf(name);
  expect(target && `${target.platform}/${target.arch}`).toBe(expected);
});
