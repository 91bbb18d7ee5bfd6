import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeCursor, MAX_PAGE_ROWS } from '../../lambdas/contract/paging';
import { timestampOf } from '../../lambdas/domain/time';
import type { CallRequest, CallResult } from '../support/harness';
import { buyer, FIRST_ID, grow, INTERVAL, LICENSES_PER_ENTRY, makeModel, type GrownTable, type Model, type Sample } from './grown-table';
import { processorTimes } from './processor-time';
import { atMost, type Result, type Section } from './report';
import { inTurns, median } from './rounds';

/** Number of licenses in the tables. The emulator would need almost an hour to import a million licenses with all of their rows. */
const SIZES = [1_000, 10_000, 100_000];
const DEVICES = [1, 1_000, 10_000];
const ROUNDS = 10;
const CALLS = 5;
/** Number of rows on a page. */
const PAGE = 20;

/** A table and the licenses that are measured in it. */
interface Subject {
  readonly table: GrownTable;
  readonly size: number;
  readonly model: Model;
  /** Returns the license and the device for the next call. */
  readonly sample: () => Sample;
}

/**
 * A request whose cost is measured with different numbers of licenses in the table, or with different numbers of devices on the license.
 */
interface Measured {
  readonly what: string;
  readonly endpoint: string;
  readonly request: (subject: Subject) => CallRequest;
  /** Number of calls in a round. */
  readonly calls?: number;
  /** The index of the size with which the larger sizes are compared; default 0. */
  readonly base?: number;
}

const list = (
  what: string,
  endpoint: string,
  query: (subject: Subject) => Readonly<Record<string, string>> = () => ({}),
  options: Partial<Measured> = {},
): Measured => ({ what, endpoint, request: (subject) => ({ query: { limit: String(PAGE), ...query(subject) } }), ...options });

const validate: Measured = { what: 'validate', endpoint: 'validate', request: ({ sample }) => ({ query: { ...sample() } }), calls: 20 };

/** Exactly {@link PAGE} licenses expire before this time. */
const afterFirstPage = ({ model, size }: Subject): string => timestampOf(model.expiresAt - (size - PAGE) * INTERVAL) ?? '';
const afterAll = ({ model }: Subject): string => timestampOf(model.expiresAt + INTERVAL) ?? '';

const withMoreLicenses: readonly Measured[] = [
  validate,
  list('first page', 'listLicenses'),
  list('page in the middle', 'listLicenses', ({ size }) => ({ cursor: encodeCursor(FIRST_ID + size / 2) })),
  list('licenses with a status that nearly all have', 'listLicenses', () => ({ status: 'active' })),
  // A single request for a rare status reads at most a fixed number of rows. The smallest table has fewer rows, so the comparison starts at
  // the second table.
  list('licenses with a status that one has', 'listLicenses', () => ({ status: 'revoked' }), { calls: 1, base: 1 }),
  list('licenses of a buyer', 'listLicenses', () => ({ customer_email: buyer(7) })),
  list(`licenses by a range of expiries that ${PAGE} have`, 'listLicenses', (subject) => ({ expires_before: afterFirstPage(subject) })),
  list('licenses by a range of expiries that all have', 'listLicenses', (subject) => ({ expires_before: afterAll(subject) })),
  list('licenses sorted by expiry', 'listLicenses', () => ({ sort: 'expires_at' })),
  list('search by order', 'searchLicenses', ({ model }) => ({ order: model.orderId })),
  list('search by device', 'searchLicenses', ({ sample }) => ({ fingerprint: sample().fingerprint })),
  list('delivery log', 'listDeliveries'),
  list('audit log', 'listAudit'),
  list('payments log', 'listPayments'),
  {
    what: `first ${MAX_PAGE_ROWS.toLocaleString('en-US')} licenses of an export`,
    endpoint: 'listLicenses',
    request: () => ({ headers: { Accept: 'text/csv' } }),
    calls: 1,
  },
];

const withMoreDevices: readonly Measured[] = [
  validate,
  // The page size is 1, because all measured requests must return the same number of devices, and one of the compared licenses has only one
  // device.
  { ...list('list of devices', 'listDevices'), request: ({ sample }) => ({ query: { limit: '1' }, body: sample() }), calls: 1 },
];

