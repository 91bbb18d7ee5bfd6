import { App, Validations, type AppProps } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * The feature flags in `cdk.json`. The `cdk` command passes them to the app. Without that command the app reads them here, so the template
 * is the same.
 */
const { context } = JSON.parse(readFileSync(resolve(__dirname, '../cdk.json'), 'utf8')) as { readonly context: Record<string, unknown> };

/** Creates the CDK app with the feature flags in `cdk.json`. */
export const createApp = (props: AppProps = {}): App => new App({ ...props, context: { ...context, ...props.context } });

/**
 * Adds the rules of AWS Solutions: synth fails if the template breaks a rule without a written reason. A feature flag in `cdk.json` adds
 * CloudFormation's own rules.
 */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
