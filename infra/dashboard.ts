import { Aws } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard as CloudWatchDashboard, GraphWidget, type IMetric, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { activate, validate } from '../lambdas/contract/activations';
import { eventNames } from '../lambdas/contract/events';
import type { MetricName } from '../lambdas/contract/metrics';
import type { Alarms } from './alarms';
import type { Api } from './api';
import type { StageConfig } from './config';
import type { EventQueue } from './event-queue';
import { serviceMetric } from './metrics';
import { stackName } from './names';
import type { Table } from './table';

export interface DashboardProps {
  readonly config: StageConfig;
  readonly api: Api;
  readonly events: EventQueue;
  readonly table: Table;
  readonly alarms: Alarms;
}

/**
 * The dashboard for investigating problems. It shows the alarms first, and then metrics in the order in which a request passes through the
 * service.
 */
export class Dashboard extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, { config, api, events, table, alarms }: DashboardProps) {
    super(scope, id);
    // The names of dashboards must be unique in the account, across all regions.
    this.name = `${stackName(config.stage)}-${Aws.REGION}`;
    const counted = (...names: MetricName[]): IMetric[] => names.map((name) => serviceMetric(config, name));
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: this.name,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.all, width: 24, height: 3 })],
        [
          graph('Requests', [api.metric('Count', 'Sum')]),
          graph('Refused and failed (4xx, 5xx)', [api.metric('4XXError', 'Sum'), api.metric('5XXError', 'Sum')]),
          graph(
            'Response time, ms',
            ['p50', 'p99'].map((statistic) => api.metric('Latency', statistic).with({ label: statistic })),
          ),
        ],
        [
          graph(
            'Refused by reason',
            counted(
              'refused.no_seats',
              'refused.api_key',
              'refused.license',
              'refused.payment',
              'refused.admin_token',
              'refused.portal_session',
              'refused.portal_sign_in',
              'refused.trial',
            ),
          ),
          graph('Faults', counted('request.unavailable', 'request.fault')),
          graph('Sales held, mails failed', counted('payment.held', 'mail.failed')),
        ],
        [
          graph('Deliveries', counted('delivery.delivered', 'delivery.retried', 'delivery.failed', 'delivery.skipped')),
          graph('Longest wait for a due delivery, s', [serviceMetric(config, 'events.pending_age', 'Maximum')]),
          graph('Messages: waiting, in the dead-letter queue', [
            events.queue.metricApproximateNumberOfMessagesVisible({ label: 'waiting' }),
            events.deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'dead-letter queue' }),
          ]),
        ],
        [
          graph('Table: units consumed', [table.table.metricConsumedReadCapacityUnits(), table.table.metricConsumedWriteCapacityUnits()]),
          graph('Table: conflicts', [table.conflicts()]),
          graph(
            'Most frequently called functions: longest run, ms',
            [activate, validate].map((row) => api.functionOf(row).metricDuration({ statistic: 'Maximum', label: row.name })),
          ),
        ],
      ],
    });
    // There is a second dashboard for licenses, because a dashboard is free of charge only up to 50 metrics, and the many kinds of events
    // need a metric each.
    new CloudWatchDashboard(this, 'Licenses', {
      dashboardName: `${this.name}-licenses`,
      widgets: [
        [
          new GraphWidget({
            title: 'Changes of licenses',
            left: counted(...eventNames),
            width: 24,
            height: 12,
            leftYAxis: { min: 0, showUnits: false },
          }),
        ],
      ],
    });
  }
}

const graph = (title: string, left: IMetric[]): IWidget =>
  new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0, showUnits: false } });
