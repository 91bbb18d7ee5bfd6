import { isFailure } from '../../contract/errors';
import { changedLicenseFields, licenseChanges } from '../../domain/audit';
import type { Decision, DeviceTransition, NeedsDevices, Transition } from '../../domain/transition';
import { eventsOf, type Event, type Recorder } from '../../domain/event';
import type { Device, License } from '../../domain/license';
import { recordEvent } from '../events/record';
import { changeMeterTerms } from '../meters';
import { putMetadata, retireMetadata } from '../metadata';
import { updateMember } from '../members';
import { recordPreviousAddress } from '../previous-addresses';
import { moveUpdates } from '../reminders/updates';
import { getItems } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { assign, type Condition } from '../action';
import { create, RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../transaction';
import { deadDeviceKey, liveDeviceKey } from './device-keys';
import { deviceTermFields, updatePointer } from './pointer';
import { deadKeyItem, deviceItem, deviceRowKey, isDeadKey, licenseItem, licenseRowKey, toDevice, toLicense } from './rows';

/** The license and the device that a decision is based on. */
export interface LicenseState {
  readonly license: License;
  readonly device?: Device | undefined;
}

/** The events that were committed, in order. The caller sends them to the queue. */
export interface Committed {
  readonly events: readonly Event[];
}

/** Options for committing a decision: further actions that commit together with the decision, and data for its events. */
export interface CommitOptions<Result> extends Pick<Recorder, 'readProduct'> {
  /** Creates the action that stores the response of an idempotent request. */
  readonly storeResponse?: (result: Result) => Action | undefined;
  /** Creates further actions for the transaction of the transition. */
  readonly alongside?: (transition: Transition, events: readonly Event[]) => readonly Action[] | Promise<readonly Action[]>;
  /** True if the request changes more than one license. The entry in the audit log then does not name this license. */
  readonly isOneOfMany?: boolean;
}

/** The fields that differ between two versions of a row, with their new values; undefined for a removed field. */
const rowChanges = (before: Item, after: Item): Item =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter((name) => before[name] !== after[name] && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name] as unknown]),
  );

/**
 * The action that updates the license's row with the fields that a transition has changed; none if it changes only devices. The fields are
 * compared, because a change without an event does not change the sequence. The condition of the action is that no other request has
 * changed the license since the license was read for the decision.
 */
function updateLicense({ before, after }: Transition): Action[] {
  const fields = rowChanges(licenseItem(before), licenseItem(after));
  if (Object.keys(fields).length === 0) return [];
  const assigned = assign(fields);
  return [
    {
      Update: {
        Key: licenseRowKey(after),
        ...assigned,
        ConditionExpression: '#sequence = :read',
        ExpressionAttributeNames: { ...assigned.ExpressionAttributeNames, '#sequence': 'sequence' },
        ExpressionAttributeValues: { ...assigned.ExpressionAttributeValues, ':read': before.sequence },
      },
    },
  ];
}

/** The actions that move a license to a new key. The old row becomes a marker of a dead key. */
function moveLicense({ before, after }: Transition): Action[] {
  return [
    {
      Put: {
        Item: deadKeyItem(before),
        ConditionExpression: '#sequence = :read',
        ExpressionAttributeNames: { '#sequence': 'sequence' },
        ExpressionAttributeValues: { ':read': before.sequence },
      },
    },
    create(licenseItem(after)),
  ];
}

const isMoved = ({ before, after }: Transition): boolean => before.key !== after.key;

/** The condition that a device's row is still as it was read. */
function unchangedDevice({ epoch, activated_at, name, platform, lease_expires_at, sign_in }: Device): Condition {
  // The condition compares several fields, because a device that was freed and activated again within one millisecond has the same
  // `activated_at`.
  const read = Object.entries({ epoch, activated_at, name, platform, lease_expires_at, sign_in });
  const present = read.filter(([, value]) => value !== null);
  return {
    ConditionExpression: read
      .map(([field, value]) => (value === null ? `attribute_not_exists(#${field})` : `#${field} = :${field}`))
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(read.map(([field]) => [`#${field}`, field])),
    ExpressionAttributeValues: Object.fromEntries(present.map(([field, value]) => [`:${field}`, value])),
  };
}

/**
 * The action that writes or deletes a device's row. The device needs a condition in addition to the license's condition, for two reasons. A
 * BatchGet is not a snapshot: it may have read the device before a change by another request, and the license after that change. A
 * validation may also have renewed the device's lease without changing the license.
 */
