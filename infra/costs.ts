import { Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { MathExpression, Metric, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms';
import type { Api } from './api';
import type { StageConfig } from './config';
import type { FileBucket } from './file-bucket';
import type { Table } from './table';

export interface CostsProps {
  readonly config: StageConfig;
  readonly api: Api;
  readonly table: Table;
  readonly files: FileBucket;
  readonly logGroups: readonly ILogGroup[];
  readonly alarms: Alarms;
}

/**
 * Approximate prices of one unit in US dollars (docs/operations.md, Cost). The price of a request includes the run of the function that
 * handles it.
 */
const prices = { request: 4.5e-6, readUnit: 0.125e-6, writeUnit: 0.625e-6, logByte: 0.5e-9, egressByte: 0.09e-9 };

/**
 * Warns about costs in two ways. If requests cost too much, an alarm is triggered within an hour. AWS sends a mail if the costs of the
 * month exceed 80 % of the budget, or if the forecast for the month exceeds the budget.
 */
export class Costs extends Construct {
  constructor(scope: Construct, id: string, { config, api, table, files, logGroups, alarms }: CostsProps) {
    super(scope, id);
    const period = Duration.hours(1);
    const logBytes = Object.fromEntries(
      logGroups.map(({ logGroupName }, index): [string, IMetric] => [
        `logs${index}`,
        new Metric({
          namespace: 'AWS/Logs',
          metricName: 'IncomingBytes',
          dimensionsMap: { LogGroupName: logGroupName },
          statistic: 'Sum',
          period,
        }),
      ]),
    );
    const terms = [
      ['requests', prices.request],
      ['reads', prices.readUnit],
      ['writes', prices.writeUnit],
      ['egress', prices.egressByte],
      ...Object.keys(logBytes).map((name) => [name, prices.logByte] as const),
    ] as const;
    alarms.add('cost-rate', {
      impact:
        'Requests, table, logs and downloads cost more within an hour than the budget allows for a day. The cause is an attack, or growing use.',
      metric: new MathExpression({
        label: 'US dollars of the hour, times 30',
        // Metric math does not support scientific notation. The expression is multiplied instead of dividing the budget, because the budget
        // may be a parameter of a template, and CloudFormation can't divide.
        expression: `30 * (${terms.map(([name, price]) => `FILL(${name}, 0) * ${(price * 1e9).toFixed(1)} / 1000000000`).join(' + ')})`,
        usingMetrics: {
          requests: api.metric('Count', 'Sum').with({ period }),
          reads: table.table.metricConsumedReadCapacityUnits({ period }),
          writes: table.table.metricConsumedWriteCapacityUnits({ period }),
          egress: files.egress(period),
          ...logBytes,
        },
        period,
      }),
      above: config.monthlyBudgetUsd,
    });
    if (config.alarmEmail !== undefined) this.addBudget(config.monthlyBudgetUsd, config.alarmEmail);
  }

  /** Adds a budget for the whole account. A budget for tagged costs would count nothing until somebody activates the tags for billing. */
  private addBudget(amount: number, address: string): void {
    new CfnBudget(this, 'Budget', {
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount, unit: 'USD' } },
      notificationsWithSubscribers: [
        { notificationType: 'ACTUAL', threshold: 80 },
        { notificationType: 'FORECASTED', threshold: 100 },
      ].map((notification) => ({
        notification: { comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', ...notification },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    });
  }
}
