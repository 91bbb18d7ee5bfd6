import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from './errors';

const root = resolve(__dirname, '../..');

/** The name of an assembly's folder starts with this text, followed by a random text. */
const NAME = 'cdk.out-';

/**
 * Creates a new folder for an assembly, and deletes the assemblies of earlier starts.
 *
 * Each start needs its own folder, because an earlier synth may still write to its folder: if `npm start` is killed during the synth, the
 * synth continues for seconds. If a folder cannot be deleted completely for this reason, a later start deletes it.
 */
function newFolder(parent: string): string {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(NAME))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // An earlier synth still writes to the folder.
    }
  }
  return mkdtempSync(join(parent, NAME));
}

/**
 * Synthesizes the CDK app in a separate process.
 *
 * @param options.parent the folder in which the folder of the cloud assembly is created
 * @param options.context context values for the app
 * @param options.signal aborts the process
 * @returns the folder of the cloud assembly
 * @throws {StartError} with the app's output, if the synth fails
 */
export async function synthesize({ parent, context, signal }: { parent: string; context: object; signal?: AbortSignal }): Promise<string> {
  const outdir = newFolder(parent);
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'bin/app.ts'], {
    cwd: root,
    env: { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new StartError(`The stack could not be synthesized: ${errors.trim() || `exit code ${code}`}`);
  return outdir;
}
