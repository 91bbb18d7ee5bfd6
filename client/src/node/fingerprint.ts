import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * The fingerprint of a machine: SHA-256, as lower-case hex, of the machine id that its operating system keeps, as
 * lower-case ASCII without white space around it. `client/vectors/fingerprints.json` has examples of every step.
 */

/** What a machine id is read from. */
export interface System {
  /** As Node's `process.platform`. */
  readonly platform: string;
  readonly readFile: (path: string) => Promise<string>;
  /** Standard output of a command. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
}

/** Longest that a command may take, in milliseconds. */
const COMMAND_LIMIT = 5000;

const thisSystem: System = {
  platform: process.platform,
  readFile: (path) => readFile(path, 'utf8'),
  run: async (command, args) => (await promisify(execFile)(command, args, { timeout: COMMAND_LIMIT, windowsHide: true })).stdout,
};

/** Where Linux keeps its id (machine-id(5)), first the usual place. */
const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
/** By their whole paths: another program of that name must not be found first. */
const WINDOWS_REG = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\reg.exe`;
const MACOS_IOREG = '/usr/sbin/ioreg';

/** How the id stands in what each system shows. */
const patterns: Readonly<Record<string, RegExp>> = {
  linux: /^\s*([0-9a-f]{32})\s*$/i,
  darwin: /"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})"/i,
  win32: /\bMachineGuid\s+REG_SZ\s+([0-9a-f-]{36})\s/i,
};

/** The machine id in what a platform shows of it, in lower case; undefined where there is none, or only a placeholder. */
export function parseMachineId(platform: string, shown: string): string | undefined {
  const id = patterns[platform]?.exec(shown)?.[1]?.toLowerCase();
  // Firmware and images that were never set up have all zeros or ones.
  return id === undefined || /^(0|-)+$|^(f|-)+$/.test(id) ? undefined : id;
}

async function shownBy({ platform, readFile: read, run }: System): Promise<readonly string[]> {
  // Where one source can't be read the next may be.
  const orEmpty = (text: Promise<string>): Promise<string> => text.catch(() => '');
  switch (platform) {
    case 'linux':
      return Promise.all(LINUX_FILES.map((path) => orEmpty(read(path))));
    case 'darwin':
      return [await orEmpty(run(MACOS_IOREG, ['-rd1', '-c', 'IOPlatformExpertDevice']))];
    case 'win32':
      return [await orEmpty(run(WINDOWS_REG, ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid', '/reg:64']))];
    default:
      return [];
  }
}

/** The fingerprint that belongs to a machine id. */
export const fingerprintOf = (machineId: string): string => createHash('sha256').update(machineId.trim().toLowerCase()).digest('hex');

/**
 * This machine's fingerprint: the same after restarts and updates, and for every app and SDK on it. Undefined where
 * no machine id can be read (some containers, other systems); {@link LicenseClient} then uses an id of its own making.
 */
export async function fingerprint(system: System = thisSystem): Promise<string | undefined> {
  for (const shown of await shownBy(system)) {
    const id = parseMachineId(system.platform, shown);
    if (id !== undefined) return fingerprintOf(id);
  }
  return undefined;
}
