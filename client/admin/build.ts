/** `npm run build --workspace client/admin`: builds the files of the admin client's package as they are published. */
import { join } from 'node:path';
import { buildPackage } from '../build';
import { generate } from './generate';

/** Generates the types, and builds the package of the admin client into a folder. */
export async function build(outdir: string): Promise<void> {
  await generate();
  buildPackage(__dirname, ['index'], outdir);
}

if (require.main === module) void build(join(__dirname, 'dist'));
