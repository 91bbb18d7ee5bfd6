/** `diff --stage production`: shows what a deployment would change. */
import type { Command } from 'commander';
import { temporaryFolder } from '../infra/temporary-folder';
import { addExamples } from './command-line';
import { addStageOptions, runCdk, synthesize, type StageValues } from './deploy/cdk';

export function define(command: Command): void {
  addStageOptions(command).action(async (values: StageValues) => {
    const folder = temporaryFolder('lks-assembly-');
    const { packages } = await synthesize(values, folder);
    await runCdk(packages, ['diff', '--app', folder]);
  });
  addExamples(command, 'license-key-service diff --stage production');
}