function updateDevice(after: License, change: DeviceTransition): Action {
  const { device } = change;
  switch (change.action) {
    case 'bind':
      return {
        Put: {
          Item: deviceItem(after, device),
          ConditionExpression: 'attribute_not_exists(pk) OR epoch < :epoch',
          ExpressionAttributeValues: { ':epoch': after.epoch },
        },
      };
    case 'rebind':
      // The device may already have its search entry, which must stay.
      return { Put: { Item: { ...deviceItem(after, device), ...deviceTermFields(after, device.name) }, ...unchangedDevice(change.read) } };
    case 'free':
      // The event contains the device as it was read, so the device in the deleted row must still be the same.
      return { Delete: { Key: deviceRowKey(after, device.fingerprint), ...unchangedDevice(device) } };
  }
}

/**
 * The actions that record the new device keys of a transition, and the device keys that no longer work. There is none for a device that
 * keeps its key: it gets another member, or its sign-in is approved twice at the same time.
 */
const updateDeviceKeys = ({ after, devices, at }: Transition): Action[] =>
  devices.flatMap((change) => {
    if (change.action === 'free') return deadDeviceKey(after, change.device, at);
    const { device } = change;
    const previous = change.action === 'bind' ? change.freed : change.read;
    if (previous?.sign_in?.key_hash === device.sign_in?.key_hash) return [];
    return [...liveDeviceKey(after, device), ...deadDeviceKey(after, previous, at)];
  });

/** The actions that store new long metadata and let replaced long metadata expire. */
const updateMetadata = ({ before, after, at }: Transition): Action[] =>
  before.metadata.ref === after.metadata.ref ? [] : [...putMetadata(after), ...retireMetadata(before, at)];

/**
 * The actions that commit a transition with its devices and events. The first action is about the license's row, unless the transition
 * changes only devices; the next actions are about its devices. The default actor of the events is the actor of the request.
 */
export function transitionActions(
  table: Table,
  transition: Transition,
  recorder: Recorder = {},
): { readonly actions: readonly Action[]; readonly events: readonly Event[] } {
  const events = eventsOf(transition, table.random, { ...table.audit?.recorder, ...recorder });
  const devices = transition.devices.map((device) => updateDevice(transition.after, device));
  const [first, ...others] = isMoved(transition) ? moveLicense(transition) : updateLicense(transition);
  return {
    actions: [
      ...(first ? [first] : []),
      ...devices,
      ...others,
      ...updatePointer(transition),
      ...moveUpdates(transition),
      ...changeMeterTerms(transition),
      ...updateMetadata(transition),
      ...recordPreviousAddress(transition),
      ...updateDeviceKeys(transition),
      ...transition.members.map(updateMember),
      ...events.map(recordEvent),
    ],
    events,
  };
}

/**
 * Makes one attempt to commit a decision: its transition with devices and events, in one transaction or not at all. If the decision changes
 * nothing, only the response of an idempotent request is stored. A repetition of the request then gets the stored response and changes
 * nothing.
 *
 * @returns the events; undefined if another request changed the license or its devices first, so that nothing was committed
 * @throws StoreUnavailable if temporary errors last until `retryUntil` (epoch ms)
 */
export async function commitDecision<Result>(
  table: Table,
  { license }: LicenseState,
  decision: Decision<Result> | NeedsDevices,
  { storeResponse, alongside, isOneOfMany = false, readProduct }: CommitOptions<Result>,
  retryUntil: number,
): Promise<Committed | ResponseExists | undefined> {
  const { transition } = decision;
  const response = 'needs' in decision ? undefined : storeResponse?.(decision.result);
  if (!transition && !response) return { events: [] };
  if (!isOneOfMany) {
    const details = transition ? changedLicenseFields(transition.before, transition.after) : [];
    const changes = transition ? licenseChanges(transition.before, transition.after) : [];
    table.audit?.describe({ product_id: license.product_id, license_id: license.id, details, changes });
  }
  const { actions, events } = transition ? transitionActions(table, transition, { readProduct }) : { actions: [], events: [] };
  const done = await transactOnce(
    transition && !('needs' in decision) && !isFailure(decision.result) ? table : unaudited(table),
    [...actions, ...((transition && (await alongside?.(transition, events))) ?? [])],
    response,
    retryUntil,
    // The other transaction has probably changed the license, whose `sequence` is a condition here.
    'fail',
  );
  if (done === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  return done.committed || !transition ? { events } : undefined;
}

/**
 * The table without the audit trail, for a request that has no effect. A refused request may notice that a license must change, for example
 * because it has expired. The change is then committed without an entry in the audit log. If a request changes nothing, only its response
 * is stored.
 */
const unaudited = ({ audit: _, ...table }: Table): Table => table;

/** Reads the current license and its device with the fingerprint. Returns undefined if the key is dead. */
export async function readState(table: Table, license: License, fingerprint: string | undefined): Promise<LicenseState | undefined> {
  const keys = [licenseRowKey(license), ...(fingerprint === undefined ? [] : [deviceRowKey(license, fingerprint)])];
  const [row, device] = await getItems(table, keys);
  if (!row || isDeadKey(row)) return undefined;
  return { license: toLicense(row), ...(fingerprint !== undefined && { device: device && toDevice(device) }) };
}
