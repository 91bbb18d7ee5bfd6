import { alarmName, stackName } from '../../infra/names';

/** A command of AWS's command line for what no request shows, such as whether a mail arrives. */
export interface AwsCommand {
  /** What is seen if all is well. */
  readonly shows: string;
  /** For a shell, with credentials of the account and its region in `AWS_REGION`. */
  readonly command: string;
}

/** The alarm that is set off. Any would do: within a minute CloudWatch sets it back to what it measures. */
const ALARM = 'api-slow';

/** What the smoke test asks its caller to look at in an account, in this order. */
export function awsCommands(stage: string): readonly AwsCommand[] {
  const alarm = alarmName(stage, ALARM);
  const topic = `"$(aws cloudwatch describe-alarms --alarm-names ${alarm} --query 'MetricAlarms[0].AlarmActions[0]' --output text)"`;
  const deliver = `"$(aws cloudformation list-stack-resources --stack-name ${stackName(stage)} --query "StackResourceSummaries[?ResourceType=='AWS::Lambda::Function' && starts_with(LogicalResourceId, 'WorkersDeliver')].PhysicalResourceId" --output text)"`;
  return [
    {
      shows:
        'The address of alarmEmail with an ARN after it. PendingConfirmation: open the mail from AWS and confirm it. Nothing: the stage has no alarmEmail',
      command: `aws sns list-subscriptions-by-topic --topic-arn ${topic} --query 'Subscriptions[].[Endpoint, SubscriptionArn]' --output text`,
    },
    {
      shows:
        'Nothing here, but a mail within a minute, whose links lead to the runbook and to the log; and a second one when the alarm ends',
      command: `aws cloudwatch set-alarm-state --alarm-name ${alarm} --state-value ALARM --state-reason 'The smoke test'`,
    },
    {
      shows: 'Successfully executed action. Failed to execute: the policy of the topic refuses CloudWatch',
      command: `aws cloudwatch describe-alarm-history --alarm-name ${alarm} --history-item-type Action --query 'AlarmHistoryItems[0].HistorySummary' --output text`,
    },
    {
      shows: 'Allow. Otherwise Lambda stops a long chain of retries after 16 rounds',
      command: `aws lambda get-function-recursion-config --function-name ${deliver} --query RecursiveLoop --output text`,
    },
  ];
}
