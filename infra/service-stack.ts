import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { endpoints } from '../lambdas/contract';
import { deliver, sweep } from '../lambdas/contract/workers';
import { Api, handlerFile } from './api';
import { bundle } from './bundle';
import type { StageConfig } from './config';
import { EventDelivery, workerFile } from './events';
import { Secrets } from './secrets';
import { Table } from './table';

/** The whole service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly config: StageConfig }) {
    super(scope, id, { description: 'License key service', ...props });
    const { config } = props;

    const bundles = bundle([...endpoints.map(handlerFile), ...[deliver, sweep].map(workerFile)]);
    const table = new Table(this, 'Data', config);
    const secrets = new Secrets(this, 'Secrets', config);
    const events = new EventDelivery(this, 'Events', { config, bundles, table, secrets });
    const { api } = new Api(this, 'Http', { config, endpoints, bundles, table, secrets, events });

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base URL of the API' });
    new CfnOutput(this, 'AdminTokenSecret', {
      value: secrets.arn('adminToken'),
      description: 'Read the admin token: aws secretsmanager get-secret-value --secret-id <this> --query SecretString --output text',
    });
    if (config.mail.transport === 'smtp') {
      new CfnOutput(this, 'SmtpUrlSecret', {
        value: secrets.arn('smtpUrl'),
        description: 'Set the SMTP server: aws secretsmanager put-secret-value --secret-id <this> --secret-string smtps://user:password@host:465',
      });
    }
  }
}
