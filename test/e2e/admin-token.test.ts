import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readAdminToken } from '../../bin/admin-token';
import { adminToken, baseUrl, newProduct } from '../support/http';
import { bundledCli } from '../support/program';
import { root } from '../support/repository';

/**
 * A token on a command line is visible to every user of the computer. Therefore each command also reads the admin token from a file or the
 * environment.
 */

const folder = mkdtempSync(join(tmpdir(), 'lks-admin-token-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = bundledCli();

const tokenFile = (content: string): string => {
  const file = join(folder, 'token');
  writeFileSync(file, content, { mode: 0o600 });
  return file;
};

// The test of the options of all commands (commands.test.ts) checks that the commands can read the token from a file, and say that this is
// safer.
test('only one file of the commands reads the admin token', () => {
  const files = readdirSync(join(root, 'bin'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const readers = files.filter((file) => /env\['SVC_ADMIN_TOKEN'\]/.test(readFileSync(join(root, 'bin', file), 'utf8')));
  expect(readers).toEqual(['admin-token.ts']);
});

test('a token in a file is read without the line end that editors add', async () => {
  const { id } = await newProduct();
  const args = ['export', '--product', String(id), '--base-url', baseUrl(), '--admin-token-file', tokenFile(`${adminToken()}\n`)];
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'licenses', ...args], {
    env: { ...process.env, SVC_ADMIN_TOKEN: '' },
  });
  expect(stdout).toMatch(/^key,/);
});

test('the command line takes precedence over the environment; an empty value, an empty file or a missing file is refused', () => {
  const env = { SVC_ADMIN_TOKEN: 'from-env' };
  expect(readAdminToken({}, env)).toBe('from-env');
  expect(readAdminToken({ adminTokenFile: tokenFile('from-file\n') }, env)).toBe('from-file');
  expect(readAdminToken({ adminToken: 'given', adminTokenFile: tokenFile('from-file') }, env)).toBe('given');
  expect(readAdminToken({ adminTokenFile: tokenFile('\n') }, env)).toBeUndefined();
  expect(readAdminToken({}, { SVC_ADMIN_TOKEN: '' })).toBeUndefined();
  expect(() => readAdminToken({ adminTokenFile: join(folder, 'none') }, env)).toThrow(/ENOENT/);
});
