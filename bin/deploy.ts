/** `deploy --stage production`: creates or updates a deployment in an AWS account. */
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stackName } from '../infra/names';
import { temporaryFolder } from '../infra/temporary-folder';
import { addExamples } from './command-line';
import { addStageOptions, runCdk, synthesize, type StageValues } from './deploy/cdk';
import { print, printError } from './terminal';

interface Values extends StageValues {
  readonly yes: boolean;
  readonly json: boolean;
}

/** The parameter of the Systems Manager that exists in an account and region that are prepared for the CDK. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';

export function define(command: Command): void {
  addStageOptions(command)
    .option('--yes', 'does not ask before it changes permissions', false)
    .option('--json', "prints the stack's outputs as JSON", false)
    .action(deploy);
  addExamples(command, 'license-key-service deploy --stage production', 'license-key-service deploy --stage production --yes --json');
}

async function deploy({ yes, json, ...values }: Values): Promise<void> {
  const folder = temporaryFolder('lks-assembly-');
  const { config, packages } = await synthesize(values, folder);
  if (!(await isBootstrapped(config.region))) {
    printError('Preparing the AWS account for the CDK, once per region …');
    await runCdk(packages, ['bootstrap', '--app', folder]);
  }
  const outputs = join(folder, 'outputs.json');
  await runCdk(packages, ['deploy', '--app', folder, '--outputs-file', outputs, '--require-approval', yes ? 'never' : 'broadening']);
  const all = JSON.parse(readFileSync(outputs, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const ofStack = all[stackName(config.stage)] ?? {};
  if (json) print(JSON.stringify(ofStack));
  else for (const [name, value] of Object.entries(ofStack)) print(`${name.padEnd(20)} ${value}`);
}

async function isBootstrapped(region: string | undefined): Promise<boolean> {
  const client = new SSMClient({ ...(region !== undefined && { region }) });
  try {
    await client.send(new GetParameterCommand({ Name: BOOTSTRAP_VERSION }));
    return true;
  } catch (error) {
    if (error instanceof ParameterNotFound) return false;
    throw error;
  } finally {
    client.destroy();
  }
}
