import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(__dirname, '../..');

/** The `bash` blocks of a document, joined in the order in which a reader would paste them. */
export const commandsOf = (path: string): string =>
  [...readFileSync(resolve(root, path), 'utf8').matchAll(/```bash\n(.*?)```/gs)].map(([, lines]) => lines).join('');

/** The line of a document that sets the service's URL. The test replaces it with the URL of the stack. */
export const SETTING = /^export BASE=.*$/m;

/** Runs commands against the stack of the test run. Fails if a command fails. */
export const runCommands = (script: string): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script.replace(SETTING, '')], {
    cwd: root,
    env: { ...process.env, BASE: process.env['LKS_BASE_URL'], SVC_ADMIN_TOKEN: process.env['LKS_ADMIN_TOKEN'] },
  });
