import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** Synthesizes a stage into a fresh folder, as `cdk synth` does, and gives the folder. */
export function synthesize(context: Readonly<Record<string, string>>): string {
  const outdir = mkdtempSync(join(tmpdir(), 'lks-assembly-'));
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
    cwd: root,
    env: { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return outdir;
}
