/** The CDK app: `npx cdk deploy -c stage=production`. */
import { App } from 'aws-cdk-lib';
import { configFor, ConfigError } from '../infra/config';
import { ServiceStack } from '../infra/service-stack';

const app = new App();
try {
  const config = configFor(app.node.tryGetContext('stage') ?? 'dev');
  new ServiceStack(app, `license-key-service-${config.stage}`, { config });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
