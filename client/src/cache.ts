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
  /** When the lease of this device's seat ends, as RFC 3339 text. */
  readonly lease_expires_at?: string | undefined;
  /** True after the client has verified a signed refusal, which shows that this service signs its refusals. */
  readonly verdicts?: true | undefined;
  /** Keys that another key has replaced and whose seats must still be freed. */
  readonly release?: readonly string[] | undefined;
}

const VERSION = 1;

/** The seat numbers in a response or a stored record; undefined if the value is anything else. */
export const parseSeats = (value: unknown): Seats | undefined =>
  fits<Seats>(value, { used: isCount, max: isCount }) ? { used: value.used, max: value.max } : undefined;

const fieldRules: { readonly [Field in keyof CacheRecord]-?: Rule } = {
  key: isFilled,
  token: isFilled,
  seen: Number.isFinite,
  refused: isStatusName,
  device: matching(/^(machine|random)$/),
  type_name: isFilled,
  seats: isObject,
  lease_expires_at: isFilled,
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

/** The fields of a record that identify the activation. A change of the record is made only if these fields are still the same. */
export type Held = Pick<CacheRecord, 'key' | 'token'>;

export const isSameActivation = (one: Held, other: Held): boolean => one.key === other.key && one.token === other.token;

/** Access to the record in the app's storage. */
export interface LicenseCache {
  /**
   * Reads the record and never fails. If the record can't be read, the result is the copy in this process; undefined if this process has
   * never read the record.
   */
  load(): Promise<CacheRecord | undefined>;
  /**
   * Compare-and-set, atomic across processes: computes a new record from the current one. This process sees the new record even if it can't
   * be stored.
   *
   * @param expected the change is made only if the record contains this activation; if undefined, the record may contain any activation
   * @returns the new record; undefined if nothing was changed, because the record contains another activation, or because this process has
   * never read the record
   */
  change(expected: Held | undefined, make: (current: CacheRecord) => CacheRecord): Promise<CacheRecord | undefined>;
  /**
   * Runs a task that takes or frees seats, while no other process runs such a task. If the lock can't be taken, the task runs without the
   * lock. This is safe, because every change of the record checks the expected activation.
   */
  exclusively<Value>(task: () => Promise<Value>): Promise<Value>;
  /** Resolves when the writes in progress have ended. If the last write failed, tries to write once more. */
  settle(): Promise<void>;
  /**
   * The random id of this device, which is created once.
   *
   * @throws Error if a stored id may exist but can't be read, or if a new id can't be stored
   */
  randomId(): Promise<string>;
  /** Deletes everything that is stored, if the activation is still the expected one. @returns whether it was deleted */
  clear(expected: Held): Promise<boolean>;
}

type Lock = NonNullable<LicenseStorage['lock']>;

/** The parts of the browser's API that the cache uses. */
interface Browser {
  readonly navigator?: { readonly locks?: { request<Value>(name: string, task: () => Promise<Value>): Promise<Value> } };
}

/**
 * Returns a lock for a storage without locks. Tasks with the same name run one after the other: in all tabs if the browser has locks,
 * otherwise in this process.
 */
function ownLock(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, task) => {
    const { locks } = (globalThis as Browser).navigator ?? {};
    const start = (): ReturnType<typeof task> => (locks ? locks.request(name, task) : task());
    const run = (last.get(name) ?? Promise.resolve()).then(start);
    last.set(
      name,
      run.catch(() => undefined),
    );
    return run;
  };
}

/**
 * Opens the cache. Processes with the same storage see each other's changes. While the storage can't be read or written, the client uses
 * its copy of the record in memory, and writes this copy as soon as the storage works.
 *
 * @param timeoutMs maximum time for one access
 */
