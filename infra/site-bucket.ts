import { CustomResource, Duration, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { accept } from './accept';
import { bundleOf, ServiceFunction, type FunctionContext } from './function';
import { cacheControl, contentType } from './page-headers';
import type { Site } from './site';
import { temporaryFolder } from './temporary-folder';

/** The source file of the function that copies the pages into the bucket. */
export const publisherFile = 'lambdas/deploy/publish-site.ts';

/** The tag of a bucket that is emptied when the stack is deleted if the value of the tag is `true`. */
const EMPTY_ON_DELETION = 'empty-on-deletion';

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

interface BundleWithSite {
  readonly folder: string;
  /** A hash of all pages and their headers. A new hash makes CloudFormation run the publisher again. */
  readonly version: string;
}

/**
 * Copies the publisher's bundle, and adds the pages and a list of each file's headers. It changes a copy because a bundle may be cached
 * between runs, and the cached bundle must not contain the pages of an earlier run.
 */
function withSite(bundle: string, pages: Site): BundleWithSite {
  const copy = temporaryFolder('lks-publisher-');
  cpSync(bundle, copy, { recursive: true });
  const version = createHash('sha256');
  const site = Object.entries<string>({ ...pages }).flatMap(([prefix, folder]) => {
    cpSync(folder, join(copy, 'files', prefix), { recursive: true });
    return filesIn(folder).map((path) => {
      version.update(readFileSync(join(folder, path)));
      const key = posix.join(prefix, path);
      return { key, contentType: contentType(path), cacheControl: cacheControl(`/${key}`) };
    });
  });
  const list = JSON.stringify(site);
  writeFileSync(join(copy, 'site.json'), list);
  return { folder: copy, version: version.update(list).digest('hex') };
}

/** The private bucket with the admin page, the documentation and the portal. Each deployment updates its files. */
export class SiteBucket extends Construct {
  readonly bucket: Bucket;
  private readonly publisher: ServiceFunction;

  constructor(scope: Construct, id: string, functions: FunctionContext, pages: Site) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // The bucket may be deleted with the stack, because the next deployment can build its files again.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(this.bucket, { 'AwsSolutions-S1': 'The bucket contains public pages, and only CloudFront reads it.' });

    const { folder, version } = withSite(bundleOf(functions.bundles, publisherFile), pages);
    const bundles = new Map([...functions.bundles, [publisherFile, folder]]);
    this.publisher = new ServiceFunction(
      this,
      'Publisher',
      { ...functions, bundles },
      {
        source: publisherFile,
        description: 'Puts the pages into their bucket when the stack is deployed',
        timeout: Duration.minutes(2),
        memoryMb: 512,
      },
    );
    const objects = this.bucket.arnForObjects('*');
    this.publisher.addToRolePolicy(new PolicyStatement({ actions: ['s3:PutObject', 's3:DeleteObject'], resources: [objects] }));
    this.publisher.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }));
    this.manage(this, 'Site', this.bucket, { Version: version });
  }

  /** Empties a bucket when the stack is deleted, if `condition` is `true` (`ServiceStack.emptyFilesOnDeletion`). */
  emptyOnDeletion(bucket: Bucket, condition: string): void {
    Tags.of(bucket).add(EMPTY_ON_DELETION, condition);
    this.publisher.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetBucketTagging'], resources: [bucket.bucketArn] }));
    this.manage(bucket, 'Files', bucket, { EmptyIfTagged: EMPTY_ON_DELETION });
  }

  /** Adds a custom resource for the content of a bucket. Its properties decide what the function does (`publish-site.ts`). */
  private manage(scope: Construct, id: 'Site' | 'Files', bucket: Bucket, properties: Readonly<Record<string, string>>): void {
    const { publisher } = this;
    publisher.addToRolePolicy(new PolicyStatement({ actions: ['s3:DeleteObjectVersion'], resources: [bucket.arnForObjects('*')] }));
    publisher.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucketVersions'], resources: [bucket.bucketArn] }));
    const content = new CustomResource(scope, id, {
      resourceType: `Custom::${id}`,
      serviceToken: publisher.functionArn,
      serviceTimeout: Duration.minutes(5),
      properties: { Bucket: bucket.bucketName, ...properties },
    });
    if (!publisher.role) return;
    // The function fills the bucket during the first deployment, so it must have its permissions before. When the stack is deleted, it
    // empties the bucket, so its permissions must be deleted after the bucket.
    content.node.addDependency(publisher.role);
    const arn = bucket.stack.getLogicalId(bucket.node.defaultChild as CfnBucket);
    accept(publisher.role, {
      [`AwsSolutions-IAM5[Resource::<${arn}.Arn>/*]`]: 'The function may change or delete every object of the bucket.',
    });
  }
}
