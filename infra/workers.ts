import { Duration } from 'aws-cdk-lib';
import { MathExpression, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { RecursiveLoop, type CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { reconcile, remind, type Worker } from '../lambdas/contract/workers';
import { grantAccess, type Resources } from './access';
import type { AlarmProps, Alarms } from './alarms';
import { ServiceFunction, type FunctionContext } from './function';
import { startOnBounces } from './mail';
import { pascalCase } from './names';
import { SLOW } from './sizing';

export interface WorkersProps {
  readonly functions: FunctionContext;
  readonly resources: Resources;
  readonly alarms: Alarms;
  readonly workers: readonly Worker[];
}

/** The source file of a worker. */
export const workerFile = (worker: Worker): string => `lambdas/events/${worker.name}.ts`;

/** The background functions, one for each row of the list of workers. Either the event queue or a schedule starts a function. */
export class Workers extends Construct {
  constructor(scope: Construct, id: string, props: WorkersProps) {
    super(scope, id);
    const hasSes = props.functions.config.mail.transport === 'ses';
    this.addAlarms(
      props.alarms,
      props.workers
        .filter(({ trigger }) => hasSes || trigger !== 'bounces')
        .map((worker) => [worker, this.addWorker(worker, props)] as const),
    );
  }

  private addWorker(worker: Worker, { functions, resources }: WorkersProps): ServiceFunction {
    const fn = new ServiceFunction(this, pascalCase(worker.name), functions, {
      source: workerFile(worker),
      description: worker.description,
      timeout: Duration.seconds(worker.timeoutSeconds),
      memoryMb: 512,
    });
    grantAccess(fn, worker, functions.config, resources);
    if (worker.trigger === 'queue') {
      // libuv uses at most half of its threads for DNS lookups, and a lookup can't be interrupted. With the default of four threads, two
      // lookups of names that don't resolve would block all other lookups.
      fn.addEnvironment('UV_THREADPOOL_SIZE', '64');
      resources.events.start(fn);
      if (worker.queue) allowRetryChain(fn);
    } else if (worker.trigger === 'bounces') {
      startOnBounces(this, fn, functions.config);
    } else {
      this.addSchedule(worker, fn, worker.trigger.everyMinutes);
    }
    return fn;
  }

  private addSchedule(worker: Worker, fn: ServiceFunction, everyMinutes: number): void {
    new Rule(this, `${pascalCase(worker.name)}Schedule`, {
      description: worker.description,
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      // A failed run is not repeated, because the schedule soon starts the next run.
      targets: [new LambdaTarget(fn, { event: RuleTargetInput.fromObject({}), retryAttempts: 0 })],
    });
    // Lambda must not repeat a failed run either. By default, Lambda keeps runs of a throttled function for six hours. After a long
    // throttling, all of these runs would start at the same time, so each run is dropped when the next run is due.
    fn.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(everyMinutes) });
  }

  private addAlarms(alarms: Alarms, functions: ReadonlyArray<readonly [Worker, ServiceFunction]>): void {
    const period = Duration.minutes(5);
    const over = (expression: string, metric: (fn: ServiceFunction) => IMetric): IMetric =>
      new MathExpression({
        expression,
        usingMetrics: Object.fromEntries(functions.map(([{ name }, fn]) => [variable(name), metric(fn)])),
        period,
      });
    alarms.add('worker-errors', {
      impact: 'A background function fails, for example the function that delivers events. Events arrive late.',
      metric: over(functions.map(([{ name }]) => `FILL(${variable(name)}, 0)`).join(' + '), (fn) => fn.metricErrors({ period })),
      above: 2,
      periods: [2, 3],
    });
    // The function that records reminders runs only every quarter of an hour, and the function that reconciles has work for a connection
    // once an hour. Even if every run fails, their errors are too few for the alarm `worker-errors`, so they have separate alarms.
    const addAlarmOf = (worker: Worker, name: string, settings: Omit<AlarmProps, 'metric'>): void => {
      const fn = functions.find(([one]) => one.name === worker.name)?.[1];
      if (fn) alarms.add(name, { ...settings, metric: fn.metricErrors({ period: Duration.hours(1) }) });
    };
    addAlarmOf(remind, 'reminders-failed', {
      impact: 'The function that records reminders keeps failing, so buyers are not reminded of the end of their licenses.',
      above: 1,
    });
    addAlarmOf(reconcile, 'reconciliation-failed', {
      impact:
        'Payments that only the API of a payment processor reports cannot be processed, so buyers may have paid for licenses that they did not get.',
      above: 0,
      periods: [2, 3],
    });
    alarms.add('worker-slow', {
      impact: `A background function, for example the function that delivers events, takes more than ${SLOW * 100} % of its timeout. Soon it will exceed the timeout, and events will arrive late.`,
      metric: over(
        `100 * MAX([${functions.map(([{ name, timeoutSeconds }]) => `FILL(${variable(name)}, 0) / ${timeoutSeconds * 1000}`).join(', ')}])`,
        (fn) => fn.metricDuration({ statistic: 'Maximum', period }),
      ),
      above: SLOW * 100,
      periods: [2, 3],
    });
  }
}

/** The name of a worker's metric in CloudWatch metric math, which allows no hyphens in names. */
const variable = (name: string): string => name.replaceAll('-', '_');

/**
 * Lets a function send messages to the queue that starts this function. By default Lambda considers a chain of such messages an endless
 * loop and stops the chain after 16 messages. Here, each message is a retry of an event: the function handles a message of the event, and
 * sends the next message. The event's row counts the attempts, so the retries always end.
 */
function allowRetryChain(fn: ServiceFunction): void {
  (fn.node.defaultChild as CfnFunction).recursiveLoop = RecursiveLoop.ALLOW;
}
