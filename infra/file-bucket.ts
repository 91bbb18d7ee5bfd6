import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { fileFolders, type FileAccess } from '../lambdas/contract/access';
import { accept } from './accept';
import type { Alarms } from './alarms';
import type { StageConfig } from './config';
import type { ServiceFunction } from './function';
import { removalOf } from './removal';

type Folder = keyof typeof fileFolders;

/** The S3 actions on objects of a folder for each kind of access. */
const objectActions: Readonly<Record<FileAccess, { readonly [In in Folder]?: readonly string[] }>> = {
  upload: { releases: ['s3:PutObject'] },
  download: { releases: ['s3:GetObject'] },
  check: { releases: ['s3:GetObject'] },
  delete: { releases: ['s3:DeleteObject'] },
  uploadLogo: { logoUploads: ['s3:PutObject'] },
  changeLogo: { logoUploads: ['s3:GetObject'], logos: ['s3:PutObject', 's3:DeleteObject'] },
};

/**
 * The kinds of access that include the permission to list. Without this permission, S3 would respond with 403 instead of 404 if an object
 * does not exist.
 */
const listing: readonly FileAccess[] = ['check', 'changeLogo'];

/** The id of the metrics configuration that counts all requests to the bucket. */
const METRICS = 'requests';

/**
 * The bucket's name, which consists of the stage and a part of the stack's id. Functions need the name before the bucket exists: the bucket
 * needs the distribution's URL, the distribution needs the API, and the API needs the functions.
 */
const nameOf = ({ stage }: StageConfig): string => Fn.join('-', [stage, 'releases', endOfStackId()]);

/** The last group of the UUID in the stack's id. */
const endOfStackId = (): string => Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));

/** The name and origin of the bucket with release files. Functions get them from this object, because the bucket is created later. */
export class FileStore {
  readonly bucketName: string;
  /** The origin of the presigned URLs that functions create. */
  readonly origin: string;
  private readonly stage: string;

  constructor(config: StageConfig) {
    this.stage = config.stage;
    this.bucketName = nameOf(config);
    this.origin = `https://${this.bucketName}.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  /** Grants exactly the access that a contract row declares, and sets the environment variable with the bucket's name. */
  grant(fn: ServiceFunction, access: readonly FileAccess[]): void {
    const bucket = `arn:${Aws.PARTITION}:s3:::${this.bucketName}`;
    const name = `${this.stage}-releases-${JSON.stringify(Stack.of(fn).resolve(endOfStackId()))}`;
    for (const folder of Object.keys(fileFolders) as Folder[]) {
      const actions = new Set(access.flatMap((kind) => objectActions[kind][folder] ?? []));
      if (actions.size === 0) continue;
      const objects = `${fileFolders[folder]}/*`;
      fn.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [`${bucket}/${objects}`] }));
      if (!fn.role) continue;
      accept(fn.role, {
        [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${name}/${objects}]`]: 'The files of all products are in this one folder.',
      });
    }
    if (access.some((kind) => listing.includes(kind)))
      fn.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket] }));
    fn.addEnvironment('FILE_BUCKET', this.bucketName);
  }
}

export interface FileBucketProps {
  readonly config: StageConfig;
  readonly store: FileStore;
  readonly alarms: Alarms;
  /** The origin of the admin page. */
  readonly pageOrigin: string;
  /** The distribution, which serves the logos. */
  readonly distributionArn: string;
}

/** The private bucket with the files of releases, and with the logos that the distribution serves. */
export class FileBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { config, store, alarms, pageOrigin, distributionArn }: FileBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      bucketName: store.bucketName,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      versioned: true,
      removalPolicy: removalOf(config),
      cors: [
        {
          allowedOrigins: [pageOrigin],
          allowedMethods: [HttpMethods.PUT, HttpMethods.GET, HttpMethods.HEAD],
          allowedHeaders: ['content-type', 'x-amz-checksum-sha256'],
          exposedHeaders: ['ETag'],
          maxAge: 3000,
        },
      ],
      lifecycleRules: [
        {
          id: 'abandoned',
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          // A deleted or replaced file can be restored for 30 days, because the bucket keeps old versions.
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
        },
        // The service has copied an upload that became a logo.
        { id: 'logo-uploads', prefix: `${fileFolders.logoUploads}/`, expiration: Duration.days(1) },
      ],
      metrics: [{ id: METRICS }],
    });
    accept(this.bucket, {
      'AwsSolutions-S1':
        'The access log of this bucket would contain presigned URLs. The access log of the API shows the requests that create these URLs, and the metrics count downloads.',
    });
    this.bucket.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        actions: ['s3:GetObject'],
        resources: [this.bucket.arnForObjects(`${fileFolders.logos}/*`)],
        conditions: { StringEquals: { 'AWS:SourceArn': distributionArn } },
      }),
    );
    alarms.add('files-failing', {
      impact: 'Amazon S3 fails to serve files. Updates and uploads fail, and updaters have to retry.',
      metric: this.metric('5xxErrors', Duration.minutes(5)),
      above: 10,
      periods: [2, 3],
    });
  }

  /** The number of bytes that the bucket sent. */
  egress(period: Duration): Metric {
    return this.metric('BytesDownloaded', period);
  }

  private metric(metricName: '5xxErrors' | 'BytesDownloaded', period: Duration): Metric {
    const dimensionsMap = { BucketName: this.bucket.bucketName, FilterId: METRICS };
    return new Metric({ namespace: 'AWS/S3', metricName, dimensionsMap, statistic: 'Sum', period });
  }
}
