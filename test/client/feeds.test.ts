import { parseXml, type XElement } from 'builder-util-runtime';
import { createHash, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import semver from 'semver';
import { startFiles, type TestFiles } from '../support/files';
import type { CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import { closeShops, openShop, type Shop } from '../support/shop';
import { publishRelease, type VendorFile } from '../support/vendor';

/**
 * Reads the feeds for the updaters of Tauri and Sparkle in the same way as these updaters. If an updater refused an update or a signature,
 * every user would stay on an old version. Tauri's updater itself can't run here, because its compilation needs the browser libraries of a
 * desktop system. Therefore this test contains a copy of the rules in the updater's functions `check` and `verify_signature`
 * (plugins/updater/src/updater.rs).
 */

captureLogs();
let store: TestFiles;
let shop: Shop;
let slug: string;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  store = await startFiles(() => shop.now());
});
afterAll(() => store.close());
beforeEach(async () => {
  shop = await openShop({ kind: 'lifetime' }, { files: store.files });
  slug = String((await shop.call('getProduct', { params: { id: shop.productId } })).body['slug']);
  headers = { 'X-License-Key': (await shop.newLicense({ max_major: 2 })).key };
});
afterEach(closeShops);

const file = (filename: string, platform: string, arch: string, more: Partial<VendorFile> = {}): VendorFile => ({
  filename,
  platform,
  arch,
  bytes: randomBytes(1000),
  ...more,
});

