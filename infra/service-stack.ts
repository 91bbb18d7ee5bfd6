import { Annotations, CfnOutput, CfnResource, Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { endpoints } from '../lambdas/contract';
import { workers } from '../lambdas/contract/workers';
import { Alarms } from './alarms';
import { Api, handlerFile } from './api';
import { warnings, type StageConfig } from './config';
import { Costs } from './costs';
import { Dashboard } from './dashboard';
import { Edge } from './edge';
import { EventQueue } from './event-queue';
import { FileBucket, FileStore } from './file-bucket';
import { addBounceAlarm } from './mail';
import { OriginSecret } from './origin-secret';
import { removalOf } from './removal';
import { Secrets } from './secrets';
import type { Site } from './site';
import { publisherFile, SiteBucket } from './site-bucket';
import { Table } from './table';
import { workerFile, Workers } from './workers';

/**
 * Maximum number of resources. If the stack has more resources, synth fails. CloudFormation allows 500 resources. The maximum is lower,
 * because another stage may have more of the optional resources.
 */
const MAX_RESOURCES = 450;

/** The source files of all functions. */
export const functionSources: readonly string[] = [...endpoints.map(handlerFile), ...workers.map(workerFile), publisherFile];

/** The code that the stack deploys. */
export interface Code {
  /** The folder with the bundled code of each function, by source file. */
  readonly bundles: ReadonlyMap<string, string>;
  readonly pages: Site;
}

export interface ServiceStackProps extends StackProps, Code {
  readonly config: StageConfig;
}

/** The CloudFormation stack of the whole service. */
export class ServiceStack extends Stack {
  private readonly site: SiteBucket;
  private readonly files: FileBucket;

  constructor(scope: Construct, id: string, { config, bundles, pages, ...options }: ServiceStackProps) {
    super(scope, id, {
      description: 'License key service',
      // Indentation would make up two fifths of the template's size, so it is left out. CloudFormation accepts templates up to 1 MB.
      suppressTemplateIndentation: true,
      ...(config.region !== undefined && { env: { region: config.region } }),
      terminationProtection: config.retainData,
      // CDK sets the tags on every resource that supports tags.
      tags: { service: 'license-key-service', stage: config.stage },
      ...options,
    });
    for (const [warning, sentence] of warnings(config)) Annotations.of(this).addWarningV2(`license-key-service:${warning}`, sentence);
    this.node.addValidation({ validate: () => tooManyResources(this) });

    const logGroup = new LogGroup(this, 'Logs', { retention: config.logRetentionDays as RetentionDays, removalPolicy: removalOf(config) });
    const alarms = new Alarms(this, 'Alarms', { config, logGroup });
    const table = new Table(this, 'Data', { config, alarms });
    const originSecret = new OriginSecret(this, 'Origin');
    const secrets = new Secrets(this, 'Secrets', config, originSecret);
    const events = new EventQueue(this, 'Events', { config, alarms, consumerTimeoutSeconds: longestConsumer() });
    addBounceAlarm(alarms, config.mail);
    const files = new FileStore(config);
    const functions = {
      config,
      bundles,
      logGroup,
    };
    // The distribution's URL is a lazy value, because the distribution needs the API, and some of the API's functions need the
    // distribution's URL.
    const resources = {
      table,
      secrets,
      events,
      files,
      publicUrl: Lazy.string({ produce: (): string => edge.url }),
    };
    new Workers(this, 'Workers', { functions, resources, alarms, workers });
    const api = new Api(this, 'Http', { endpoints, functions, resources, alarms, originSecret });
    this.site = new SiteBucket(this, 'Site', functions, pages);
    const edge = new Edge(this, 'Edge', {
      config,
      api: api.api,
      endpoints,
      site: this.site.bucket,
      files,
      originSecret,
    });
    api.closeAfter(edge.distribution, config);
    this.files = new FileBucket(this, 'Files', {
      config,
      store: files,
      alarms,
      pageOrigin: edge.url,
      distributionArn: edge.distribution.distributionArn,
    });
    if (!config.retainData) this.emptyFilesOnDeletion('true');
    new Costs(this, 'Costs', { config, api, table, files: this.files, logGroups: [logGroup, api.accessLog], alarms });
    const dashboard = new Dashboard(this, 'Dashboard', { config, api, events, table, alarms });

    new CfnOutput(this, 'Url', { value: edge.url, description: 'The service: API, /admin and /docs' });
    new CfnOutput(this, 'ApiUrl', { value: api.url, description: apiUrlDescription(config) });
    new CfnOutput(this, 'TableName', { value: table.table.tableName, description: 'The table in DynamoDB' });
    new CfnOutput(this, 'FileBucket', { value: this.files.bucket.bucketName, description: 'The bucket with the files of releases' });
    new CfnOutput(this, 'LogGroup', { value: logGroup.logGroupName, description: 'The log group of all functions' });
    new CfnOutput(this, 'AccessLogGroup', { value: api.accessLog.logGroupName, description: "The log group of the gateway's access log" });
    new CfnOutput(this, 'DashboardName', { value: dashboard.name, description: 'The dashboard in CloudWatch' });
    new CfnOutput(this, 'AdminTokenSecret', {
      value: secrets.arn('adminToken'),
      description: 'Read the admin token: aws secretsmanager get-secret-value --secret-id <this> --query SecretString --output text',
    });
    new CfnOutput(this, 'EncryptionKeySecret', {
      value: secrets.arn('encryptionKey'),
      description:
        'The key that seals API keys, webhook secrets, secrets of payment connections and notifications of payment processors in the table: copy it to another region (docs/operations.md, Disaster recovery); the runbook says how to change it',
    });
    new CfnOutput(this, 'SigningKeySecret', {
      value: secrets.arn('signingKey'),
      description:
        'The key that seals the products’ signing keys in the table: copy it to another region (docs/operations.md, Disaster recovery); the runbook says how to change it',
    });
    if (config.mail.transport === 'smtp') {
      new CfnOutput(this, 'SmtpUrlSecret', {
        value: secrets.arn('smtpUrl'),
        description:
          'Set the SMTP server: aws secretsmanager put-secret-value --secret-id <this> --secret-string smtps://user:password@host:465',
      });
    }
  }

  /**
   * Empties the bucket with the files of releases when the stack is deleted, because CloudFormation deletes a bucket only if it is empty.
   *
   * @param condition `true` if the files are deleted; a template that decides this only when it is launched has an intrinsic function here
   */
  emptyFilesOnDeletion(condition: string): void {
    this.site.emptyOnDeletion(this.files.bucket, condition);
  }
}

/** The description of the API's own URL in the stack's outputs. */
function apiUrlDescription({ closeApi, domain }: StageConfig): string {
  if (closeApi) return "The API's own URL, which accepts only requests from CloudFront";
  return domain?.api
    ? 'The API without CloudFront, for client apps'
    : 'The API without CloudFront, for tests. Its URL changes if the API is replaced: never put the URL into an app';
}

/**
 * Returns an error message if the stack has too many resources. CloudFormation allows 500 resources per stack, but checks this only during
 * the deployment.
 */
function tooManyResources(stack: Stack): string[] {
  const count = stack.node.findAll().filter((construct) => CfnResource.isCfnResource(construct)).length;
  if (count <= MAX_RESOURCES) return [];
  return [
    `The stack has ${count} resources; CloudFormation allows 500. Move the endpoints of some tags, with their functions and roles, into a nested stack that shares the API (docs/scaling.md, Resources of the stack).`,
  ];
}

/** The longest timeout, in seconds, of the functions that the event queue starts. */
const longestConsumer = (): number =>
  Math.max(...workers.filter(({ trigger }) => trigger === 'queue').map(({ timeoutSeconds }) => timeoutSeconds));
