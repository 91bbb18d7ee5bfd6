/**
 * `npm run release`: writes the files of a release to `build/release`: the npm package, the archive with the template that is launched without
 * Node, the list of the packages (SBOM), the notes from CHANGELOG.md, and the checksums. It publishes nothing (docs/releasing.md).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const folder = join(root, 'build/release');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The section of a version in the changelog. */
function notesOf(changelog) {
  const [, notes] =
    changelog
      .split(/^## \[/m)
      .map((section) => section.split(/\] - [\d-]+\n/))
      .find(([name]) => name === version) ?? [];
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section for the version ${version} with a date.`);
  return notes.trim();
}

const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const npm = (...args) =>
  execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
npm('pack', '--pack-destination', folder);
execFileSync(process.execPath, ['--require', 'tsx/cjs', 'infra/launch.ts', folder], { cwd: root, stdio: 'inherit' });
writeFileSync(join(folder, 'sbom.cdx.json'), npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'));
writeFileSync(join(folder, 'NOTES.md'), `${notes}\n`);
const sums = readdirSync(folder)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
console.log(sums.join(''));