/** Calls an endpoint once. */
async function call(subject: Subject, { endpoint, request }: Measured): Promise<CallResult> {
  const { table, model } = subject;
  const response = await table.harness.call(endpoint, { params: { id: model.productId }, apiKey: model.apiKey, ...request(subject) });
  if (response.status !== 200) throw new Error(`${endpoint} responded with ${response.status}: ${response.text}`);
  return response;
}

/** The processor time of this process and of the table's emulator so far, in ms. */
const processorTime = ({ table: { pid } }: Subject): number => {
  const { user, system } = process.cpuUsage();
  return processorTimes(pid).reduce((sum, { ms }) => sum + ms, (user + system) / 1000);
};

/** The processor time of a call, in ms. */
async function cost(subject: Subject, measured: Measured): Promise<number> {
  const { calls = CALLS } = measured;
  const before = processorTime(subject);
  for (let place = 0; place < calls; place += 1) await call(subject, measured);
  return (processorTime(subject) - before) / calls;
}

/** A request, and the numbers of licenses or devices at which its cost is measured. */
interface Series extends Measured {
  readonly grows: string;
  readonly sizes: readonly { readonly name: string; readonly subject: Subject }[];
}

const count = (number: number, noun: string): string => `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;

function seriesOf(model: Model, tables: readonly GrownTable[]): Series[] {
  const subjects = tables.map((table, place): Subject => {
    let turn = 0;
    return { table, model, size: SIZES[place] ?? 0, sample: () => table.samples[(turn += 1) % table.samples.length] ?? model };
  });
  const crowds = DEVICES.flatMap((devices) =>
    subjects.flatMap((subject) => {
      const crowded = subject.table.crowded.get(devices);
      return crowded ? [{ name: `${count(devices, 'device')} on the license`, subject: { ...subject, sample: () => crowded } }] : [];
    }),
  );
  return [
    ...withMoreLicenses.map((measured) => ({
      ...measured,
      grows: 'more licenses',
      sizes: subjects.map((subject) => ({ name: count(subject.size, 'license'), subject })),
    })),
    ...withMoreDevices.map((measured) => ({ ...measured, grows: 'more devices on the license', sizes: crowds })),
  ];
}

/** @throws Error if the request finds different numbers of rows at different sizes, because its costs could then not be compared */
async function expectSameRows(series: Series): Promise<void> {
  const rows = new Set<number>();
  for (const { subject } of series.sizes) {
    const { body, text } = await call(subject, series);
    rows.add(Array.isArray(body) ? body.length : text.split('\n').length);
  }
  if (rows.size > 1) throw new Error(`${series.what} finds different numbers of rows: ${[...rows].join(', ')}`);
}

/** Measures whether requests cost more with more licenses in the table, and with more devices on a license. */
export async function growth(): Promise<Section> {
  const model = await makeModel();
  const tables: GrownTable[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'lks-growth-'));
  try {
    // The licenses with many devices are in the second table, because an export reads all licenses of the smallest table.
    for (const [place, size] of SIZES.entries())
      tables.push(await grow(model, size, place === 1 ? DEVICES : [], mkdtempSync(join(folder, 'table-'))));
    const series = seriesOf(model, tables);
    for (const one of series) await expectSameRows(one);
    const found = await inTurns(
      ROUNDS,
      Object.fromEntries(series.flatMap((one) => one.sizes.map(({ name, subject }) => [`${one.what}, ${name}`, () => cost(subject, one)]))),
    );
    const results = series.flatMap(({ what, grows, sizes, base = 0 }) => {
      const values = sizes.map(({ name }) => median(found[`${what}, ${name}`] ?? []));
      return sizes.map(
        ({ name }, place): Result => ({
          what: `${what}, ${name}`,
          kind: `${what}, ${grows}`,
          value: values[place] ?? Number.NaN,
          unit: 'ms',
          ...(place > base && {
            against: { what: base === 0 ? 'the smallest' : (sizes[base]?.name ?? ''), value: values[base] ?? Number.NaN },
            goal: atMost(1.15),
          }),
        }),
      );
    });
    return {
      title: 'Growth',
      how: `The processor time of a request: the sum for the handler and the table's emulator. The measurements alternate, and the values are medians of ${ROUNDS} rounds. Each table is in a separate emulator on disk. Each license has a device, and every ${LICENSES_PER_ENTRY}th license has an event and a row in the audit log and the payments log. Pages have ${PAGE} rows.`,
      results,
    };
  } finally {
    for (const table of tables) await table.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
