/** `destroy --stage dev`: removes a deployment from an AWS account. */
import type { Command } from 'commander';
import { temporaryFolder } from '../infra/temporary-folder';
import { addExamples } from './command-line';
import { addStageOptions, runCdk, synthesize, type StageValues } from './deploy/cdk';

export function define(command: Command): void {
  addStageOptions(command)
    .option('--yes', 'does not ask first', false)
    .action(async ({ yes, ...values }: StageValues & { readonly yes: boolean }) => {
      const folder = temporaryFolder('lks-assembly-');
      const { packages } = await synthesize(values, folder);
      await runCdk(packages, ['destroy', '--app', folder, ...(yes ? ['--force'] : [])]);
    });
  addExamples(command, 'license-key-service destroy --stage dev');
}
