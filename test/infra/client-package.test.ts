import { buildSync } from 'esbuild';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build } from '../../client/build';
import { publint, typeErrors } from '../support/package-checks';
import { root } from '../support/repository';

/** Tests the package in the form in which a developer installs it. */

const name = '@license-key-service/client';
const manifest = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8')) as { dependencies: object; version: string };
const pem = '-----BEGIN PUBLIC KEY-----\\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\\n-----END PUBLIC KEY-----\\n';

/** What `npm pack` reports about an archive. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

test('no client can be published before all clients name the same repository', () => {
  const read = (file: string): string => readFileSync(join(root, 'client', file), 'utf8');
  const { repository, private: isPrivate } = JSON.parse(read('package.json')) as { repository?: { url: string }; private?: boolean };
  const url = repository?.url.replace(/\.git$/, '');
  const goModule = /^module (\S+)$/m.exec(read('go/go.mod'))?.[1] ?? '';
  const named = [
    url,
    /^repository = "(.+)"$/m.exec(read('rust/Cargo.toml'))?.[1],
    /^Repository = "(.+)"$/m.exec(read('python/pyproject.toml'))?.[1],
    /<\/version>\s*<url>(.+)<\/url>/.exec(read('java/pom.xml'))?.[1],
  ];
  const refusals = [
    isPrivate === true,
    /^publish = false$/m.test(read('rust/Cargo.toml')),
    read('python/pyproject.toml').includes('"Private :: Do Not Upload"'),
    read('java/pom.xml').includes('<maven.deploy.skip>true</maven.deploy.skip>'),
    goModule.startsWith('example.com/'),
  ];
  if (url === undefined)
    expect([named, refusals]).toEqual([
      [undefined, undefined, undefined, undefined],
      [true, true, true, true, true],
    ]);
  else expect([named, `https://${goModule}`]).toEqual([[url, url, url, url], `${url}/client/go`]);
  expect(read('go/example/main.go')).toContain(`"${goModule}/licensekey"`);
  expect(read('java/core/src/main/java/licensekey/LicenseClient.java')).toContain(`VERSION = "${manifest.version}"`);
});

describe('the client bundled into an app', () => {
  /** The client as an app's bundler builds it. */
  const bundled = buildSync({
    absWorkingDir: root,
    stdin: {
      contents: `import { LicenseClient, memoryStorage } from './client/src'; globalThis.app = [LicenseClient, memoryStorage];`,
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const [file] = bundled.outputFiles;

  test('the client adds at most 14 KB to an app, as a browser receives it, in one file', () => {
    expect(brotliCompressSync(file!.contents).length).toBeLessThanOrEqual(14 * 1024);
  });

  test('the client has one dependency, which only the fallback needs, and imports no modules of Node', () => {
    expect(manifest.dependencies).toEqual({ tweetnacl: '^1.0.3' });
    expect(Object.keys(bundled.metafile.inputs).filter((path) => !/^client\/src\/|^<stdin>$/.test(path))).toEqual([]);
    expect(Object.values(bundled.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    expect(file!.text).not.toMatch(/\bBuffer\b|require\(/);
  });
});

describe('the client installed in a project', () => {
  let project: string;
  let installed: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'lks-package-'));
    installed = join(project, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    for (const file of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']) cpSync(join(root, 'client', file), join(installed, file));
    build(join(installed, 'dist'));
    symlinkSync(join(root, 'node_modules/tweetnacl'), join(project, 'node_modules/tweetnacl'));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  const run = async (file: string, text: string): Promise<string> => {
    writeFileSync(join(project, file), text);
    return (await promisify(execFile)(process.execPath, [file], { cwd: project })).stdout;
  };
  const use = `
    const client = new LicenseClient({ baseUrl: 'http://127.0.0.1:1', productId: 1, apiKey: 'pk', publicKey: '${pem}', fingerprint, storage: fileStorage('cache') });
    client.check().then((state) => console.log(JSON.stringify(state), typeof browserStorage));`;

  /** Packs the package once for the tests that need its archive or the list of its files. */
  let packing: Promise<Packed> | undefined;
  const packed = (): Promise<Packed> =>
    (packing ??= promisify(execFile)('npm', ['pack', '--json', '--pack-destination', project, '--ignore-scripts'], {
      cwd: installed,
    }).then(({ stdout }) => (JSON.parse(stdout) as [Packed])[0]));

  test('the client works as an ES module', async () => {
    const imports = `import { LicenseClient } from '${name}';\nimport { fingerprint, fileStorage } from '${name}/node';\nimport { browserStorage } from '${name}/browser';\nimport '${name}/fallback';`;
    expect(await run('app.mjs', imports + use)).toBe('{"status":"unbound"} function\n');
  });

  test('the client works with require', async () => {
    const requires = `const { LicenseClient } = require('${name}');\nconst { fingerprint, fileStorage } = require('${name}/node');\nconst { browserStorage } = require('${name}/browser');`;
    expect(await run('app.cjs', requires + use)).toBe('{"status":"unbound"} function\n');
  });

  test('the client can create a random device id in Node, too', async () => {
    const text = `import { LicenseClient } from '${name}';\nconsole.log(await new LicenseClient({ baseUrl: 'http://127.0.0.1:1', productId: 1, apiKey: 'pk', publicKey: '${pem}' }).fingerprint());`;
    expect(await run('id.mjs', text)).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test("the client's types distinguish every state, for ES modules and for CommonJS", () => {
    const text = `
      import { LicenseClient, type LicenseState, type LicenseStorage } from '${name}';
      import { fingerprint, fileStorage } from '${name}/node';
      import { browserStorage } from '${name}/browser';
      const storage: LicenseStorage = Math.random() > 0.5 ? fileStorage('cache') : browserStorage();
      export const client = new LicenseClient({ baseUrl: '', productId: 1, apiKey: '', publicKey: { keys: [] }, fingerprint, storage, fetch, now: Date.now, graceDays: 3, timeoutMs: 1000 });
      new LicenseClient({ baseUrl: '', productId: 1, apiKey: '', publicKey: '', storage: localStorage });
      export function show(state: LicenseState): string {
        switch (state.status) {
          case 'licensed': return state.source + state.license.type.kind + state.features.join() + state.offlineUntil.toISOString() + (state.license.expiresAt?.getTime() ?? '');
          case 'unbound': return state.key ?? '';
          case 'offline_without_token': return state.reason + (state.fault?.message ?? '');
          case 'no_seats': return String(state.seats?.used);
            case 'refused': return state.reason;
          case 'expired': case 'revoked': case 'suspended': case 'reissued': case 'sign_in_required': case 'denied': case 'request_expired': case 'too_many_devices': case 'unknown_key': case 'no_trial': case 'not_covered': return state.status;
        }
      }
      // @ts-expect-error: only a licensed state has a license.
      export const wrong = (state: LicenseState) => state.license;
    `;
    writeFileSync(join(project, 'app.mts'), text);
    writeFileSync(join(project, 'app.cts'), text);
    expect(typeErrors(project)).toBe('');
  });

  test('publint and attw report no problem, so every kind of project finds the package and its types', async () => {
    expect(await publint(installed)).toContain('All good!');

    const attw = [
      join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
      join(project, (await packed()).filename),
      '--format',
      'json',
      '--no-definitely-typed',
    ];
    const { stdout } = await promisify(execFile)(process.execPath, attw, { maxBuffer: 50_000_000 }).catch(
      (error: { stdout: string }) => error,
    );
    const { analysis, problems } = JSON.parse(stdout) as { analysis: { entrypoints: object }; problems: object };
    expect(problems).toEqual({});
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(['.', './browser', './fallback', './node', './package.json', './react']);
  });

  test('the package contains exactly the published files: no test vectors, and no sources except in source maps', async () => {
    const paths = (await packed()).files.map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    for (const entry of ['index', 'fallback/index', 'node/index', 'browser/index', 'react/index']) {
      for (const extension of ['.js', '.mjs', '.js.map', '.mjs.map', '.d.ts', '.d.mts'])
        expect(paths).toContain(`dist/${entry}${extension}`);
    }
    expect(readFileSync(join(root, 'client/CHANGELOG.md'), 'utf8')).toContain(`\n## ${manifest.version}\n`);
  });
});
