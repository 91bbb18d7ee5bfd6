import { parseObject } from './bytes';
import { within } from './deadline';
import { randomId } from './ed25519';
import { isStatusName, type RefusalName } from './refusals';
import { fits, isCount, isFilled, isObject, listOf, matching, type Rule } from './shape';
import type { Seats } from './state';
import type { LicenseStorage } from './storage';

/**
 * What a client stores between starts; undefined fields are not stored. The field names are those of the stored JSON, which clients in
 * other languages also read.
 */
export interface CacheRecord {
  /** The key with which this device was activated. */
  readonly key?: string | undefined;
  /** The newest offline token. */
  readonly token?: string | undefined;
  /** The latest time that the client has seen, on its clock or in a response of the service, in epoch milliseconds. */
  readonly seen?: number | undefined;
  /** The name of the refusal, if the service's last response refused the key. */
  readonly refused?: RefusalName | undefined;
  /** The kind of id with which the seat was taken: a fingerprint of the machine, or the stored random id. */
  readonly device?: 'machine' | 'random' | undefined;
  /** The license type's name. */
  readonly type_name?: string | undefined;
  readonly seats?: Seats | undefined;
  /** True after the client has verified a signed refusal, which shows that this service signs its refusals. */
  readonly verdicts?: true | undefined;
  /** Keys that another key has replaced and whose seats must still be freed. */
  readonly release?: readonly string[] | undefined;
}

const VERSION = 1;
/** Maximum number of stored keys whose seats must still be freed. If there are more keys, the oldest ones are dropped. */
const MAX_RELEASES = 10;

/** The seat numbers in a response or a stored record; undefined if the value is anything else. */
export const parseSeats = (value: unknown): Seats | undefined =>
  fits<Seats>(value, { used: isCount, max: isCount }) ? { used: value.used, max: value.max } : undefined;

const fieldRules: { readonly [Field in keyof CacheRecord]-?: Rule } = {
  key: isFilled,
  // A damaged token may contain characters that no header can contain. The request that replaces it could then not be sent.
  token: matching(/^[\w.-]{1,8192}$/),
  seen: Number.isFinite,
  refused: isStatusName,
  device: matching(/^(machine|random)$/),
  type_name: isFilled,
  seats: isObject,
  verdicts: (value) => value === true,
  release: listOf(isFilled),
};

/**
 * Reads a stored record. A damaged field is left out; the result is empty if the text is not a JSON object, or if the record's version
 * (`v`) is not 1.
 */
export function parseRecord(text: string): CacheRecord {
  const stored = parseObject(text);
  if (stored?.['v'] !== VERSION) return {};
  const fields = Object.entries(fieldRules).map(([name, isGood]) => [name, isGood(stored[name]) ? stored[name] : undefined]);
  return { ...(Object.fromEntries(fields) as CacheRecord), seats: parseSeats(stored['seats']) };
}

/** Receives faults for logs. These faults don't change the result of a call. */
export type Warn = (message: string, cause: unknown) => void;

export const isSameActivation = (one: CacheRecord, other: CacheRecord): boolean => one.key === other.key && one.token === other.token;

/**
 * Adds a replaced key to the keys to release, so that the seat of the replaced key is freed later. The record's own key is never released.
 */
export function withRelease(record: CacheRecord, replaced: string | undefined): CacheRecord {
  const { release: earlier = [], ...rest } = record;
  const keys = [...earlier, ...(replaced ? [replaced] : [])].filter(
    (key, place, all) => !isSameKey(record.key, key) && all.indexOf(key) === place,
  );
  return { ...rest, release: keys.length > 0 ? keys.slice(-MAX_RELEASES) : undefined };
}

/** Computes a changed record; undefined if the record stays unchanged, because it contains another activation than expected. */
export type Make = (current: CacheRecord) => CacheRecord | undefined;

/** Access to the record in the app's storage. */
export interface LicenseCache {
  /**
   * Reads the record and never fails. If the record can't be read, the result is the copy in this process; undefined if this process has
   * never read the record.
   */
  load(): Promise<CacheRecord | undefined>;
  /**
   * Computes a new record from the current one, atomically across processes. This process sees the new record even if it can't be stored.
   *
   * @returns the new record; undefined if nothing was changed, because `make` returned undefined, or because this process has never read
   * the record
   */
  change(make: Make): Promise<CacheRecord | undefined>;
  /** False while the last change is only in memory, because it could not be written. */
  isStored(): boolean;
  /**
   * Runs a task that takes or frees seats, or sends stored amounts, while no other process runs a task with the same lock. If the lock can't
   * be taken, or after `close`, the task runs without the lock. This is safe, because every change of the record checks the expected
   * activation, and the service counts each amount once.
   */
  exclusively<Value>(lock: 'seat' | 'sending', task: () => Promise<Value>): Promise<Value>;
  /** Ends the waits for locks of other processes. */
  close(): void;
  /** The text of the queue of amounts ({@link openQueue}); empty if there is none, undefined if it can't be read. */
  readText(): Promise<string | undefined>;
  /**
   * Replaces the text of the queue, atomically across processes. If `make` returns undefined, the text stays.
   *
   * @returns whether the text was replaced
   */
  changeText(make: (text: string) => string | undefined): Promise<boolean>;
  /** Resolves when every change is written, or its time limit has passed. If the last write failed, tries to write once more. */
  settle(): Promise<void>;
  /**
   * The random id of this device, which is created once.
   *
   * @throws Error if a stored id may exist but can't be read, or if a new id can't be stored
   */
  randomId(): Promise<string>;
  /** Deletes everything that is stored, if the record's key is still the expected one. @returns whether it was deleted */
  clear(expected: CacheRecord): Promise<boolean>;
}

