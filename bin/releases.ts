/** `npm run releases -- publish`: uploads the files of a version and publishes it, from the machine that builds them. */
import { Service, ServiceError } from './licenses/service';
import { readFiles } from './releases/files';
import { readOptions, USAGE, UsageError } from './releases/options';
import { publish } from './releases/publish';

/** Requests a second at most. */
const RATE = 50;

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') {
      console.log(USAGE);
      return 0;
    }
    const files = await readFiles(options.paths, options.targets);
    await publish(new Service(options.baseUrl, options.adminToken, RATE), options, files);
    return 0;
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
      console.error('\nnpm run releases -- --help shows what is possible.');
    return 1;
  }
}

void main().then((code) => (process.exitCode = code));
