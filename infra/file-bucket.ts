import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { FileAccess } from '../lambdas/contract/access';
import { accept } from './accept';
import type { Alarms } from './alarms';
import type { StageConfig } from './config';
import type { ServiceFunction } from './function';
import { removalOf } from './removal';

/** What each access needs. Without the right to list, S3 responds with 403 when there is no such object. */
const objectActions: Readonly<Record<FileAccess, readonly string[]>> = {
  upload: ['s3:PutObject'],
  download: ['s3:GetObject'],
  check: ['s3:GetObject'],
  delete: ['s3:DeleteObject'],
};

/** The metrics of all requests to the bucket. */
const METRICS = 'requests';

/**
 * The bucket's name, made of the stage and the stack's own id. It is known without the bucket: the bucket's rules name the distribution,
 * which waits for the API and its functions, and those use the bucket.
 */
const nameOf = ({ stage }: StageConfig): string => Fn.join('-', [stage, 'releases', endOfStackId()]);

/** The last group of the UUID in the stack's id. */
const endOfStackId = (): string => Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));

/** What functions know of the bucket of release files. */
export class FileStore {
  readonly bucketName: string;
  /** The origin of the URLs that functions sign. */
  readonly origin: string;
  private readonly stage: string;

  constructor(config: StageConfig) {
    this.stage = config.stage;
    this.bucketName = nameOf(config);
    this.origin = `https://${this.bucketName}.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  /** Grants exactly what a row declares, and passes the bucket's name. */
  grant(fn: ServiceFunction, access: readonly FileAccess[]): void {
    const bucket = `arn:${Aws.PARTITION}:s3:::${this.bucketName}`;
    const objects = `${bucket}/releases/*`;
    fn.addToRolePolicy(new PolicyStatement({ actions: [...new Set(access.flatMap((name) => objectActions[name]))], resources: [objects] }));
    if (access.includes('check')) fn.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket] }));
    if (fn.role) {
      const name = `${this.stage}-releases-${JSON.stringify(Stack.of(fn).resolve(endOfStackId()))}`;
      accept(fn.role, {
        [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${name}/releases/*]`]: 'The files of all releases are in this one folder.',
      });
    }
    fn.addEnvironment('FILE_BUCKET', this.bucketName);
  }
}

export interface FileBucketProps {
  readonly config: StageConfig;
  readonly store: FileStore;
  readonly alarms: Alarms;
  /** The origin of the admin page. */
  readonly pageOrigin: string;
}

/** The private bucket with the files of releases. */
export class FileBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { config, store, alarms, pageOrigin }: FileBucketProps) {
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
          // What was deleted or replaced can be restored for a month.
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
        },
      ],
      metrics: [{ id: METRICS }],
    });
    accept(this.bucket, {
      'AwsSolutions-S1':
        'Its log would hold presigned URLs. Who was given one is in the access log of the API; the metrics count requests.',
    });
    alarms.add('files-failing', {
      impact: 'Amazon S3 fails to serve files: updates and uploads break off, and updaters have to try again.',
      metric: this.metric('5xxErrors', Duration.minutes(5)),
      above: 10,
      periods: [2, 3],
    });
  }

  /** Bytes that were downloaded. */
  egress(period: Duration): Metric {
    return this.metric('BytesDownloaded', period);
  }

  private metric(metricName: '5xxErrors' | 'BytesDownloaded', period: Duration): Metric {
    const dimensionsMap = { BucketName: this.bucket.bucketName, FilterId: METRICS };
    return new Metric({ namespace: 'AWS/S3', metricName, dimensionsMap, statistic: 'Sum', period });
  }
}
