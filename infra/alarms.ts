import { Aws, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageConfig } from './config';
import { alarmName, pascalCase } from './names';

export interface AlarmProps {
  /** A sentence about the effects that users notice. */
  readonly impact: string;
  readonly metric: IMetric;
  /** The metric triggers the alarm if it is above this number. */
  readonly above: number;
  /** The alarm is triggered if the metric is above the threshold in `above` of the last `of` periods; `[1, 1]` by default. */
  readonly periods?: readonly [above: number, of: number];
  /** Whether missing data triggers the alarm. By default, missing data counts as normal. */
  readonly alarmOnSilence?: boolean;
}

export interface AlarmsProps {
  readonly config: StageConfig;
  readonly logGroup: ILogGroup;
}

/** The log query for the first step of an investigation. It shows the functions' warnings and errors. */
const LOG_QUERY = `fields @timestamp, message, operation, request_id, event_id, error.name, error.message
| filter level in ["WARN", "ERROR"]
| sort @timestamp desc`;

/** The stage's alarms, and the SNS topic that they publish to. */
export class Alarms extends Construct {
  /** All alarms in the order in which they were added. */
  readonly all: Alarm[] = [];
  readonly topic: Topic;
  private readonly config: StageConfig;
  private readonly logQuery: string;

  constructor(scope: Construct, id: string, { config, logGroup }: AlarmsProps) {
    super(scope, id);
    this.config = config;
    this.logQuery = logQueryUrl(logGroup.logGroupName);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    // The default policy of a topic allows CloudWatch to publish. The policy from `enforceSSL` replaces the default policy, so CloudWatch
    // needs this statement.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } } }),
    );
    if (config.alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(config.alarmEmail));
  }

  /**
   * Adds an alarm. The alarm's description explains the effects on users and links to the runbook and the log.
   *
   * @param name the name of the alarm and of its entry in the runbook
   */
  add(
    name: string,
    { impact, metric, above, periods: [datapointsToAlarm, evaluationPeriods] = [1, 1], alarmOnSilence = false }: AlarmProps,
  ): void {
    const { stage, repositoryUrl } = this.config;
    const runbook = `${repositoryUrl === undefined ? '' : `${repositoryUrl}/blob/main/`}docs/runbook.md#${name}`;
    const alarm = new Alarm(this, pascalCase(name), {
      alarmName: alarmName(stage, name),
      alarmDescription: `${impact} What to do: ${runbook} Log: ${this.logQuery}`,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm,
      evaluationPeriods,
      treatMissingData: alarmOnSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    this.all.push(alarm);
  }
}

/** The URL of the log query in the AWS console, in the console's special encoding. */
function logQueryUrl(logGroupName: string): string {
  const editorString = LOG_QUERY.replace(/[^\w.-]/g, (character) => `*${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const detail = `~(end~0~start~-3600~timeType~'RELATIVE~unit~'seconds~editorString~'${editorString}~source~(~'${logGroupName}))`;
  return `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#logsV2:logs-insights$3FqueryDetail$3D${detail}`;
}
