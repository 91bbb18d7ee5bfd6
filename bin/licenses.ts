/** `licenses export|import`: exports licenses from any running service as CSV or newline-delimited JSON, and imports them from CSV. */
import type { Command } from 'commander';
import { addExamples, addServiceOptions, callService, type ServiceValues } from './command-line';
import { exportLicenses } from './licenses/export';
import { importLicenses } from './licenses/import';
import {
  addExportOptions,
  addImportOptions,
  addTargetOptions,
  exportOptions,
  importOptions,
  type ExportValues,
  type ImportValues,
} from './licenses/options';
import { connect } from './service';

export function define(command: Command): void {
  const exporting = command.command('export').description('Writes the licenses of a product to standard output.');
  addServiceOptions(addExportOptions(addTargetOptions(exporting))).action((values: ExportValues & ServiceValues) =>
    callService(values, async (target) => {
      const options = exportOptions(values);
      return exportLicenses(await connect({ ...target, ...options }), options);
    }),
  );
  addExamples(exporting, 'license-key-service licenses export --product 1 --format csv > licenses.csv');

  const importing = command
    .command('import <file>')
    .description('Imports licenses. The import can be stopped at any time; start it again to continue.');
  addServiceOptions(addImportOptions(addTargetOptions(importing))).action((file: string, values: ImportValues & ServiceValues) =>
    callService(values, async (target) => {
      const options = importOptions(file, values);
      return importLicenses(await connect({ ...target, ...options }), options, Date.now());
    }),
  );
  addExamples(importing, 'license-key-service licenses import --product 1 licenses.csv');
}
