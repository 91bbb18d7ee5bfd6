import { METRIC_NAMESPACE, type MetricName } from '../../contract/metrics';

/**
 * Counts what happens, by a line of the log in CloudWatch's embedded metric format: it costs no call, and
 * CloudWatch makes the metric of it. The log's level doesn't matter to it.
 */
function publish(name: MetricName, unit: 'Count' | 'Seconds', value: number): void {
  // Outside of Lambda nobody makes metrics of it.
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

/** Something happened, so many times. */
export function count(name: MetricName, times = 1): void {
  if (times > 0) publish(name, 'Count', times);
}

/** Something has lasted so long, in ms. */
export const duration = (name: MetricName, ms: number): void => publish(name, 'Seconds', ms / 1000);
