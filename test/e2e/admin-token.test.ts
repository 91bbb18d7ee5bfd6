import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readAdminToken } from '../../bin/admin-token';
import { adminToken, baseUrl, newProduct } from '../support/http';

/**
 * A token on a command line is visible to every user of the computer. Therefore each command also reads the admin token from a file or the
 * environment.
 */

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'lks-admin-token-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', join('bin', file), ...args], {
    cwd: root,
    env: { ...process.env, SVC_ADMIN_TOKEN: '', ...env },
  });

const tokenFile = (content: string): string => {
  const file = join(folder, 'token');
  writeFileSync(file, content, { mode: 0o600 });
  return file;
};

test('every command with an admin token can read it from a file, and says that this is safer', async () => {
  const files = readdirSync(join(root, 'bin'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const readers = files.filter((file) => /env\['SVC_ADMIN_TOKEN'\]|'admin-token':/.test(readFileSync(join(root, 'bin', file), 'utf8')));
  expect(readers).toEqual(['admin-token.ts']);
  for (const file of ['licenses.ts', 'releases.ts', 'reseal.ts', 'smoke.ts']) {
    const { stdout } = await run(file, ['--help']);
    expect([file, stdout]).toEqual([
      file,
      expect.stringMatching(/environment's SVC_ADMIN_TOKEN[^]*--admin-token-file [^]*--admin-token [^]*other users/),
    ]);
  }
});

test('a token in a file is read without the line end that editors add', async () => {
  const { id } = await newProduct();
  const { stdout } = await run('licenses.ts', [
    'export',
    '--product',
    String(id),
    '--base-url',
    baseUrl(),
    '--admin-token-file',
    tokenFile(`${adminToken()}\n`),
  ]);
  expect(stdout).toMatch(/^key,/);
});

test('the command line takes precedence over the environment; an empty value, an empty file or a missing file is refused', () => {
  const env = { SVC_ADMIN_TOKEN: 'from-env' };
  expect(readAdminToken({}, env)).toBe('from-env');
  expect(readAdminToken({ 'admin-token-file': tokenFile('from-file\n') }, env)).toBe('from-file');
  expect(readAdminToken({ 'admin-token': 'given', 'admin-token-file': tokenFile('from-file') }, env)).toBe('given');
  expect(readAdminToken({ 'admin-token-file': tokenFile('\n') }, env)).toBeUndefined();
  expect(readAdminToken({}, { SVC_ADMIN_TOKEN: '' })).toBeUndefined();
  expect(() => readAdminToken({ 'admin-token-file': join(folder, 'none') }, env)).toThrow(/ENOENT/);
});
