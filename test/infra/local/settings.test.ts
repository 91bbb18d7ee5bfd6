import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as clock from '../../../infra/local/clock';
import * as dataDir from '../../../infra/local/data-dir';
import { StartError } from '../../../infra/local/errors';
import * as secrets from '../../../infra/local/secrets';
import { readSettings } from '../../../infra/local/settings';
import { root } from '../../support/repository';
import { temporaryFolder } from './support';

test('settings have defaults, and an empty variable counts as not set', () => {
  const defaults = {
    port: 8787,
    host: '127.0.0.1',
    allowedHosts: [],
    throttle: true,
    adminToken: undefined,
    dataDir: resolve('.local'),
    webhookAllowPrivate: true,
    dynamodbEndpoint: undefined,
    mail: { transport: 'none' },
    smtpUrl: undefined,
    printAll: false,
    mailsPerSecond: 5,
    processorApis: {},
  };
  expect(readSettings({})).toEqual(defaults);
  expect(
    readSettings({ PORT: '', HOST: ' ', SVC_ADMIN_TOKEN: '', DATA_DIR: '', WEBHOOK_ALLOW_PRIVATE: '', DYNAMODB_ENDPOINT: '', LOG: '' }),
  ).toEqual(defaults);
  expect(
    readSettings({
      PORT: '0',
      HOST: '::1',
      ALLOWED_HOSTS: 'licenses.example, tunnel.example',
      THROTTLE: 'off',
      SVC_ADMIN_TOKEN: 'token',
      DATA_DIR: ':memory:',
      WEBHOOK_ALLOW_PRIVATE: 'false',
      DYNAMODB_ENDPOINT: 'http://db:8000',
      MAIL_TRANSPORT: 'smtp',
      MAIL_FROM: 'licenses@example.com',
      SMTP_URL: 'smtp://127.0.0.1:25',
      LOG: '1',
    }),
  ).toEqual({
    port: 0,
    host: '::1',
    allowedHosts: ['licenses.example', 'tunnel.example'],
    throttle: false,
    adminToken: 'token',
    dataDir: ':memory:',
    webhookAllowPrivate: false,
    dynamodbEndpoint: 'http://db:8000',
    mail: { transport: 'smtp', from: 'licenses@example.com' },
    smtpUrl: 'smtp://127.0.0.1:25',
    printAll: true,
    mailsPerSecond: 5,
    processorApis: {},
  });
  expect(readSettings({ MAIL_FROM: 'a@b.example' }).mail).toEqual({ transport: 'ses', from: 'a@b.example' });
});

test.each([
  ['PORT', 'http', /^PORT="http" is not a port/],
  ['PORT', '65536', /^PORT="65536" is not a port/],
  ['PORT', '-1', /^PORT="-1" is not a port/],
  ['SVC_ADMIN_TOKEN', 'two words', /^SVC_ADMIN_TOKEN must consist of printable ASCII/],
  ['MAIL_TRANSPORT', 'pigeon', /^MAIL_TRANSPORT="pigeon" must be ses, smtp or none\.$/],
  ['MAIL_TRANSPORT', 'smtp', /^MAIL_TRANSPORT=smtp needs SMTP_URL/],
  ['MAIL_FROM', 'Me <me@example.com>', /^MAIL_FROM=".*" is not a plain e-mail address/],
  ['WEBHOOK_ALLOW_PRIVATE', 'maybe', /^WEBHOOK_ALLOW_PRIVATE="maybe" is neither true nor false\.$/],
  ['DYNAMODB_ENDPOINT', 'localhost', /^DYNAMODB_ENDPOINT="localhost" is not a URL/],
  ['DYNAMODB_ENDPOINT', 'ftp://x', /^DYNAMODB_ENDPOINT="ftp:\/\/x" is not a URL/],
])('%s=%s is refused with an error message', (name, value, message) => {
  expect(() => readSettings({ [name]: value })).toThrow(StartError);
  expect(() => readSettings({ [name]: value })).toThrow(message);
});

