import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFor, type StageConfig } from '../../infra/config';
import type { Synthesized } from './stage-synth';

const mailFrom = 'licenses@mail.example.com';

/** The ARN of a certificate in a region. */
export const certificate = (region: string): string =>
  `arn:aws:acm:${region}:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef`;

/** The stages whose templates several test files read. */
export const stageConfigs = {
  /** A production stage without options. */
  plain: configFor('production'),
  /** A production stage with most options. It sends mail through Amazon SES, so it has every alarm. */
  all: configFor('production', {
    region: 'us-east-1',
    domain: {
      name: 'licenses.example.com',
      certificateArn: certificate('us-east-1'),
      hostedZone: { id: 'Z0123456789ABCDEFGHIJ', name: 'example.com' },
      hstsIncludeSubDomains: true,
      api: { name: 'api.licenses.example.com', certificateArn: certificate('us-east-1') },
    },
    firewall: { requestsPer5Minutes: 2000 },
    alarmEmail: 'operator@example.com',
    repositoryUrl: 'https://github.com/acme/licenses',
    mail: { transport: 'ses', from: mailFrom },
  }),
  /** A production stage with the other options. They change different resources, so a single stage has all of them. */
  special: configFor('production', {
    closeApi: true,
    restoredTable: 'licenses-restored',
    warm: { validate: 2 },
    mail: { transport: 'smtp', from: mailFrom },
  }),
  dev: configFor('dev'),
} satisfies Readonly<Record<string, StageConfig>>;

export type StageName = keyof typeof stageConfigs;

/**
 * Returns one of these stages as `synthesizeStage` synthesizes it. In a test run each stage is synthesized only once, by the first test file
 * that needs it, because loading the CDK and synthesizing a stage takes seconds of processor time.
 */
export async function synthesizedStage(name: StageName): Promise<Synthesized> {
  const folder = process.env['LKS_STAGES'];
  if (folder === undefined) throw new Error("LKS_STAGES is not set: jest's global setup creates the folder");
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Synthesized;
  const { synthesizeStage } = await import('./stage-synth');
  const synthesized = synthesizeStage(stageConfigs[name]);
  // The file is renamed, because another worker must not read an unfinished file.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(synthesized));
  renameSync(unfinished, file);
  return synthesized;
}
