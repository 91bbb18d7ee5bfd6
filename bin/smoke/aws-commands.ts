import { alarmName, stackName } from '../../infra/names';

/** An AWS CLI command for a check that needs more than an HTTP request, for example whether a mail arrives. */
export interface AwsCommand {
  /** The expected output or effect. */
  readonly shows: string;
  /** The command. It needs a shell with credentials of the AWS account and with the region in `AWS_REGION`. */
  readonly command: string;
}

/**
 * The alarm that the smoke test triggers. Any alarm is suitable, because CloudWatch restores the alarm's measured state within a minute.
 */
const ALARM = 'api-slow';

/** The commands that the smoke test asks its caller to run, in order. */
export function awsCommands(stage: string): readonly AwsCommand[] {
  const alarm = alarmName(stage, ALARM);
  const topic = `"$(aws cloudwatch describe-alarms --alarm-names ${alarm} --query 'MetricAlarms[0].AlarmActions[0]' --output text)"`;
  const deliver = `"$(aws cloudformation list-stack-resources --stack-name ${stackName(stage)} --query "StackResourceSummaries[?ResourceType=='AWS::Lambda::Function' && starts_with(LogicalResourceId, 'WorkersDeliver')].PhysicalResourceId" --output text)"`;
  return [
    {
      shows:
        'The address of alarmEmail followed by an ARN. If the output says PendingConfirmation, open the mail from AWS and confirm the subscription. If there is no output, the stage has no alarmEmail',
      command: `aws sns list-subscriptions-by-topic --topic-arn ${topic} --query 'Subscriptions[].[Endpoint, SubscriptionArn]' --output text`,
    },
    {
      shows:
        'No output. Within a minute a mail with links to the runbook and the log arrives, and a second mail arrives when the alarm ends',
      command: `aws cloudwatch set-alarm-state --alarm-name ${alarm} --state-value ALARM --state-reason 'The smoke test'`,
    },
    {
      shows: '"Successfully executed action". If it says "Failed to execute", the policy of the topic refuses CloudWatch',
      command: `aws cloudwatch describe-alarm-history --alarm-name ${alarm} --history-item-type Action --query 'AlarmHistoryItems[0].HistorySummary' --output text`,
    },
    {
      shows: '"Allow". Otherwise Lambda stops a long chain of retries after 16 rounds',
      command: `aws lambda get-function-recursion-config --function-name ${deliver} --query RecursiveLoop --output text`,
    },
  ];
}
