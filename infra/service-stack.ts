import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { endpoints } from '../lambdas/contract';
import { getService } from '../lambdas/contract/service';
import { deliver, sweep } from '../lambdas/contract/workers';
import { Alarms } from './alarms';
import { Api, handlerFile } from './api';
import { bundle } from './bundle';
import type { StageConfig } from './config';
import { Dashboard } from './dashboard';
import { Edge } from './edge';
import { EventDelivery, workerFile } from './events';
import { Secrets } from './secrets';
import { publisherFile, SiteBucket } from './site-bucket';
import { Table } from './table';

/** The whole service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly config: StageConfig }) {
    const { config, ...options } = props;
    super(scope, id, { description: 'License key service', ...(config.region !== undefined && { env: { region: config.region } }), ...options });

    const bundles = bundle([...endpoints.map(handlerFile), ...[deliver, sweep].map(workerFile), publisherFile], {
      // Who runs it here has the sources, and waits for it.
      sourceMaps: config.stage !== 'local',
    });
    const alarms = new Alarms(this, 'Alarms', config);
    const table = new Table(this, 'Data', { config, alarms });
    const secrets = new Secrets(this, 'Secrets', config);
    const events = new EventDelivery(this, 'Events', { config, bundles, table, secrets, alarms });
    const api = new Api(this, 'Http', { config, endpoints, bundles, table, secrets, events, alarms });
    const { bucket: site } = new SiteBucket(this, 'Site', { config, bundles });
    const edge = new Edge(this, 'Edge', { config, api: api.api, site });
    const dashboard = new Dashboard(this, 'Dashboard', { config, api, events, table, alarms });
    // The pages are at this address alone; whoever reads the API's own gets links that lead there.
    api.functionOf(getService).addEnvironment('PUBLIC_URL', edge.url);

    new CfnOutput(this, 'Url', { value: edge.url, description: 'The service: API, /admin and /docs' });
    new CfnOutput(this, 'ApiUrl', { value: api.api.url, description: 'The API without CloudFront, for client apps' });
    new CfnOutput(this, 'TableName', { value: table.table.tableName, description: 'The table in DynamoDB' });
    new CfnOutput(this, 'DashboardName', { value: dashboard.name, description: 'The dashboard in CloudWatch' });
    new CfnOutput(this, 'AdminTokenSecret', {
      value: secrets.arn('adminToken'),
      description: 'Read the admin token: aws secretsmanager get-secret-value --secret-id <this> --query SecretString --output text',
    });
    new CfnOutput(this, 'EncryptionKeySecret', {
      value: secrets.arn('encryptionKey'),
      description: 'What seals the products’ keys in the table: copy it to another region (docs/operations.md, Disaster recovery), never change it',
    });
    if (config.mail.transport === 'smtp') {
      new CfnOutput(this, 'SmtpUrlSecret', {
        value: secrets.arn('smtpUrl'),
        description: 'Set the SMTP server: aws secretsmanager put-secret-value --secret-id <this> --secret-string smtps://user:password@host:465',
      });
    }
  }
}
