import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { LicenseStatus } from '../contract/resources';
import { changeEvent, EVENT_RANDOM_BYTES, licenseEvent, type Event } from '../domain/event';
import { birth, type Change, type Decision, type Device, type License } from '../domain/license';
import { recordEvent } from './events';
import {
  behindLicense,
  counterKey,
  DEVICE_PREFIX,
  deviceKey,
  devicePosition,
  emailList,
  licenseIdKey,
  licenseKey,
  licenseList,
  listPosition,
} from './keys';
import { backoff, BATCH_SIZE, getItem, getItems, nextId, persistently, queryPages, RETRY_BUDGET_MS, StoreUnavailable, type Item, type Table } from './table';
import { ANSWERED, create, transactOnce, type Action, type Answered } from './transaction';

/** Devices listed with one license at the most; `seats.used` counts them all. */
export const MAX_LISTED_DEVICES = 10_000;

/** Rows that one call reads at the most, so that a list of which little matches still answers in time. */
const MAX_ROWS = 50_000;

export const nextLicenseId = (table: Table): Promise<number> => nextId(table, counterKey('license'));

const licenseItem = (license: License): Item => ({
  ...licenseKey(license.product_id, license.key),
  list_pk: licenseList(license.product_id),
  list_sk: listPosition(license.id),
  ...(license.customer_email !== null && {
    email_pk: emailList(license.product_id, license.customer_email),
    email_sk: listPosition(license.id),
  }),
  ...license,
  license_type_id: license.license_type.id,
});

export const toLicense = ({ pk, sk, list_pk, list_sk, email_pk, email_sk, license_type_id, ...license }: Item): License =>
  license as unknown as License;

const deviceItem = (license: License, device: Device): Item => ({
  ...deviceKey(license.product_id, license.key, device.fingerprint),
  list_pk: licenseList(license.product_id),
  list_sk: devicePosition(license.id, device.fingerprint),
  ...device,
});

export const toDevice = ({ pk, sk, list_pk, list_sk, ...device }: Item): Device => device as unknown as Device;

// ── Creation ────────────────────────────────────────────────────────────────────────────────────

/** Records a new license with its event. The event is returned for the queue. */
export async function createLicense(table: Table, license: License, remember?: Action): Promise<Answered | Event> {
  const event = licenseEvent({ event: birth.event ?? 'license.created', license, at: license.created_at }, table.random(EVENT_RANDOM_BYTES));
  const outcome = await transactOnce(
    table,
    [
      create(licenseItem(license)),
      create({ ...licenseIdKey(license.id), product_id: license.product_id, key: license.key }),
      recordEvent(event),
    ],
    remember,
  );
  if (outcome === ANSWERED) return ANSWERED;
  if (!outcome.committed) throw new Error(`License ${license.id} or its key exists already`);
  return event;
}

// ── Change ──────────────────────────────────────────────────────────────────────────────────────

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
const FEW_RACES = 8;

