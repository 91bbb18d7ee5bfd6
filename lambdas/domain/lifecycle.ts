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

/** What a trigger does in a status: a change to another status, no change of the status, or the error that refuses the trigger. */
type Cell = Edge | { readonly event: EventName | null } | ErrorName;
type Row = Readonly<Record<LicenseStatus, Cell>>;

const row = (active: Cell, suspended: Cell, expired: Cell, revoked: Cell): Row => ({ active, suspended, expired, revoked });
/** The trigger changes the license, but not its status. */
const changed = (event: EventName): Cell => ({ event });
const nothing: Cell = { event: null };
const becomes = (to: LicenseStatus, event: EventName): Edge => ({ to, event });

/** Changes the license in every status. */
const always = (event: EventName): Row => row(changed(event), changed(event), changed(event), changed(event));
/** Changes the license, except after its revocation. */
const untilRevoked = (event: EventName): Row => row(changed(event), changed(event), changed(event), 'license_revoked');
/** Reports something about an active license. */
const notice = (event: EventName): Row => row(changed(event), nothing, nothing, nothing);

/** The table of docs/lifecycle.md. */
const table: Readonly<Record<Trigger, Row>> = {
  // In these rows, the columns are: active, suspended, expired, revoked.
  activate: row(changed('license.activated'), 'license_suspended', 'license_expired', 'license_revoked'),
  check: row(nothing, 'license_suspended', 'license_expired', 'license_revoked'),
  revoke: row(becomes('revoked', 'license.revoked'), becomes('revoked', 'license.revoked'), becomes('revoked', 'license.revoked'), nothing),
  renew: row(changed('license.renewed'), changed('license.renewed'), becomes('active', 'license.renewed'), 'license_revoked'),
  expire: row(becomes('expired', 'license.expired'), nothing, nothing, nothing),
  suspend: row(becomes('suspended', 'license.suspended'), nothing, becomes('suspended', 'license.suspended'), 'license_revoked'),
  reinstate: row(nothing, becomes('active', 'license.reinstated'), nothing, 'license_revoked'),
  prolong: row(changed('license.updated'), changed('license.updated'), becomes('active', 'license.updated'), 'license_revoked'),

  deactivate: always('license.deactivated'),
  reset: always('license.reset'),
  annotate: always('license.updated'),
  reach_meter: always('license.meter_reached'),
  remove_member: always('license.member_removed'),

  amend: untilRevoked('license.updated'),
  reissue: untilRevoked('license.reissued'),
  renew_updates: untilRevoked('license.updates_renewed'),
  add_member: untilRevoked('license.member_added'),

  warn: notice('license.expiring'),
  exhaust: notice('license.seats_exhausted'),
  warn_updates: notice('license.updates_expiring'),
};

/** The edge of the state machine for a trigger in a status, or the error that refuses the trigger. */
export function edgeOf(status: LicenseStatus, trigger: Trigger): Edge | ErrorName {
  const cell = table[trigger][status];
  return typeof cell === 'string' ? cell : { to: status, ...cell };
}
