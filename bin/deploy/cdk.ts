import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { devDependencies } from '../../package.json';
import { CONFIG_FILE, ConfigError, configFor, readStages, type StageConfig } from '../../infra/config';
import { installedTool, npmTool } from '../../infra/local/npm-tool';
import { isPackage, root } from '../../infra/root';
import { ServiceError } from '../service';
import { printError } from '../terminal';

/** Runs the AWS CDK for the commands `deploy`, `diff` and `destroy`. */

export interface StageValues {
  readonly stage: string;
  readonly config?: string;
}

/** Adds the options that name the stage. */
export const addStageOptions = (command: Command): Command =>
  command
    .requiredOption('--stage <name>', 'the stage: production, dev, or one of the configuration file')
    .option('--config <file>', `the configuration file (default: ${CONFIG_FILE}, if it exists)`)
    .addHelpText(
      'after',
      `
The command uses the AWS credentials and the region of the environment, like the AWS command line. ${CONFIG_FILE} contains the settings of the
stages (docs/deploy.md). The first use fetches the AWS CDK (${CDK_SIZE}).`,
    );

/**
 * What the CDK's command line adds to the context of an app. The id of a deployment of API Gateway depends on these entries, so without them
 * a stage would be deployed again if it changed between a checkout and the npm package.
 */
const METADATA = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true };

const CDK_SIZE = '180 MB';
const PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;

/** The folder that contains the packages of the CDK. A checkout has them; the npm package fetches them when they are first needed. */
function cdkPackages(): string {
  const own = join(root, 'node_modules');
  if (!isPackage && existsSync(join(own, 'aws-cdk'))) return own;
  const packages = PACKAGES.map((name) => `${name}@${devDependencies[name]}`) as [string, ...string[]];
  const installed = installedTool(...packages);
  if (installed !== undefined) return installed;
  printError(`Fetching the AWS CDK, once: ${CDK_SIZE} …`);
  try {
    return npmTool(...packages);
  } catch {
    // The message does not repeat npm's error, because npm has already printed its error.
    throw new ServiceError('The AWS CDK could not be fetched. Check that npm can reach its registry, then run the command again.');
  }
}

/** Runs a program of Node with the packages of the CDK. Its output goes to standard error. @throws ServiceError if it fails */
async function runNode(packages: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', process.stderr, 'inherit'],
    // The CDK app of the npm package finds the CDK's library only with NODE_PATH.
    env: {
      CDK_DISABLE_VERSION_CHECK: 'true',
      ...process.env,
      ...env,
      NODE_PATH: [packages, process.env['NODE_PATH']].filter(Boolean).join(delimiter),
    },
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new ServiceError('The command failed; the lines above say why.');
}

/** Runs the CDK's command line, which prints its progress to standard error. @throws ServiceError if it fails */
export const runCdk = (packages: string, args: readonly string[]): Promise<void> =>
  runNode(packages, [join(packages, 'aws-cdk/bin/cdk'), '--no-notices', ...args]);

export interface Assembly {
  readonly config: StageConfig;
  /** The folder of the CDK's packages. */
  readonly packages: string;
}

/**
 * Writes the template and the files of a stage into a folder.
 *
 * @throws ServiceError if the configuration is invalid, or if the CDK fails
 */
export async function synthesize({ stage, config: file }: StageValues, folder: string): Promise<Assembly> {
  let config: StageConfig;
  try {
    config = configFor(stage, {}, readStages(file ?? CONFIG_FILE, { isOptional: file === undefined }));
  } catch (error) {
    throw error instanceof ConfigError ? new ServiceError(error.message) : error;
  }
  const packages = cdkPackages();
  printError('Preparing the template …');
  const app = isPackage ? [join(root, 'bin/packaged-app.js')] : ['--require', 'tsx/cjs', join(root, 'bin/app.ts')];
  const context = { ...METADATA, stage, ...(file !== undefined && { config: resolve(file) }) };
  await runNode(packages, app, { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) });
  return { config, packages };
}
