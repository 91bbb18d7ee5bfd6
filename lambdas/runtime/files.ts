import type { App } from './app';
import { fileStore } from './aws/files';
import type { FileStore } from './file-store';

let ofFunction: FileStore | undefined;

/**
 * The file store of an app. Only the functions that use the file store import this file, because the S3 client doubles the size of a
 * bundle.
 */
export const filesOf = ({ config, files }: Pick<App, 'config' | 'files'>): FileStore => files ?? (ofFunction ??= fileStore(config));
