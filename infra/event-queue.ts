import { CfnOutput, Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms';
import type { StageConfig } from './config';
import type { ServiceFunction } from './function';
import { serviceMetric } from './metrics';

export interface EventQueueProps {
  readonly config: StageConfig;
  readonly alarms: Alarms;
  /** Timeout in seconds of the longest-running function that the queue starts. */
  readonly consumerTimeoutSeconds: number;
}

/** The queue that starts the delivery of an event. A message contains only the event's id; the event is a row of the table. */
export class EventQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { config, alarms, consumerTimeoutSeconds }: EventQueueProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(4),
      // AWS recommends six times the timeout of the function, so that no message becomes visible again while the function still handles it.
      visibilityTimeout: Duration.seconds(6 * consumerTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
    this.addAlarms(config, alarms);
    new CfnOutput(this, 'DeadLettersArn', {
      value: this.deadLetters.queueArn,
      description: 'To send the messages of the dead-letter queue again: aws sqs start-message-move-task --source-arn <this>',
    }).overrideLogicalId('DeadLettersArn');
  }

  /** Lets a function send messages to the queue, and sets the environment variable with the queue's URL. */
  grantSend(fn: ServiceFunction): void {
    this.queue.grantSendMessages(fn);
    fn.addEnvironment('EVENT_QUEUE_URL', this.queue.queueUrl);
  }

  /** Makes the queue invoke a function with its messages. */
  start(fn: ServiceFunction): void {
    // A batch has at most 10 messages, because a function handles a batch until the slowest webhook of the batch has responded. The
    // concurrency limit prevents a large number of events from using all concurrent executions of the account. If 200 batches wait for
    // webhooks that do not respond, the limit still allows 100 other batches.
    fn.addEventSource(new SqsEventSource(this.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 300 }));
  }

  private addAlarms(config: StageConfig, alarms: Alarms): void {
    const period = Duration.minutes(5);
    alarms.add('pending-events', {
      impact:
        'Events have waited more than five minutes to be sent, or the sweeper, which measures the wait, does not run. Vendors get the events of sales and refunds late.',
      metric: serviceMetric(config, 'events.pending_age', 'Maximum'),
      above: 300,
      periods: [2, 2],
      alarmOnSilence: true,
    });
    alarms.add('dead-letters', {
      impact:
        'A message could not be handled in five attempts and was moved to the dead-letter queue. Its event is not lost, because the sweeper sends it again.',
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
      above: 0,
    });
    alarms.add('delivery-faults', {
      impact:
        "Faults of the service prevent the delivery of events, for example a product's secret that cannot be decrypted, or an event that cannot be read. The vendor gets the events of sales and refunds late or never.",
      metric: serviceMetric(config, 'delivery.fault'),
      above: 0,
      periods: [2, 3],
    });
    alarms.add('failed-deliveries', {
      impact: 'More than half of the events failed after four attempts, so vendors do not get the events of sales and refunds.',
      metric: failedShare(config, 'delivery', 'failed + FILL(delivered, 0) >= 10', period),
      above: 50,
      periods: [2, 3],
    });
    alarms.add('failed-mails', {
      impact:
        'More than half of the mails of the last six hours failed. Buyers do not receive the license keys that they have paid for, or the codes with which they sign in.',
      // The period is long, because a vendor with few sales sends few mails in an hour.
      metric: failedShare(config, 'mail', 'failed >= 3', Duration.hours(6)),
      above: 50,
    });
  }
}

/**
 * The percentage of the deliveries or mails that failed.
 *
 * @param condition whether `failed` and `delivered` are high enough for a useful percentage; otherwise the percentage is 0
 */
const failedShare = (config: StageConfig, of: 'delivery' | 'mail', condition: string, period: Duration): MathExpression =>
  new MathExpression({
    label: 'failed, %',
    expression: `IF(${condition}, 100 * failed / (failed + FILL(delivered, 0)), 0)`,
    usingMetrics: { failed: serviceMetric(config, `${of}.failed`), delivered: serviceMetric(config, `${of}.delivered`) },
    period,
  });
