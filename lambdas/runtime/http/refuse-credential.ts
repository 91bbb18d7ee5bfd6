import { fail, type Failure } from '../../contract/errors';
import type { MetricName } from '../../contract/metrics';
import type { RequestOrigin } from '../../domain/audit';
import { log } from '../observability/log';
import { count } from '../observability/metrics';

/**
 * Returns the refusal (401) of a wrong credential. The refusal is counted, and logged with the caller's IP address, because the gateway's
 * access log does not contain this address for requests through the distribution. The credential is never logged.
 */
export function refuseCredential(
  metric: MetricName & `refused.${string}`,
  route: string,
  { source_ip, request_id }: RequestOrigin,
): Failure {
  count(metric);
  log.info('CREDENTIAL_REFUSED', { route, source_ip, request_id });
  return fail('unauthorized');
}
