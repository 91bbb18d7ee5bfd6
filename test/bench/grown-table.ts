import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as dynoxide from '../../infra/local/dynoxide';
import { startProgram } from '../../infra/local/emulator';
import { partitions } from '../../lambdas/contract/access';
import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { generateKey, KEY_RANDOM_BYTES } from '../../lambdas/domain/license-key';
import { parseConfig } from '../../lambdas/runtime/config';
import { openPayload, payloadPlace } from '../../lambdas/use-cases/payments/secrets';
import { counterKey, DEVICE_PREFIX, paymentKey, termList } from '../../lambdas/store/keys';
import { openCounter, play } from '../support/counter';
import { startEventHarness } from '../support/event-harness';
import { connect, startHarness, type Harness } from '../support/harness';
import { ownTable } from '../support/own-table';
import { everyRow } from '../support/table';

/** Fills tables with copies of rows that the service has written. */

/** Number of rows in one import file. */
const FILE_ROWS = 50_000;
/** The id of the copied license. The ids of the copies have the same length and start at {@link FIRST_ID}. */
const MODEL_ID = 9_876_543_210;
export const FIRST_ID = 1_000_000_000;
/** Number of licenses that each buyer has. */
const LICENSES_OF_BUYER = 5;
export const buyer = (number: number | string): string => `buyer-${number}@example.com`;
/** The time between the creation of two consecutive licenses, in ms. */
export const INTERVAL = 1_000;
/** Maximum number of a table's licenses that are returned as samples. */
const SAMPLES = 1_000;
/**
 * Only one of this number of licenses has an event, an entry in the audit log and a row in the payments log. More of these rows would make
 * the import slower.
 */
export const LICENSES_PER_ENTRY = 10;

/** The texts that differ between the copies of a license. They occur in the fields and in the index keys of its rows. */
interface Texts {
  readonly id: string;
  /** The license's id in hexadecimal, as it occurs in the ids of the license's events. */
  readonly hexId: string;
  readonly key: string;
  /** The license key without hyphens, which is the form of a search term. */
  readonly compactKey: string;
  /** The index partition of this search term. */
  readonly keyTerms: string;
  readonly fingerprint: string;
  readonly email: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly orderId: string;
  readonly orderUid: string;
  readonly paymentId: string;
  readonly paymentEvent: string;
  readonly payload: string;
  readonly auditId: string;
  readonly seatsUsed: string;
}

/** Writes a copy of a row as a line of DynamoDB's export format. */
type Copy = (texts: Texts) => string;

/** A license with its rows. A table is filled with copies of these rows. */
export interface Model extends Sample {
  readonly table: string;
  readonly productId: number;
  readonly apiKey: string;
  readonly orderId: string;
  /** The expiry of the license, in epoch ms. */
  readonly expiresAt: number;
  readonly texts: Texts;
  /** All rows of the model's table. They include the product, the copied license with its order, and a revoked license. */
  readonly rows: readonly string[];
  /** The license's row, and the row by which the license is found by its id. */
  readonly license: readonly Copy[];
  readonly device: Copy;
  /** One row each of the event log, the audit log and the payments log. */
  readonly entries: readonly Copy[];
  /** Encrypts the payload for a copy of the payment, because an encrypted payload is bound to the id of its payment. */
  readonly sealPayload: (paymentId: string) => string;
}

type Row = Readonly<Record<string, unknown>>;

const lineOf = (row: Row): string =>
  JSON.stringify({ Item: marshall(row) }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );

/** @throws Error if the row contains none of the texts, because then all copies of the row would be equal */
function copyOf(row: Row, texts: Texts): Copy {
  const names = new Map(Object.entries(texts).map(([name, text]: [string, string]) => [text, name as keyof Texts]));
  const pieces = lineOf(row).split(new RegExp(`(${[...names.keys()].map((text) => text.replace(/[{}[\].+]/g, '\\$&')).join('|')})`));
  if (pieces.length < 3) throw new Error(`The row ${String(row['pk'])} contains no text of the license`);
  const parts = pieces.map((piece, place) => ({ piece, name: place % 2 === 1 ? names.get(piece) : undefined }));
  return (copied) => {
    let line = '';
    for (const { piece, name } of parts) line += name === undefined ? piece : copied[name];
    return line;
  };
}

