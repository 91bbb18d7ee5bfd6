import { App, Validations, type AppProps } from 'aws-cdk-lib';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CONFIG_FILE, ConfigError, configFor, readStages } from './config';
import { stackName } from './names';
import { isPackage, root } from './root';
import { ServiceStack, type Code } from './service-stack';

/**
 * The feature flags in `cdk.json`. Usually the `cdk` command passes them to the app. The tests and the npm package run the app without this
 * file in their folder, so the app reads the flags itself. Otherwise their template would differ from the deployed template.
 */
const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { readonly context: Record<string, unknown> };

/** Creates the CDK app with the feature flags in `cdk.json`. */
export const createApp = (props: AppProps = {}): App => new App({ ...props, context: { ...context, ...props.context } });

/**
 * Checks the template with the rule pack AWS Solutions of cdk-nag. Synth fails if the template breaks a rule, unless the code accepts the
 * finding with a reason (`accept.ts`). A feature flag in `cdk.json` makes CDK check CloudFormation's own rules too.
 */
export function addChecks(app: App): void {
  const { AwsSolutionsChecks } = createRequire(__filename)('cdk-nag') as typeof import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/**
 * Synthesizes the stage that the CDK's context names: `-c stage=production -c config=<file>`.
 *
 * @param code builds or unpacks the code; it is called only if the configuration is valid
 * @returns the message of an invalid configuration, or undefined
 */
export function synthesize(code: () => Code): string | undefined {
  const app = createApp();
  try {
    const file = app.node.tryGetContext('config') as string | undefined;
    const stages = readStages(file ?? CONFIG_FILE, { isOptional: file === undefined });
    const config = configFor(String(app.node.tryGetContext('stage') ?? 'dev'), {}, stages);
    // The tests check the rules for every combination of options. The npm package does not contain cdk-nag.
    if (!isPackage) addChecks(app);
    new ServiceStack(app, stackName(config.stage), { config, ...code() });
    app.synth();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}
