import { parseObject } from './bytes';
import type { LicenseCache } from './cache';
import { isFilled, optional, shaped, type Rule } from './shape';
import type { DroppedAmount, PendingAmount } from './state';

/**
 * Keeps amounts that could not be sent yet (docs/client.md, Limits and meters). Every amount is stored before it is sent, and removed after
 * the service has responded. After a crash in between, it is sent again with the same `id`, and the service counts it once.
 */

/** A stored amount. */
export interface Entry {
  readonly id: string;
  readonly meter: string;
  readonly amount: number;
  /** When the app consumed the amount, in epoch milliseconds. */
  readonly at: number;
  /** The key that was held at that time. */
  readonly key: string;
  /** The id of the license that was held at that time, if its token was known. With a later key of this license the amount is sent too. */
  readonly license?: string | undefined;
}

/** An amount that was dropped, and why. */
export interface Dropped extends Pick<Entry, 'id' | 'meter' | 'amount' | 'at'> {
  readonly reason: string;
}

/** The stored data. Both lists have the oldest entry first. */
interface Content {
  readonly entries: readonly Entry[];
  readonly dropped: readonly Dropped[];
}

/** Maximum number of waiting amounts. */
const MAX_ENTRIES = 1000;
/** Maximum number of reported amounts that were dropped. */
const MAX_DROPPED = 100;
/**
 * The service remembers an `id` for 30 days. An amount whose first attempt is this long ago (ms) could be counted twice, so it is dropped.
 */
export const MAX_AGE_MS = 29 * 86_400_000;

const VERSION = 1;
const amountRules = { id: isFilled, meter: isFilled, amount: Number.isSafeInteger, at: Number.isSafeInteger };
const isEntry = shaped({ ...amountRules, key: isFilled, license: optional(isFilled) });
const isDropped = shaped({ ...amountRules, reason: isFilled });

/** Reads the stored text. Whatever has another form is ignored. */
function parseContent(text: string): Content {
  const stored = parseObject(text);
  const listIn = <Item>(field: string, isItem: Rule): readonly Item[] => {
    const list = stored?.['v'] === VERSION ? stored[field] : undefined;
    return Array.isArray(list) ? (list.filter(isItem) as Item[]) : [];
  };
  return { entries: listIn('entries', isEntry), dropped: listIn('dropped', isDropped) };
}

/**
 * What was done with an amount. `first` and `behind`: it is stored, and `behind` says that older amounts wait. `mismatch`: another meter or
 * amount waits with the same `id`.
 */
type Place = 'first' | 'behind' | 'full' | 'mismatch' | 'not_stored';

export interface Queue {
  /** Stores an amount at the end. An amount with the `id` of a waiting one is that one. */
  add(entry: Entry): Promise<Place>;
  /** The waiting amounts; undefined if they can't be read. */
  entries(): Promise<readonly Entry[] | undefined>;
  /** Removes an amount for which the service has responded. With a `reason` it was dropped, and is reported. Never fails. */
  settle(entry: Entry, reason?: string): Promise<void>;
  /** Counts the age of an amount from `at`. */
  correctTime(entry: Entry, at: number): Promise<void>;
  /** What waits and what was dropped; undefined if it can't be read. */
  report(): Promise<{ readonly amounts: readonly PendingAmount[]; readonly dropped: readonly DroppedAmount[] } | undefined>;
}

const shown = ({ id, meter, amount, at }: Omit<Dropped, 'reason'>): PendingAmount => ({ id, meter, amount, since: new Date(at) });

export function openQueue({ readText, changeText }: Pick<LicenseCache, 'readText' | 'changeText'>): Queue {
  /** Amounts that this process has settled. If their removal can't be stored, they are still not sent again. */
  const settled = new Map<string, Dropped | undefined>();

  const current = (text: string): Content => {
    const { entries, dropped } = parseContent(text);
    const fresh = entries.flatMap(({ id }) => settled.get(id) ?? []);
    return { entries: entries.filter(({ id }) => !settled.has(id)), dropped: [...dropped, ...fresh].slice(-MAX_DROPPED) };
  };

  /** @returns whether the change is stored */
  async function change(make: (content: Content) => readonly Entry[] | undefined): Promise<boolean> {
    let written: readonly string[] = [];
    const isStored = await changeText((text) => {
      const content = current(text);
      const entries = make(content);
      written = [...settled.keys()];
      return entries && JSON.stringify({ v: VERSION, entries, dropped: content.dropped });
    });
    if (isStored) for (const id of written) settled.delete(id);
    return isStored;
  }

  return {
    async add(entry) {
      let place = 'not_stored' as Place;
      const isStored = await change(({ entries }) => {
        const same = entries.find(({ id }) => id === entry.id);
        if (same && (same.meter !== entry.meter || same.amount !== entry.amount)) return void (place = 'mismatch');
        if (!same && entries.length >= MAX_ENTRIES) return void (place = 'full');
        place = (entries[0] ?? entry).id === entry.id ? 'first' : 'behind';
        return same ? entries : [...entries, entry];
      });
      return isStored || place === 'full' || place === 'mismatch' ? place : 'not_stored';
    },

    async entries() {
      const text = await readText();
      return text === undefined ? undefined : current(text).entries;
    },

    async settle({ id, meter, amount, at }, reason) {
      settled.set(id, reason === undefined ? undefined : { id, meter, amount, at, reason });
      await change(({ entries }) => entries);
    },

    async correctTime({ id: wrong }, at) {
      await change(({ entries }) => entries.map((entry) => (entry.id === wrong ? { ...entry, at } : entry)));
    },

    async report() {
      const text = await readText();
      if (text === undefined) return undefined;
      const { entries, dropped } = current(text);
      return { amounts: entries.map(shown), dropped: dropped.map(({ reason, ...amount }) => ({ ...shown(amount), reason })) };
    },
  };
}