const seatsUsed = (seats: number): string => `"seats_used":{"N":"${seats}"}`;
const keyTexts = (key: string): Pick<Texts, 'key' | 'compactKey' | 'keyTerms'> => {
  const compactKey = key.replaceAll('-', '');
  return { key, compactKey, keyTerms: termList(compactKey) };
};
const idTexts = (id: number): Pick<Texts, 'id' | 'hexId'> => ({ id: String(id), hexId: id.toString(16).padStart(10, '0') });
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Sells and activates a license. All rows are written by the service. */
export async function makeModel(): Promise<Model> {
  const table = await ownTable();
  const service = startEventHarness(table);
  const counter = await openCounter(service);
  const { productId, apiKey } = counter;
  const params = { id: productId };
  await service.ok('updateProduct', { params, body: { list_devices: true } });
  const type = await service.ok<LicenseTypeView>('createLicenseType', {
    params,
    body: { name: 'Without a limit of seats', kind: 'subscription', duration_days: 365, max_seats: 0 },
  });
  const revoked = await service.ok<LicenseView>('createLicense', { params, body: { license_type_id: type.id } });
  await service.ok('revokeLicense', { params: { id: revoked.id } });

  await service.client.send(
    new UpdateCommand({
      TableName: table,
      Key: counterKey('license'),
      UpdateExpression: 'SET last_id = :id',
      ExpressionAttributeValues: { ':id': MODEL_ID - 1 },
    }),
  );
  const email = buyer('model');
  const { token } = await counter.connect('lemonsqueezy', { default_license_type_id: type.id });
  await play(counter, token, 'lemonsqueezy', 'sale', { email });
  const { key } = await service.ok<LicenseView>('getLicense', { params: { id: MODEL_ID } });
  const fingerprint = randomHex(32);
  await service.ok('activate', { params, apiKey, body: { key, fingerprint, name: "Ada's MacBook", platform: 'darwin' } });
  // The sweeper records the events as skipped, because the product has no webhook.
  await service.recover();
  service.close();

  const rows = await everyRow(table);
  const rowOf = (partition: string, sk: string, field: Row = {}): Row => {
    const found = rows.find(
      (row) =>
        String(row['pk']).startsWith(partition) &&
        String(row['sk']).startsWith(sk) &&
        Object.entries(field).every(([name, value]) => row[name] === value),
    );
    if (!found) throw new Error(`There is no row ${partition}… / ${sk}…`);
    return found;
  };
  const license = rowOf(partitions.license, 'LICENSE', { id: MODEL_ID });
  const payment = rowOf(paymentKey('').pk, 'PAYMENT', { status: 'done' });
  const audit = rowOf(partitions.audit, '', { license_id: MODEL_ID });
  const texts: Texts = {
    ...idTexts(MODEL_ID),
    ...keyTexts(key),
    fingerprint,
    email,
    createdAt: String(license['created_at']),
    expiresAt: String(license['expires_at']),
    orderId: String(payment['order_id']),
    orderUid: String(payment['order_uid']),
    paymentId: String(payment['id']),
    paymentEvent: String(payment['event_id']),
    payload: String(payment['payload']),
    auditId: String(audit['id']),
    seatsUsed: seatsUsed(1),
  };
  const seal = await service.app.secrets.sealer('payment_payload');
  const payload = await openPayload(service.app, texts.paymentId, texts.payload);
  const pointer = rowOf(partitions.licenseId, 'LICENSE_ID', { key });
  const event = rowOf(partitions.event, '', { event: 'license.created', license_id: MODEL_ID });
  return {
    table,
    productId,
    apiKey,
    key,
    fingerprint,
    orderId: texts.orderId,
    expiresAt: Number(texts.expiresAt),
    texts,
    rows: rows.map(lineOf),
    license: [license, pointer].map((row) => copyOf(row, texts)),
    device: copyOf(rowOf(partitions.license, DEVICE_PREFIX), texts),
    entries: [event, audit, payment].map((row) => copyOf(row, texts)),
    sealPayload: (paymentId) => seal('payment_payload', payload, payloadPlace(paymentId)),
  };
}

/** A license and one of its devices. */
export type Sample = Pick<Texts, 'key' | 'fingerprint'>;

/** A table with a number of licenses, in a separate emulator. */
export interface GrownTable {
  readonly harness: Harness;
  /** The process id of the emulator. */
  readonly pid: number;
  /** Some of the table's licenses, distributed evenly over the table. */
  readonly samples: readonly Sample[];
  /** One license for each requested number of devices, with the fingerprint of one of its devices. */
  readonly crowded: ReadonlyMap<number, Sample>;
  close(): Promise<void>;
}

