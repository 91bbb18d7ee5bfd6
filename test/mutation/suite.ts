import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

// The first counterexample is enough to detect a change. Finding the smallest counterexample would take minutes.
fc.configureGlobal({ endOnFailure: true });

const root = resolve(__dirname, '../..');

/** Loads the test files of a folder. Each file becomes a separate group, so that its hooks apply only to its own tests. */
export function suite(folder: string, wanted: (name: string) => boolean = () => true): void {
  for (const file of readdirSync(join(root, folder))) {
    const name = file.replace(/\.test\.ts$/, '');
    if (name === file || !wanted(name)) continue;
    describe(`${folder}/${name}`, () => {
      // oxlint-disable-next-line typescript/no-require-imports -- the file must load immediately, inside its group
      require(join(root, folder, file));
    });
  }
}
