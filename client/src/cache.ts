import { parseObject } from './bytes';
import { within } from './deadline';
import type { RefusedStatus } from './state';
import type { LicenseStorage } from './storage';

/** What a client remembers between starts. */
export interface CacheRecord {
  /** The key that this device was activated with. */
  readonly key?: string;
  /** The newest offline token. */
  readonly token?: string;
  /** The latest time that was seen, in epoch milliseconds. */
  readonly seen?: number;
  /** The service's last word on the key, where it was a refusal. */
  readonly refused?: RefusedStatus;
}

/** Longest that a storage may take, in milliseconds. */
const STORAGE_LIMIT = 5000;
const VERSION = 1;
const REFUSALS: readonly unknown[] = ['expired', 'revoked', 'no_seats', 'unknown_key', 'unbound'] satisfies RefusedStatus[];

/** Reads a record. One that is damaged in any way, or of another version, is absent. */
export function parseRecord(text: string): CacheRecord {
  const { v, ...record } = parseObject(text) ?? {};
  const { key = '', token = '', seen = 0, refused = 'unbound' } = record;
  const isWhole = v === VERSION && typeof key === 'string' && typeof token === 'string' && Number.isFinite(seen) && REFUSALS.includes(refused);
  return isWhole ? record : {};
}

/** Told of what went wrong without consequence for the answer, for logs. */
export type Warn = (message: string, cause: unknown) => void;

/** The record in the app's storage. */
export interface LicenseCache {
  /** Never fails: a record that can't be read is that of this process. */
  load(): Promise<CacheRecord>;
  /** This process sees the record at once. It reaches the storage in the background; {@link saved} waits for that. */
  save(record: CacheRecord): void;
  /** Resolves when every write so far has ended, well or badly. */
  saved(): Promise<void>;
  /** Another item beside the record: made once, then always the same. */
  constant(suffix: string, make: () => string): Promise<string>;
}

/**
 * The storage rules, so that processes which share one see each other's changes; memory stands in while it can't be
 * read, and for what it failed to take.
 */
export function openCache(storage: LicenseStorage, name: string, warn: Warn): LicenseCache {
  let current: CacheRecord = {};
  /** Memory is ahead of the storage: a write is under way, or failed. */
  let isAhead = false;
  let writing: Promise<void> = Promise.resolve();

  /** @returns undefined where the storage failed */
  async function attempt(what: string, task: () => Promise<string>): Promise<string | undefined> {
    try {
      return await within(STORAGE_LIMIT, task());
    } catch (error) {
      return void warn(`The license cache was not ${what}`, error);
    }
  }
  /** @returns the empty text where there is none */
  const read = (item: string): Promise<string | undefined> => attempt('read', async () => (await storage.getItem(item)) ?? '');
  /** @returns what was written */
  const write = (item: string, text: string): Promise<string | undefined> =>
    attempt('written', async () => {
      await storage.setItem(item, text);
      return text;
    });

  return {
    async load() {
      const text = isAhead ? undefined : await read(name);
      // A change made while the storage was read is newer than what was read.
      if (text !== undefined && !isAhead) current = parseRecord(text);
      return current;
    },

    save(record) {
      current = record;
      isAhead = true;
      const text = JSON.stringify({ v: VERSION, ...record });
      writing = writing.then(async () => {
        if ((await write(name, text)) && current === record) isAhead = false;
      });
    },

    saved: () => writing,

    async constant(suffix, make) {
      const item = `${name}.${suffix}`;
      const kept = await read(item);
      if (kept) return kept;
      const made = make();
      await write(item, made);
      return made;
    },
  };
}
