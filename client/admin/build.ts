/** `npm run build --workspace client/admin`: the package's files as they are published. */
import { join } from 'node:path';
import { buildPackage } from '../build';

/** Builds the package into a folder. */
export const build = (outdir: string): void => buildPackage(__dirname, ['index'], outdir);

if (require.main === module) build(join(__dirname, 'dist'));
