import { isValid, type AdminToken } from '../domain/admin-token';
import { adminTokenHash } from '../domain/credentials';
import { dateOf } from '../domain/time';
import { findAdminToken, recordTokenUse } from '../store/admin-tokens';
import type { Table } from '../store/table';
import { log } from './observability/log';

/** How long a token is accepted, or refused, before it is read again, in ms. (docs/spec/operator.md, Admin tokens) */
const TTL_MS = 60_000;
/** Maximum number of tokens in the cache, and of unknown tokens. */
const MAX_TOKENS = 1000;
/** How long a request waits for recording the day of its token's use, in ms. */
const RECORD_MS = 1000;

interface Entry {
  /** Undefined if the token does not exist. */
  readonly token: AdminToken | undefined;
  readonly readAt: number;
  /** The day for which this function has recorded the token's use. */
  readonly recordedOn?: string | undefined;
}

/** The admin tokens that a function has checked lately. One read serves all requests within a minute, including those that wait for it. */
export class TokenCache {
  private readonly known = new Map<string, Entry>();
  /** A separate map, so that many wrong tokens do not displace the right ones. */
  private readonly unknown = new Map<string, Entry>();
  private readonly reading = new Map<string, Promise<AdminToken | undefined>>();

  constructor(private readonly clock: () => number) {}

  /** The token if it exists and has not expired. A revocation takes effect within a minute. */
  async find(table: Table, presented: string): Promise<AdminToken | undefined> {
    const hash = adminTokenHash(presented);
    const entry = this.known.get(hash) ?? this.unknown.get(hash);
    const token = entry && this.clock() - entry.readAt < TTL_MS ? entry.token : await this.read(table, hash);
    return token && isValid(token, this.clock()) ? token : undefined;
  }

  private read(table: Table, hash: string): Promise<AdminToken | undefined> {
    const reading = this.reading.get(hash) ?? this.readNow(table, hash).finally(() => this.reading.delete(hash));
    this.reading.set(hash, reading);
    return reading;
  }

  private async readNow(table: Table, hash: string): Promise<AdminToken | undefined> {
    // The time before the read, so that no token is accepted for more than a minute after its revocation.
    const readAt = this.clock();
    const token = await findAdminToken(table, hash);
    const before = this.known.get(hash);
    this.known.delete(hash);
    this.unknown.delete(hash);
    if (!token) {
      keep(this.unknown, hash, { token, readAt });
      return undefined;
    }
    const day = dateOf(readAt);
    const recordedOn = before?.recordedOn === day || !isValid(token, readAt) ? before?.recordedOn : await this.record(table, token, day);
    keep(this.known, hash, { token, readAt, recordedOn });
    return token;
  }

  /**
   * Records the day of use: at most once a day in each function. If that fails, it is tried again a minute later, and
   * the request does not fail.
   */
  private async record(table: Table, { id }: AdminToken, day: string): Promise<string | undefined> {
    const deadline = Math.min(table.limits?.deadline ?? Number.POSITIVE_INFINITY, this.clock() + RECORD_MS);
    try {
      await recordTokenUse({ ...table, limits: { retryUntil: 0, deadline } }, id, day);
      return day;
    } catch (error) {
      log.warn('TOKEN_USE_NOT_RECORDED', { token_id: id }, error);
      return undefined;
    }
  }
}

/** Adds an entry; if the map is full, the oldest entry is removed. */
function keep(entries: Map<string, Entry>, hash: string, entry: Entry): void {
  entries.set(hash, entry);
  const [oldest] = entries.keys();
  if (entries.size > MAX_TOKENS && oldest !== undefined) entries.delete(oldest);
}
