import type { ErrorName } from '../contract/errors';
import type { EventName } from '../contract/events';
import type { LicenseStatus } from '../contract/statuses';

/** The state machine of a license as a table (docs/spec/service.md, License statuses; docs/lifecycle.md). */

/**
 * What can happen to a license. `check` is a validation, or a request for the device list or for an offline token. `expire` happens when a
 * check or an activation finds that the expiry has passed. `warn` announces the coming expiry, `exhaust` reports a full license, and
 * `reach_meter` reports that much was consumed. `amend` changes the terms of a license, `annotate` changes only the operator's data about
 * the license, and `prolong` moves the expiry to a later time.
 */
export const triggers = [
  'activate',
  'check',
  'deactivate',
  'reset',
  'revoke',
  'renew',
  'expire',
  'suspend',
  'reinstate',
  'annotate',
  'amend',
  'prolong',
  'reissue',
  'warn',
  'exhaust',
  'renew_updates',
  'warn_updates',
  'reach_meter',
  'add_member',
  'remove_member',
] as const;
export type Trigger = (typeof triggers)[number];

/** The status to which a trigger leads, and the event that reports the change. The event is null if there is no change to report. */
export interface Edge {
  readonly to: LicenseStatus;
  readonly event: EventName | null;
}

/** The status of a new license, and the event that reports its creation. */
export const initialEdge = { to: 'active', event: 'license.created' } as const satisfies Edge;

/**
 * For each status and trigger, the edge of the state machine, or the error that refuses the trigger. `docs/lifecycle.md` shows the table.
 */
export const lifecycle: Readonly<Record<LicenseStatus, Readonly<Record<Trigger, Edge | ErrorName>>>> = {
  active: {
    activate: { to: 'active', event: 'license.activated' },
    check: { to: 'active', event: null },
    deactivate: { to: 'active', event: 'license.deactivated' },
    reset: { to: 'active', event: 'license.reset' },
    revoke: { to: 'revoked', event: 'license.revoked' },
    renew: { to: 'active', event: 'license.renewed' },
    expire: { to: 'expired', event: 'license.expired' },
    suspend: { to: 'suspended', event: 'license.suspended' },
    reinstate: { to: 'active', event: null },
    annotate: { to: 'active', event: 'license.updated' },
    amend: { to: 'active', event: 'license.updated' },
    prolong: { to: 'active', event: 'license.updated' },
    reissue: { to: 'active', event: 'license.reissued' },
    warn: { to: 'active', event: 'license.expiring' },
    exhaust: { to: 'active', event: 'license.seats_exhausted' },
    renew_updates: { to: 'active', event: 'license.updates_renewed' },
    warn_updates: { to: 'active', event: 'license.updates_expiring' },
    reach_meter: { to: 'active', event: 'license.meter_reached' },
    add_member: { to: 'active', event: 'license.member_added' },
    remove_member: { to: 'active', event: 'license.member_removed' },
  },
  suspended: {
    activate: 'license_suspended',
    check: 'license_suspended',
    deactivate: { to: 'suspended', event: 'license.deactivated' },
    reset: { to: 'suspended', event: 'license.reset' },
    revoke: { to: 'revoked', event: 'license.revoked' },
    renew: { to: 'suspended', event: 'license.renewed' },
    expire: { to: 'suspended', event: null },
    suspend: { to: 'suspended', event: null },
    reinstate: { to: 'active', event: 'license.reinstated' },
    annotate: { to: 'suspended', event: 'license.updated' },
    amend: { to: 'suspended', event: 'license.updated' },
    prolong: { to: 'suspended', event: 'license.updated' },
    reissue: { to: 'suspended', event: 'license.reissued' },
    warn: { to: 'suspended', event: null },
    exhaust: { to: 'suspended', event: null },
    renew_updates: { to: 'suspended', event: 'license.updates_renewed' },
    warn_updates: { to: 'suspended', event: null },
    reach_meter: { to: 'suspended', event: 'license.meter_reached' },
    add_member: { to: 'suspended', event: 'license.member_added' },
    remove_member: { to: 'suspended', event: 'license.member_removed' },
  },
  expired: {
    activate: 'license_expired',
    check: 'license_expired',
    deactivate: { to: 'expired', event: 'license.deactivated' },
    reset: { to: 'expired', event: 'license.reset' },
    revoke: { to: 'revoked', event: 'license.revoked' },
    renew: { to: 'active', event: 'license.renewed' },
    expire: { to: 'expired', event: null },
    suspend: { to: 'suspended', event: 'license.suspended' },
    reinstate: { to: 'expired', event: null },
    annotate: { to: 'expired', event: 'license.updated' },
    amend: { to: 'expired', event: 'license.updated' },
    prolong: { to: 'active', event: 'license.updated' },
    reissue: { to: 'expired', event: 'license.reissued' },
    warn: { to: 'expired', event: null },
    exhaust: { to: 'expired', event: null },
    renew_updates: { to: 'expired', event: 'license.updates_renewed' },
    warn_updates: { to: 'expired', event: null },
    reach_meter: { to: 'expired', event: 'license.meter_reached' },
    add_member: { to: 'expired', event: 'license.member_added' },
    remove_member: { to: 'expired', event: 'license.member_removed' },
  },
  revoked: {
    activate: 'license_revoked',
    check: 'license_revoked',
    deactivate: { to: 'revoked', event: 'license.deactivated' },
    reset: { to: 'revoked', event: 'license.reset' },
    revoke: { to: 'revoked', event: null },
    renew: 'license_revoked',
    expire: { to: 'revoked', event: null },
    suspend: 'license_revoked',
    reinstate: 'license_revoked',
    annotate: { to: 'revoked', event: 'license.updated' },
    amend: 'license_revoked',
    prolong: 'license_revoked',
    reissue: 'license_revoked',
    warn: { to: 'revoked', event: null },
    exhaust: { to: 'revoked', event: null },
    renew_updates: 'license_revoked',
    warn_updates: { to: 'revoked', event: null },
    reach_meter: { to: 'revoked', event: 'license.meter_reached' },
    add_member: 'license_revoked',
    remove_member: { to: 'revoked', event: 'license.member_removed' },
  },
};
