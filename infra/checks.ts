import { Validations, type App } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/**
 * Makes the synth fail where the template breaks one of CloudFormation's own rules (CDK brings them), or a rule of
 * AWS Solutions that no written reason accepts.
 */
export function check(app: App): void {
  app.node.setContext('@aws-cdk/core:validateAgainstDefaultRules', true);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
