import { METRIC_NAMESPACE, type MetricName } from '../../contract/metrics';

/**
 * Writes a metric as a line of the log in CloudWatch's embedded metric format. CloudWatch extracts the metric from the line, so the
 * function makes no additional call. Metrics do not depend on the log level.
 */
function publish(name: MetricName, unit: 'Count' | 'Seconds', value: number): void {
  // Outside of Lambda no program extracts metrics from the log.
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

/** Adds `times` to a counter. */
export function count(name: MetricName, times = 1): void {
  if (times > 0) publish(name, 'Count', times);
}

/** Records a duration. The argument is in ms. */
export const duration = (name: MetricName, ms: number): void => publish(name, 'Seconds', ms / 1000);
