import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** Secrets in the environment of the person who builds the deployment. No built file may contain them. */
export const BUILDERS_SECRETS = {
  SVC_ADMIN_TOKEN: 'builders-admin-token-4f1d9b7a',
  SMTP_URL: 'smtps://builder:builders-password-83c2e6d0@mail.example.com',
  AWS_SECRET_ACCESS_KEY: 'builders-access-key-51a7f3e9',
} as const;

/** Synthesizes a stage into a new folder like `cdk synth`, and returns the folder. */
export function synthesize(context: Readonly<Record<string, string>>): string {
  const outdir = mkdtempSync(join(tmpdir(), 'lks-assembly-'));
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
    cwd: root,
    env: { ...process.env, ...BUILDERS_SECRETS, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return outdir;
}
