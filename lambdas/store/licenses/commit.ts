import { isFailure } from '../../contract/errors';
import { changedLicenseFields, licenseChanges } from '../../domain/audit';
import type { Transition, Decision, DeviceTransition } from '../../domain/transition';
import { eventsOf, type Event } from '../../domain/event';
import type { Device, License } from '../../domain/license';
import { recordEvent } from '../events/record';
import { putMetadata, retireMetadata } from '../metadata';
import { moveUpdates } from '../reminders/updates';
import { getItems, type Item, type Table } from '../table';
import { create, RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../transaction';
import { updatePointer } from './pointer';
import { deadKeyItem, deviceItem, deviceRowKey, isDeadKey, licenseItem, licenseRowKey, toDevice, toLicense } from './rows';

/** What a decision about a license rests on. */
export interface LicenseState {
  readonly license: License;
  readonly device?: Device | undefined;
}

/** The events that were committed, in order, for the queue. */
export interface Committed {
  readonly events: readonly Event[];
}

/** Another request was faster: nothing was committed. */
export interface Lost {
  readonly events?: undefined;
  /** The license that it left, and the device if the transition was about one; undefined if the failed conditions do not return them. */
  readonly present?: LicenseState;
  /** The license was moved to another key. */
  readonly isDeadKey?: boolean;
}

/** What commits together with a decision. */
export interface CommitOptions<Result> {
  /** Makes the action that stores the response of an idempotent request. */
  readonly storeResponse?: (result: Result) => Action | undefined;
  /** What commits together with the transition. */
  readonly alongside?: (transition: Transition, events: readonly Event[]) => readonly Action[];
  /** True: the request is about more than this license, and so is its entry in the audit log. */
  readonly isOneOfMany?: boolean;
}

/** What differs between two versions of a row, as an update; its key stays. */
function difference(
  before: Item,
  after: Item,
): Pick<Extract<Action, { Update: unknown }>['Update'], 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
  const names: Record<string, string> = {};
  const values: Item = {};
  const set: string[] = [];
  const removed: string[] = [];
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value: unknown = after[field];
    if (before[field] === value || JSON.stringify(before[field]) === JSON.stringify(value)) continue;
    names[`#${field}`] = field;
    if (value === undefined) {
      removed.push(`#${field}`);
    } else {
      values[`:${field}`] = value;
      set.push(`#${field} = :${field}`);
    }
  }
  return {
    UpdateExpression: [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`]
      .filter(Boolean)
      .join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}

/** The license's row: what the transition made different, on top of exactly the state that was decided on. */
function updateLicense({ before, after }: Transition): Action {
  const { ExpressionAttributeNames, ExpressionAttributeValues, UpdateExpression } = difference(licenseItem(before), licenseItem(after));
  return {
    Update: {
      Key: licenseRowKey(after),
      UpdateExpression,
      ConditionExpression: '#sequence = :read',
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#sequence': 'sequence' },
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':read': before.sequence },
    },
  };
}

/** Moves the license to a new key: the old row becomes a marker. */
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

/**
 * A device's row. Its own condition is needed in addition to the license's: a BatchGet is not a snapshot, and the
 * device may have been read before a change that the license was read after; a lease may have been renewed.
 */
function updateDevice(after: License, { action, device }: DeviceTransition): Action {
  if (action === 'bind') {
    return {
      Put: {
        Item: deviceItem(after, device),
        ConditionExpression: 'attribute_not_exists(pk) OR epoch < :epoch',
        ExpressionAttributeValues: { ':epoch': after.epoch },
      },
    };
  }
  // A device that was freed and bound again since it was read is another one, even within the same millisecond: the
  // event must show what is deleted.
  const { epoch, activated_at, name, platform, lease_expires_at: lease } = device;
  const read = { epoch, activated_at, name, platform, ...(lease !== null && { lease_expires_at: lease }) };
  return {
    Delete: {
      Key: deviceRowKey(after, device.fingerprint),
      ConditionExpression: [
        ...Object.keys(read).map((field) => `#${field} = :${field}`),
        ...(lease === null ? ['attribute_not_exists(lease_expires_at)'] : []),
      ].join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(Object.keys(read).map((field) => [`#${field}`, field])),
      ExpressionAttributeValues: Object.fromEntries(Object.entries(read).map(([field, value]) => [`:${field}`, value])),
    },
  };
}

