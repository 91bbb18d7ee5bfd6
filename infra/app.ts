import { App, Validations, type AppProps } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The feature flags in `cdk.json`. The `cdk` command passes them to the app; running the app without it gives the same template. */
const { context } = JSON.parse(readFileSync(resolve(__dirname, '../cdk.json'), 'utf8')) as { readonly context: Record<string, unknown> };

/** The CDK app, with the feature flags that `cdk.json` sets. */
export const createApp = (props: AppProps = {}): App => new App({ ...props, context: { ...context, ...props.context } });

/**
 * Makes the synth fail if the template breaks a rule of AWS Solutions without a written reason. A feature flag adds CloudFormation's own
 * rules.
 */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
