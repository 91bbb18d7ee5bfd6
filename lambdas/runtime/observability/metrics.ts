import { METRIC_NAMESPACE, type MetricName } from '../../contract/metrics';

/**
 * Writes a metric as a line of the log in CloudWatch's embedded metric format: that needs no call, and CloudWatch
 * extracts the metric. It does not depend on the log level.
 */
function publish(name: MetricName, unit: 'Count' | 'Seconds', value: number): void {
  // Outside of Lambda nobody extracts metrics.
  if (process.env['AWS_LAMBDA_FUNCTION_NAME'] === undefined) return;
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [['stage']], Metrics: [{ Name: name, Unit: unit }] }],
    },
    stage: process.env['STAGE'],
    [name]: value,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Counts an event that happened this number of times. */
export function count(name: MetricName, times = 1): void {
  if (times > 0) publish(name, 'Count', times);
}

/** Records a duration, in ms. */
export const duration = (name: MetricName, ms: number): void => publish(name, 'Seconds', ms / 1000);
