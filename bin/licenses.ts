/**
 * `npm run licenses -- export|import`: exports licenses from any running service as CSV or newline-delimited JSON, and imports them from
 * CSV.
 */
import { exportLicenses } from './licenses/export';
import { importLicenses } from './licenses/import';
import { readOptions, USAGE, UsageError } from './licenses/options';
import { connect, sentenceOf } from './service';

async function main(): Promise<number> {
  let baseUrl = '';
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') {
      console.log(USAGE);
      return 0;
    }
    ({ baseUrl } = options);
    const client = await connect(options);
    return await (options.command === 'export' ? exportLicenses(client, options) : importLicenses(client, options, Date.now()));
  } catch (error) {
    const sentence = sentenceOf(error, baseUrl);
    if (sentence !== undefined) {
      console.error(sentence);
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
