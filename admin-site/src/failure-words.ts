import type { Delivery } from './api';
import { t } from './texts';

/** Words for the error codes of failed connections to the receiver. */
const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: t('connection refused'),
  ECONNRESET: t('connection closed by the receiver'),
  ENOTFOUND: t('unknown host name'),
  EAI_AGAIN: t('the host name could not be looked up'),
  ETIMEDOUT: t('no response in time'),
  CERT_HAS_EXPIRED: t('expired certificate'),
  DEPTH_ZERO_SELF_SIGNED_CERT: t('self-signed certificate'),
};

/**
 * Why the last attempt of a delivery failed, such as `connection refused` or `responded 500`; null if the attempt did not fail. Failures
 * with the same cause have the same words, because the page groups failures by these words.
 */
export function failureWords({ last_error: error, last_status: status }: Pick<Delivery, 'last_error' | 'last_status'>): string | null {
  if (error === null) return null;
  if (/^the receiver responded with \d+$/.test(error))
    return status === null ? t('responded with an error') : t('responded {status}', { status: String(status) });
  const code = Object.keys(codes).find((name) => error.includes(name));
  return code === undefined ? error : (codes[code] ?? error);
}
