import { isValid, type AdminToken } from '../domain/admin-token';
import { adminTokenHash } from '../domain/credentials';
import { dateOf } from '../domain/time';
import { findAdminToken, recordTokenUse } from '../store/admin-tokens';
import type { Table } from '../store/table';
import { putBounded } from './bounded-map';
import { log } from './observability/log';

/** Time, in ms, for which the cached result for a token is used before the token is read again. (docs/spec/operator.md, Admin tokens) */
const TTL_MS = 60_000;
/** Maximum number of known tokens in the cache. The same maximum applies to the unknown tokens. */
const MAX_TOKENS = 1000;
/** Maximum time, in ms, that a request waits until the use of its token is recorded. */
const RECORD_MS = 1000;

interface Entry {
  /** The admin token; undefined if the token does not exist. */
  readonly token: AdminToken | undefined;
  readonly readAt: number;
  /** The last day on which this function recorded the token's use, such as `2026-11-20`. */
  readonly recordedOn?: string | undefined;
}

/**
 * The admin tokens that a function has recently checked. Concurrent requests share one read. Its result is used for all requests within the
 * next minute.
 */
export class TokenCache {
  private readonly known = new Map<string, Entry>();
  /** Unknown tokens have a separate map, so that many wrong tokens do not displace valid tokens. */
  private readonly unknown = new Map<string, Entry>();
  private readonly reading = new Map<string, Promise<AdminToken | undefined>>();

  constructor(private readonly clock: () => number) {}

  /** Returns the token if it exists and has not expired. A revocation takes effect within a minute. */
  async find(table: Table, presented: string): Promise<AdminToken | undefined> {
    const hash = adminTokenHash(presented);
    const entry = this.known.get(hash) ?? this.unknown.get(hash);
    const token = entry && this.clock() - entry.readAt < TTL_MS ? entry.token : await this.read(table, hash);
    return token && isValid(token, this.clock()) ? token : undefined;
  }

  /** Forgets a token that this process has revoked. The local run is one process, so a revocation takes effect there at once. */
  forget(id: number): void {
    for (const [hash, { token }] of this.known) if (token?.id === id) this.known.delete(hash);
  }

  private read(table: Table, hash: string): Promise<AdminToken | undefined> {
    const reading = this.reading.get(hash) ?? this.readNow(table, hash).finally(() => this.reading.delete(hash));
    this.reading.set(hash, reading);
    return reading;
  }

  private async readNow(table: Table, hash: string): Promise<AdminToken | undefined> {
    // The time is taken before the read, so that no token is accepted for more than a minute after its revocation.
    const readAt = this.clock();
    const token = await findAdminToken(table, hash);
    const before = this.known.get(hash);
    this.known.delete(hash);
    this.unknown.delete(hash);
    if (!token) {
      putBounded(this.unknown, hash, { token, readAt }, MAX_TOKENS);
      return undefined;
    }
    const day = dateOf(readAt);
    const recordedOn = before?.recordedOn === day || !isValid(token, readAt) ? before?.recordedOn : await this.record(table, token, day);
    putBounded(this.known, hash, { token, readAt, recordedOn }, MAX_TOKENS);
    return token;
  }

  /**
   * Records the day of a token's use, at most once a day in each function instance. If recording fails, the request succeeds nevertheless.
   * The next attempt follows when the token is read again, which is at least a minute later.
   */
  private async record(table: Table, { id }: AdminToken, day: string): Promise<string | undefined> {
    const deadline = Math.min(table.limits?.deadline ?? Number.POSITIVE_INFINITY, table.realClock() + RECORD_MS);
    try {
      await recordTokenUse({ ...table, limits: { retryUntil: 0, deadline } }, id, day);
      return day;
    } catch (error) {
      log.warn('TOKEN_USE_NOT_RECORDED', { token_id: id }, error);
      return undefined;
    }
  }
}
