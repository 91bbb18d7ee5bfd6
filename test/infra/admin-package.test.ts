import { buildSync } from 'esbuild';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from '../../client/admin/build';
import { publint, typeErrors } from '../support/package-checks';
import { root } from '../support/repository';

/** Tests `@license-key-service/admin` in the form in which a vendor installs it. */

const folder = join(root, 'client/admin');
const name = '@license-key-service/admin';

test('the package and its fetch wrapper have at most 6 KB, compressed', () => {
  const [file] = buildSync({
    absWorkingDir: root,
    entryPoints: ['client/admin/src/index.ts'],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    write: false,
  }).outputFiles;
  expect(gzipSync(file!.contents, { level: 9 }).length).toBeLessThanOrEqual(6 * 1024);
});

describe('the package installed in a project', () => {
  let project: string;
  let installed: string;
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'lks-admin-'));
    installed = join(project, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    for (const file of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']) cpSync(join(folder, file), join(installed, file));
    await build(join(installed, 'dist'));
    for (const dependency of ['openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(root, 'node_modules', dependency), join(project, 'node_modules', dependency));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test.each([
    ['app.mjs', `import { createAdminClient, verifyWebhook } from '${name}';`],
    ['app.cjs', `const { createAdminClient, verifyWebhook } = require('${name}');`],
  ])('%s can use the package', async (file, imports) => {
    writeFileSync(
      join(project, file),
      `${imports}\nconsole.log(typeof createAdminClient({ baseUrl: 'http://127.0.0.1:1', token: 't' }).GET, typeof verifyWebhook);`,
    );
    expect((await promisify(execFile)(process.execPath, [file], { cwd: project })).stdout).toBe('function function\n');
  });

  test("the package's types know every parameter, field and list, for ES modules and for CommonJS", () => {
    const first = `
      import { createAdminClient, dataOf, verifyWebhook, type WebhookEvent } from '${name}';
      const client = createAdminClient({ baseUrl: '', token: '', timeoutMs: 1000 });
      export async function use(): Promise<string> {
        const license = dataOf(await client.POST('/v1/products/{id}/licenses', { params: { path: { id: 1 } }, body: { license_type_id: 1 } }));
        // @ts-expect-error: the license type is required.
        await client.POST('/v1/products/{id}/licenses', { params: { path: { id: 1 } }, body: {} });
        const event: WebhookEvent = verifyWebhook('', {}, '');
        const key: string = license.key + (event.data.license?.key ?? '');`;
    const more = `
        for await (const { key } of client.rows('/v1/products/{id}/licenses', { params: { path: { id: 1 }, query: { status: 'active' } } })) key.trim();
        for await (const { data } of client.pages('/v1/products/{id}/licenses', { params: { path: { id: 1 } }, headers: { Accept: 'text/csv' }, parseAs: 'text' })) data.trim();
        // @ts-expect-error: this route does not exist.
        await client.GET('/v1/nothing');
        // @ts-expect-error: the route returns a single license, not a list.
        client.rows('/v1/licenses/{id}', { params: { path: { id: 1 } } });`;
    const last = 'return key; }';
    // ES modules and CommonJS have the same types. Only the ES module uses `more`, because checking it twice would take seconds longer.
    writeFileSync(join(project, 'app.mts'), first + more + last);
    writeFileSync(join(project, 'app.cts'), first + last);
    expect(typeErrors(project)).toBe('');
  });

  test('publint reports no problem, and the package contains exactly the published files', async () => {
    expect(await publint(installed)).toContain('All good!');
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: installed });
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    for (const file of ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts', 'generated/openapi.d.ts'])
      expect(paths).toContain(`dist/${file}`);
  });
});
