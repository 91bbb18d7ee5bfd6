import { App, Validations, type AppProps } from 'aws-cdk-lib';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/**
 * The feature flags in `cdk.json`. Usually the `cdk` command passes them to the app. The tests run the app without this command, so
 * the app reads the flags itself. Otherwise their template would differ from the deployed template.
 */
const { context } = JSON.parse(readFileSync(resolve(__dirname, '../cdk.json'), 'utf8')) as { readonly context: Record<string, unknown> };

/** Creates the CDK app with the feature flags in `cdk.json`. */
export const createApp = (props: AppProps = {}): App => new App({ ...props, context: { ...context, ...props.context } });

/**
 * Checks the template with the rule pack AWS Solutions of cdk-nag. Synth fails if the template breaks a rule, unless the code accepts the
 * finding with a reason (`accept.ts`). A feature flag in `cdk.json` makes CDK check CloudFormation's own rules too.
 */
export function addChecks(app: App): void {
  // Loading cdk-nag takes a tenth of the time of a synth, and most tests do not need it. Therefore it is loaded only here.
  const { AwsSolutionsChecks } = createRequire(__filename)('cdk-nag') as typeof import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
