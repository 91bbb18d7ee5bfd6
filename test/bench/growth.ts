import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RUN_TOKEN } from '../../infra/local/aws';
import * as dynoxide from '../../infra/local/dynoxide';
import * as emulator from '../../infra/local/emulator';
import { encodeCursor } from '../../lambdas/contract/paging';
import { generateKey, KEY_RANDOM_BYTES } from '../../lambdas/domain/license-key';
import { parseConfig } from '../../lambdas/runtime/config';
import { deviceKey, devicePosition, licenseIdKey, licenseKey, listPosition } from '../../lambdas/store/keys';
import { connect, startHarness, tableName, type Harness } from '../support/harness';
import { everyRow } from '../support/table';
import { atMost, type Result, type Section } from './report';
import { inTurns, median } from './rounds';

const SIZES = [1_000, 100_000, 1_000_000];
const DEVICES = [1, 1_000, 10_000];
const ROUNDS = 20;
const CALLS = 15;
/** Number of rows in one import file. */
const FILE_ROWS = 50_000;

type Row = Readonly<Record<string, unknown>>;

/** The rows with whose copies a table is filled. */
interface Model {
  readonly productId: number;
  readonly apiKey: string;
  readonly fingerprint: string;
  readonly license: Row;
  readonly device: Row;
  /** All rows of the table that the service has written for the copied licenses. */
  readonly rows: readonly Row[];
}

/** The same measurement at increasing sizes. */
type Series = readonly { readonly what: string; readonly kind: string; readonly measure: () => Promise<number> }[];

/** A table with this number of licenses, in a separate emulator. */
interface Grown {
  readonly harness: Harness;
  /** Some of the table's licenses, evenly distributed. */
  readonly keys: readonly string[];
  /** The keys of licenses with this number of devices. */
  readonly crowded: ReadonlyMap<number, string>;
  close(): Promise<void>;
}

async function makeModel(): Promise<Model> {
  const harness = startHarness();
  const made = async (name: string, request: object): Promise<Row> => (await harness.call(name, request)).body;
  const product = await made('createProduct', { body: { name: 'Growing', slug: 'growing' } });
  const params = { id: Number(product['id']) };
  const apiKey = String(product['api_key']);
  const type = await made('createLicenseType', {
    params,
    body: { name: 'Yearly', kind: 'subscription', duration_days: 365, max_seats: 0 },
  });
  const { key } = await made('createLicense', { params, body: { license_type_id: type['id'], metadata: { order: 'A-1001' } } });
  const fingerprint = randomBytes(32).toString('hex');
  await harness.call('activate', { params, apiKey, body: { key, fingerprint, name: "Ada's MacBook", platform: 'darwin' } });
  harness.close();
  const rows = await everyRow();
  const rowAt = ({ pk, sk }: { pk: string; sk: string }): Row => rows.find((row) => row['pk'] === pk && row['sk'] === sk) ?? {};
  const { id } = params;
  return {
    productId: id,
    apiKey,
    fingerprint,
    license: rowAt(licenseKey(id, String(key))),
    device: rowAt(deviceKey(licenseKey(id, String(key)), fingerprint)),
    rows,
  };
}

/** The rows of a license: the license, its pointer and a copy of the model's device. */
function* licenseRows({ productId, license, device, fingerprint }: Model, id: number, key: string): Generator<Row> {
  yield { ...license, ...licenseKey(productId, key), list_sk: listPosition(id), id, key };
  yield { ...licenseIdKey(id), product_id: productId, key };
  yield { ...device, ...deviceKey(licenseKey(productId, key), fingerprint), list_sk: devicePosition(id, fingerprint) };
}

