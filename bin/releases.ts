/** `releases publish|edit`: publishes a version on the computer that has built its files, or changes a version. */
import type { Command } from 'commander';
import { addExamples, addServiceOptions, callService, type ServiceValues } from './command-line';
import { feedsOf, minimumIn, readFeeds, stagingIn } from './releases/feeds';
import { readFiles } from './releases/files';
import { addPublishOptions, addReleaseOptions, releaseOptions, type PublishValues, type ReleaseValues } from './releases/options';
import { edit, publish } from './releases/publish';
import { connect } from './service';
import { print, printError } from './terminal';

/** Maximum number of requests per second. */
const RATE = 50;

const SCOPE = 'The token needs the scope releases.';

export function define(command: Command): void {
  const publishing = command.command('publish <files...>').description(`Uploads the files of a version and publishes it.

Folders, update feeds (.yml) and signatures (.sig) are not uploaded as files of the release. A signature is sent with the file that it signs. The fields minimumSystemVersion and stagingPercentage of electron-builder's feeds are kept, unless an option sets them. You can stop the command at any time; start it again to continue.`);
  addServiceOptions(addPublishOptions(addReleaseOptions(publishing))).action((paths: string[], values: PublishValues & ServiceValues) =>
    callService(values, async (target) => {
      const options = releaseOptions(values);
      const feeds = readFeeds(paths);
      const files = await readFiles(paths, new Map(values.target), feeds);
      const own = feedsOf(
        feeds,
        files.map(({ filename }) => filename),
      );
      const { minimumSystemVersion, stagingPercentage } = options;
      const complete = {
        ...options,
        minimumSystemVersion: minimumSystemVersion === undefined ? minimumIn(own) : minimumSystemVersion,
        stagingPercentage: stagingPercentage === undefined ? stagingIn(own) : stagingPercentage,
        parallel: values.parallel,
        isDraft: values.draft ?? false,
      };
      const release = await publish(await connect({ ...target, rate: RATE }), complete, files, values.json ? printError : print);
      if (values.json) print(JSON.stringify(release));
      return 0;
    }),
  );
  publishing.addHelpText('after', SCOPE);
  addExamples(publishing, 'license-key-service releases publish --product 1 --version 2.4.0 dist/*');

  const editing = command.command('edit').description(`Changes a version.

Of a published version, only the notes, the features, the minimum version of the system and the percentage can change.`);
  addServiceOptions(addReleaseOptions(editing)).action((values: ReleaseValues & ServiceValues) =>
    callService(values, async (target) => {
      const release = await edit(await connect({ ...target, rate: RATE }), releaseOptions(values));
      print(values.json ? JSON.stringify(release) : `Changed version ${release.version}.`);
      return 0;
    }),
  );
  editing.addHelpText('after', SCOPE);
  addExamples(editing, 'license-key-service releases edit --product 1 --version 2.4.0 --staging-percentage 50');
}
