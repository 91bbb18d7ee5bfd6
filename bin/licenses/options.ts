import { parseArgs } from 'node:util';
import type { ListMediaType } from '../../lambdas/contract/endpoint';
import { importedColumns, type ImportedColumn } from '../../lambdas/contract/license-columns';
import { listLicenses } from '../../lambdas/contract/licenses';
import type { ImportSettings } from '../../lambdas/domain/import/check';
import { sourceNames } from '../../lambdas/domain/import/sources';
import {
  ADMIN_TOKEN_USAGE,
  BASE_URL_USAGE,
  isOneOf,
  readProduct,
  readServiceTarget,
  serviceOptions,
  UsageError,
  type ServiceTarget,
  type ServiceValues,
} from '../command-line';

/** Reads and checks the options of `npm run licenses`. */

interface Target extends ServiceTarget {
  readonly product: number;
  /** Maximum number of requests per second. */
  readonly rate: number;
}

export interface ExportOptions extends Target {
  readonly command: 'export';
  readonly mediaType: ListMediaType;
  /** The query parameters that filter and sort the list of licenses. */
  readonly query: Readonly<Record<string, string>>;
}

export interface ImportOptions extends Target {
  readonly command: 'import';
  readonly file: string;
  readonly settings: ImportSettings;
  readonly dryRun: boolean;
  readonly skipRefused: boolean;
  /** The path of the file that receives the refused rows. */
  readonly report: string;
}

const formats = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const satisfies Record<string, ListMediaType>;

const DEFAULT_RATE = '50';

/** An export has the same filters as the list of licenses. For example, `--license-type-id` sets the query parameter `license_type_id`. */
const filters = Object.keys(listLicenses.query.shape).filter((name) => name !== 'limit' && name !== 'cursor');
const optionOf = (name: string): string => name.replaceAll('_', '-');

export const USAGE = `Exports and imports licenses.

  npm run --silent licenses -- export --product 1 --format csv > licenses.csv
  npm run licenses -- import --product 1 licenses.csv

  --product        the product's id
  ${BASE_URL_USAGE}
  --rate           maximum number of requests per second (default: ${DEFAULT_RATE})
  --help

${ADMIN_TOKEN_USAGE}

Export, to standard output:
  --format         csv (default) or ndjson
  ${filters.map((name) => `--${optionOf(name)}`).join(', ')}
                   the filters of GET /v1/products/{id}/licenses

Import. It can be stopped at any time; start it again to continue.
  --from           the system that wrote the file: ${sourceNames.join(', ')} (default: own, the format of an export)
  --column         <ours>=<theirs>: reads the file's column <theirs> as <ours>, one of ${importedColumns.join(', ')}
  --license-type   the license type of rows that name none; or <theirs>=<ours>, to translate a name in the file;
                   or *=<ours>, for every name that is not a type of the product
  --ignore-unknown skips unknown columns instead of refusing the file
  --dry-run        checks every row and writes nothing
  --skip-refused   imports the valid rows even if other rows are refused; without it, one refused row stops the import
  --report         where refused rows are written (default: <file>.refused.csv)`;

function target(values: { product?: string | undefined; rate?: string | undefined } & ServiceValues, env: NodeJS.ProcessEnv): Target {
  const { rate = DEFAULT_RATE } = values;
  const product = readProduct(values.product);
  const service = readServiceTarget(values, env);
  if (!/^[1-9]\d{0,3}$/.test(rate)) throw new UsageError('--rate must be a whole number from 1 to 9999.');
  return { ...service, product, rate: Number(rate) };
}

/** Splits `name=value` at its first or its last `=`, depending on `at`; undefined if the text contains no `=`. */
function pair(text: string, at: 'first' | 'last'): readonly [string, string] | undefined {
  const place = at === 'first' ? text.indexOf('=') : text.lastIndexOf('=');
  return place < 0 ? undefined : [text.slice(0, place).trim(), text.slice(place + 1).trim()];
}

function importSettings(values: {
  from?: string | undefined;
  column?: string[] | undefined;
  'license-type'?: string[] | undefined;
  'ignore-unknown'?: boolean | undefined;
}): ImportSettings {
  const { from = 'own', column = [], 'license-type': licenseTypes = [] } = values;
  if (!isOneOf(sourceNames, from)) throw new UsageError(`--from must be one of ${sourceNames.join(', ')}.`);
  const columns: { [name in ImportedColumn]?: string } = {};
  for (const text of column) {
    const [ours, theirs] = pair(text, 'first') ?? [];
    if (ours === undefined || theirs === undefined || theirs === '' || !isOneOf(importedColumns, ours))
      throw new UsageError(`--column must be <ours>=<theirs>, with ours of ${importedColumns.join(', ')}.`);
    columns[ours] = theirs;
  }
  const types: Record<string, string> = {};
  let defaultType: string | undefined;
  for (const text of licenseTypes) {
    const [theirs, ours] = pair(text, 'last') ?? [];
    if (theirs === undefined || ours === undefined) defaultType = text.trim();
    else types[theirs] = ours;
  }
  return { source: from, columns, types, defaultType, ignoreUnknown: values['ignore-unknown'] ?? false };
}

/** Reads the arguments. @throws UsageError */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): ExportOptions | ImportOptions | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      product: text,
      ...serviceOptions,
      rate: text,
      help: flag,
      format: text,
      ...Object.fromEntries(filters.map((name) => [optionOf(name), text])),
      from: text,
      column: { ...text, multiple: true },
      'license-type': { ...text, multiple: true },
      'ignore-unknown': flag,
      'dry-run': flag,
      'skip-refused': flag,
      report: text,
    },
  });
  if (values.help) return 'help';
  const [command, file, ...more] = positionals;
  const given = values as Readonly<Record<string, unknown>>;
  const onlyFor = (others: readonly string[], other: string): void => {
    for (const name of others) if (given[name] !== undefined) throw new UsageError(`--${name} is an option of ${other} only.`);
  };
  if (command === 'export') {
    onlyFor(['from', 'column', 'license-type', 'ignore-unknown', 'dry-run', 'skip-refused', 'report'], 'import');
    if (file !== undefined) throw new UsageError('An export writes to standard output: npm run --silent licenses -- export … > file.csv.');
    const { format = 'csv' } = values;
    if (!isOneOf(['csv', 'ndjson'], format)) throw new UsageError('--format must be csv or ndjson.');
    const query = Object.fromEntries(
      filters.flatMap((name) => (typeof given[optionOf(name)] === 'string' ? [[name, String(given[optionOf(name)])]] : [])),
    );
    return { command, ...target(values, env), mediaType: formats[format], query };
  }
  if (command === 'import') {
    onlyFor(['format', ...filters.map(optionOf)], 'export');
    if (file === undefined || more.length > 0) throw new UsageError('Name one file to import.');
    return {
      command,
      ...target(values, env),
      file,
      settings: importSettings(values),
      dryRun: values['dry-run'] ?? false,
      skipRefused: values['skip-refused'] ?? false,
      report: values.report ?? `${file.replace(/\.[^./\\]*$/, '')}.refused.csv`,
    };
  }
  throw new UsageError('The first argument must be export or import.');
}
