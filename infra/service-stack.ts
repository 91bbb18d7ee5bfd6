import { CfnOutput, Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { endpoints } from '../lambdas/contract';
import { workers } from '../lambdas/contract/workers';
import { Alarms } from './alarms';
import { Api, handlerFile } from './api';
import { bundle } from './bundle';
import type { StageConfig } from './config';
import { Dashboard } from './dashboard';
import { Edge } from './edge';
import { EventQueue } from './event-queue';
import { removalOf } from './removal';
import { Secrets } from './secrets';
import { publisherFile, SiteBucket } from './site-bucket';
import { Table } from './table';
import { workerFile, Workers } from './workers';

/** The source files of all functions. */
export const functionSources: readonly string[] = [...endpoints.map(handlerFile), ...workers.map(workerFile), publisherFile];

export interface ServiceStackProps extends StackProps {
  readonly config: StageConfig;
  /** Folders with the bundled functions by source file; bundled here unless given. */
  readonly bundles?: ReadonlyMap<string, string>;
}

/** The whole service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { config, bundles, ...options }: ServiceStackProps) {
    super(scope, id, { description: 'License key service', ...(config.region !== undefined && { env: { region: config.region } }), ...options });

    const alarms = new Alarms(this, 'Alarms', config);
    const table = new Table(this, 'Data', { config, alarms });
    const secrets = new Secrets(this, 'Secrets', config);
    const events = new EventQueue(this, 'Events', { config, alarms, consumerTimeoutSeconds: longestConsumer() });
    const functions = {
      config,
      // A local run doesn't need source maps: the sources are at hand, and somebody waits for the start.
      bundles: bundles ?? bundle(functionSources, { sourceMaps: config.stage !== 'local' }),
      logGroup: new LogGroup(this, 'Logs', { retention: config.logRetentionDays as RetentionDays, removalPolicy: removalOf(config) }),
    };
    // The distribution needs the API, one of whose functions needs the distribution's address.
    const resources = { table, secrets, events, publicUrl: Lazy.string({ produce: (): string => edge.url }) };
    new Workers(this, 'Workers', { functions, resources, alarms, workers });
    const api = new Api(this, 'Http', { endpoints, functions, resources, alarms });
    const { bucket: site } = new SiteBucket(this, 'Site', functions);
    const edge = new Edge(this, 'Edge', { config, api: api.api, site });
    const dashboard = new Dashboard(this, 'Dashboard', { config, api, events, table, alarms });

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
      description: 'What seals API keys and webhook secrets in the table: copy it to another region (docs/operations.md, Disaster recovery); the runbook says how to change it',
    });
    new CfnOutput(this, 'SigningKeySecret', {
      value: secrets.arn('signingKey'),
      description: 'What seals the products’ signing keys in the table: copy it to another region (docs/operations.md, Disaster recovery); the runbook says how to change it',
    });
    if (config.mail.transport === 'smtp') {
      new CfnOutput(this, 'SmtpUrlSecret', {
        value: secrets.arn('smtpUrl'),
        description: 'Set the SMTP server: aws secretsmanager put-secret-value --secret-id <this> --secret-string smtps://user:password@host:465',
      });
    }
  }
}

/** The longest run of a function that the queue starts, in seconds. */
const longestConsumer = (): number => Math.max(...workers.filter(({ trigger }) => trigger === 'queue').map(({ timeoutSeconds }) => timeoutSeconds));
