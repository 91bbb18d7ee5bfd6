import { TRIAL_KEPT_DAYS } from '../contract/limits';
import type { License } from './license';
import { DAY_MS } from './time';

/**
 * The time (epoch ms) from which a trial that an app started is removed; null if it is not removed. A trial that was bought has another kind
 * of license type, or an order.
 */
export const trialRemovalTime = ({ license_type, order, expires_at }: License): number | null =>
  license_type.kind !== 'trial' || order !== null || expires_at === null ? null : expires_at + TRIAL_KEPT_DAYS * DAY_MS;
