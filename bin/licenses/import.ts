import { dataOf, type AdminClient } from '@license-key-service/admin';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { SKIP_WEBHOOK, UNREADABLE_HEADER, WEBHOOK_HEADER } from '../../lambdas/contract/edge';
import { errors } from '../../lambdas/contract/errors';
import { MAX_PAGE_ROWS } from '../../lambdas/contract/paging';
import type { LicenseTypeView } from '../../lambdas/contract/resources';
import { csvLine, CsvReader, type CsvRecord } from '../../lambdas/domain/csv';
import { ImportCheck, REPORT_COLUMNS, type CheckedRow } from '../../lambdas/domain/import/check';
import { recordsOfNdjson } from '../../lambdas/domain/import/ndjson';
import { ImportRun, type ImportTarget, type Refusal } from '../../lambdas/domain/import/run';
import { UsageError } from '../command-line';
import { refusalOf } from '../service';
import { oneLine, print, printError } from '../terminal';
import type { ImportOptions } from './options';
import { count, plural, Progress } from './progress';

/** Maximum number of rows that are imported at the same time. The option `--rate` also limits the requests per second. */
const AT_ONCE = 8;

interface RefusedRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem: string;
}

/**
 * Imports a file. Every row is checked before the first license is created.
 *
 * @returns the exit status: 1 if a row was refused
 */
export async function importLicenses(client: AdminClient, options: ImportOptions, now: number): Promise<number> {
  // With `--json`, only the result is written to standard output.
  const say = options.json ? printError : print;
  const types = await licenseTypes(client, options.product);
  const { header, rows } = await checkFile(options, say, new ImportCheck(options.settings, types, now));
  const licenses = rows.flatMap((row) => (row.kind === 'license' ? [row.license] : []));
  const refused = rows.flatMap((row): RefusedRow[] => (row.kind === 'refused' ? [{ ...row, problem: row.problems.join('; ') }] : []));
  for (const row of refused) tell(row);
  tellPassedOver(rows, say);
  say(`${plural(rows.length, 'row')} checked: ${plural(licenses.length, 'license')} to import, ${count(refused.length)} refused.`);
  if (options.dryRun || (refused.length > 0 && !options.skipRefused)) {
    say(
      options.dryRun
        ? 'Nothing was imported: this was a dry run.'
        : 'Nothing was imported. Correct the refused rows, or import the other rows with --skip-refused.',
    );
    await writeReport(options.report, header, refused, say);
    printResult(options, rows, refused, { created: 0, existing: 0 });
    return refused.length > 0 ? 1 : 0;
  }

  const read = new Progress('licenses of the product read', undefined);
  let known = 0;
  const run = await ImportRun.begin(importTarget(client, options), licenses, (done) => {
    known = done;
    read.update(done);
  });
  if (known > 0) read.end();
  const cellsOf = new Map(rows.map(({ line, cells }) => [line, cells]));
  let [created, there] = [0, 0];
  const progress = new Progress('imported', licenses.length);
  const faults: unknown[] = [];
  await run
    .importAll(AT_ONCE, ({ line }, result) => {
      if (result.kind === 'refused') {
        const row = { line, cells: cellsOf.get(line) ?? [], problem: result.reason };
        refused.push(row);
        tell(row);
      } else if (result.kind === 'created') created += 1;
      else there += 1;
      progress.update(created + there);
    })
    .catch((error: unknown) => faults.push(error));
  progress.end();
  say(
    `${plural(created, 'license')} imported, ${count(there)} ${there === 1 ? 'was' : 'were'} already in the product, ${count(refused.length)} refused.`,
  );
  await writeReport(options.report, header, refused, say);
  printResult(options, rows, refused, { created, existing: there });
  if (faults.length > 0) {
    printError('The import stopped early. The imported licenses are kept. Start the import again to continue.');
    throw faults[0];
  }
  return refused.length > 0 ? 1 : 0;
}

const tell = ({ line, problem }: RefusedRow): void => printError(`line ${line}: ${problem}`);

type Say = (line: string) => void;

/** With `--json`, prints the numbers of the import and the refused rows. */
function printResult(
  { json }: ImportOptions,
  rows: readonly CheckedRow[],
  refused: readonly RefusedRow[],
  done: { readonly created: number; readonly existing: number },
): void {
  if (json) print(JSON.stringify({ rows: rows.length, ...done, refused: refused.map(({ line, problem }) => ({ line, problem })) }));
}

function tellPassedOver(rows: readonly CheckedRow[], say: Say): void {
  const reasons = new Map<string, number[]>();
  for (const row of rows) if (row.kind === 'passed over') reasons.set(row.reason, [...(reasons.get(row.reason) ?? []), row.line]);
  for (const [reason, lines] of reasons)
    say(
      `${plural(lines.length, 'row')} skipped: ${reason} (line${lines.length === 1 ? '' : 's'} ${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ' …' : ''}).`,
    );
}

