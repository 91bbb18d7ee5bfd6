/**
 * `npm run licenses -- export|import`: exports licenses from any running service as CSV or newline-delimited JSON, and imports them from
 * CSV.
 */
import { runCommand } from './command-line';
import { exportLicenses } from './licenses/export';
import { importLicenses } from './licenses/import';
import { readOptions, USAGE } from './licenses/options';
import { connect } from './service';

void runCommand({
  name: 'licenses',
  usage: USAGE,
  readOptions,
  run: async (options) => {
    const client = await connect(options);
    return options.command === 'export' ? exportLicenses(client, options) : importLicenses(client, options, Date.now());
  },
});
