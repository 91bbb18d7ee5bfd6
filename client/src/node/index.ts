/** The parts that need Node: for command-line apps, servers and Electron's main process. */

export { fileStorage } from './file-storage';
export { appFingerprint, appFingerprintOf, fingerprint, fingerprintOf, parseMachineId, type System } from './fingerprint';