export interface ChangeOptions<State, Answer> {
  /** Makes the action that keeps the answer of an idempotent request. */
  readonly remember?: (answer: Answer) => Action | undefined;
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
 * @throws StoreUnavailable when others stay faster for {@link RETRY_BUDGET_MS}
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
): Promise<Changed<Answer> | Answered>;
export async function changeLicense<State extends LicenseState, Answer>(
  table: Table,
  read: State,
  decide: (state: State) => Decision<Answer>,
  { remember, reread }: ChangeOptions<State, Answer> = {},
): Promise<Changed<Answer> | Answered> {
  const deadline = table.clock() + RETRY_BUDGET_MS;
  let state = read;
  for (let attempt = 0; ; attempt += 1) {
    const { change, answer } = decide(state);
    if (!change) return { answer };

    const event = changeEvent(change, table.random(EVENT_RANDOM_BYTES));
    const actions = [updateLicense(change), recordEvent(event), ...updateDevice(change)];
    const outcome = await transactOnce(table, actions, remember?.(answer), deadline);
    if (outcome === ANSWERED) return ANSWERED;
    if (outcome.committed) return { answer, event };

    if (table.clock() >= deadline) throw new StoreUnavailable('The license changed faster than this request');
    // A lost race or two is no crowd: whoever waits longer each time only loses to newcomers again.
    const crowd = attempt - FEW_RACES;
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
    await persistently(table, () => table.client.send(command));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────

/** The product and key of a license by its id. */
export async function findLicense(table: Table, id: number): Promise<{ productId: number; key: string } | undefined> {
  const item = await getItem(table, licenseIdKey(id));
  return item && { productId: item['product_id'] as number, key: item['key'] as string };
}

/** A license by its id, in two reads. */
export async function getLicense(table: Table, id: number): Promise<License | undefined> {
  const found = await findLicense(table, id);
  const item = found && (await getItem(table, licenseKey(found.productId, found.key)));
  return item && toLicense(item);
}

export interface LicenseWithDevices {
  readonly license: License;
  readonly devices: readonly Device[];
}

/** A license by its key with its bound devices, read consistently. */
export async function getLicenseWithDevices(table: Table, productId: number, key: string): Promise<LicenseWithDevices | undefined> {
  const { pk } = licenseKey(productId, key);
  let license: License | undefined;
  const devices: Device[] = [];
  let rowsRead = 0;
  // Backwards, because LICENSE sorts behind every DEVICE#…: the epoch must be known first.
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  })) {
    for (const item of page) {
      if (!(item['sk'] as string).startsWith(DEVICE_PREFIX)) license = toLicense(item);
      else if (item['epoch'] === license?.epoch) devices.push(toDevice(item));
    }
    rowsRead += page.length;
    // Devices that a reset has freed are still there: beyond so many of them, others are not looked for.
    if (devices.length >= MAX_LISTED_DEVICES || rowsRead >= MAX_ROWS) break;
  }
  return license && { license, devices: devices.slice(0, MAX_LISTED_DEVICES) };
}

/** What a list is narrowed to; all that is given must hold. */
export interface LicenseFilter {
  readonly status?: LicenseStatus | undefined;
  readonly license_type_id?: number | undefined;
  /** In any case. */
  readonly customer_email?: string | undefined;
  /** Canonical. */
  readonly key?: string | undefined;
}

export interface LicensePage {
  readonly licenses: readonly LicenseWithDevices[];
  /** The id after which the next page starts, where there may be one. */
  readonly next?: number;
}

const matches = (license: License, { status, license_type_id, customer_email, key }: LicenseFilter): boolean =>
  (status === undefined || license.status === status) &&
  (license_type_id === undefined || license.license_type.id === license_type_id) &&
  (customer_email === undefined || license.customer_email?.toLowerCase() === customer_email.toLowerCase()) &&
  (key === undefined || license.key === key);

/** Where a page starts: past a license's id, in ascending or descending order of ids; 0 is the list's beginning. */
export interface Start {
  readonly order: 'asc' | 'desc';
  readonly past: number;
}

const isPast = (id: number, { order, past }: Start): boolean => past === 0 || (order === 'asc' ? id > past : id < past);

/**
 * Up to `limit` licenses of a product from `start` on, with their devices. A key or an e-mail is looked up;
 * all else walks through the list.
 */
export async function listLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<LicensePage> {
  if (filter.key !== undefined) return licensesByKeys(table, productId, [filter.key], filter, start, limit, maxRows);
  if (filter.customer_email !== undefined) {
    const keys = await findLicensesByEmail(table, productId, filter.customer_email, start);
    return licensesByKeys(table, productId, keys, filter, start, limit, maxRows);
  }
  return walkLicenses(table, productId, filter, start, limit, maxRows);
}

/** Those of the keys' licenses that match; the keys are in the order of the list. */
async function licensesByKeys(
  table: Table,
  productId: number,
  keys: readonly string[],
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const licenses: LicenseWithDevices[] = [];
  let devices = 0;
  for (let from = 0; from < keys.length; from += BATCH_SIZE) {
    for (const key of await matchingKeys(table, productId, keys.slice(from, from + BATCH_SIZE), filter)) {
      const record = await getLicenseWithDevices(table, productId, key);
      if (!record || !isPast(record.license.id, start) || !matches(record.license, filter)) continue;
      if (licenses.length === limit || devices >= maxRows) return { licenses, ...nextAfter(licenses) };
      licenses.push(record);
      devices += record.devices.length;
    }
  }
  return { licenses };
}

