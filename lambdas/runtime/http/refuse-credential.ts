import { fail, type Failure } from '../../contract/errors';
import type { MetricName } from '../../contract/metrics';
import type { RequestOrigin } from '../../domain/audit';
import { log } from '../observability/log';
import { count } from '../observability/metrics';

/**
 * 401 for a credential that was presented and is wrong: counted, and logged with the address that it came from, which
 * the gateway's access log has not for requests through the distribution. The credential itself is in no log.
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
