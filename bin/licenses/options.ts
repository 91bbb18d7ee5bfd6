import { InvalidArgumentError, type Command } from 'commander';
import type { ListMediaType } from '../../lambdas/contract/endpoint';
import { importedColumns, type ImportedColumn } from '../../lambdas/contract/license-columns';
import { listLicenses } from '../../lambdas/contract/licenses';
import type { ImportSettings } from '../../lambdas/domain/import/check';
import { sourceNames } from '../../lambdas/domain/import/sources';
import { isOneOf, productId, repeated, wholeNumber } from '../command-line';

/** The options of `licenses export` and `licenses import`. */

interface Target {
  readonly product: number;
  /** Maximum number of requests per second. */
  readonly rate: number;
}

export interface ExportOptions extends Target {
  readonly mediaType: ListMediaType;
  /** The query parameters that filter and sort the list of licenses. */
  readonly query: Readonly<Record<string, string>>;
}

export interface ImportOptions extends Target {
  readonly file: string;
  readonly settings: ImportSettings;
  readonly dryRun: boolean;
  readonly skipRefused: boolean;
  /** Whether the events of the import are posted to the product's webhook. */
  readonly postsEvents: boolean;
  /** Whether standard output gets the result as JSON, and standard error everything else. */
  readonly json: boolean;
  /** The path of the file that receives the refused rows. */
  readonly report: string;
}

const formats = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const satisfies Record<string, ListMediaType>;

/** An export has the same filters as the list of licenses. For example, `--license-type-id` sets the query parameter `license_type_id`. */
const filters = Object.keys(listLicenses.query.shape).filter((name) => name !== 'limit' && name !== 'cursor');
const optionOf = (name: string): string => name.replaceAll('_', '-');

/** The values of the options as commander reads them. */
export type ExportValues = Target & { readonly format: keyof typeof formats } & Readonly<Record<string, unknown>>;

export interface ImportValues extends Target {
  readonly from: ImportSettings['source'];
  readonly column?: readonly (readonly [ImportedColumn, string])[];
  readonly licenseType?: readonly string[];
  readonly ignoreUnknown?: true;
  readonly dryRun?: true;
  readonly skipRefused?: true;
  readonly events?: true;
  readonly json?: true;
  readonly report?: string;
}

export const addTargetOptions = (command: Command): Command =>
  command
    .requiredOption('--product <id>', "the product's id", productId)
    .option('--rate <number>', 'maximum number of requests per second', wholeNumber(1, 9999), 50);

export function addExportOptions(command: Command): Command {
  command.addOption(command.createOption('--format <format>', 'the format of the output').choices(Object.keys(formats)).default('csv'));
  for (const name of filters) command.option(`--${optionOf(name)} <value>`, `the filter ${name} of GET /v1/products/{id}/licenses`);
  return command;
}

export const addImportOptions = (command: Command): Command =>
  command
    .addOption(
      command
        .createOption('--from <system>', 'the system that wrote the file')
        .choices(sourceNames)
        .default('own', 'own, the format of an export'),
    )
    .option(
      '--column <ours=theirs>',
      `reads the file's column <theirs> as <ours>, one of ${importedColumns.join(', ')}`,
      repeated(readColumn),
    )
    .option(
      '--license-type <type>',
      'the license type of rows that name none; or <theirs>=<ours>, to translate a name in the file; or *=<ours>, for every name that is not a type of the product',
      repeated(String),
    )
    .option('--ignore-unknown', 'skips unknown columns instead of refusing the file')
    .option('--dry-run', 'checks every row and writes nothing')
    .option('--skip-refused', 'imports the valid rows even if other rows are refused; without it, one refused row stops the import')
    .option('--events', "posts the events of the import to the product's webhook; without it, they are recorded as skipped")
    .option('--json', 'prints the numbers of licenses and the refused rows as JSON, and everything else to standard error')
    .option('--report <file>', 'where refused rows are written (default: <file>.refused.csv)');

/** Splits `name=value` at its first or its last `=`, depending on `at`; undefined if the text contains no `=`. */
function pair(text: string, at: 'first' | 'last'): readonly [string, string] | undefined {
  const place = at === 'first' ? text.indexOf('=') : text.lastIndexOf('=');
  return place < 0 ? undefined : [text.slice(0, place).trim(), text.slice(place + 1).trim()];
}

function readColumn(text: string): readonly [ImportedColumn, string] {
  const [ours, theirs] = pair(text, 'first') ?? [];
  if (ours === undefined || theirs === undefined || theirs === '' || !isOneOf(importedColumns, ours))
    throw new InvalidArgumentError(`It must be <ours>=<theirs>, with ours of ${importedColumns.join(', ')}.`);
  return [ours, theirs];
}

export function exportOptions(values: ExportValues): ExportOptions {
  const { product, rate, format } = values;
  const query = Object.fromEntries(
    filters.flatMap((name) => {
      const value = values[name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return { product, rate, mediaType: formats[format], query };
}

export function importOptions(file: string, values: ImportValues): ImportOptions {
  const { product, rate, from, column = [], licenseType = [] } = values;
  const types: Record<string, string> = {};
  let defaultType: string | undefined;
  for (const text of licenseType) {
    const [theirs, ours] = pair(text, 'last') ?? [];
    if (theirs === undefined || ours === undefined) defaultType = text.trim();
    else types[theirs] = ours;
  }
  return {
    product,
    rate,
    file,
    settings: { source: from, columns: Object.fromEntries(column), types, defaultType, ignoreUnknown: values.ignoreUnknown ?? false },
    dryRun: values.dryRun ?? false,
    skipRefused: values.skipRefused ?? false,
    postsEvents: values.events ?? false,
    json: values.json ?? false,
    report: values.report ?? `${file.replace(/\.[^./\\]*$/, '')}.refused.csv`,
  };
}
