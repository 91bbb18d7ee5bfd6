/** `npm run releases -- publish`: uploads the files of a version and publishes it, from the machine that builds them. */
import { readFiles } from './releases/files';
import { readOptions, USAGE, UsageError } from './releases/options';
import { publish } from './releases/publish';
import { connect, sentenceOf } from './service';

/** Requests a second at most. */
const RATE = 50;

async function main(): Promise<number> {
  let baseUrl = '';
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') {
      console.log(USAGE);
      return 0;
    }
    ({ baseUrl } = options);
    const files = await readFiles(options.paths, options.targets);
    await publish(await connect({ ...options, rate: RATE }), options, files);
    return 0;
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
      console.error('\nnpm run releases -- --help shows what is possible.');
    return 1;
  }
}

void main().then((code) => (process.exitCode = code));