test('the data folder is created, and only one run at a time can use it', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  const claimed = await dataDir.claim(folder);
  expect(statSync(claimed.path()).mode & 0o777).toBe(0o700);
  await expect(dataDir.claim(folder)).rejects.toThrow(`DATA_DIR "${folder}" is in use by another local run`);
  await claimed.release();
  await claimed.release();
  await (await dataDir.claim(folder)).release();
});

test('files of an earlier run become readable by their owner only, and other files stay unchanged', async () => {
  const modeOf = (...names: string[]) => (statSync(join(...names)).mode & 0o777).toString(8);
  const fill = (folder: string): void => {
    mkdirSync(join(folder, 'logs'), { recursive: true });
    for (const name of ['dynamodb.sqlite', 'dynamodb.sqlite-wal', 'secrets.json', join('logs', 'HttpActivate.log')])
      writeFileSync(join(folder, name), '', { mode: 0o644 });
    for (const name of [folder, join(folder, 'logs')]) chmodSync(name, 0o755);
  };
  const own = join(temporaryFolder(), 'data');
  fill(own);
  await (await dataDir.claim(own)).release();
  const found = ['.', 'logs', 'dynamodb.sqlite', 'dynamodb.sqlite-wal', 'secrets.json', join('logs', 'HttpActivate.log')].map((name) =>
    modeOf(own, name),
  );
  expect(found).toEqual(['700', '700', '600', '600', '600', '600']);

  const home = join(temporaryFolder(), 'home');
  fill(home);
  writeFileSync(join(home, 'letter.txt'), '', { mode: 0o644 });
  symlinkSync(join(home, 'letter.txt'), join(home, 'logs', 'link'));
  await (await dataDir.claim(home)).release();
  expect([modeOf(home), modeOf(home, 'letter.txt'), modeOf(home, 'secrets.json'), modeOf(home, 'logs')]).toEqual([
    '755',
    '644',
    '600',
    '700',
  ]);
});

test('a data folder that is not writable is named in the error', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(dataDir.claim(join(file, 'below'))).rejects.toThrow(/^Cannot write to DATA_DIR ".*below": /);
  await expect(dataDir.claim(file)).rejects.toThrow(/^Cannot write to/);
});

// With half of its secrets, a service could not read its own table. The limit of the shell makes a write stop at 512 bytes, as a full disk
// does.
(process.platform === 'win32' ? test.skip : test)('if the disk is full, a file keeps its previous content', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'secrets.json');
  writeFileSync(file, 'previous');
  const write = "require('./infra/local/data-dir').writeDurably(process.argv[1], 'x'.repeat(2000))";
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, '--require', 'tsx/cjs', '-e', write, file],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')]);
  expect(readdirSync(folder)).toEqual(['secrets.json']);
  expect(readFileSync(file, 'utf8')).toBe('previous');
});

// Otherwise data would be encrypted with a key that is lost when the service stops.
test('a generated secret is used only if it was stored', () => {
  const folder = join(temporaryFolder(), 'missing');
  const file = join(folder, 'secrets.json');
  const opened = secrets.open(file, {});
  expect(() => opened.value('encryptionKey')).toThrow('ENOENT');
  mkdirSync(folder);
  const value = opened.value('encryptionKey');
  expect(secrets.open(file, {}).value('encryptionKey')).toBe(value);
});

// Otherwise the user would get a stack trace that names no file. The error must not show the secrets in the file.
test.each(['{', 'null', '{"adminToken": 5}', '{"advanced_ms": -1}'])(
  'a damaged file of the data folder is named in the error: %s',
  (text) => {
    const file = join(temporaryFolder(), 'damaged.json');
    writeFileSync(file, text);
    for (const open of [() => clock.start(file), () => secrets.open(file, {})]) {
      expect(open).toThrow(StartError);
      expect(open).toThrow(`The file "${file}" is damaged. Restore it from a backup, or set DATA_DIR to another folder.`);
    }
  },
);
