import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

// The first counterexample catches a mutant; to look for the smallest one takes minutes.
fc.configureGlobal({ endOnFailure: true });

const root = resolve(__dirname, '../..');

/** Loads the test files of a folder, each into a group of its name, so that its hooks stay its own. */
export function suite(folder: string, wanted: (name: string) => boolean = () => true): void {
  for (const file of readdirSync(join(root, folder))) {
    const name = file.replace(/\.test\.ts$/, '');
    if (name === file || !wanted(name)) continue;
    describe(`${folder}/${name}`, () => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports -- inside the group, and at once.
      require(join(root, folder, file));
    });
  }
}
