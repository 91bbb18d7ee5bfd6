import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { REFUSALS } from '../contract/limits';
import type { RefusalView } from '../contract/refusals';
import { refusalReasons, type RefusalReason } from '../contract/statuses';
import { number, orNull, string, type Stored } from './stored';
import { HOUR_MS, MINUTE_MS, timestampOf } from './time';

/** The reasons why requests of apps were refused, for the operator (docs/spec/operator.md, Why was it refused?). Times are epoch ms. */

/** A refused request of an app. */
export interface Refused {
  readonly product_id: number;
  /** The id of the license; null if no license has the key. */
  readonly license_id: number | null;
  readonly reason: RefusalReason;
  /** The key as the app sent it. */
  readonly key: string;
  readonly fingerprint: string | null;
  readonly name: string | null;
  readonly platform: string | null;
  readonly version: string | null;
}

/** Refused requests that are counted together. */
export const refusalSchema = z.object({
  at: number,
  last_at: number,
  count: number,
  license_id: orNull(number),
  reason: z.enum(refusalReasons),
  key_hint: string,
  fingerprint_hint: orNull(string),
  name: orNull(string),
  platform: orNull(string),
  version: orNull(string),
  /** A hash of reason, key and device. Requests with equal hashes are counted together. */
  identity: string,
  /** The number of the slot in which the row is stored. The slots of a group have consecutive numbers. */
  slot: number,
  /** The number of this row among the rows of its group that were written in the minute of `last_at`, counted from 1. */
  written: number,
});
export interface Refusal extends Stored<typeof refusalSchema> {}

/**
 * The limits that apply to a refusal. If no license has the key, they apply to all of the product's refusals of unknown keys. Otherwise
 * they apply to the refusals of the license.
 */
const limitsOf = ({ license_id }: Pick<Refused, 'license_id'>): (typeof REFUSALS)['license' | 'product'] =>
  license_id === null ? REFUSALS.product : REFUSALS.license;

/**
 * The part of a key that the operator sees: its first group, but at most 5 characters. Groups in keys of this service have 5 characters. A
 * key of another system may have no groups, and without the limit the operator would then see the whole key.
 */
const keyHint = (key: string): string =>
  Array.from(key.trim().split(/[\s-]/, 1)[0] ?? '')
    .slice(0, 5)
    .join('')
    .toUpperCase();
const fingerprintHint = (fingerprint: string | null): string | null => fingerprint && Array.from(fingerprint).slice(0, 8).join('');

const identityOf = ({ reason, key, fingerprint }: Refused): string =>
  createHash('sha256')
    .update(JSON.stringify([reason, key, fingerprint]))
    .digest('base64url')
    .slice(0, 16);

/** The group in which a refusal is recorded, and what identifies the refusal in this group. */
export interface RefusalPlace {
  /** The number of the group's first slot. */
  readonly first: number;
  /** The number of the group's last slot. */
  readonly last: number;
  /** The slot at which the search for a free slot begins, so that simultaneous refusals rarely compete for the same slot. */
  readonly start: number;
  readonly identity: string;
}

/** The reason, the key and the device decide where a refusal is recorded. */
export function placeOf(refused: Refused): RefusalPlace {
  const { groups, slots } = limitsOf(refused);
  const identity = identityOf(refused);
  const hash = Buffer.from(identity, 'base64url').readUInt32BE(0);
  const first = (hash % groups) * slots;
  return { first, last: first + slots - 1, start: first + (Math.floor(hash / groups) % slots), identity };
}

/** A row to write, and the row that it replaces in its slot. */
export interface Placement {
  readonly refusal: Refusal;
  readonly replaces: Refusal | undefined;
}

/** The beginning of a text that has at most `bytes` bytes in UTF-8. */
const shortened = (text: string | null, bytes: number): string | null =>
  text && text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);

/**
 * Finds the slot in which a refusal is recorded.
 *
 * @param rows all rows of the refusal's group
 * @returns the row that already counts the refusal, if it counted the same refusal within the last minute; `full` if the maximum number of
 * rows was written in this minute
 */
export function placeRefusal(
  rows: readonly Refusal[],
  refused: Refused,
  { first, last, start, identity }: RefusalPlace,
  now: number,
): Placement | { readonly counted: Refusal } | 'full' {
  const same = rows.find((row) => row.identity === identity && row.at > now - HOUR_MS);
  if (same && same.last_at > now - MINUTE_MS) return { counted: same };

  const minute = (at: number): number => Math.floor(at / MINUTE_MS);
  const written = Math.max(0, ...rows.filter((row) => minute(row.last_at) === minute(now)).map((row) => row.written));
  if (written >= limitsOf(refused).perMinute) return 'full';

  const { product_id: _, key, fingerprint, name, platform, version, ...facts } = refused;
  const fresh = {
    ...facts,
    name: shortened(name, REFUSALS.labelBytes.name),
    platform: shortened(platform, REFUSALS.labelBytes.platform),
    version: shortened(version, REFUSALS.labelBytes.version),
    identity,
    last_at: now,
    written: written + 1,
    key_hint: keyHint(key),
    fingerprint_hint: fingerprintHint(fingerprint),
  };
  if (same) return { refusal: { ...fresh, at: same.at, count: same.count + 1, slot: same.slot }, replaces: same };

  const taken = new Map(rows.map((row) => [row.slot, row]));
  const slots = last - first + 1;
  const free = Array.from({ length: slots }, (__, step) => first + ((start - first + step) % slots)).find((slot) => !taken.has(slot));
  const oldest = [...rows].sort((a, b) => a.last_at - b.last_at)[0];
  const slot = free ?? oldest?.slot ?? start;
  return { refusal: { ...fresh, at: now, count: 1, slot }, replaces: taken.get(slot) };
}

/** The rows of a license, or of a product's unknown keys, that are shown: the newest rows that have not expired, newest first. */
export const shownRefusals = (rows: readonly Refusal[], subject: Pick<Refused, 'license_id'>, now: number): Refusal[] =>
  rows
    .filter(({ last_at }) => last_at > now - REFUSALS.keptMs)
    .sort((a, b) => b.last_at - a.last_at || b.slot - a.slot)
    .slice(0, limitsOf(subject).rows);

/** The position of a row in a list of refusals. */
export const refusalPosition = ({ last_at, slot }: Refusal): string => `${last_at}-${slot}`;

/** Whether a row comes after a position in a list of refusals. */
export function isAfter(row: Refusal, position: string): boolean {
  const [lastAt = 0, slot = 0] = position.split('-').map(Number);
  return row.last_at < lastAt || (row.last_at === lastAt && row.slot < slot);
}

export const refusalView = ({ identity: _, slot: __, written: ___, at, last_at, ...refusal }: Refusal): RefusalView => ({
  ...refusal,
  at: timestampOf(at),
  last_at: timestampOf(last_at),
});
