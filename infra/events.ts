import { Duration } from 'aws-cdk-lib';
import { MathExpression, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deliver, sweep, type Worker } from '../lambdas/contract/workers';
import type { Alarms } from './alarms';
import type { StageConfig } from './config';
import { HouseFunction } from './function';
import { serviceMetric } from './metrics';
import type { Secrets } from './secrets';
import { SLOW } from './sizing';
import type { Table } from './table';

/** Longest run of the delivery: an attempt of 10 s, with its reads and writes around it. */
const DELIVERY_TIMEOUT = Duration.seconds(30);
/** Longest run of the sweeper, which starts anew every minute. */
const SWEEP_TIMEOUT = Duration.seconds(50);

export interface EventDeliveryProps {
  readonly config: StageConfig;
  readonly bundles: ReadonlyMap<string, string>;
  readonly table: Table;
  readonly secrets: Secrets;
  readonly alarms: Alarms;
}

/** Source file of a worker. */
export const workerFile = (worker: Worker): string => `lambdas/events/${worker.name}.ts`;

/** From an event's row to the product's webhook: the queue that wakes the delivery, and the sweeper behind it. */
export class EventDelivery extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: EventDeliveryProps) {
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
      // AWS advises six times the consumer's timeout, so that no message comes back while it is worked on.
      visibilityTimeout: Duration.seconds(6 * DELIVERY_TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });

    const deliverer = this.worker(deliver, DELIVERY_TIMEOUT, props);
    deliverer.addEnvironment('WEBHOOK_ALLOW_PRIVATE', String(props.config.webhookAllowPrivate));
    // Half of these threads look up names, which nothing can cut short; with the usual four, two dead names hold up all others.
    deliverer.addEnvironment('UV_THREADPOOL_SIZE', '64');
    // A batch takes as long as its slowest receiver, so it is small; the bound on concurrency keeps a storm
    // of events from using up the account's functions.
    deliverer.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 100 }),
    );

    const sweeper = this.worker(sweep, SWEEP_TIMEOUT, props);
    new Rule(this, 'SweepSchedule', {
      description: sweep.description,
      schedule: Schedule.rate(Duration.minutes(1)),
      // The next run comes in a minute: one that failed is not worth repeating.
      targets: [new LambdaTarget(sweeper, { event: RuleTargetInput.fromObject({}), retryAttempts: 0 })],
    });
    // Neither by EventBridge, where it could not be handed over, nor by Lambda, where it ended in an error.
    sweeper.configureAsyncInvoke({ retryAttempts: 0 });
    this.addAlarms(props, deliverer, sweeper);
  }

  /** Lets a function send and tells it where. */
  grantSend(fn: LambdaFunction): void {
    this.queue.grantSendMessages(fn);
    fn.addEnvironment('EVENT_QUEUE_URL', this.queue.queueUrl);
  }

  private addAlarms({ config, alarms }: EventDeliveryProps, deliverer: HouseFunction, sweeper: HouseFunction): void {
    const period = Duration.minutes(5);
    const both = (expression: string, metric: (fn: HouseFunction) => IMetric): IMetric =>
      new MathExpression({ expression, usingMetrics: { deliver: metric(deliverer), sweep: metric(sweeper) }, period });

    alarms.add('pending-events', {
      impact: 'Events wait more than five minutes to be sent, or the sweeper that would tell does not run: products learn late of sales and refunds.',
      metric: serviceMetric(config, 'events.pending_age', 'Maximum'),
      above: 300,
      periods: [2, 2],
      alarmOnSilence: true,
    });
    alarms.add('dead-letters', {
      impact: 'A message could not be handled in five tries and was set aside. Its event is not lost: the sweeper sends it again.',
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
      above: 0,
    });
    alarms.add('failed-deliveries', {
      impact: 'More than half of the events were given up on after four attempts: a product does not learn of its sales and refunds.',
      metric: new MathExpression({
        label: 'failed, %',
        expression: 'IF(failed + FILL(delivered, 0) >= 10, 100 * failed / (failed + FILL(delivered, 0)), 0)',
        usingMetrics: { failed: serviceMetric(config, 'delivery.failed'), delivered: serviceMetric(config, 'delivery.delivered') },
        period,
      }),
      above: 50,
      periods: [2, 3],
    });
    alarms.add('worker-errors', {
      impact: 'The delivery of events, or the sweeper behind it, ends in errors: events arrive late.',
      metric: both('FILL(deliver, 0) + FILL(sweep, 0)', (fn) => fn.metricErrors({ period })),
      above: 2,
      periods: [2, 3],
    });
    alarms.add('worker-slow', {
      impact: `The delivery of events, or the sweeper behind it, takes more than ${SLOW * 100} % of the time that it has: soon it will be cut off, and events arrive late.`,
      metric: both(
        `100 * MAX([FILL(deliver, 0) / ${DELIVERY_TIMEOUT.toMilliseconds()}, FILL(sweep, 0) / ${SWEEP_TIMEOUT.toMilliseconds()}])`,
        (fn) => fn.metricDuration({ statistic: 'Maximum', period }),
      ),
      above: SLOW * 100,
      periods: [2, 3],
    });
  }

  private worker(worker: Worker, timeout: Duration, { config, bundles, table, secrets }: EventDeliveryProps): HouseFunction {
    const bundle = bundles.get(workerFile(worker));
    if (!bundle) throw new Error(`There is no bundle of ${workerFile(worker)}`);
    const fn = new HouseFunction(this, worker.name[0]!.toUpperCase() + worker.name.slice(1), {
      config,
      bundle,
      description: worker.description,
      timeout,
      memoryMb: 512,
    });
    table.grant(fn, worker.store);
    for (const secret of worker.secrets) secrets.grantRead(fn, secret);
    this.grantSend(fn);
    return fn;
  }
}
