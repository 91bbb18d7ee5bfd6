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
import * as z from 'zod';
import { writeDurably } from '../data-dir';

/**
 * Objects as files of a folder. Names of files are hashes and random: no key can lead out of the folder. An object is its description,
 * which names the file with its bytes, and appears and changes with that in one step, also when the power fails.
 */

const description = z.object({
  key: z.string(),
  /** The file with the bytes. */
  file: z.string(),
  size: z.number(),
  /** Hex. */
  sha256: z.string(),
  contentType: z.string(),
  /** Epoch ms. */
  modified: z.number(),
});
export type ObjectDescription = z.infer<typeof description>;

const DESCRIPTION = /^[0-9a-f]{64}\.json$/;

/** The bytes are not those that were announced. */
export class BadDigest extends Error {}

export interface Objects {
  find(key: string): ObjectDescription | undefined;
  /** The bytes from `first` to `last`, both included. */
  read(object: ObjectDescription, first: number, last: number): Readable;
  /** Stores an object when all its bytes have arrived. @throws BadDigest */
  put(key: string, bytes: Readable, expected: { size: number; sha256?: string; contentType: string }): Promise<ObjectDescription>;
  delete(key: string): void;
}

/** @param folder is made if there is none */
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
        // Downloads that are under way keep the file open and come to their end.
        if (before) rmSync(join(folder, before.file), { force: true });
        return object;
      } catch (error) {
        rmSync(path, { force: true });
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

/** Removes what an upload left that was cut off. */
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
