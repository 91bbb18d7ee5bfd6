/**
 * `npm run release` runs this program: it writes the template with which the service is launched without Node, and the assets of the
 * template, to `<folder>/license-key-service-<version>-aws.zip` (docs/deploy.md, Launch without Node).
 */
import { strToU8, zipSync, type Zippable } from 'fflate';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { createApp } from './app';
import { AssetParameters } from './asset-parameters';
import { bundle } from './bundle';
import { createLaunchStack, LAUNCHED_STACK } from './launch-stack';
import { functionSources, type Code } from './service-stack';
import { buildSite } from './site';
import { temporaryFolder } from './temporary-folder';

/** The folder in the archive. It is also the folder in the bucket, unless the vendor chooses another. */
const FOLDER = `license-key-service-${version}`;

/** Every build writes the same archive, so its files have the same time. */
const TIME = new Date(2000, 0, 1);

/** The address at which the console shows the form of a new stack. Whoever uploads the files replaces `BUCKET` and `REGION`. */
export const LAUNCH_URL = `https://console.aws.amazon.com/cloudformation/home?region=REGION#/stacks/quickcreate?${new URLSearchParams({
  templateURL: `https://BUCKET.s3.REGION.amazonaws.com/${FOLDER}/template.json`,
  stackName: LAUNCHED_STACK,
  param_AssetsBucket: 'BUCKET',
}).toString()}`;

function zipFolder(folder: string): Uint8Array {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path))] as const);
  return zipSync(Object.fromEntries(files), { mtime: TIME });
}

/** The template and its assets, by file name. */
export function launchFiles(code: Code): ReadonlyMap<string, Uint8Array> {
  const app = createApp({ outdir: temporaryFolder('lks-launch-') });
  const synthesizer = new AssetParameters(`${FOLDER}/`);
  const stack = createLaunchStack(app, code, synthesizer);
  const assembly = app.synth();
  const template = readFileSync(assembly.getStackArtifact(stack.artifactId).templateFullPath);
  const assets = [...synthesizer.assets].map(([name, folder]) => [name, zipFolder(join(assembly.directory, folder))] as const);
  return new Map([['template.json', template], ...assets]);
}

/** Writes the archive. @returns its path */
export function writeLaunchArchive(code: Code, target: string): string {
  const files = launchFiles(code);
  const sums = [...files].map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  const all = [...files, ['SHA256SUMS', strToU8(sums.join(''))] as const, ['launch-url.txt', strToU8(`${LAUNCH_URL}\n`)] as const];
  // The assets are already compressed.
  const archive: Zippable = Object.fromEntries(
    all.map(([name, content]) => [`${FOLDER}/${name}`, [content, { level: name.endsWith('.zip') ? 0 : 9 }]]),
  );
  const path = join(target, `${FOLDER}-aws.zip`);
  writeFileSync(path, zipSync(archive, { mtime: TIME }));
  return path;
}

if (require.main === module)
  writeLaunchArchive({ bundles: bundle(functionSources, { sourceMaps: true }), pages: buildSite() }, process.argv[2] ?? '.');
