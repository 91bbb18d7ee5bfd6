import { importedColumns, licenseColumns, type LicenseWithMembers } from '../../contract/license-columns';
import { guarded, type CsvRecord } from '../csv';
import { isObject, jsonOf } from './json';

/**
 * Newline-delimited JSON as records, as if it were CSV: the first record names the columns. Each line is an object whose fields have the
 * names of columns, or a license as an export contains it.
 */
export function recordsOfNdjson(text: string): CsvRecord[] {
  const rows = text.split('\n').flatMap((json, place) => {
    const value = jsonOf(json.replace(/^\uFEFF/, ''));
    return json.trim() === '' ? [] : [{ line: place + 1, row: isObject(value) ? columnsOf(value) : undefined }];
  });
  const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row ?? {})))];
  if (rows.length === 0) return [];
  return [
    { line: 1, cells: names.map(guarded) },
    ...rows.map(({ line, row }) =>
      row
        ? { line, cells: names.map((name) => guarded(cellOf(row[name]))) }
        : { line, cells: [], problem: 'is not a JSON object: each line must be one' },
    ),
  ];
}

/** The columns of a line. A license in an export differs from its columns: for example, its type is an object. */
function columnsOf(row: Record<string, unknown>): Record<string, unknown> {
  if (!isObject(row['license_type'])) return row;
  const license = row as unknown as LicenseWithMembers;
  return Object.fromEntries(
    licenseColumns.filter(({ name }) => importedColumns.some((one) => one === name)).map(({ name, value }) => [name, value(license)]),
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
