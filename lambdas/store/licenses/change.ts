import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeEvent, EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import type { Change, Decision, Device, License } from '../../domain/license';
import { recordEvent } from '../events/record';
import { deviceKey, licenseKey } from '../keys';
import { backoff, getItems, retryLimit, retryTransient, StoreUnavailable, type Item, type Table } from '../table';
import { RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../transaction';
import { deviceItem, toDevice, toLicense } from './rows';

/** What a decision about a license rests on. */
export interface LicenseState {
  readonly license: License;
  readonly device?: Device | undefined;
}

export interface Changed<Answer> {
  readonly answer: Answer;
  /** The event that was committed with the change, for the queue. */
  readonly event?: Event;
}

/** Races that a change may lose before it makes room for others. */
const FAST_RETRIES = 8;

export interface ChangeOptions<State, Answer> {
  /** Makes the action that keeps the answer of an idempotent request. */
  readonly storeResponse?: (answer: Answer) => Action | undefined;
  /** Reads the state again, where it holds more than what failed conditions hand over. */
  readonly reread?: () => Promise<State>;
}

/** The license's new row: only what a change may touch, on top of exactly the state that was decided on. */
function updateLicense({ before, after }: Change): Action {
  return {
    Update: {
      Key: licenseKey(after.product_id, after.key),
      UpdateExpression:
        'SET #status = :status, expires_at = :expires_at, seats_used = :seats_used, epoch = :epoch, #sequence = :next, revoked_at = :revoked_at',
      ConditionExpression: '#sequence = :read',
      ExpressionAttributeNames: { '#status': 'status', '#sequence': 'sequence' },
      ExpressionAttributeValues: {
        ':status': after.status,
        ':expires_at': after.expires_at,
        ':seats_used': after.seats_used,
        ':epoch': after.epoch,
        ':revoked_at': after.revoked_at,
        ':next': after.sequence,
        ':read': before.sequence,
      },
    },
  };
}

/**
 * The device's row. Its own condition is needed beside the license's: a BatchGet is no snapshot, and the
 * device may have been read before a change that the license was read after.
 */
function updateDevice({ after, device: change }: Change): Action[] {
  if (!change) return [];
  if (change.action === 'bind') {
    return [
      {
        Put: {
          Item: deviceItem(after, change.device),
          ConditionExpression: 'attribute_not_exists(pk) OR epoch < :epoch',
          ExpressionAttributeValues: { ':epoch': after.epoch },
        },
      },
    ];
  }
  return [
    {
      Delete: {
        Key: deviceKey(after.product_id, after.key, change.device.fingerprint),
        ConditionExpression: 'epoch = :epoch',
        ExpressionAttributeValues: { ':epoch': after.epoch },
      },
    },
  ];
}

/**
 * Decides and commits: `decide` is called with the state as read and, as long as others are faster, again
 * with what they made of it (at first as the failed conditions hand it over, without another read). The
 * change, the device and the event commit in one transaction or not at all.
 *
 * @throws StoreUnavailable when others stay faster until the request may retry no longer
 */
export function changeLicense<State extends LicenseState, Answer>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Answer>,
): Promise<Changed<Answer>>;
export function changeLicense<State extends LicenseState, Answer>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Answer>,
  options: ChangeOptions<State, Answer>,
): Promise<Changed<Answer> | ResponseExists>;
export async function changeLicense<State extends LicenseState, Answer>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Answer>,
  { storeResponse, reread }: ChangeOptions<State, Answer> = {},
): Promise<Changed<Answer> | ResponseExists> {
  const deadline = retryLimit(table);
  let state = read;
  for (let attempt = 0; ; attempt += 1) {
    const { change, answer } = decide(state);
    if (!change) return { answer };

    const event = changeEvent(change, table.random(EVENT_RANDOM_BYTES));
    const actions = [updateLicense(change), recordEvent(event), ...updateDevice(change)];
    const outcome = await transactOnce(table, actions, storeResponse?.(answer), deadline);
    if (outcome === RESPONSE_EXISTS) return RESPONSE_EXISTS;
    if (outcome.committed) return { answer, event };

    if (table.clock() >= deadline) throw new StoreUnavailable('The license changed faster than this request');
    // A lost race or two is no crowd: whoever waits longer each time only loses to newcomers again.
    const crowd = attempt - FAST_RETRIES;
    if (attempt > 0) await backoff(table, Math.max(0, crowd));
    // After a long wait only what is read anew can win.
    if (reread) state = await reread();
    else state = { ...state, ...(crowd > 0 ? await readAgain(table, change) : handedOver(outcome.failed)) };
  }
}

/** What the failed conditions tell of the license and the device as they are now; nothing of what held. */
function handedOver([license, , device]: readonly (Item | null | undefined)[]): Partial<LicenseState> {
  return {
    ...(license && { license: toLicense(license) }),
    ...(device !== undefined && { device: device === null ? undefined : toDevice(device) }),
  };
}

/** The license and the device that a change is about, as they are now. */
async function readAgain(table: Table, { after, device: touched }: Change): Promise<Partial<LicenseState>> {
  const { product_id, key } = after;
  const keys = [licenseKey(product_id, key), ...(touched ? [deviceKey(product_id, key, touched.device.fingerprint)] : [])];
  const [license, device] = await getItems(table, keys);
  return { ...(license && { license: toLicense(license) }), ...(touched && { device: device && toDevice(device) }) };
}

/** Stores a bound device's new name and platform; nothing where it was freed meanwhile. */
export async function relabelDevice(table: Table, license: License, device: Device): Promise<void> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: deviceKey(license.product_id, license.key, device.fingerprint),
    UpdateExpression: 'SET #name = :name, platform = :platform',
    ConditionExpression: 'epoch = :epoch',
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: { ':name': device.name, ':platform': device.platform, ':epoch': device.epoch },
  });
  try {
    await retryTransient(table, (options) => table.client.send(command, options));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