/** Long metadata that comes or goes with the change. */
const updateMetadata = ({ before, after, at }: Transition): Action[] =>
  before.metadata.ref === after.metadata.ref ? [] : [...putMetadata(after), ...retireMetadata(before, at)];

/**
 * The actions that commit a transition with its devices and events. The first is about the license's row, the next about its devices.
 *
 * @param by the name of who asked for it
 */
export function transitionActions(
  table: Table,
  transition: Transition,
  by = table.audit?.actorName,
): { readonly actions: readonly Action[]; readonly events: readonly Event[] } {
  const events = eventsOf(transition, table.random, by);
  const devices = transition.devices.map((device) => updateDevice(transition.after, device));
  const license = isMoved(transition) ? moveLicense(transition) : [updateLicense(transition)];
  const [first, ...others] = license;
  if (!first) throw new Error('A transition is about a license');
  return {
    actions: [
      first,
      ...devices,
      ...others,
      ...updatePointer(transition),
      ...moveUpdates(transition),
      ...updateMetadata(transition),
      ...events.map(recordEvent),
    ],
    events,
  };
}

/**
 * Makes one attempt to commit a decision: its transition with devices and events, in one transaction or not at all. A
 * result that changes nothing commits only the response to an idempotent request: sent again, it must not change
 * anything either.
 *
 * @throws StoreUnavailable when faults last until `retryUntil` (epoch ms)
 */
export async function commitDecision<Result>(
  table: Table,
  state: LicenseState,
  { transition, result }: Decision<Result>,
  { storeResponse, alongside, isOneOfMany = false }: CommitOptions<Result>,
  retryUntil: number,
): Promise<Committed | ResponseExists | Lost> {
  const { license } = state;
  const response = storeResponse?.(result);
  if (!transition && !response) return { events: [] };
  if (!isOneOfMany) {
    const details = transition ? changedLicenseFields(transition.before, transition.after) : [];
    const changes = transition ? licenseChanges(transition.before, transition.after) : [];
    table.audit?.describe({ product_id: license.product_id, license_id: license.id, details, changes });
  }
  const { actions, events } = transition ? transitionActions(table, transition) : { actions: [], events: [] };
  const done = await transactOnce(
    transition && isFailure(result) ? unaudited(table) : table,
    [...actions, ...((transition && alongside?.(transition, events)) ?? [])],
    response,
    retryUntil,
  );
  if (done === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (done.committed || !transition) return { events };
  return lost(state, transition, done.failed);
}

/**
 * For what is noticed on the way to a refusal, such as an expiry: the request itself is not carried out, and leaves no
 * entry in the audit log.
 */
const unaudited = ({ audit: _, ...table }: Table): Table => table;

/**
 * What the failed conditions of a lost race say about the license and the one device that the transition is about. A row
 * whose condition held is still as it was read.
 */
function lost(known: LicenseState, { devices }: Transition, [row, device]: readonly (Item | null | undefined)[]): Lost {
  if (row && isDeadKey(row)) return { isDeadKey: true };
  if (devices.length > 1) return {};
  const license = row ? toLicense(row) : known.license;
  if (devices.length === 0) return { present: { license } };
  return { present: { license, device: device === undefined ? known.device : device ? toDevice(device) : undefined } };
}

/** The license as it is now, with the device of that fingerprint. Undefined when the key is dead. */
export async function readState(table: Table, license: License, fingerprint: string | undefined): Promise<LicenseState | undefined> {
  const keys = [licenseRowKey(license), ...(fingerprint === undefined ? [] : [deviceRowKey(license, fingerprint)])];
  const [row, device] = await getItems(table, keys);
  if (!row || isDeadKey(row)) return undefined;
  return { license: toLicense(row), ...(fingerprint !== undefined && { device: device && toDevice(device) }) };
}
