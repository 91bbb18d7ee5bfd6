import { fail, type Failure } from '../../contract/errors';
import { describeProblems, wording } from '../../contract/problems';
import { offlineRequest } from '../../contract/portal';
import type { DeviceClaim } from '../activation';
import type { License } from '../license';
import { lookupKey, normalizeDeviceKey } from '../license-key';

/** Reads the request of a device that is never online: the text that `offlineRequest()` of the client library returns. */

const PREFIX = 'LKS1-REQUEST.';

function parse(text: string): unknown {
  const compact = text.replace(/\s/g, '');
  if (!compact.startsWith(PREFIX)) return undefined;
  try {
    return JSON.parse(Buffer.from(compact.slice(PREFIX.length), 'base64url').toString());
  } catch {
    return undefined;
  }
}

/**
 * Returns the device from an offline request. The request is refused (422) if it is unreadable, or if it was created for another license
 * key or for another product. A request without a key is accepted, because the buyer has chosen the license. So is a request with the key of
 * a single device, because an app that was activated by sign-in does not know the license's key.
 */
export function readOfflineRequest(text: string, license: Pick<License, 'product_id' | 'key'>): Failure | DeviceClaim {
  const content = parse(text);
  if (typeof content !== 'object' || content === null)
    return fail('invalid_request', `request must be the text that the app shows; it begins with ${PREFIX}`);
  const { data, error } = offlineRequest.safeParse(content, { error: wording });
  if (error) return fail('invalid_request', describeProblems(error.issues, 'request'));
  if (data.product !== license.product_id) return fail('invalid_request', 'request was created for another product');
  const isOther = data.key !== undefined && normalizeDeviceKey(data.key) === undefined && lookupKey(data.key) !== lookupKey(license.key);
  if (isOther) return fail('invalid_request', 'request was created for another license key');
  return { fingerprint: data.fingerprint, name: data.name, platform: data.platform };
}