export function openCache(storage: LicenseStorage, name: string, timeoutMs: number, warn: Warn): LicenseCache {
  const lock: Lock = storage.lock?.bind(storage) ?? ownLock();
  let current: CacheRecord = {};
  /** The stored text that was last read or written; undefined before the first access. */
  let known: string | undefined;
  /** True while memory is newer than the storage: a write is in progress, or has failed. */
  let isAhead = false;
  /** The number of changes in progress. */
  let changes = 0;

  const deviceItem = `${name}.device`;
  /** The random id, after it was read or created. */
  let deviceId: string | undefined;

  /** @returns undefined if the storage failed */
  async function attempt<Value>(what: string, task: () => Value | Promise<Value>): Promise<Value | undefined> {
    try {
      return await within(timeoutMs, task);
    } catch (error) {
      warn(`The license cache was not ${what}`, error);
      return undefined;
    }
  }
  /** @returns the empty text if there is no item, or if its value is not a text */
  async function read(item: string): Promise<string> {
    const text: unknown = await storage.getItem(item);
    return isFilled(text) ? text : '';
  }

  /** Replaces the record in memory with the text that was read, unless memory contains a newer version of that text. */
  function adopt(text: string): void {
    if (isAhead && known === text) return;
    isAhead = false;
    known = text;
    current = parseRecord(text);
  }

  async function write(): Promise<void> {
    if (!isAhead) return;
    const record = current;
    const text = JSON.stringify({ v: VERSION, ...record });
    await storage.setItem(name, text);
    known = text;
    if (current === record) isAhead = false;
  }

  /**
   * Reads the record, calls `decide`, which may change it, and writes the changed record. This is atomic across processes. Resolves when
   * the storage has finished, or when the time limit has passed.
   */
  async function update(decide: () => Promise<void> | void): Promise<void> {
    changes += 1;
    try {
      const done = lock(name, async () => {
        adopt(await read(name));
        await decide();
      });
      await attempt('written', () => done);
    } finally {
      changes -= 1;
    }
  }

  return {
    async load() {
      const isChanging = (): boolean => changes > 0 && known !== undefined;
      const text = isChanging() ? undefined : await attempt('read', () => read(name));
      if (text !== undefined) {
        if (!isChanging()) adopt(text);
        if (isAhead && changes === 0) void update(write);
      }
      return known === undefined ? undefined : current;
    },

    async change(expected, make) {
      let isDecided = false;
      let made: CacheRecord | undefined;
      const decide = (): void => {
        if (isDecided) return;
        isDecided = true;
        if (expected && !isSameActivation(current, expected)) return;
        isAhead = true;
        made = current = make(current);
      };
      await update(() => {
        decide();
        return write();
      });
      // The storage has failed or takes too long, so the change is made in memory.
      if (known !== undefined) decide();
      return made;
    },

    async exclusively(task) {
      let running: ReturnType<typeof task> | undefined;
      const start = (): ReturnType<typeof task> => (running ??= task());
      try {
        // The maximum wait for the lock is the time that two requests of another process may take, each with two attempts.
        return await within(5 * timeoutMs, () => lock(`${name}.seat`, start));
      } catch (error) {
        if (!running) warn('The license cache was not locked', error);
        return start();
      }
    },

    async settle() {
      if (isAhead || changes > 0) await update(write);
    },

    async randomId() {
      if (deviceId) return deviceId;
      return within(timeoutMs, () =>
        lock(deviceItem, async () => {
          const kept = await read(deviceItem);
          if (isDeviceId(kept)) return (deviceId = kept);
          await storage.setItem(deviceItem, randomId());
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
        for (const item of [name, deviceItem])
          await attempt('deleted', () => (storage.removeItem ? storage.removeItem(item) : storage.setItem(item, '')));
      };
      let isHeld: boolean | undefined;
      await update(async () => {
        isHeld = isSameActivation(current, expected);
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
 * Compares keys as a person may type them: only letters and digits count. In keys of the service's own format `O` equals `0`, and `I` and
 * `L` equal `1` (docs/spec/licenses.md, License keys).
 */
export function isSameKey(held: string | undefined, typed: string | undefined): boolean {
  if (!held || !typed) return false;
  const plain = (key: string): string => key.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  const isOurShape = plain(held).length === 25;
  const compared = (key: string): string => (isOurShape ? plain(key).replace(/O/g, '0').replace(/[IL]/g, '1') : plain(key));
  return compared(held) === compared(typed);
}
