/** `npm run releases`: publishes a version on the computer that has built its files, or changes a version. */
import { runCommand } from './command-line';
import { feedsOf, minimumIn, readFeeds, stagingIn } from './releases/feeds';
import { readFiles } from './releases/files';
import { readOptions, USAGE } from './releases/options';
import { edit, publish } from './releases/publish';
import { connect } from './service';

/** Maximum number of requests per second. */
const RATE = 50;

void runCommand({
  name: 'releases',
  usage: USAGE,
  readOptions,
  run: async (options) => {
    const connection = { ...options, rate: RATE };
    if (options.command === 'edit') {
      await edit(await connect(connection), options);
      return 0;
    }
    const feeds = readFeeds(options.paths);
    const files = await readFiles(options.paths, options.targets, feeds);
    const own = feedsOf(
      feeds,
      files.map(({ filename }) => filename),
    );
    const { minimumSystemVersion, stagingPercentage } = options;
    const complete = {
      ...options,
      minimumSystemVersion: minimumSystemVersion === undefined ? minimumIn(own) : minimumSystemVersion,
      stagingPercentage: stagingPercentage === undefined ? stagingIn(own) : stagingPercentage,
    };
    await publish(await connect(connection), complete, files);
    return 0;
  },
});
