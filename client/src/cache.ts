import { isObject, parseObject } from './bytes';
import { within } from './deadline';
import { randomId } from './ed25519';
import { isStatusName, type RefusalName } from './refusals';
import type { Seats } from './state';
import type { LicenseStorage } from './storage';

/** What a client remembers between starts. The names are those of the stored JSON, which clients in other languages share. */
export interface CacheRecord {
  /** The key that this device was activated with. */
  readonly key?: string;
  /** The newest offline token. */
  readonly token?: string;
  /** The latest time that was seen, in epoch milliseconds. */
  readonly seen?: number;
  /** The service's verdict on the key, if the last one was a refusal. */
  readonly refused?: RefusalName;
  /** What the seat was taken with: a fingerprint of the machine, or the random id that is stored alongside. */
  readonly device?: 'machine' | 'random';
  /** The license type's name. */
  readonly type_name?: string;
  readonly seats?: Seats;
  /** When the lease of this device's seat ends: RFC 3339. */
  readonly lease_expires_at?: string;
  /** The service signs its refusals: one that verified was seen. */
  readonly verdicts?: true;
  /** Keys that were replaced by another one, and whose seats are still to be freed. */
  readonly release?: readonly string[];
}

const VERSION = 1;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The seats in a response or a record; undefined if there is anything else. */
export const parseSeats = (value: unknown): Seats | undefined =>
  isObject(value) && isCount(value['used']) && isCount(value['max']) ? { used: value['used'], max: value['max'] } : undefined;

const parsers: { readonly [Field in keyof CacheRecord]-?: (value: unknown) => CacheRecord[Field] } = {
  key: (value) => (isText(value) ? value : undefined),
  token: (value) => (isText(value) ? value : undefined),
  seen: (value) => (Number.isFinite(value) ? (value as number) : undefined),
  refused: (value) => (isStatusName(value) ? value : undefined),
  device: (value) => (value === 'machine' || value === 'random' ? value : undefined),
  type_name: (value) => (isText(value) ? value : undefined),
  seats: parseSeats,
  lease_expires_at: (value) => (isText(value) ? value : undefined),
  verdicts: (value) => (value === true ? true : undefined),
  release: (value) => (Array.isArray(value) && value.length > 0 && value.every(isText) ? value : undefined),
};

/** Reads a record. A field that is damaged is absent; so is all of a record that is no JSON object, or of another version. */
export function parseRecord(text: string): CacheRecord {
  const stored = parseObject(text);
  if (stored?.['v'] !== VERSION) return {};
  const fields = Object.entries(parsers).map(([name, parse]) => [name, parse(stored[name])] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Called with what went wrong without consequence for the result, for logs. */
export type Warn = (message: string, cause: unknown) => void;

/** The record in the app's storage. */
export interface LicenseCache {
  /** Never fails: if the record can't be read, that of this process counts. */
  load(): Promise<CacheRecord>;
  /** This process sees the record at once. Resolves when it is stored, or could not be. */
  save(record: CacheRecord): Promise<void>;
  /** Resolves when every write so far has ended, and what had failed was tried once more. */
  settle(): Promise<void>;
  /**
   * The random id of this device, made once.
   *
   * @throws Error if it may exist and can't be read
   */
  randomId(): Promise<string>;
  /** Deletes everything that is stored. */
  clear(): Promise<void>;
}

/**
 * The storage rules: processes which share a storage see each other's changes; memory stands in while it can't be
 * read, and for what it failed to take, which is written as soon as it can be.
 *
 * @param timeoutMs maximum time that one access may take
 */
export function openCache(storage: LicenseStorage, name: string, timeoutMs: number, warn: Warn): LicenseCache {
  let current: CacheRecord = {};
  /** The text that was last read or written; undefined before. */
  let known: string | undefined;
  /** Memory is ahead of the storage: a write is under way, or failed. */
  let isAhead = false;
  let writing: Promise<void> | undefined;

  const deviceItem = `${name}.device`;
  /** The random id, once it was read or made. */
  let deviceId: string | undefined;
  const access = <Value>(task: () => Value | Promise<Value>): Promise<Value> => within(timeoutMs, (async () => task())());

  /** @returns undefined if the storage failed */
  async function attempt<Value>(what: string, task: () => Value | Promise<Value>): Promise<Value | undefined> {
    try {
      return await access(task);
    } catch (error) {
      return void warn(`The license cache was not ${what}`, error);
    }
  }
  /** @returns the empty text if there is none, or something else than a text; undefined if the storage failed */
  const read = (): Promise<string | undefined> =>
    attempt('read', async () => {
      const text: unknown = await storage.getItem(name);
      return isText(text) ? text : '';
    });

  async function write(record: CacheRecord): Promise<void> {
    const text = JSON.stringify({ v: VERSION, ...record });
    const written = await attempt('written', async () => {
      await storage.setItem(name, text);
      return text;
    });
    if (written === undefined) return;
    known = written;
    if (current === record) isAhead = false;
  }

  /** Writes what memory is ahead by, after the writes that are under way. */
  function store(): Promise<void> {
    const record = current;
    const before = writing ?? Promise.resolve();
    const after = before
      .then(() => write(record))
      .finally(() => {
        if (writing === after) writing = undefined;
      });
    return (writing = after);
  }

  return {
    async load() {
      const text = writing ? undefined : await read();
      // A change that was made while the storage was read is newer than what was read.
      if (text === undefined || writing) return current;
      const isChangedElsewhere = known !== undefined && known !== text;
      if (isAhead && !isChangedElsewhere) {
        void store();
        return current;
      }
      isAhead = false;
      known = text;
      return (current = parseRecord(text));
    },

    save(record) {
      current = record;
      isAhead = true;
      return store();
    },

    async settle() {
      await writing;
      if (isAhead) await store();
    },

    async randomId() {
      if (deviceId !== undefined) return deviceId;
      const kept: unknown = await access(() => storage.getItem(deviceItem));
      if (isText(kept) && isDeviceId(kept)) return (deviceId = kept);
      const made = await randomId();
      const stored: unknown = await attempt('written', async () => {
        // What is damaged is replaced; what another process has stored meanwhile is kept.
        if (storage.createItem && !kept) return storage.createItem(deviceItem, made);
        await storage.setItem(deviceItem, made);
        return storage.getItem(deviceItem);
      });
      return (deviceId ??= isText(stored) && isDeviceId(stored) ? stored : made);
    },

    async clear() {
      await writing;
      current = {};
      isAhead = false;
      known = undefined;
      deviceId = undefined;
      for (const item of [name, deviceItem])
        await attempt('deleted', () => (storage.removeItem ? storage.removeItem(item) : storage.setItem(item, '')));
    },
  };
}

/** What the service accepts as a fingerprint: 8 to 128 printable ASCII characters without spaces. */
export const isDeviceId = (text: string): boolean => /^[\x21-\x7e]{8,128}$/.test(text);