type Lock = NonNullable<LicenseStorage['lock']>;

/** The parts of the browser's API that the cache uses. */
interface Browser {
  readonly navigator?: {
    readonly locks?: { request<Value>(name: string, options: { signal?: AbortSignal }, task: () => Promise<Value>): Promise<Value> };
  };
}

/**
 * Returns a lock for a storage without locks. Tasks with the same name run one after the other: in all tabs if the browser has locks,
 * otherwise in this process.
 */
function ownLock(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, task, signal) => {
    const { locks } = (globalThis as Browser).navigator ?? {};
    const start = (): ReturnType<typeof task> => (locks ? locks.request(name, signal ? { signal } : {}, task) : task());
    const run = (last.get(name) ?? Promise.resolve()).then(start);
    last.set(
      name,
      run.catch(() => undefined),
    );
    return run;
  };
}

/**
 * Maximum number of attempts to store a text. On Windows a virus scanner may keep a file open for some time, so that the file can't be
 * replaced. With the default pause the attempts take about a second.
 */
const WRITE_ATTEMPTS = 5;

/** Ends the waits for locks when the client is closed. */
const CLOSED = new Error('client closed');

/**
 * Opens the cache. Processes with the same storage see each other's changes. While the storage can't be read or written, the client uses
 * its copy of the record in memory, and writes this copy as soon as the storage works.
 *
 * @param timeoutMs maximum time for one access
 * @param pauseMs pause between two attempts to store a text
 */