const hasEntries = (place: number): boolean => place % LICENSES_PER_ENTRY === 0;

/** The texts of one copy of the model's license. A copy is created earlier and expires earlier than the model's license. */
function textsAt({ texts, sealPayload }: Model, place: number, size: number, seats: number): Texts {
  const paymentId = randomHex(16);
  const earlier = (time: string): string => String(Number(time) - (size - place) * INTERVAL);
  return {
    ...idTexts(FIRST_ID + place),
    ...keyTexts(generateKey(randomBytes(KEY_RANDOM_BYTES))),
    fingerprint: randomHex(32),
    email: buyer(Math.floor(place / LICENSES_OF_BUYER)),
    createdAt: earlier(texts.createdAt),
    expiresAt: earlier(texts.expiresAt),
    // An index key contains the first characters of the order's id. This index key is copied without changes, so all copies need the same
    // first characters.
    orderId: `${texts.orderId.slice(0, 3)}${place.toString().padStart(texts.orderId.length - 3, '0')}`,
    orderUid: randomHex(texts.orderUid.length / 2),
    paymentId,
    paymentEvent: `${texts.paymentEvent}:${place}`,
    payload: hasEntries(place) ? sealPayload(paymentId) : '',
    auditId: randomHex(16),
    seatsUsed: seatsUsed(seats),
  };
}

/** All rows of a table as lines of the export format. Also fills `samples` and `crowded`. */
function* linesOf(
  model: Model,
  size: number,
  crowd: readonly number[],
  samples: Sample[],
  crowded: Map<number, Sample>,
): Generator<string> {
  yield* model.rows;
  for (let place = 0; place < size; place += 1) {
    // The licenses with many devices are at the end of the table, so that no measured page shows them.
    const devices = crowd[size - 1 - place] ?? 1;
    const texts = textsAt(model, place, size, devices);
    for (const copy of [...model.license, model.device, ...(hasEntries(place) ? model.entries : [])]) yield copy(texts);
    for (let more = 1; more < devices; more += 1) yield model.device({ ...texts, fingerprint: randomHex(32) });
    if (size - 1 - place < crowd.length) crowded.set(devices, { key: texts.key, fingerprint: texts.fingerprint });
    else if (place % Math.ceil(size / SAMPLES) === 0) samples.push({ key: texts.key, fingerprint: texts.fingerprint });
  }
}

/** Writes lines in DynamoDB's export format. */
function writeExport(lines: Iterable<string>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  let waiting: string[] = [];
  let files = 0;
  const flush = (): void => {
    writeFileSync(join(folder, `${(files += 1)}.json.gz`), gzipSync(waiting.join('\n'), { level: 1 }));
    waiting = [];
  };
  for (const line of lines) {
    waiting.push(line);
    if (waiting.length === FILE_ROWS) flush();
  }
  flush();
}

/**
 * Creates a database with the emulator's own import.
 *
 * @param crowd numbers of devices for the last licenses of the table, one number per license
 * @param folder a folder for the files, which the caller removes
 */
export async function grow(model: Model, size: number, crowd: readonly number[], folder: string): Promise<GrownTable> {
  const samples: Sample[] = [];
  const crowded = new Map<number, Sample>();
  const source = join(folder, 'export');
  writeExport(linesOf(model, size, crowd, samples, crowded), join(source, model.table, 'data'));
  const client = connect();
  const { Table } = await client.send(new DescribeTableCommand({ TableName: model.table }));
  client.destroy();
  const schema = join(folder, 'schema.json');
  writeFileSync(schema, JSON.stringify({ Table }));
  const file = join(folder, 'table.sqlite');
  execFileSync(dynoxide.findBinary() ?? 'dynoxide', ['import', '--source', source, '--schema', schema, '--output', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  rmSync(source, { recursive: true });

  const { endpoint, pid, stop } = await startProgram(dynoxide.program(file), (error) => console.error(error.message));
  const harness = startHarness({ client: connect(endpoint), config: { ...parseConfig({}), tableName: model.table } });
  return {
    harness,
    pid,
    samples,
    crowded,
    close: async () => {
      harness.close();
      await stop();
    },
  };
}
