import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageConfig } from './config';

export interface AlarmProps {
  /** What users notice, as a sentence. */
  readonly impact: string;
  readonly metric: IMetric;
  /** Rings above this. */
  readonly above: number;
  /** Rings when so many of the last so many periods were above; `[1, 1]` unless told. */
  readonly periods?: readonly [above: number, of: number];
  /** True where silence is bad news as well; otherwise it is good news. */
  readonly alarmOnSilence?: boolean;
}

/** The stage's alarms, and the topic that tells of them. */
export class Alarms extends Construct {
  /** Every alarm there is, in the order of their making. */
  readonly all: Alarm[] = [];
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, private readonly config: StageConfig) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    // The rule that asks for TLS replaces the default policy, under which CloudWatch could publish.
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } } }));
    if (config.alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(config.alarmEmail));
  }

  /**
   * Adds an alarm. Its description says what it means to users and where `docs/runbook.md` says what to do.
   *
   * @param name names the alarm and its entry in the runbook
   */
  add(name: string, { impact, metric, above, periods: [datapointsToAlarm, evaluationPeriods] = [1, 1], alarmOnSilence = false }: AlarmProps): void {
    const alarm = new Alarm(this, name.replace(/(^|-)(\w)/g, (_, _hyphen, letter: string) => letter.toUpperCase()), {
      alarmName: `license-key-service-${this.config.stage}-${name}`,
      alarmDescription: `${impact} What to do: docs/runbook.md#${name}`,
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
