import { isValid, type AdminToken } from '../domain/admin-token';
import { adminTokenHash } from '../domain/credentials';
import { dateOf } from '../domain/time';
import { findAdminToken, recordTokenUse } from '../store/admin-tokens';
import type { Table } from '../store/table';
import { log } from './observability/log';

/** How long a token is trusted, or refused, without being read again, in ms. (docs/spec/operator.md, Admin tokens) */
const TTL_MS = 60_000;
/** How many tokens are remembered; as many again that there are not. */
const MAX_TOKENS = 1000;
/** How long a request waits until the day of its token's use is recorded, in ms. */
const RECORD_MS = 1000;

interface Entry {
  /** Undefined if there is no such token. */
  readonly token: AdminToken | undefined;
  readonly readAt: number;
  /** The day for which this function has recorded the token's use. */
  readonly recordedOn?: string | undefined;
}

/** The admin tokens that a function has met lately. One read serves all requests of a minute, and those that wait for it. */
export class TokenCache {
  private readonly known = new Map<string, Entry>();
  /** Apart, so that a flood of wrong tokens does not push out the right ones. */
  private readonly unknown = new Map<string, Entry>();
  private readonly reading = new Map<string, Promise<AdminToken | undefined>>();

  constructor(private readonly clock: () => number) {}

  /** The token if it exists, was not revoked a minute ago or earlier, and has not expired. */
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
    // Before the read, so that no token outlives its revocation by more than the minute.
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

  /** Records the day of use: at most once a day in each function, and again a minute later if that fails, which fails no request. */
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

/** Remembers an entry; the oldest makes room. */
function keep(entries: Map<string, Entry>, hash: string, entry: Entry): void {
  entries.set(hash, entry);
  const [oldest] = entries.keys();
  if (entries.size > MAX_TOKENS && oldest !== undefined) entries.delete(oldest);
}
