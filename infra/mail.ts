import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { accept } from './accept';
import type { MailConfig } from './config';
import type { Secrets } from './secrets';

/** Tells a function of the mail setup, and lets it send where it shall. */
export function grantMail(fn: LambdaFunction, mail: MailConfig, secrets: Secrets, use: 'status' | 'send'): void {
  fn.addEnvironment('MAIL_TRANSPORT', mail.transport);
  if (mail.transport === 'none') return;
  fn.addEnvironment('MAIL_FROM', mail.from);
  if (use === 'status') return;
  if (mail.transport === 'smtp') {
    secrets.grantRead(fn, 'smtpUrl');
    return;
  }
  // Which identity (the address, or its domain) was verified is the account's affair; the from-address is ours.
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [Stack.of(fn).formatArn({ service: 'ses', resource: 'identity', resourceName: '*' })],
      conditions: { StringEquals: { 'ses:FromAddress': mail.from } },
    }),
  );
  if (fn.role) {
    accept(fn.role, {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]': 'The condition on the from-address is narrower than an identity would be.',
    });
  }
}
