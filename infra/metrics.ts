import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_NAMESPACE, type MetricName } from '../lambdas/contract/metrics';
import type { StageConfig } from './config';

/** A CloudWatch metric that the functions record. Its values are combined for periods of five minutes. */
export const serviceMetric = ({ stage }: StageConfig, metricName: MetricName, statistic: 'Sum' | 'Maximum' = 'Sum'): Metric =>
  new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap: { stage }, statistic, period: Duration.minutes(5) });
