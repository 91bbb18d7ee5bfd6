import type { Index } from '../lambdas/contract/access';

/**
 * The attributes that each index contains in addition to its keys. Lists are filtered and counted with `status`, `counted` and
 * `license_type_id`. Lists of devices and releases need the other attributes. No index contains an attribute of a license that an
 * activation changes, because each activation would then cost an additional write to the index.
 */
export const projections: Readonly<Record<Index, { readonly type: 'INCLUDE' | 'KEYS_ONLY'; readonly attributes?: readonly string[] }>> = {
  list: {
    type: 'INCLUDE',
    attributes: ['status', 'channel', 'counted', 'license_type_id', 'epoch', 'fingerprint', 'platform', 'name', 'activated_at'],
  },
  email: { type: 'KEYS_ONLY' },
  lookup: { type: 'KEYS_ONLY' },
  pending: { type: 'KEYS_ONLY' },
};