export function openCache(storage: LicenseStorage, name: string, timeoutMs: number, pauseMs: number, warn: Warn): LicenseCache {
  const lock: Lock = storage.lock?.bind(storage) ?? ownLock();
  let current: CacheRecord = {};
  /** The stored text that was last read or written; undefined before the first access. */
  let known: string | undefined;
  /** True while memory is newer than the storage: a write is in progress, or has failed. */
  let isAhead = false;
  /** True if the last attempt to write the record in memory has failed. */
  let hasFailed = false;
  /** The number of changes that the storage has not finished. */
  let changes = 0;
  /** Resolves when all changes up to now are written, or their time limits have passed. */
  let writing: Promise<unknown> = Promise.resolve();

  let endWaits: (reason: Error) => void = () => undefined;
  const closed = new Promise<never>((_, reject) => {
    endWaits = reject;
  });
  // Without a waiting task, nobody else handles the rejection.
  closed.catch(() => undefined);

  const deviceItem = `${name}.device`;
  const queueItem = `${name}.queue`;
  /** The random id, after it was read or created. */
  let deviceId: string | undefined;

  /** @returns undefined if the storage failed */
  async function attempt<Value>(what: string, task: () => Value | Promise<Value>): Promise<Value | undefined> {
    try {
      return await within(timeoutMs, task);
    } catch (error) {
      if (what === 'written') hasFailed = true;
      warn(`The license cache was not ${what}`, error);
      return undefined;
    }
  }
  /** @returns the empty text if there is no item, or if its value is not a text */
  async function read(item: string): Promise<string> {
    const text: unknown = await storage.getItem(item);
    return isFilled(text) ? text : '';
  }

  /**
   * Replaces the record in memory with the text that was read, unless memory contains a newer version of that text. If an activation was
   * only in memory, and another process has stored another key in the meantime, the seat of the first key must be freed.
   */
  function adopt(text: string): void {
    if (isAhead && known === text) return;
    const lost = isAhead && current.token ? current.key : undefined;
    const stored = parseRecord(text);
    isAhead = lost !== undefined && !isSameKey(stored.key, lost);
    known = text;
    current = isAhead ? withRelease(stored, lost) : stored;
  }

  async function store(item: string, text: string, attempts: number): Promise<void> {
    try {
      await storage.setItem(item, text);
    } catch (error) {
      if (attempts <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await store(item, text, attempts - 1);
    }
  }

  async function write(attempts: number): Promise<void> {
    if (!isAhead) return;
    const record = current;
    const text = JSON.stringify({ v: VERSION, ...record });
    await store(name, text, attempts);
    hasFailed = false;
    known = text;
    if (current === record) isAhead = false;
  }

  /**
   * Reads the record, calls `decide`, which may change it, and writes the changed record. This is atomic across processes. Resolves when
   * the storage has finished, or when the time limit has passed.
   */
  function update(decide: () => Promise<void> | void): Promise<unknown> {
    changes += 1;
    const task = async (): Promise<void> => {
      try {
        await lock(name, async () => {
          adopt(await read(name));
          await decide();
        });
      } finally {
        changes -= 1;
      }
    };
    const run = attempt('written', task);
    writing = Promise.all([writing, run]);
    return run;
  }
  const writeOnce = (): Promise<void> => write(1);

  return {
    async load() {
      const isChanging = (): boolean => changes > 0 && known !== undefined;
      const text = isChanging() ? undefined : await attempt('read', () => read(name));
      if (text !== undefined) {
        if (!isChanging()) adopt(text);
        if (isAhead && changes === 0) await update(writeOnce);
      }
      return known === undefined ? undefined : current;
    },

    isStored: () => !isAhead || !hasFailed,

    async change(make) {
      let isDecided = false;
      let made: CacheRecord | undefined;
      const decide = (): void => {
        if (isDecided) return;
        isDecided = true;
        made = make(current);
        if (!made) return;
        isAhead = true;
        current = made;
      };
      await update(() => {
        decide();
        return write(WRITE_ATTEMPTS);
      });
      // The storage has failed or takes too long, so the change is made in memory.
      if (known !== undefined) decide();
      return made;
    },

    async exclusively(what, task) {
      let running: ReturnType<typeof task> | undefined;
      const start = (): ReturnType<typeof task> => (running ??= task());
      const wait = new AbortController();
      try {
        // The maximum wait for the lock is the time that two requests of another process may take, each with two attempts.
        return await within(5 * timeoutMs, () => Promise.race([lock(`${name}.${what}`, start, wait.signal), closed]));
      } catch (error) {
        if (!running && error !== CLOSED) warn('The license cache was not locked', error);
        return start();
      } finally {
        wait.abort();
      }
    },

    close: () => endWaits(CLOSED),

    readText: () => attempt('read', () => read(queueItem)),

    async changeText(make) {
      const change = (): Promise<boolean> =>
        lock(queueItem, async () => {
          const text = make(await read(queueItem));
          if (text !== undefined) await store(queueItem, text, WRITE_ATTEMPTS);
          return text !== undefined;
        });
      return (await attempt('changed', change)) ?? false;
    },

    async settle() {
      await writing;
      if (isAhead) await update(writeOnce);
    },

    async randomId() {
      if (deviceId) return deviceId;
      return within(timeoutMs, () =>
        lock(deviceItem, async () => {
          const kept = await read(deviceItem);
          if (isDeviceId(kept)) return (deviceId = kept);
          await store(deviceItem, randomId(), WRITE_ATTEMPTS);
          // Without locks, another tab may have written its id at the same moment. After this pause both tabs read the id that was written
          // last.
          if (!storage.lock) await new Promise((resolve) => setTimeout(resolve, 50));
          const stored = await read(deviceItem);
          if (!isDeviceId(stored)) throw new Error('it was not stored');
          return (deviceId = stored);
        }),
      );
    },

    async clear(expected) {
      const remove = async (): Promise<void> => {
        current = {};
        isAhead = false;
        deviceId = undefined;
        if (known !== undefined) known = '';
        for (const item of [name, deviceItem, queueItem])
          await attempt('deleted', () => (storage.removeItem ? storage.removeItem(item) : storage.setItem(item, '')));
      };
      let isHeld: boolean | undefined;
      await update(async () => {
        isHeld = current.key === expected.key;
        if (isHeld) await remove();
      });
      // A record that can't be read is deleted as well.
      if (isHeld === undefined) await remove();
      return isHeld ?? true;
    },
  };
}

/** The format of fingerprints that the service accepts: 8 to 128 printable ASCII characters without spaces. */
export const isDeviceId = matching(/^[\x21-\x7e]{8,128}$/);

/**
 * Compares keys as a person may type them: only letters and digits count, without their case. In keys of the service's own format `O`
 * equals `0`, and `I` and `L` equal `1` (docs/spec/licenses.md, How keys are compared). The class contains all characters outside ASCII
 * whose upper case consists of ASCII letters.
 */
export function isSameKey(held: string | undefined, typed: string | undefined): boolean {
  if (!held || !typed) return false;
  const plain = (key: string): string =>
    key.replace(/[a-zß\u0131\u017f\ufb00-\ufb06]/g, (letter) => letter.toUpperCase()).replace(/[^0-9A-Z]/g, '');
  const isOurShape = plain(held).length === 25;
  const compared = (key: string): string => (isOurShape ? plain(key).replace(/O/g, '0').replace(/[IL]/g, '1') : plain(key));
  return compared(held) === compared(typed);
}
