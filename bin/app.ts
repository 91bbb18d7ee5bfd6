/** The CDK app: `npx cdk deploy -c stage=production`. */
import { addChecks, createApp } from '../infra/app';
import { configFor, ConfigError, mailConfig } from '../infra/config';
import { stackName } from '../infra/names';
import { ServiceStack } from '../infra/service-stack';
import { printErrorText } from './terminal';

const app = createApp();
try {
  const context = (name: string): string | undefined => {
    const value = app.node.tryGetContext(name) as string | boolean | undefined;
    return value === undefined ? undefined : String(value);
  };
  const webhookAllowPrivate = context('webhookAllowPrivate');
  const mailTransport = context('mailTransport');
  const processorApis = context('processorApis');
  const mailsPerSecond = context('mailsPerSecond');
  const config = configFor(context('stage') ?? 'dev', {
    ...(webhookAllowPrivate !== undefined && { webhookAllowPrivate: webhookAllowPrivate === 'true' }),
    ...(mailTransport !== undefined && { mail: mailConfig(mailTransport, context('mailFrom')) }),
    ...(mailsPerSecond !== undefined && { mailsPerSecond: Number(mailsPerSecond) }),
    ...(processorApis !== undefined && { processorApis: JSON.parse(processorApis) as Record<string, string> }),
  });
  // The template checks would slow down every local start, so they are off for the stage `local`. The synthesis of any other stage checks
  // the same constructs.
  if (config.stage === 'local') process.env['CDK_VALIDATION'] = 'false';
  else addChecks(app);
  new ServiceStack(app, stackName(config.stage), { config });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  printErrorText(error.message);
  process.exitCode = 1;
}
