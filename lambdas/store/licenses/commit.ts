import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isFailure } from '../../contract/errors';
import { changedLicenseFields } from '../../domain/audit';
import type { Transition, Decision, DeviceTransition } from '../../domain/transition';
import { eventsOf, type Event } from '../../domain/event';
import type { Device, License } from '../../domain/license';
import { recordEvent } from '../events/record';
import { licenseIdKey } from '../keys';
import { putMetadata, retireMetadata } from '../metadata';
import { retry, TRY_AGAIN } from '../retry';
import { conditionHeld, getItems, retryTransient, type Item, type Table } from '../table';
import { create, RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../transaction';
import { deadKeyItem, deviceItem, deviceRowKey, isDeadKey, licenseItem, licenseRowKey, toDevice, toLicense } from './rows';

/** What a decision about a license rests on. */
export interface LicenseState {
  readonly license: License;
  readonly device?: Device | undefined;
}

export interface Committed<Result> {
  readonly result: Result;
  /** The events that were committed with the change, in order, for the queue. */
  readonly events: readonly Event[];
}

export interface CommitOptions<State, Result> {
  /** Makes the action that stores the response of an idempotent request. */
  readonly storeResponse?: (result: Result) => Action | undefined;
  /** Reads the state again, when it holds more than what failed conditions hand over. Undefined when the license is gone. */
  readonly reread?: () => Promise<State | undefined>;
  /** Finds the license under its new key when its key was replaced. Without it, the change ends there. */
  readonly follow?: () => Promise<State | undefined>;
  /** What commits together with the change. */
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

/** The license's row: whatever the change made different, on top of exactly the state that was decided on. */
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

/** Moves the license to a new key: the old row becomes a marker, and the row that finds it by id is updated. */
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
    {
      Update: {
        Key: licenseIdKey(after.id),
        UpdateExpression: 'SET #key = :key',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#key': 'key' },
        ExpressionAttributeValues: { ':key': after.key },
      },
    },
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
  const lease = device.lease_expires_at;
  return {
    Delete: {
      Key: deviceRowKey(after, device.fingerprint),
      ConditionExpression:
        lease === null ? 'epoch = :epoch AND attribute_not_exists(lease_expires_at)' : 'epoch = :epoch AND lease_expires_at = :lease',
      ExpressionAttributeValues: { ':epoch': device.epoch, ...(lease !== null && { ':lease': lease }) },
    },
  };
}

/** Long metadata that comes or goes with the change. */
const updateMetadata = ({ before, after, at }: Transition): Action[] =>
  before.metadata.ref === after.metadata.ref ? [] : [...putMetadata(after), ...retireMetadata(before, at)];

/** The actions that commit a change with its devices and events. The first is about the license's row, the next about its devices. */
export function transitionActions(
  table: Table,
  transition: Transition,
): { readonly actions: readonly Action[]; readonly events: readonly Event[] } {
  const events = eventsOf(transition, table.random);
  const devices = transition.devices.map((device) => updateDevice(transition.after, device));
  const license = isMoved(transition) ? moveLicense(transition) : [updateLicense(transition)];
  const [first, ...others] = license;
  if (!first) throw new Error('A transition is about a license');
  return { actions: [first, ...devices, ...others, ...updateMetadata(transition), ...events.map(recordEvent)], events };
}

/**
 * Decides and commits: `decide` is called with the state as read and, as long as others are faster, again
 * with what they made of it (at first as the failed conditions hand it over, without another read). The
 * change, its devices and its events commit in one transaction or not at all.
 *
 * @returns undefined if the license's key was replaced while this request ran, and it does not follow
 * @throws StoreUnavailable when others stay faster until the request may retry no longer
 */
export async function commitDecision<State extends LicenseState, Result>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Result>,
  options: CommitOptions<State, Result> = {},
): Promise<Committed<Result> | ResponseExists | undefined> {
  const { transition, result } = decide(read);
  if (!transition) return withoutChange(table, read, result, options);
  // By the id: a license that is moved to another key meanwhile is still the same one.
  return table.inTurn(licenseIdKey(read.license.id).pk, async (hasWaited) => {
    const { reread = () => readAgain(table, read, transition), follow } = options;
    const state = hasWaited ? ((await reread()) ?? (await follow?.())) : read;
    return state && commitInTurn(table, state, decide, options);
  });
}

/**
 * A result that changes nothing. The response to an idempotent request is stored all the same: sent again, it must not change anything
 * either.
 */
