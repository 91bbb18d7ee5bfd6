import * as z from 'zod/mini';
import { HOUR_MS } from '../time';
import { hashSecret } from '../credentials';
import { codeHashSchema } from './code';
import type { Portal } from './settings';
import { number, orNull, string, type Stored } from '../stored';

/** Sessions and links of the portal (docs/spec/portal.md, Signing in). Times are epoch ms. */

/** Maximum time of a session without use, and maximum total time of a session, in ms. */
const IDLE_MS = HOUR_MS;
const LONGEST_MS = 12 * HOUR_MS;
/**
 * Minimum time, in ms, between two records of a session's use, so that a page with many requests does not cause a write for each request.
 */
const RECORD_EVERY_MS = 60_000;

/** Number of random bytes that the token of a session or link needs. */
export const PORTAL_TOKEN_BYTES = 32;

export const portalTokenOf = (random: Uint8Array): string => Buffer.from(random).toString('base64url');

/** The hash under which a session or a link is stored. */
export const portalTokenHash = (token: string): string => hashSecret(token).toString('base64url');

export const sessionSchema = z.object({
  product_id: number,
  /** The portal's `epoch` (see `settings.ts`) when the session began. In a later epoch the session is invalid. */
  epoch: number,
  address: string,
  created_at: number,
  used_at: number,
  /** A new e-mail address that the buyer still has to confirm. */
  change: orNull(z.object({ address: string, code: codeHashSchema })),
});
export interface Session extends Stored<typeof sessionSchema> {
  /** The hash of the session's token. */
  readonly hash: string;
}

/** A link that can be used once to sign in. */
export const linkSchema = z.object({
  product_id: number,
  epoch: number,
  address: string,
  until: number,
});
export interface Link extends Stored<typeof linkSchema> {
  readonly hash: string;
}

export const newSession = (portal: Portal, address: string, token: string, now: number): Session => ({
  hash: portalTokenHash(token),
  product_id: portal.product_id,
  epoch: portal.epoch,
  address,
  created_at: now,
  used_at: now,
  change: null,
});

/** The time at which a session ends: after its idle time or its maximum time, whichever is earlier. */
export const sessionEnd = ({ created_at, used_at }: Pick<Session, 'created_at' | 'used_at'>): number =>
  Math.min(used_at + IDLE_MS, created_at + LONGEST_MS);

/** The latest possible end of a session, regardless of its use. */
export const lastSessionEnd = ({ created_at }: Pick<Session, 'created_at'>): number => created_at + LONGEST_MS;

const isOf = (portal: Portal, { product_id, epoch }: Pick<Session, 'product_id' | 'epoch'>): boolean =>
  product_id === portal.product_id && epoch === portal.epoch;

export const isLiveSession = (portal: Portal, session: Session, now: number): boolean => isOf(portal, session) && now < sessionEnd(session);

export const isLiveLink = (portal: Portal, link: Link, now: number): boolean => isOf(portal, link) && now < link.until;

/** Whether the use of a session at the time `now` must be recorded. */
export const isUseRecorded = ({ used_at }: Pick<Session, 'used_at'>, now: number): boolean => now - used_at >= RECORD_EVERY_MS;
