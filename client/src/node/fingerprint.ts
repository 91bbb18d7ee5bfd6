import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * The fingerprint of a machine: SHA-256, in lower-case hex, of the operating system's machine id. The id is first converted to lower case,
 * and white space at its ends is removed. `client/vectors/fingerprints.json` has examples of every step.
 */

/** The system functions that read a machine id. */
export interface System {
  /** As Node's `process.platform`. */
  readonly platform: string;
  readonly readFile: (path: string) => Promise<string>;
  /** Runs a command and returns its standard output. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
}

/** Maximum time that a command may take, in milliseconds. */
const COMMAND_LIMIT = 5000;

const thisSystem: System = {
  platform: process.platform,
  readFile: (path) => readFile(path, 'utf8'),
  run: async (command, args) => (await promisify(execFile)(command, args, { timeout: COMMAND_LIMIT, windowsHide: true })).stdout,
};

/** The files in which Linux keeps its machine id (machine-id(5)), the usual one first. */
const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
/** Commands have absolute paths, so that another program of the same name is never run. */
const WINDOWS_SYSTEM = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32`;
const WINDOWS_REG = `${WINDOWS_SYSTEM}\\reg.exe`;
const WINDOWS_POWERSHELL = `${WINDOWS_SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe`;
/** Reads the registry with .NET. */
const POWERSHELL_SCRIPT =
  "[Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', 'Registry64').OpenSubKey('SOFTWARE\\Microsoft\\Cryptography').GetValue('MachineGuid')";
const MACOS_IOREG = '/usr/sbin/ioreg';

/** The pattern of the machine id in the output of each system. */
const patterns: Readonly<Record<string, RegExp>> = {
  linux: /^\s*([0-9a-f]{32})\s*$/i,
  darwin: /"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})"/i,
  win32: /(?:^|\s)([0-9a-f-]{36})\s*$/i,
};

/** The machine id in a platform's output, in lower case; undefined if there is none, or only a placeholder. */
export function parseMachineId(platform: string, shown: string): string | undefined {
  const id = patterns[platform]?.exec(shown)?.[1]?.toLowerCase();
  // Firmware and system images that were never set up have an id of only zeros or only `f`.
  return id === undefined || /^(0|-)+$|^(f|-)+$/.test(id) ? undefined : id;
}

/**
 * Reads the sources that may contain the machine id of a system, the usual source first. A source is a file or the output of a command. A
 * file that doesn't exist is skipped.
 *
 * @throws the error of a source that can't be read. If such a source were skipped, the machine could get another fingerprint
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
      // Node has no registry API. A group policy may forbid reg.exe, but not PowerShell.
      yield await run(WINDOWS_REG, ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid', '/reg:64']).catch(() =>
        run(WINDOWS_POWERSHELL, ['-NoProfile', '-NonInteractive', '-Command', POWERSHELL_SCRIPT]),
      );
      break;
  }
}

/** True if the file, or a folder of its path, doesn't exist. */
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const normal = (machineId: string): string => machineId.trim().toLowerCase();

/** The fingerprint of a machine id. */
export const fingerprintOf = (machineId: string): string => createHash('sha256').update(normal(machineId)).digest('hex');

/** The fingerprint of a machine id for one app: HMAC-SHA256 with the machine id as key. */
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
 * This machine's fingerprint, which is the same after restarts and updates, and for every app and SDK. Undefined if there is no machine id,
 * for example in some containers; {@link LicenseClient} then creates a random id.
 *
 * @throws Error if there is a machine id that can't be read now
 */
export async function fingerprint(system: System = thisSystem): Promise<string | undefined> {
  const id = await machineIdOf(system);
  return id === undefined ? undefined : fingerprintOf(id);
}

/**
 * Returns a function like {@link fingerprint} whose result differs between apps, so that two vendors can't recognize the same machine by
 * the fingerprint. Choose one of the two functions before the first activation, because their fingerprints of the same machine differ.
 *
 * @param app the product's slug
 */
export const appFingerprint =
  (app: string) =>
  async (system: System = thisSystem): Promise<string | undefined> => {
    const id = await machineIdOf(system);
    return id === undefined ? undefined : appFingerprintOf(app, id);
  };
