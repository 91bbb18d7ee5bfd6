/** `npm run releases -- publish`: uploads the files of a version and publishes it. It runs on the computer that builds the files. */
import { runCommand } from './command-line';
import { readFiles } from './releases/files';
import { readOptions, USAGE } from './releases/options';
import { publish } from './releases/publish';
import { connect } from './service';

/** Maximum number of requests per second. */
const RATE = 50;

void runCommand({
  name: 'releases',
  usage: USAGE,
  readOptions,
  run: async (options) => {
    const files = await readFiles(options.paths, options.targets);
    await publish(await connect({ ...options, rate: RATE }), options, files);
    return 0;
  },
});