/** Creates a database with the emulator's own import, which accepts DynamoDB's export format. */
async function grow(model: Model, size: number, folder: string): Promise<Grown> {
  const keys: string[] = [];
  const crowded = new Map<number, string>();
  function* rows(): Generator<Row> {
    yield* model.rows;
    for (let place = 0; place < size; place += 1) {
      const id = 1_000 + place;
      const key = generateKey(randomBytes(KEY_RANDOM_BYTES));
      yield* licenseRows(model, id, key);
      if (place % (size / 1_000) === 0) keys.push(key);
      // These licenses are at the end of the smallest table, so that no measured page shows them.
      const devices = size === SIZES[0] ? DEVICES[size - 1 - place] : undefined;
      if (devices === undefined) continue;
      crowded.set(devices, key);
      for (let more = 1; more < devices; more += 1) {
        const fingerprint = randomBytes(32).toString('hex');
        yield {
          ...model.device,
          ...deviceKey(licenseKey(model.productId, key), fingerprint),
          list_sk: devicePosition(id, fingerprint),
          fingerprint,
        };
      }
    }
  }

  const name = tableName();
  const data = join(folder, 'export', name, 'data');
  mkdirSync(data, { recursive: true });
  let lines: string[] = [];
  let files = 0;
  const flush = (): void => {
    writeFileSync(join(data, `${(files += 1)}.json.gz`), gzipSync(lines.join('\n'), { level: 1 }));
    lines = [];
  };
  for (const row of rows()) {
    lines.push(
      JSON.stringify({ Item: marshall(row) }, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ),
    );
    if (lines.length === FILE_ROWS) flush();
  }
  flush();
  const client = connect();
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  client.destroy();
  writeFileSync(join(folder, 'schema.json'), JSON.stringify({ Table }));
  const file = join(folder, 'table.sqlite');
  execFileSync(
    dynoxide.findBinary() ?? 'dynoxide',
    ['import', '--source', join(folder, 'export'), '--schema', join(folder, 'schema.json'), '--output', file],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  rmSync(join(folder, 'export'), { recursive: true });

  const { endpoint, stop } = await emulator.start(dynoxide.program(file));
  const harness = startHarness({ client: connect(endpoint, RUN_TOKEN), config: { ...parseConfig({}), tableName: name } });
  return {
    harness,
    keys,
    crowded,
    close: async () => {
      harness.close();
      await stop();
    },
  };
}

/** The median time of some calls, in milliseconds. */
async function timed(call: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i += 1) {
    const begun = performance.now();
    const status = await call();
    times.push(performance.now() - begun);
    if (status !== 200) throw new Error(`Expected 200, got ${status}`);
  }
  return median(times);
}

/** Measures whether operations take longer with more data: validate and list with three numbers of licenses in the table, and three numbers of devices on a license. */
export async function growth(): Promise<Section> {
  const model = await makeModel();
  const { productId, apiKey, fingerprint } = model;
  const params = { id: productId };
  const grown: Grown[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'lks-growth-'));
  try {
    for (const size of SIZES) grown.push(await grow(model, size, mkdtempSync(join(folder, 'table-'))));
    const validate = ({ harness }: Grown, key: string) =>
      harness.call('validate', { params, apiKey, query: { key, fingerprint } }).then(({ status }) => status);
    const list = ({ harness }: Grown, past: number) =>
      harness
        .call('listLicenses', { params, query: { limit: '20', ...(past > 0 && { cursor: encodeCursor(past) }) } })
        .then(({ status }) => status);
    let turn = 0;
    const [smallest] = grown;
    if (!smallest) throw new Error('There is no table');

    const ofLicenses = (what: string, measure: (table: Grown, size: number) => Promise<number>): Series =>
      grown.map((table, place) => {
        const size = SIZES[place] ?? 0;
        return {
          what: `${what}, ${size.toLocaleString('en-US')} licenses`,
          kind: `${what}, more licenses`,
          measure: () => timed(() => measure(table, size)),
        };
      });
    const series: Series[] = [
      ofLicenses('validate', (table) => validate(table, table.keys[(turn += 1) % table.keys.length] ?? '')),
      ofLicenses('first page', (table) => list(table, 0)),
      ofLicenses('page in the middle', (table, size) => list(table, 1_000 + size / 2)),
      DEVICES.map((devices) => ({
        what: `validate, ${devices.toLocaleString('en-US')} ${devices === 1 ? 'device' : 'devices'} on the license`,
        kind: 'validate, more devices on the license',
        measure: () => timed(() => validate(smallest, smallest.crowded.get(devices) ?? '')),
      })),
    ];
    const found = await inTurns(ROUNDS, Object.fromEntries(series.flat().map(({ what, measure }) => [what, measure])));
    const results = series.flatMap((cases) =>
      cases.map(({ what, kind }, place): Result => {
        const value = median(found[what] ?? []);
        const base = median(found[cases[0]?.what ?? ''] ?? []);
        return { what, kind, value, unit: 'ms', ...(place > 0 && { against: { what: 'the smallest', value: base }, goal: atMost(1.15) }) };
      }),
    );
    return {
      title: 'Growth',
      how: `Medians of ${ROUNDS} rounds of ${CALLS} calls of the handlers in one process, the tables each in an emulator on disk, all open at a time and asked in turns. Pages have 20 licenses with their devices.`,
      results,
    };
  } finally {
    for (const table of grown) await table.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
