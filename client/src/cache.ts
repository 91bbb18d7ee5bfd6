import { parseObject } from './bytes';
import { within } from './deadline';
import { randomId } from './ed25519';
import { isStatusName, type RefusalName } from './refusals';
import { fits, isCount, isFilled, isObject, listOf, matching, type Rule } from './shape';
import type { Seats } from './state';
import type { LicenseStorage } from './storage';

/** What a client remembers between starts; what is undefined is not stored. The names are those of the stored JSON, which clients in other languages share. */
export interface CacheRecord {
  /** The key that this device was activated with. */
  readonly key?: string | undefined;
  /** The newest offline token. */
  readonly token?: string | undefined;
  /** The latest time that was seen, in epoch milliseconds. */
  readonly seen?: number | undefined;
  /** The service's verdict on the key, if the last one was a refusal. */
  readonly refused?: RefusalName | undefined;
  /** What the seat was taken with: a fingerprint of the machine, or the random id that is stored alongside. */
  readonly device?: 'machine' | 'random' | undefined;
  /** The license type's name. */
  readonly type_name?: string | undefined;
  readonly seats?: Seats | undefined;
  /** When the lease of this device's seat ends: RFC 3339. */
  readonly lease_expires_at?: string | undefined;
  /** The service signs its refusals: one that verified was seen. */
  readonly verdicts?: true | undefined;
  /** Keys that were replaced by another one, and whose seats are still to be freed. */
  readonly release?: readonly string[] | undefined;
}

const VERSION = 1;

/** The seats in a response or a record; undefined if there is anything else. */
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

/** Reads a record. A field that is damaged is absent; so is all of a record that is no JSON object, or of another version. */
export function parseRecord(text: string): CacheRecord {
  const stored = parseObject(text);
  if (stored?.['v'] !== VERSION) return {};
  const fields = Object.entries(fieldRules).map(([name, isGood]) => [name, isGood(stored[name]) ? stored[name] : undefined]);
  return { ...(Object.fromEntries(fields) as CacheRecord), seats: parseSeats(stored['seats']) };
}

/** Called with what went wrong without consequence for the result, for logs. */
export type Warn = (message: string, cause: unknown) => void;

/** The activation that a record holds: what a change of the record is compared by. */
export type Held = Pick<CacheRecord, 'key' | 'token'>;

export const isSameActivation = (one: Held, other: Held): boolean => one.key === other.key && one.token === other.token;

/** The record in the app's storage. */
export interface LicenseCache {
  /** Never fails: if the record can't be read, that of this process counts; undefined if it could never be read. */
  load(): Promise<CacheRecord | undefined>;
  /**
   * Compare-and-set, in one step for all processes: makes a new record of the one that is held then. This process sees it even if it can't
   * be stored.
   *
   * @param expected the activation that the change is about; undefined: any
   * @returns the new record; undefined if another activation is held, or the record could never be read: nothing was changed
   */
  change(expected: Held | undefined, make: (current: CacheRecord) => CacheRecord): Promise<CacheRecord | undefined>;
  /**
   * Runs a task that takes or frees seats while no other process does. If that can't be had, the task runs all the same: every change is
   * compared as well.
   */
  exclusively<Value>(task: () => Promise<Value>): Promise<Value>;
  /** Resolves when every write so far has ended, and what had failed was tried once more. */
  settle(): Promise<void>;
  /**
   * The random id of this device, made once.
   *
   * @throws Error if it may exist and can't be read, or can't be stored
   */
  randomId(): Promise<string>;
  /** Deletes everything that is stored, if the same activation is held still. @returns whether it is deleted */
  clear(expected: Held): Promise<boolean>;
}

type Lock = NonNullable<LicenseStorage['lock']>;

/** What of the browser is needed. */
interface Browser {
  readonly navigator?: { readonly locks?: { request<Value>(name: string, task: () => Promise<Value>): Promise<Value> } };
}

/** One task of a name at a time: in all tabs where the browser has locks, otherwise in this process. */
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
 * The storage rules: processes which share a storage see each other's changes; memory stands in while it can't be
 * read, and for what it failed to take, which is written as soon as it can be.
 *
 * @param timeoutMs maximum time that one access may take
 */
export function openCache(storage: LicenseStorage, name: string, timeoutMs: number, warn: Warn): LicenseCache {
  const lock: Lock = storage.lock?.bind(storage) ?? ownLock();
  let current: CacheRecord = {};
  /** The text that was last read or written; undefined before. */
  let known: string | undefined;
  /** Memory is ahead of the storage: a write is under way, or failed. */
  let isAhead = false;
  /** Changes under way. */
  let changes = 0;

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
  /** @returns the empty text if there is none, or something else than a text */
  async function read(item: string): Promise<string> {
    const text: unknown = await storage.getItem(item);
    return isFilled(text) ? text : '';
  }

  /** Takes over what was read, unless memory is ahead of just that. */
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

  /** Reads the record and writes what is made of it, in one step for all processes. Ends with the storage, however late. */
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
      const text = changes > 0 && known !== undefined ? undefined : await attempt('read', () => read(name));
      if (text !== undefined && (changes === 0 || known === undefined)) adopt(text);
      if (isAhead && changes === 0 && text !== undefined) void update(write);
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
      // The storage failed, or takes too long: memory stands in.
      if (known !== undefined) decide();
      return made;
    },

    async exclusively(task) {
      let running: ReturnType<typeof task> | undefined;
      const start = (): ReturnType<typeof task> => (running ??= task());
      try {
        // As long as two requests of another process may take, with both of their attempts.
        return await within(5 * timeoutMs, lock(`${name}.seat`, start));
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
      return access(() =>
        lock(deviceItem, async () => {
          const kept = await read(deviceItem);
          if (isDeviceId(kept)) return (deviceId = kept);
          await storage.setItem(deviceItem, randomId());
          // Another tab that has no locks may have written at the same moment: the later id counts for both.
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
      // What can't be read is deleted all the same.
      if (isHeld === undefined) await remove();
      return isHeld ?? true;
    },
  };
}

/** What the service accepts as a fingerprint: 8 to 128 printable ASCII characters without spaces. */
export const isDeviceId = matching(/^[\x21-\x7e]{8,128}$/);
