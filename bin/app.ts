/** The CDK app: `npx cdk deploy -c stage=production`. */
import { addChecks, createApp } from '../infra/app';
import { configFor, ConfigError } from '../infra/config';
import { stackName } from '../infra/names';
import { ServiceStack } from '../infra/service-stack';
import { printErrorText } from './terminal';

const app = createApp();
try {
  const config = configFor((app.node.tryGetContext('stage') as string | undefined) ?? 'dev');
  addChecks(app);
  new ServiceStack(app, stackName(config.stage), { config });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  printErrorText(error.message);
  process.exitCode = 1;
}
