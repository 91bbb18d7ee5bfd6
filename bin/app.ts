/** The CDK app: `npx cdk deploy -c stage=production`. */
import { App } from 'aws-cdk-lib';
import { configFor, ConfigError, mailConfig } from '../infra/config';
import { ServiceStack } from '../infra/service-stack';

const app = new App();
try {
  const context = (name: string): string | undefined => {
    const value = app.node.tryGetContext(name) as string | boolean | undefined;
    return value === undefined ? undefined : String(value);
  };
  const webhookAllowPrivate = context('webhookAllowPrivate');
  const mailTransport = context('mailTransport');
  const config = configFor(context('stage') ?? 'dev', {
    ...(webhookAllowPrivate !== undefined && { webhookAllowPrivate: webhookAllowPrivate === 'true' }),
    ...(mailTransport !== undefined && { mail: mailConfig(mailTransport, context('mailFrom')) }),
  });
  new ServiceStack(app, `license-key-service-${config.stage}`, { config });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