/** Those of many keys whose licenses may match, in one read: a reseller has thousands, and their devices take a read each. */
async function matchingKeys(table: Table, productId: number, keys: readonly string[], filter: LicenseFilter): Promise<readonly string[]> {
  if (keys.length === 1 || (filter.status === undefined && filter.license_type_id === undefined)) return keys;
  const rows = await getItems(table, keys.map((key) => licenseKey(productId, key)));
  return keys.filter((_, place) => {
    const row = rows[place];
    return row !== undefined && matches(toLicense(row), filter);
  });
}

const nextAfter = (licenses: readonly LicenseWithDevices[]): { next?: number } => {
  const last = licenses.at(-1);
  return last ? { next: last.license.id } : {};
};

/** The part of an index that lies past a license and all its devices. */
function keysPast(name: string, partition: string, { order, past }: Start): Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward'> {
  const bound = order === 'asc' ? `${name}_sk > :past` : `${name}_sk < :past`;
  const whole = order === 'desc' && past === 0;
  return {
    ScanIndexForward: order === 'asc',
    KeyConditionExpression: `${name}_pk = :partition${whole ? '' : ` AND ${bound}`}`,
    ExpressionAttributeValues: { ':partition': partition, ...(!whole && { ':past': order === 'asc' ? behindLicense(past) : listPosition(past) }) },
  };
}

interface Candidate {
  readonly id: number;
  readonly key: { pk: string; sk: string };
  readonly devices: Device[];
}

/** The index gives the order and the devices; what is shown of a license is read from the table itself. */
async function walkLicenses(table: Table, productId: number, filter: LicenseFilter, start: Start, limit: number, maxRows: number): Promise<LicensePage> {
  const isFiltered = filter.status !== undefined || filter.license_type_id !== undefined;
  const found: Candidate[] = [];
  // Ascending, a license's devices come after it; descending, before it.
  const backwards = start.order === 'desc';
  let devices: Device[] = [];
  let current: Candidate | undefined;
  let scanned = start.past;
  let rowsRead = 0;
  let end: 'list' | 'limit' | 'budget' = 'list';

  scan: for await (const page of queryPages(table, {
    IndexName: 'list',
    ...keysPast('list', licenseList(productId), start),
    ...(isFiltered ? {} : { Limit: 2 * limit + 50 }),
  })) {
    for (const item of page) {
      if ((item['sk'] as string).startsWith(DEVICE_PREFIX)) {
        const device = toDevice(item);
        // Those that a reset has freed must not crowd out those that came after it.
        const { epoch = device.epoch } = devices[0] ?? {};
        if (device.epoch > epoch) devices.length = 0;
        if (device.epoch >= epoch && devices.length < MAX_LISTED_DEVICES) devices.push(device);
        continue;
      }
      const id = Number(item['list_sk']);
      if (!backwards) devices = [];
      current = undefined;
      const wanted =
        (filter.status === undefined || item['status'] === filter.status) &&
        (filter.license_type_id === undefined || item['license_type_id'] === filter.license_type_id);
      if (wanted) {
        if (found.length === limit) {
          end = 'limit';
          break scan;
        }
        current = { id, key: { pk: item['pk'] as string, sk: item['sk'] as string }, devices };
        found.push(current);
      }
      if (backwards) devices = [];
      scanned = id;
    }
    rowsRead += page.length;
    // Ascending, the only license of a page is not left to the next one: it is read to its last device.
    if (rowsRead >= maxRows && scanned !== start.past && (backwards || !current || found.length > 1)) {
      end = 'budget';
      break;
    }
  }

  // Ascending, the last license's devices may not all have been read when the scan was cut: leave it to the next page.
  if (end === 'budget' && !backwards && current) {
    found.pop();
    scanned = found.at(-1)?.id ?? start.past;
  }

  const rows = await getItems(table, found.map(({ key }) => key));
  const licenses = found.flatMap(({ devices }, place) => {
    const row = rows[place];
    if (!row) return [];
    const license = toLicense(row);
    return matches(license, filter) ? [{ license, devices }] : [];
  });
  return end === 'list' ? { licenses } : { licenses, next: scanned };
}

/** The keys of a product's licenses for a buyer's e-mail, from `start` on. */
async function findLicensesByEmail(table: Table, productId: number, email: string, start: Start): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of queryPages(table, { IndexName: 'email', ...keysPast('email', emailList(productId, email), start) })) {
    for (const item of page) keys.push((item['pk'] as string).slice(licenseKey(productId, '').pk.length));
  }
  return keys;
}