async function withoutChange<Result>(
  table: Table,
  { license }: LicenseState,
  result: Result,
  { storeResponse }: { readonly storeResponse?: ((result: Result) => Action | undefined) | undefined },
): Promise<Committed<Result> | ResponseExists> {
  const stored = storeResponse?.(result);
  if (stored) table.audit?.describe({ product_id: license.product_id, license_id: license.id, details: [] });
  const transaction = stored && (await transactOnce(table, [], stored));
  return transaction === RESPONSE_EXISTS ? RESPONSE_EXISTS : { result, events: [] };
}

/**
 * For what is noticed on the way to a refusal, such as an expiry: the request itself is not carried out, and leaves no entry in the audit
 * log.
 */
const unaudited = ({ audit: _, ...table }: Table): Table => table;

async function commitInTurn<State extends LicenseState, Result>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Result>,
  { storeResponse, reread, follow, alongside, isOneOfMany }: CommitOptions<State, Result>,
): Promise<Committed<Result> | ResponseExists | undefined> {
  let readNext = (_hasWaited: boolean): Promise<State | undefined> => Promise.resolve(read);
  return retry(table, 'The license', async ({ hasWaited, retryUntil }) => {
    const state = await readNext(hasWaited);
    if (!state) return undefined;
    const { transition, result } = decide(state);
    if (!transition) return withoutChange(table, state, result, { storeResponse });

    if (!isOneOfMany)
      table.audit?.describe({
        product_id: transition.after.product_id,
        license_id: transition.after.id,
        details: changedLicenseFields(transition.before, transition.after),
      });
    const { actions, events } = transitionActions(table, transition);
    const transaction = await transactOnce(
      isFailure(result) ? unaudited(table) : table,
      [...actions, ...(alongside?.(transition, events) ?? [])],
      storeResponse?.(result),
      retryUntil,
    );
    if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
    if (transaction.committed) return { result, events };

    readNext = async (hasWaited) => {
      if (reread) return reread();
      // After a wait, only a fresh read can win.
      const now =
        hasWaited || transition.devices.length > 1
          ? await readAgain(table, state, transition)
          : handedOver(state, transition, transaction.failed);
      return now ?? follow?.();
    };
    return TRY_AGAIN;
  });
}

/** The state as it is now, with the device that a change is about. Undefined when the key is dead. */
async function readAgain<State extends LicenseState>(table: Table, state: State, transition: Transition): Promise<State | undefined> {
  const fingerprint = transition.devices[0]?.device.fingerprint ?? state.device?.fingerprint;
  const keys = [licenseRowKey(state.license), ...(fingerprint === undefined ? [] : [deviceRowKey(state.license, fingerprint)])];
  const [license, device] = await getItems(table, keys);
  if (!license || isDeadKey(license)) return undefined;
  return { ...state, license: toLicense(license), ...(fingerprint !== undefined && { device: device && toDevice(device) }) };
}

/** The state after a lost race, as the failed conditions hand it over. Undefined when the key is dead. */
function handedOver<State extends LicenseState>(
  state: State,
  transition: Transition,
  [license, device]: readonly (Item | null | undefined)[],
): State | undefined {
  if (license && isDeadKey(license)) return undefined;
  return {
    ...state,
    ...(license && { license: toLicense(license) }),
    ...(transition.devices.length > 0 && device !== undefined && { device: device === null ? undefined : toDevice(device) }),
  };
}

/**
 * Stores what a check or an activation made of a bound device: its labels and its lease.
 *
 * @returns false when the device was freed, or its lease renewed by another request, since it was read
 */
export async function updateBoundDevice(table: Table, license: License, read: Device, device: Device): Promise<boolean> {
  const isLeased = read.lease_expires_at !== device.lease_expires_at;
  const lease = read.lease_expires_at;
  const command = new UpdateCommand({
    TableName: table.name,
    Key: deviceRowKey(license, device.fingerprint),
    UpdateExpression: `SET #name = :name, platform = :platform${isLeased ? ', lease_expires_at = :lease' : ''}`,
    // A device that was freed and bound again meanwhile is another one.
    ConditionExpression: `epoch = :epoch AND activated_at = :activated_at${isLeased ? ` AND ${lease === null ? 'attribute_not_exists(lease_expires_at)' : 'lease_expires_at = :read'}` : ''}`,
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: {
      ':name': device.name,
      ':platform': device.platform,
      ':epoch': device.epoch,
      ':activated_at': device.activated_at,
      ...(isLeased && { ':lease': device.lease_expires_at, ...(lease !== null && { ':read': lease }) }),
    },
  });
  return conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
