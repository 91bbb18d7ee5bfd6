import { Duration, Stack, Token } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { asciiAddress } from '../lambdas/contract/mail-address';
import { accept } from './accept';
import type { Alarms } from './alarms';
import type { MailConfig, StageConfig } from './config';
import type { ServiceFunction } from './function';
import { configurationSetName } from './names';
import type { Secrets } from './secrets';

/**
 * The kinds of resources that a permission to send mail must name. SES checks the permission for the sender's verified identity, which is
 * the sender's e-mail address, its domain or a parent domain. If the recipient's identity is also verified in this account, as is necessary
 * in the sandbox, SES checks the permission for that identity too. SES also checks the permission for the default configuration set of an
 * identity. The stack doesn't know the names of these resources.
 */
const RESOURCES = ['identity', 'configuration-set'] as const;

/**
 * Sets a function's mail settings. `use` is the access that the function's row in the contract declares: with `send`, the function may
 * send mail; with `status`, it only gets the transport and the sender's address.
 */
export function grantMail(fn: ServiceFunction, { mail, stage }: StageConfig, secrets: Secrets, use: 'status' | 'send'): void {
  fn.addEnvironment('MAIL_TRANSPORT', mail.transport);
  if (mail.transport === 'none') return;
  fn.addEnvironment('MAIL_FROM', mail.from);
  if (use === 'status') return;
  if (mail.transport === 'smtp') {
    secrets.grantRead(fn, 'smtpUrl');
    return;
  }
  const stack = Stack.of(fn);
  fn.addEnvironment('MAIL_CONFIGURATION_SET', configurationSetName(stage));
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resources: RESOURCES.map((resource) => stack.formatArn({ service: 'ses', resource, resourceName: '*' })),
      // The service sends mails with the domain in ASCII.
      conditions: { StringEquals: { 'ses:FromAddress': asciiAddress(mail.from) } },
    }),
  );
  const known = (value: string, name: string): string => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  const account = `arn:${known(stack.partition, 'Partition')}:ses:${known(stack.region, 'Region')}:${known(stack.account, 'AccountId')}`;
  const reason =
    'A condition allows only one from-address. Naming an identity would allow more, because an identity may be a whole domain.';
  if (fn.role)
    accept(fn.role, Object.fromEntries(RESOURCES.map((resource) => [`AwsSolutions-IAM5[Resource::${account}:${resource}/*]`, reason])));
}

/**
 * Starts a function with the notifications of Amazon SES about mails that bounced or were reported as spam. The configuration set has a
 * fixed name, because the functions that send mails name it.
 */
export function startOnBounces(scope: Construct, fn: ServiceFunction, { stage }: StageConfig): void {
  const topic = new Topic(scope, 'BounceTopic', { enforceSSL: true });
  topic.addSubscription(new LambdaSubscription(fn));
  new ConfigurationSet(scope, 'ConfigurationSet', { configurationSetName: configurationSetName(stage) }).addEventDestination('Bounces', {
    destination: EventDestination.snsTopic(topic),
    events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
  });
}

/** The shares of bounces and of complaints (reports as spam) at which AWS reviews an account. At higher shares AWS stops its mails. */
const REVIEWED = { bounces: 0.05, complaints: 0.001 };

/** An alarm is triggered at this percentage of `REVIEWED`, so that operators can act before AWS reviews the account. */
const EARLY = 80;

/** Adds the alarm about bounces and complaints, which Amazon SES counts for all mails of the account in the region. */
export function addBounceAlarm(alarms: Alarms, { transport }: MailConfig): void {
  if (transport !== 'ses') return;
  // Amazon SES does not publish the metrics at fixed intervals. With a short period the alarm would end although nothing has improved.
  const period = Duration.days(1);
  const rate = (name: string): Metric =>
    new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${name}Rate`, statistic: 'Maximum', period });
  alarms.add('mails-bouncing', {
    impact:
      'Too many mails bounce or are reported as spam. If the share grows, AWS stops all mails of the account, and buyers receive no license keys and no codes for signing in.',
    metric: new MathExpression({
      label: '% of the share at which AWS reviews the account',
      expression: `100 * MAX([FILL(bounces, 0) / ${REVIEWED.bounces}, FILL(complaints, 0) / ${REVIEWED.complaints}])`,
      usingMetrics: { bounces: rate('Bounce'), complaints: rate('Complaint') },
      period,
    }),
    above: EARLY,
  });
}