async function licenseTypes(client: AdminClient, product: number): Promise<LicenseTypeView[]> {
  const types: LicenseTypeView[] = [];
  for await (const type of client.rows('/v1/products/{id}/license-types', { params: { path: { id: product } } })) types.push(type);
  return types;
}

/** The records of a file. A file whose name ends in `.ndjson` or `.jsonl` contains newline-delimited JSON, any other file CSV. */
async function* recordsOf(file: string): AsyncGenerator<CsvRecord> {
  if (/\.(ndjson|jsonl)$/i.test(file)) return yield* recordsOfNdjson(await readFile(file, 'utf8'));
  const reader = new CsvReader();
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) yield* reader.push(piece as string);
  yield* reader.end();
}

/** Reads and checks the whole file. */
async function checkFile(
  { file, settings }: ImportOptions,
  say: Say,
  check: ImportCheck,
): Promise<{ header: readonly string[]; rows: CheckedRow[] }> {
  const rows: CheckedRow[] = [];
  let header: readonly string[] | undefined;
  const take = (record: CsvRecord): void => {
    if (header) {
      rows.push(check.row(record));
      return;
    }
    header = record.cells;
    if (header[0]?.startsWith('> '))
      throw new UsageError(`${file} begins with output of npm instead of licenses: export again with npm run --silent licenses.`);
    const { problems, unread } = check.header(record);
    if (problems.length > 0)
      throw new UsageError(problems.map((problem) => oneLine(`${file}, line ${record.line}: ${problem}`)).join('\n'));
    if (unread.length > 0) say(`Not imported: the column${unread.length === 1 ? '' : 's'} ${unread.join(', ')}.`);
  };
  for await (const record of recordsOf(file)) take(record);
  if (!header) throw new UsageError(`${file} is empty${settings.source === 'own' ? ': its first line must name the columns' : ''}.`);
  return { header, rows };
}

/** The product that receives the imported licenses, accessed through the admin API. */
function importTarget(client: AdminClient, { product, postsEvents }: ImportOptions): ImportTarget {
  const refusal = (result: Parameters<typeof refusalOf>[0]): Refusal | undefined => {
    const error = refusalOf(result);
    return error && { refused: error.message, duplicate: error.code === errors.duplicate.code };
  };
  const path = { id: product };
  const webhook = postsEvents ? {} : ({ [WEBHOOK_HEADER]: SKIP_WEBHOOK } as const);
  const of = (id: number) => ({ params: { path: { id }, header: webhook } });
  return {
    async *pages() {
      const pages = client.pages('/v1/products/{id}/licenses', { params: { path, query: { limit: MAX_PAGE_ROWS } } });
      for await (const { data, response } of pages)
        yield { licenses: data, unreadable: Number(response.headers.get(UNREADABLE_HEADER) ?? 0) };
    },
    create: async (body, idempotencyKey) => {
      const header = { ...webhook, ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) };
      const result = await client.POST('/v1/products/{id}/licenses', { params: { path, header }, body });
      return refusal(result) ?? dataOf(result);
    },
    find: async (key) => dataOf(await client.GET('/v1/products/{id}/licenses', { params: { path, query: { key } } })).at(0),
    revoke: async (id) => refusal(await client.POST('/v1/licenses/{id}/revoke', of(id))),
    suspend: async (id) => refusal(await client.POST('/v1/licenses/{id}/suspend', of(id))),
    putMember: async (id, member) =>
      refusal(await client.PUT('/v1/licenses/{id}/members', { ...of(id), body: { ...member, invite: false } })),
    addDevice: async (id, body) => refusal(await client.POST('/v1/licenses/{id}/activations', { ...of(id), body })),
    removeExpiry: async (id) => refusal(await client.PATCH('/v1/licenses/{id}', { ...of(id), body: { expires_at: null } })),
  };
}

/** Writes the refused rows as a file that can be corrected and imported. */
async function writeReport(path: string, header: readonly string[], refused: readonly RefusedRow[], say: Say): Promise<void> {
  if (refused.length === 0) return;
  const isReport = REPORT_COLUMNS.every((name, place) => header[place] === name);
  const own = (cells: readonly string[]): readonly string[] => (isReport ? cells.slice(REPORT_COLUMNS.length) : cells);
  const lines = [...refused].sort((a, b) => a.line - b.line).map(({ line, cells, problem }) => csvLine([line, problem, ...own(cells)]));
  const file = await open(path, 'w', 0o600);
  try {
    // The file contains license keys and e-mail addresses, so only its owner may read it. The mode in `open` applies only to a new file, so
    // `chmod` also sets the mode of an existing file.
    await file.chmod(0o600);
    await file.writeFile(csvLine([...REPORT_COLUMNS, ...own(header)]) + lines.join(''));
  } finally {
    await file.close();
  }
  say(`Refused rows are in ${path}.`);
}
