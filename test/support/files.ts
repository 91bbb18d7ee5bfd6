import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FUNCTION_TOKEN, secretKeyOf } from '../../infra/local/credentials';
import type { Statement } from './policy';
import * as s3 from '../../infra/local/s3/server';
import type { FileStore } from '../../lambdas/runtime/file-store';
import { fileStore } from '../../lambdas/runtime/aws/files';

/** The local S3 in this process, and a file store that stores files in this S3. */
export interface TestFiles {
  readonly files: FileStore;
  readonly s3: s3.S3;
  readonly folder: string;
  close(): Promise<void>;
}

const EVERYTHING: Statement = { Effect: 'Allow', Action: ['s3:*'], Resource: ['*'], Condition: {} };

export interface FileOptions {
  /** The number of milliseconds that the service's clock is ahead of the real time. */
  readonly advancedMs?: () => number;
  /** The S3 permissions of the signer. By default the signer has all permissions. */
  readonly statements?: readonly Statement[];
  /** A data folder that remains after the store is closed. By default a temporary folder is used. */
  readonly folder?: string;
}

export async function startFiles({ advancedMs, statements = [EVERYTHING], folder }: FileOptions = {}): Promise<TestFiles> {
  const kept = folder ?? mkdtempSync(join(tmpdir(), 'lks-files-'));
  const accessKey = 'ASIATEST';
  const server = await s3.start({
    folder: kept,
    statementsOf: (presented) => (presented === accessKey ? statements : undefined),
    ...(advancedMs && { advancedMs }),
  });
  const files = fileStore(
    { fileBucket: 'test-releases' },
    {
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKeyOf(accessKey), sessionToken: FUNCTION_TOKEN },
    },
  );
  return {
    files,
    s3: server,
    folder: kept,
    close: async () => {
      await server.stop();
      if (folder === undefined) rmSync(kept, { recursive: true, force: true });
    },
  };
}
