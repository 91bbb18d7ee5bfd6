import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
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

/**
 * What a system shows of its machine id, the usual source first. What doesn't exist shows nothing.
 *
 * @throws what reading throws: a source that exists and can't be read must not make a machine look like another one
 */
async function* shownBy({ platform, readFile: read, run }: System): AsyncGenerator<string> {
  switch (platform) {
    case 'linux':
      for (const path of LINUX_FILES) {
        try {
          yield await read(path);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
      break;
    case 'darwin':
      yield await run(MACOS_IOREG, ['-rd1', '-c', 'IOPlatformExpertDevice']);
      break;
    case 'win32':
      yield await run(WINDOWS_REG, ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid', '/reg:64']);
      break;
  }
}

/** The file, or a folder on the way to it, doesn't exist. */
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const normal = (machineId: string): string => machineId.trim().toLowerCase();

/** The fingerprint that belongs to a machine id. */
export const fingerprintOf = (machineId: string): string => createHash('sha256').update(normal(machineId)).digest('hex');

/** The fingerprint that belongs to a machine id in one app: HMAC-SHA256 with the machine id as key. */
export const appFingerprintOf = (app: string, machineId: string): string =>
  createHmac('sha256', normal(machineId)).update(app).digest('hex');

async function machineIdOf(system: System): Promise<string | undefined> {
  for await (const shown of shownBy(system)) {
    const id = parseMachineId(system.platform, shown);
    if (id !== undefined) return id;
  }
  return undefined;
}

/**
 * This machine's fingerprint: the same after restarts and updates, and for every app and SDK on it. Undefined if
 * there is no machine id (some containers, other systems); {@link LicenseClient} then uses an id of its own making.
 *
 * @throws Error if there is one that can't be read now
 */
export async function fingerprint(system: System = thisSystem): Promise<string | undefined> {
  const id = await machineIdOf(system);
  return id === undefined ? undefined : fingerprintOf(id);
}

/**
 * Makes a function like {@link fingerprint} whose result is another one in every app, so that two vendors can't
 * recognize the same machine by it. To be chosen before the first activation: the fingerprints differ from the plain ones.
 *
 * @param app the product's slug
 */
export const appFingerprint =
  (app: string) =>
  async (system: System = thisSystem): Promise<string | undefined> => {
    const id = await machineIdOf(system);
    return id === undefined ? undefined : appFingerprintOf(app, id);
  };
