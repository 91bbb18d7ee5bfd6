import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appFingerprint, fingerprint, type System } from '../../client/src/node';

const id = '8f2d7a61c4b94e0f9a3d5c7e1b2f4a60';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const failing = (code: string) => (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));
const missing = failing('ENOENT');
const system = (platform: string, parts: Partial<System>): System => ({ platform, readFile: missing, run: missing, ...parts });

test('this computer always has the same fingerprint, which is derived from its machine id if it has one', async () => {
  const first = await fingerprint();
  expect(await fingerprint()).toBe(first);
  if (process.platform !== 'linux') return;
  let shown = '';
  try {
    shown = readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    // A container may have no machine id.
  }
  if (/^[0-9a-f]{32}$/.test(shown)) expect(first).toBe(sha256(shown));
});

test('on Linux without /etc/machine-id the fingerprint uses the machine id of D-Bus', async () => {
  const readFile = (path: string): Promise<string> => (path === '/var/lib/dbus/machine-id' ? Promise.resolve(`${id}\n`) : missing());
  expect(await fingerprint(system('linux', { readFile }))).toBe(sha256(id));
});

test('devices whose /etc/machine-id still contains the placeholder "uninitialized" do not all get the same fingerprint', async () => {
  const readFile = (path: string): Promise<string> => Promise.resolve(path === '/etc/machine-id' ? 'uninitialized\n' : '');
  expect(await fingerprint(system('linux', { readFile }))).toBeUndefined();
});

test.each(['linux', 'darwin', 'win32', 'freebsd', 'aix'])('%s without a machine id has no fingerprint', async (platform) => {
  expect(await fingerprint(system(platform, { run: () => Promise.resolve('') }))).toBeUndefined();
});

test.each([
  ['linux', 'EACCES'],
  ['linux', 'EIO'],
  ['darwin', 'ETIMEDOUT'],
  ['win32', 'ENOENT'],
])(
  "on %s a machine id that temporarily can't be read (%s) is an error, so the computer is not taken for another device",
  async (platform, code) => {
    const other = (path: string): Promise<string> => (path === '/etc/machine-id' ? failing(code)() : Promise.resolve(id));
    await expect(fingerprint(system(platform, { readFile: other, run: failing(code) }))).rejects.toThrow(code);
  },
);

test("an app can use fingerprints that differ from other apps' fingerprints: an HMAC with the machine id as key, as in systemd", async () => {
  const machine = system('linux', { readFile: () => Promise.resolve(`${id.toUpperCase()}\n`) });
  const own = await appFingerprint('aurora-notes')(machine);
  expect(own).toBe(createHmac('sha256', id).update('aurora-notes').digest('hex'));
  expect(new Set([own, await appFingerprint('borealis')(machine), await fingerprint(machine)]).size).toBe(3);
  expect(await appFingerprint('aurora-notes')(system('linux', {}))).toBeUndefined();
});

test.each([
  ['darwin', '/usr/sbin/ioreg', '"IOPlatformUUID" = "6F1C2B3A-4D5E-5F60-8172-93A4B5C6D7E8"', '6f1c2b3a-4d5e-5f60-8172-93a4b5c6d7e8'],
  [
    'win32',
    'C:\\Windows\\System32\\reg.exe',
    '    MachineGuid    REG_SZ    2c9a1f04-7be3-4d6a-8f51-0e9d8c7b6a53\r\n',
    '2c9a1f04-7be3-4d6a-8f51-0e9d8c7b6a53',
  ],
])(
  'on %s the machine id comes from %s, called by its full path, so that no other program with this name is run',
  async (platform, command, output, machineId) => {
    const commands: string[] = [];
    const run = (name: string, args: readonly string[]): Promise<string> => {
      commands.push(name);
      expect(args.length).toBeGreaterThan(1);
      return Promise.resolve(output);
    };
    expect(await fingerprint(system(platform, { run }))).toBe(sha256(machineId));
    expect(commands).toEqual([command]);
  },
);

// Otherwise every computer of a company that forbids registry tools would be unknown.
test('on Windows PowerShell reads the machine id if a group policy forbids reg.exe', async () => {
  const machineId = '2c9a1f04-7be3-4d6a-8f51-0e9d8c7b6a53';
  const run = (name: string): Promise<string> => (name.endsWith('reg.exe') ? failing('EPERM')() : Promise.resolve(`${machineId}\r\n`));
  expect(await fingerprint(system('win32', { run }))).toBe(sha256(machineId));
});
