/** `npm run build --workspace client/admin`: builds the files of the admin client's package as they are published. */
import { join } from 'node:path';
import { buildPackage } from '../build';

/** Builds the package of the admin client into a folder. */
export const build = (outdir: string): void => buildPackage(__dirname, ['index'], outdir);

if (require.main === module) build(join(__dirname, 'dist'));
