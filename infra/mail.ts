import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { MailConfig } from './config';
import type { ServiceFunction } from './function';
import type { Secrets } from './secrets';

/**
 * The SES identities that may send from an address: the address itself, its domain, and the domains above it.
 * Which of them was verified is up to the account's owner.
 */
function identitiesOf(address: string): readonly string[] {
  const labels = address.slice(address.indexOf('@') + 1).split('.');
  return [address, ...labels.slice(0, Math.max(1, labels.length - 1)).map((_label, index) => labels.slice(index).join('.'))];
}

/** Passes a function the mail setup, and lets it send if its row says so. */
export function grantMail(fn: ServiceFunction, mail: MailConfig, secrets: Secrets, use: 'status' | 'send'): void {
  fn.addEnvironment('MAIL_TRANSPORT', mail.transport);
  if (mail.transport === 'none') return;
  fn.addEnvironment('MAIL_FROM', mail.from);
  if (use === 'status') return;
  if (mail.transport === 'smtp') {
    secrets.grantRead(fn, 'smtpUrl');
    return;
  }
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: identitiesOf(mail.from).map((resourceName) => Stack.of(fn).formatArn({ service: 'ses', resource: 'identity', resourceName })),
      conditions: { StringEquals: { 'ses:FromAddress': mail.from } },
    }),
  );
}
