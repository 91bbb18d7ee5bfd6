/**
 * `npm run licenses -- export|import`: exports licenses from any running service as CSV or newline-delimited JSON, and imports them from
 * CSV.
 */
import { exportLicenses } from './licenses/export';
import { importLicenses } from './licenses/import';
import { readOptions, USAGE, UsageError } from './licenses/options';
import { Service, ServiceError } from './licenses/service';

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') {
      console.log(USAGE);
      return 0;
    }
    const service = new Service(options.baseUrl, options.adminToken, options.rate);
    return await (options.command === 'export' ? exportLicenses(service, options) : importLicenses(service, options, Date.now()));
  } catch (error) {
    if (error instanceof ServiceError) {
      console.error(error.message);
      return 1;
    }
    // An unknown option, or a file that can't be read.
    const expected = error instanceof UsageError || (error instanceof Error && 'code' in error);
    if (!expected) throw error;
    console.error(error.message);
    if (!('code' in error) || String(error.code).startsWith('ERR_PARSE_ARGS'))
      console.error('\nnpm run licenses -- --help shows all options.');
    return 1;
  }
}

void main().then((code) => (process.exitCode = code));
