import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** infra/package.ts defines this name in the programs of the npm package. */
declare const IS_PACKAGE: boolean;

/** Whether this program is part of the npm package, which contains built programs instead of sources. */
export const isPackage = typeof IS_PACKAGE === 'boolean';

/** The folder of this program's files: the repository, or `dist` of the npm package. Programs are one level below it in both. */
export const root = resolve(__dirname, '..');

/** The user's folder for files that can be fetched again. */
const userCache = (): string => process.env['XDG_CACHE_HOME'] || process.env['LOCALAPPDATA'] || join(homedir(), '.cache');

/** The folder for tools that npm fetches when they are first needed. An installed package may be read-only, so it uses the user's cache. */
export const cacheFolder = isPackage ? join(userCache(), 'license-key-service') : join(root, 'node_modules/.cache');
