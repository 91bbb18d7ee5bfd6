import { endpoints } from '../../lambdas/contract';
import { pascalCase } from '../../infra/names';
import { configFor } from '../../infra/config';
import { synthesizeStage } from '../support/stage-synth';
import { at, ofType, permissionsOf, type Resource } from '../support/template';

/** The bucket of release files: what is in it is paid for, and must neither leak nor get lost. */

const { template } = synthesizeStage(configFor('production'));
const [bucketId, bucket] = ofType(template, 'AWS::S3::Bucket').find(([id]) => id.startsWith('Files')) as readonly [string, Resource];

test('is private, versioned and encrypted, and stays when the stack goes', () => {
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

test('takes nothing without TLS', () => {
  const [, policy] = ofType(template, 'AWS::S3::BucketPolicy').find(([, one]) => at(one, 'Properties', 'Bucket', 'Ref') === bucketId) ?? [];
  expect(at(policy, 'Properties', 'PolicyDocument', 'Statement')).toMatchObject([
    { Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' }, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
  ]);
});

test('forgets what was abandoned or replaced, and serves pages of the distribution alone', () => {
  expect(at(bucket, 'Properties', 'LifecycleConfiguration', 'Rules', 0)).toMatchObject({
    Status: 'Enabled',
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    NoncurrentVersionExpiration: { NoncurrentDays: 30 },
    ExpiredObjectDeleteMarker: true,
  });
  const [rule, ...more] = at(bucket, 'Properties', 'CorsConfiguration', 'CorsRules') as object[];
  expect(more).toEqual([]);
  expect(JSON.stringify(at(rule, 'AllowedOrigins'))).toMatch(
    /^\[\{"Fn::Join":\["",\["https:\/\/",\{"Fn::GetAtt":\["Edge\w+","DomainName"\]\}\]\]\}\]$/,
  );
});

test('the policy of the admin page lets it send files to the bucket, and to nowhere else; no other page may', () => {
  const named = ofType(template, 'AWS::CloudFront::ResponseHeadersPolicy')
    .map(([, policy]) => JSON.stringify(policy))
    .filter((policy) => /connect-src 'self' /.test(policy));
  expect(named).toHaveLength(1);
  // The name of the bucket ends with a part of the stack's id.
  expect(named[0]).toMatch(
    /connect-src 'self' https:\/\/",\{[^;]*"production-releases"[^;]*"AWS::StackId"[^;]*\},"\.s3\.",\{"Ref":"AWS::Region"\},"\.",\{"Ref":"AWS::URLSuffix"\},"; /,
  );
});

/** What S3 permits each function, by the names of rows. */
const actionsOf = (name: string): readonly string[] => {
  const [, fn] =
    ofType(template, 'AWS::Lambda::Function').find(([id]) => new RegExp(`^Http${pascalCase(name)}[0-9A-F]{8}$`).test(id)) ?? [];
  const role = String(at(fn, 'Properties', 'Role', 'Fn::GetAtt', 0));
  return permissionsOf(template, role)
    .map(({ action }) => action)
    .filter((action) => action.startsWith('s3:'))
    .sort();
};

test('functions may do with files what their rows declare, and none of all may do all', () => {
  const permitted = {
    upload: ['s3:PutObject'],
    download: ['s3:GetObject'],
    check: ['s3:GetObject', 's3:ListBucket'],
    delete: ['s3:DeleteObject'],
  };
  for (const { name, files = [] } of endpoints)
    expect([name, actionsOf(name)]).toEqual([name, [...new Set(files.flatMap((access) => permitted[access]))].sort()]);
  for (const { name, files = [] } of endpoints) expect([name, files.length < 2]).toEqual([name, true]);
});
