import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from './errors';

const root = resolve(__dirname, '../..');

/**
 * Synthesizes the CDK app in a separate process.
 *
 * @param options.outdir the folder of the cloud assembly; its previous content is deleted
 * @param options.context context values for the app
 * @param options.signal aborts the process
 * @returns the folder of the cloud assembly
 * @throws {StartError} with the app's output, if the synth fails
 */
export async function synthesize({ outdir, context, signal }: { outdir: string; context: object; signal?: AbortSignal }): Promise<string> {
  rmSync(outdir, { recursive: true, force: true });
  const child = spawn(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
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
