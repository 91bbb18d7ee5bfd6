import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import * as z from 'zod/mini';
import { writeDurably } from './data-dir';

/**
 * Stores objects as files in a folder. The file names are hashes or random texts, so no key can lead out of the folder. Each object has a
 * description file. It contains the name of the file that has the object's bytes. First the bytes are stored completely. Then the
 * description file is created or replaced in one step. Therefore every object is complete, even after a power failure.
 */

const description = z.object({
  key: z.string(),
  /** The name of the file with the object's bytes. */
  file: z.string(),
  size: z.number(),
  /** The SHA-256 hash of the bytes, in hexadecimal. */
  sha256: z.string(),
  contentType: z.string(),
  /** When the object was stored, in epoch milliseconds. */
  modified: z.number(),
});
export type ObjectDescription = z.infer<typeof description>;

const DESCRIPTION = /^[0-9a-f]{64}\.json$/;

/** The received bytes do not match the announced size or hash. */
export class BadDigest extends Error {}

export interface Objects {
  find(key: string): ObjectDescription | undefined;
  /** Reads the bytes from `first` to `last`, including both. */
  read(object: ObjectDescription, first: number, last: number): Readable;
  /**
   * Stores an object after all of its bytes have arrived.
   *
   * @throws BadDigest
   */
  put(key: string, bytes: Readable, expected: { size: number; sha256?: string; contentType: string }): Promise<ObjectDescription>;
  delete(key: string): void;
}

/**
 * Opens the folder of the objects.
 *
 * @param folder created if it does not exist
 */
export function openObjects(folder: string, now: () => number): Objects {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const descriptionOf = (key: string): string => join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  const read = (path: string): ObjectDescription => description.parse(JSON.parse(readFileSync(path, 'utf8')));
  removeUnnamed(folder, read);
  const find = (key: string): ObjectDescription | undefined => {
    const path = descriptionOf(key);
    return existsSync(path) ? read(path) : undefined;
  };
  return {
    find,
    read: ({ file }, first, last) => createReadStream(join(folder, file), { start: first, end: last }),
    put: async (key, bytes, { size, sha256, contentType }) => {
      const file = `${randomUUID()}.bytes`;
      const path = join(folder, file);
      try {
        const received = await write(path, bytes);
        if (received.size !== size || (sha256 !== undefined && received.sha256 !== sha256)) throw new BadDigest();
        const before = find(key);
        const object = { key, file, ...received, contentType, modified: now() };
        writeDurably(descriptionOf(key), JSON.stringify(object));
        // Downloads in progress keep the deleted file open until they are complete.
        if (before) rmSync(join(folder, before.file), { force: true });
        return object;
      } catch (error) {
        // The file is kept if the description file already names it, for example if only the removal of the previous file failed.
        if (find(key)?.file !== file) rmSync(path, { force: true });
        throw error;
      }
    },
    delete: (key) => {
      const object = find(key);
      if (!object) return;
      rmSync(descriptionOf(key), { force: true });
      rmSync(join(folder, object.file), { force: true });
    },
  };
}

/** Removes the files that no description file names. Interrupted uploads leave such files. */
function removeUnnamed(folder: string, read: (path: string) => ObjectDescription): void {
  const names = readdirSync(folder);
  const kept = new Set(names.filter((name) => DESCRIPTION.test(name)).flatMap((name) => [name, read(join(folder, name)).file]));
  for (const name of names) if (!kept.has(name)) rmSync(join(folder, name), { force: true });
}

async function write(path: string, bytes: Readable): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(bytes, count, createWriteStream(path, { mode: 0o600 }));
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { size, sha256: hash.digest('hex') };
}