/** Downloads a file from its URL in a feed. Follows the redirect, as the updater does. */
async function download(url: string): Promise<Buffer> {
  const [, found = '', version = '', filename = ''] = /\/feeds\/([^/]+)\/files\/([^/]+)\/([^/]+)$/.exec(url) ?? [];
  expect(found).toBe(slug);
  const redirect = await shop.call('downloadFeedFile', { params: { slug, version, filename }, headers });
  expect(redirect.status).toBe(302);
  const response = await fetch(redirect.headers['Location'] ?? '', { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The id of a minisign key, which `tauri signer` writes into each signature. */
const KEY_ID = Buffer.from('12345678');

/** The text of a `.sig` file. The whole text is encoded in base64. */
function tauriSignature(bytes: Uint8Array, key: KeyObject): string {
  const signature = sign(null, createHash('blake2b512').update(bytes).digest(), key);
  const comment = 'timestamp:1767225600\tfile:photo-studio.app.tar.gz';
  const lines = [
    'untrusted comment: signature from tauri secret key',
    Buffer.concat([Buffer.from('ED'), KEY_ID, signature]).toString('base64'),
    `trusted comment: ${comment}`,
    sign(null, Buffer.concat([signature, Buffer.from(comment)]), key).toString('base64'),
  ];
  return `${Buffer.from(`${lines.join('\n')}\n`).toString('base64')}\n`;
}

/** Verifies a signature by the rules of the updater's function `verify_signature`, which uses the crate minisign-verify. */
function isSignedForTauri(bytes: Uint8Array, text: string, key: KeyObject): boolean {
  if (!/^[A-Za-z0-9+/]+=*$/.test(text)) return false;
  const [, line = '', comment = '', global = ''] = Buffer.from(text, 'base64').toString().split('\n');
  const [head, signature] = [Buffer.from(line, 'base64').subarray(0, 10), Buffer.from(line, 'base64').subarray(10)];
  const trusted = Buffer.concat([signature, Buffer.from(comment.replace(/^trusted comment: /, ''))]);
  return (
    head.equals(Buffer.concat([Buffer.from('ED'), KEY_ID])) &&
    verify(null, createHash('blake2b512').update(bytes).digest(), key, signature) &&
    verify(null, trusted, key, Buffer.from(global, 'base64'))
  );
}

/** Checks a response by the rules of Tauri's updater, which deserializes the response as a `RemoteRelease`. */
function remoteRelease({ status, text }: CallResult): { version: string; notes: string; url: string; signature: string } | undefined {
  if (status === 204) {
    expect(text).toBe('');
    return undefined;
  }
  expect(status).toBe(200);
  const { version, notes, pub_date, url, signature, ...rest } = JSON.parse(text) as Record<string, string>;
  expect(rest).toEqual({});
  expect(semver.valid((version ?? '').replace(/^v/, ''))).toBe(version);
  expect(pub_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  expect(new URL(url ?? '').protocol).toMatch(/^https?:$/);
  return { version: version ?? '', notes: notes ?? '', url: url ?? '', signature: signature ?? '' };
}

describe("the feed of Tauri's updater", () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signed = (filename: string, platform: string, arch: string): VendorFile => {
    const bytes = randomBytes(1000);
    return file(filename, platform, arch, { bytes, signature: tauriSignature(bytes, privateKey) });
  };
  const check = async (target: string, arch: string, current_version: string, query = {}) =>
    remoteRelease(await shop.call('getTauriFeed', { params: { slug, channel: 'stable', target, arch, current_version }, query, headers }));

  test("Tauri's updater gets a newer release that is covered and signed; if there is no such release, it gets 204", async () => {
    await publishRelease(shop, '2.0.0', { notes: '# New' }, [
      signed('photo.app.tar.gz', 'macos', 'universal'),
      signed('photo_x64.msi', 'windows', 'x64'),
      signed('photo_x64-setup.exe', 'windows', 'x64'),
      signed('photo_arm64-setup.exe', 'windows', 'arm64'),
      signed('photo.deb', 'linux', 'x64'),
      signed('photo.AppImage', 'linux', 'x64'),
      file('photo.dmg', 'macos', 'arm64'),
    ]);
    await publishRelease(shop, '2.1.0', {}, [file('photo-2.1.0-setup.exe', 'windows', 'x64')]);
    await publishRelease(shop, '3.0.0', {}, [signed('photo-3-setup.exe', 'windows', 'x64')]);
    for (const [target, arch, name] of [
      ['darwin', 'aarch64', 'photo.app.tar.gz'],
      ['darwin', 'x86_64', 'photo.app.tar.gz'],
      ['windows', 'x86_64', 'photo_x64-setup.exe'],
      ['windows', 'aarch64', 'photo_arm64-setup.exe'],
      ['linux', 'x86_64', 'photo.AppImage'],
    ] as const) {
      const release = await check(target, arch, '1.9.0');
      expect([target, arch, release?.version, release?.notes, release?.url.split('/').at(-1)]).toEqual([
        target,
        arch,
        '2.0.0',
        '# New',
        name,
      ]);
      const bytes = await download(release?.url ?? '');
      expect(isSignedForTauri(bytes, release?.signature ?? '', publicKey)).toBe(true);
      expect(isSignedForTauri(randomBytes(1000), release?.signature ?? '', publicKey)).toBe(false);
    }
    for (const [target, arch, version] of [
      ['windows', 'x86_64', '2.0.0'],
      ['windows', 'x86_64', '2.5.0'],
      ['windows', 'i686', '1.0.0'],
      ['linux', 'armv7', '1.0.0'],
      ['linux', 'aarch64', '1.0.0'],
    ] as const)
      expect([target, arch, version, await check(target, arch, version)]).toEqual([target, arch, version, undefined]);
    const odd = await shop.call('getTauriFeed', {
      params: { slug, channel: 'stable', target: 'beos', arch: 'x86_64', current_version: '1.0.0' },
      headers,
    });
    expect(odd.status).toBe(404);
  });

  test('an app that says how it was installed gets a file of the same kind, because no other kind can replace it', async () => {
    const names = ['p_x64-setup.exe', 'p_x64.msi', 'p.AppImage', 'p.deb', 'p.rpm'];
    await publishRelease(
      shop,
      '2.0.0',
      {},
      names.map((name) => signed(name, /exe|msi/.test(name) ? 'windows' : 'linux', 'x64')),
    );
    const offered = async (target: string, bundle_type: string): Promise<string | undefined> =>
      (await check(target, 'x86_64', '1.0.0', { bundle_type }))?.url.split('/').at(-1);
    for (const [target, kind, name] of [
      ['windows', 'nsis', 'p_x64-setup.exe'],
      ['windows', 'msi', 'p_x64.msi'],
      ['linux', 'appimage', 'p.AppImage'],
      ['linux', 'deb', 'p.deb'],
      ['linux', 'rpm', 'p.rpm'],
      ['linux', 'unknown', 'p.AppImage'],
      ['linux', 'constructor', 'p.AppImage'],
      ['windows', 'deb', undefined],
    ] as const)
      expect([target, kind, await offered(target, kind)]).toEqual([target, kind, name]);
  });

  test('a feed that has not changed is not sent again', async () => {
    await publishRelease(shop, '2.0.0', {}, [signed('photo.app.tar.gz', 'macos', 'universal')]);
    const params = { slug, channel: 'stable', target: 'darwin', arch: 'aarch64', current_version: '1.0.0' };
    const first = await shop.call('getTauriFeed', { params, headers });
    expect(first.headers).toMatchObject({ 'Cache-Control': 'private, no-cache', 'Content-Type': 'application/json' });
    const again = await shop.call('getTauriFeed', { params, headers: { ...headers, 'If-None-Match': first.headers['ETag'] ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('the feed of Sparkle', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  /** A signature as `sign_update` of Sparkle prints it: the signature of the file's bytes, in base64. */
  const signed = (filename: string, platform: string, arch: string): VendorFile => {
    const bytes = randomBytes(1000);
    return file(filename, platform, arch, { bytes, signature: `${sign(null, bytes, privateKey).toString('base64')}\n` });
  };
  const textOf = (item: XElement, name: string): string | undefined => item.elementOrNull(name)?.value;

  async function appcast(name = 'stable.xml', more = {}): Promise<XElement[]> {
    const sent = { ...headers, ...more };
    const { status, text, headers: received } = await shop.call('getSparkleFeed', { params: { slug, file: name }, headers: sent });
    expect([status, received['Content-Type'], received['Cache-Control']]).toEqual([
      200,
      'application/xml; charset=utf-8',
      'private, no-cache',
    ]);
    const rss = parseXml(text);
    expect([rss.name, rss.attribute('version'), rss.attribute('xmlns:sparkle')]).toEqual([
      'rss',
      '2.0',
      'http://www.andymatuschak.org/xml-namespaces/sparkle',
    ]);
    return rss.element('channel').getElements('item');
  }

  test('Sparkle gets one item for each platform, and the signature in each item matches the downloaded file', async () => {
    const notes = 'Faster <b>export</b> & "more" ]]> \u2028 end';
    await publishRelease(shop, '2.4.0', { build: '512', notes, released_at: '2026-03-01T12:00:00Z' }, [
      file('Photo.dmg', 'macos', 'universal'),
      signed('Photo-arm64.zip', 'macos', 'arm64'),
      signed('Photo.zip', 'macos', 'universal'),
      signed('Photo-Setup.exe', 'windows', 'x64'),
    ]);
    await publishRelease(shop, '2.5.0-beta.1', { channel: 'beta' }, [signed('Photo-beta.zip', 'macos', 'universal')]);
    await publishRelease(shop, '3.0.0', {}, [signed('Photo-3.zip', 'macos', 'universal')]);
    const [mac, windows, ...others] = await appcast();
    expect(others).toEqual([]);
    if (!mac || !windows) throw new Error('There are not two items');
    for (const [item, os, name] of [
      [mac, 'macos', 'Photo.zip'],
      [windows, 'windows', 'Photo-Setup.exe'],
    ] as const) {
      expect([textOf(item, 'sparkle:version'), textOf(item, 'sparkle:shortVersionString'), textOf(item, 'sparkle:channel')]).toEqual([
        '512',
        '2.4.0',
        undefined,
      ]);
      expect(textOf(item, 'pubDate')).toBe('Sun, 01 Mar 2026 12:00:00 GMT');
      expect(textOf(item, 'description')).toBe(notes);
      const enclosure = item.element('enclosure');
      expect([enclosure.attribute('sparkle:os'), enclosure.attribute('url').split('/').at(-1)]).toEqual([os, name]);
      const bytes = await download(enclosure.attribute('url'));
      expect(enclosure.attribute('length')).toBe(String(bytes.length));
      const signature = enclosure.attribute('sparkle:edSignature');
      expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
      expect(verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    }
    const [beta] = await appcast('beta.xml');
    expect([beta && textOf(beta, 'sparkle:version'), beta && textOf(beta, 'sparkle:channel')]).toEqual(['2.5.0-beta.1', 'beta']);
  });

  test('each Mac gets the file for its processor, and the minimum version of macOS', async () => {
    const minimum_system_version = { macos: '13.0', windows: '10.0.17763' };
    await publishRelease(shop, '2.0.0', { minimum_system_version }, [
      signed('Photo-x64.zip', 'macos', 'x64'),
      signed('Photo-arm64.zip', 'macos', 'arm64'),
      signed('Photo-Setup.exe', 'windows', 'x64'),
      signed('Photo.AppImage', 'linux', 'x64'),
    ]);
    const shown = (item: XElement): unknown => [
      item.element('enclosure').attribute('url').split('/').at(-1),
      textOf(item, 'sparkle:hardwareRequirements'),
      textOf(item, 'sparkle:minimumSystemVersion'),
    ];
    const others = [
      ['Photo-Setup.exe', undefined, '10.0.17763'],
      ['Photo.AppImage', undefined, undefined],
    ];
    // Sparkle takes the first of several items with the same version that the Mac fulfils.
    const each = [['Photo-arm64.zip', 'arm64', '13.0'], ['Photo-x64.zip', undefined, '13.0'], ...others];
    expect((await appcast()).map(shown)).toEqual(each);
    for (const version of ['2.9.0', '2.10.1', '3.0.0'])
      expect((await appcast('stable.xml', { 'User-Agent': `Photo/1.0 Sparkle/${version}` })).map(shown)).toEqual(each);
    // Older versions of Sparkle ignore the requirement, so an Intel Mac would install the file for Apple processors.
    for (const version of ['1.27.1', '2.8.2'])
      expect((await appcast('stable.xml', { 'User-Agent': `Photo/1.0 Sparkle/${version}` })).map(shown)).toEqual([
        ['Photo-x64.zip', undefined, '13.0'],
        ...others,
      ]);
  });

  test('Sparkle gets an empty channel if no release is available', async () => {
    await publishRelease(shop, '3.0.0', {}, [signed('Photo-3.zip', 'macos', 'universal')]);
    expect(await appcast()).toEqual([]);
    expect(await appcast('nightly.xml')).toEqual([]);
  });
});
