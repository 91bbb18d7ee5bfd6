import { endpoints } from '../../lambdas/contract';
import { pascalCase } from '../../infra/names';
import { synthesizedStage } from '../support/stages';
import { at, ofType, only, permissionsOf, references, type Resource, type Template } from '../support/template';

/** Checks the bucket of release files. Its files are sold, so they must neither leak nor get lost. */

let template: Template;
let dev: Template;
let bucketId: string;
let bucket: Resource;
beforeAll(async () => {
  ({ template } = await synthesizedStage('plain'));
  ({ template: dev } = await synthesizedStage('dev'));
  [bucketId, bucket] = ofType(template, 'AWS::S3::Bucket').find(([id]) => id.startsWith('Files')) as [string, Resource];
});

test('the bucket of release files is private, versioned and encrypted, and remains when the stack is deleted', () => {
  expect(at(bucket, 'Properties', 'PublicAccessBlockConfiguration')).toEqual({
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  });
  expect(at(bucket, 'Properties', 'VersioningConfiguration', 'Status')).toBe('Enabled');
  expect(JSON.stringify(at(bucket, 'Properties', 'BucketEncryption'))).toContain('AES256');
  expect([bucket.DeletionPolicy, bucket.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
});

test('the bucket of release files refuses requests without TLS, and gives the distribution nothing but the logos', () => {
  const [, policy] = ofType(template, 'AWS::S3::BucketPolicy').find(([, one]) => at(one, 'Properties', 'Bucket', 'Ref') === bucketId) ?? [];
  const statements = at(policy, 'Properties', 'PolicyDocument', 'Statement');
  expect(statements).toMatchObject([
    { Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' }, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    { Effect: 'Allow', Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } },
  ]);
  expect(at(statements, 1, 'Resource')).toEqual({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [bucketId, 'Arn'] }, '/logos/*']] });
  expect(references(at(statements, 1, 'Condition', 'StringEquals', 'AWS:SourceArn'))).toEqual([
    only(template, 'AWS::CloudFront::Distribution')[0],
  ]);
});

test('the bucket deletes abandoned uploads and replaced files, and accepts requests only from pages of the distribution', () => {
  expect(at(bucket, 'Properties', 'LifecycleConfiguration', 'Rules', 0)).toMatchObject({
    Status: 'Enabled',
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    NoncurrentVersionExpiration: { NoncurrentDays: 30 },
    ExpiredObjectDeleteMarker: true,
  });
  expect(at(bucket, 'Properties', 'LifecycleConfiguration', 'Rules', 1)).toMatchObject({ Prefix: 'logo-uploads/', ExpirationInDays: 1 });
  const [rule, ...more] = at(bucket, 'Properties', 'CorsConfiguration', 'CorsRules') as object[];
  expect(more).toEqual([]);
  expect(JSON.stringify(at(rule, 'AllowedOrigins'))).toMatch(
    /^\[\{"Fn::Join":\["",\["https:\/\/",\{"Fn::GetAtt":\["Edge\w+","DomainName"\]\}\]\]\}\]$/,
  );
});

test('only the admin page may send files to another origin, and only to the bucket of release files', () => {
  const named = ofType(template, 'AWS::CloudFront::ResponseHeadersPolicy')
    .map(([, policy]) => JSON.stringify(policy))
    .filter((policy) => /connect-src 'self' /.test(policy));
  expect(named).toHaveLength(1);
  // The name of the bucket ends with a part of the stack's id.
  expect(named[0]).toMatch(
    /connect-src 'self' https:\/\/",\{[^;]*"production-releases"[^;]*"AWS::StackId"[^;]*\},"\.s3\.",\{"Ref":"AWS::Region"\},"\.",\{"Ref":"AWS::URLSuffix"\},"; /,
  );
});

/** The S3 actions that a function may perform, with the folders. The function is given by the name of its contract row. */
const actionsOf = (name: string): readonly string[] => {
  const [, fn] =
    ofType(template, 'AWS::Lambda::Function').find(([id]) => new RegExp(`^Http${pascalCase(name)}[0-9A-F]{8}$`).test(id)) ?? [];
  const role = String(at(fn, 'Properties', 'Role', 'Fn::GetAtt', 0));
  return permissionsOf(template, role)
    .filter(({ action }) => action.startsWith('s3:'))
    .map(({ action, resource }) => `${action} ${/\/([\w-]+)\/\*/.exec(JSON.stringify(resource))?.[1] ?? ''}`.trim())
    .sort();
};

test('each function has exactly the access to files that its contract row declares, and no function has every kind of access', () => {
  const permitted = {
    upload: ['s3:PutObject releases'],
    download: ['s3:GetObject releases'],
    check: ['s3:GetObject releases', 's3:ListBucket'],
    delete: ['s3:DeleteObject releases'],
    uploadLogo: ['s3:PutObject logo-uploads'],
    changeLogo: ['s3:DeleteObject logos', 's3:GetObject logo-uploads', 's3:ListBucket', 's3:PutObject logos'],
  };
  for (const { name, files = [] } of endpoints)
    expect([name, actionsOf(name)]).toEqual([name, [...new Set(files.flatMap((access) => permitted[access]))].sort()]);
  for (const { name, files = [] } of endpoints) expect([name, files.length < 2]).toEqual([name, true]);
});

test('a stage that keeps no data empties the bucket before CloudFormation deletes it, and production never does', () => {
  const [emptier, ...more] = ofType(dev, 'Custom::Files');
  expect(more).toEqual([]);
  const { Bucket, EmptyIfTagged, ServiceToken } = emptier?.[1].Properties ?? {};
  expect(Bucket).toEqual({ Ref: bucketId });
  const ofBucket = dev.Resources[bucketId];
  expect(ofBucket?.DeletionPolicy).toBe('Delete');
  expect(at(ofBucket, 'Properties', 'Tags')).toContainEqual({ Key: EmptyIfTagged, Value: 'true' });
  const publisher = String(at(ServiceToken, 'Fn::GetAtt', 0));
  const onFiles = (of: Template): readonly string[] =>
    permissionsOf(of, String(at(of.Resources[publisher], 'Properties', 'Role', 'Fn::GetAtt', 0)))
      .filter(({ resource }) => JSON.stringify(resource).includes(bucketId))
      .map(({ action }) => action)
      .sort();
  expect(onFiles(dev)).toEqual(['s3:DeleteObjectVersion', 's3:GetBucketTagging', 's3:ListBucketVersions']);
  expect([ofType(template, 'Custom::Files'), onFiles(template)]).toEqual([[], []]);
});
