import { openCache, type CacheRecord, type LicenseCache, type Warn } from './cache';
import { randomId } from './ed25519';
import { verifyKeys, type PublicKey, type VerifyKey } from './keys';
import { createService, type DeviceLabels, type Fetch, type Service, type Verdict } from './service';
import type { Deactivation, Fault, InvalidToken, Licensed, LicenseState, RefusedStatus } from './state';
import { memoryStorage, type LicenseStorage } from './storage';
import { canonicalFingerprint, CLOCK_SKEW_MS, TOKEN_ISSUER, verifyWith, type TokenClaims, type Verification } from './token';

export interface LicenseClientOptions {
  /** The service's address, such as `https://licenses.example.com`. */
  readonly baseUrl: string;
  /** The product's `id`. */
  readonly productId: number;
  /** The product's `api_key`; it ships with the app (service.md, "Authentication", rule 2). */
  readonly apiKey: string;
  /** The product's `public_key` (PEM), or its JWK set. */
  readonly publicKey: PublicKey;
  /** The product's slug: tokens of another audience are refused. Where it is left out, the key alone stands for the product. */
  readonly audience?: string;
  /**
   * This device's fingerprint, or what finds it: `fingerprint` of the entry point `/node`. Where it is left out, fails
   * or finds none, a random id stands in, made once and kept in `storage`.
   */
  readonly fingerprint?: string | (() => string | undefined | Promise<string | undefined>);
  /** Default: memory, so nothing survives the process. */
  readonly storage?: LicenseStorage;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** The clock, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
  /** Days for which an expired token still counts while the service can't be asked; never past the license's own end. Default: 0. */
  readonly graceDays?: number;
  /** For each of at most two attempts of a request, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number;
  /** Between the two attempts, in milliseconds; chance adds up to half of it. Default: 500. */
  readonly retryDelayMs?: number;
  /** Accepts tokens that the operator minted for no device: they work on every machine that they are copied to. Default: no. */
  readonly allowUnboundTokens?: boolean;
  /** Told of faults that change no result (a cache that can't be written, a listener that throws). Default: `console.warn`. */
  readonly onWarning?: Warn;
}

const DAY_MS = 86_400_000;
/** Time between two attempts to refresh in the background, after one that failed. */
const REFRESH_PAUSE_MS = 300_000;
/** The latest time seen is stored to this precision, which spares most starts a write. */
const SEEN_PRECISION_MS = 60_000;

/** What the cache is worth right now. */
type Look = {
  readonly record: CacheRecord;
  readonly fingerprint: string;
  /** This machine's clock, in epoch milliseconds. */
  readonly now: number;
  /** The latest time that is known to have passed. */
  readonly time: number;
} & (Verification | { readonly problem: 'no_token' | 'clock_rolled_back'; readonly claims?: undefined });

/** A verdict whose token, if it brings one, has been verified. */
type TrustedVerdict = Exclude<Verdict, { kind: 'token' }> | { readonly kind: 'token'; readonly record: CacheRecord; readonly claims: TokenClaims };

/** Runs a task once at a time: who asks meanwhile shares the run, unless the task was told to forget it. */
function shared<Value>(task: () => Promise<Value>): { readonly run: () => Promise<Value>; readonly forget: () => void } {
  let current: Promise<Value> | undefined;
  const forget = (): void => {
    current = undefined;
  };
  return {
    run() {
      if (current) return current;
      const started = task().finally(() => {
        if (current === started) forget();
      });
      return (current = started);
    },
    forget,
  };
}

const licenseEnd = ({ license_expires_at: end }: TokenClaims): Date | null => (end === null ? null : new Date(end));
const tokenEnd = ({ exp }: TokenClaims): number => exp * 1000;

const licensed = (source: Licensed['source'], claims: TokenClaims, fault?: Fault, offlineUntil = tokenEnd(claims)): Licensed => ({
  status: 'licensed',
  source,
  license: { id: Number(claims.sub), kind: claims.kind, expiresAt: licenseEnd(claims) },
  offlineUntil: new Date(offlineUntil),
  fault,
});

const refusal = (status: RefusedStatus, key: string | undefined): LicenseState =>
  status === 'unbound' ? { status, key } : { status };

/** Keys as a person may type them: only letters and digits count, `O` is `0`, `I` and `L` are `1` (decisions.md, "Key"). */
const compactKey = (key: string): string =>
  key
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');

/**
 * The license of this device: one client per product and process.
 *
 * `check()` at the app's start, and now and then while it runs, is all that most apps need besides `activate()`.
 * No method throws for what a network, a storage or a token may bring; only a mistake in the configuration does.
 */
export class LicenseClient {
  readonly #options: LicenseClientOptions;
  readonly #keys: readonly VerifyKey[];
  readonly #service: Service;
  readonly #cache: LicenseCache;
  readonly #now: () => number;
  readonly #graceMs: number;
  readonly #warn: Warn;

  readonly #checking = shared(() => this.#checkOnce());
  readonly #validating = shared(() => this.#validateOnce());
  /** Counts changes of the record; an answer to a request from before one is about the past. */
  #changes = 0;
  #refreshing: Promise<unknown> = Promise.resolve();
  #noRefreshBefore = 0;
  #device: Promise<string> | undefined;

  #current: LicenseState | undefined;
  readonly #listeners = new Set<(state: LicenseState) => void>();

  /** @throws TypeError for options that can't work */
  constructor(options: LicenseClientOptions) {
    this.#options = options;
    const { baseUrl, productId, apiKey, graceDays = 0, timeoutMs = 5000, retryDelayMs = 500 } = options;
    const { fetch = globalThis.fetch } = options;
    const demand = (isGood: boolean, option: string): void => {
      if (!isGood) throw new TypeError(`${option} is not valid`);
    };
    demand(/^https?:\/\/\w/.test(baseUrl), 'baseUrl');
    demand(productId > 0, 'productId');
    demand(/^\S+$/.test(apiKey), 'apiKey');
    demand(graceDays >= 0, 'graceDays');
    this.#keys = verifyKeys(options.publicKey);
    this.#now = options.now ?? Date.now;
    this.#graceMs = graceDays * DAY_MS;
    this.#warn = options.onWarning ?? ((message, cause) => console.warn(message, cause));
    this.#service = createService({ baseUrl: baseUrl.replace(/\/+$/, ''), productId, apiKey, fetch: (url, init) => fetch(url, init), timeoutMs, retryDelayMs });
    this.#cache = openCache(options.storage ?? memoryStorage(), `${TOKEN_ISSUER}.${productId}`, this.#warn);
  }

  /** The newest result; undefined before the first. The same object until something changes. */
  get state(): LicenseState | undefined {
    return this.#current;
  }

  /** Calls `listener` whenever {@link state} changes. @returns what ends that */
  readonly subscribe = (listener: (state: LicenseState) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** This device as the service knows it, in the form in which fingerprints are compared. */
  readonly fingerprint = (): Promise<string> => (this.#device ??= this.#findDevice());

  /**
   * May this app be used here? A cached token that verifies answers without the network, and is refreshed in the
   * background once half of its life is over. Otherwise the service is asked, once (service.md, "Activation", rule 5).
   * Calls at the same time share one answer.
   */
  check(): Promise<LicenseState> {
    return this.#checking.run();
  }

  /** Asks the service now. Where it gives no verdict, the result is what the cache is worth, with the `fault`. */
  validate(): Promise<LicenseState> {
    return this.#validating.run();
  }

  /**
   * Takes a seat for this device and caches its token. A key that is refused leaves the license of another key as
   * it is. Repeating it for the same key is harmless.
   *
   * @param key as the user typed it
   * @param labels shown to the operator
   */
  async activate(key: string, labels: DeviceLabels = {}): Promise<LicenseState> {
    const fingerprint = await this.fingerprint();
    const answer = await this.#service.ask('activate', { ...labels, key: key.trim(), fingerprint });
    const look = await this.#look();
    const { record, problem } = look;
    const verdict = this.#trusted(answer, look);
    const isHeld = record.key !== undefined && compactKey(record.key) === compactKey(key);
    // A key that the service has licensed stays known to it: it was somebody else, or another address, that knows nothing of it.
    const isWord = verdict.kind === 'refused' && isHeld && !(verdict.status === 'unknown_key' && problem === undefined);
    if (verdict.kind === 'token' || isWord) return this.#conclude(verdict, look);
    const state: LicenseState =
      verdict.kind === 'refused' ? refusal(verdict.status, undefined) : { status: 'offline_without_token', reason: problem ?? 'no_token', fault: verdict };
    return problem === undefined ? state : this.#publish(state);
  }

  /** Frees this device's seat and forgets its key and token. Needs the network, unless the license came by `importToken`. */
  async deactivate(): Promise<Deactivation> {
    const { record, fingerprint, time } = await this.#look();
    const answer = record.key === undefined ? { kind: 'done' as const, freed: false } : await this.#service.free(record.key, fingerprint);
    if (answer.kind !== 'done') return { status: 'failed', fault: answer };
    this.#change({ seen: time });
    this.#publish({ status: 'unbound' });
    return { status: 'deactivated', freed: answer.freed };
  }

  /**
   * Licenses a machine that is never online with a token that came by other means: one that the operator minted
   * (`POST /v1/licenses/{id}/offline`; needs `allowUnboundTokens`), or one of an activation with this device's
   * fingerprint. It takes the place of what was cached, unless it is not accepted.
   */
  async importToken(token: string): Promise<Licensed | InvalidToken> {
    const text = token.trim();
    const { time, problem, claims } = await this.#look(text);
    if (problem !== undefined) return { status: 'invalid_token', problem };
    this.#change({ token: text, seen: time });
    return this.#publish(licensed('cache', claims));
  }

  /** Resolves when the background has come to rest: no refresh under way, the cache written. */
  async idle(): Promise<void> {
    await this.#refreshing;
    await this.#cache.saved();
  }

  /** Ends requests under way and notifications, so that a process may end at once. What is cached is still written. */
  async close(): Promise<void> {
    this.#service.close();
    this.#listeners.clear();
    await this.idle();
  }

  async #findDevice(): Promise<string> {
    const { fingerprint } = this.#options;
    try {
      const found = typeof fingerprint === 'function' ? await fingerprint() : fingerprint;
      if (found !== undefined) return canonicalFingerprint(found);
    } catch (error) {
      this.#warn('No fingerprint was found', error);
    }
    return this.#cache.constant('device', randomId);
  }

  async #checkOnce(): Promise<LicenseState> {
    const look = await this.#look();
    this.#keepTime(look);
    if (look.problem !== undefined) return this.validate();
    if (this.#isRefreshDue(look)) this.#refreshing = this.validate();
    return this.#publish(this.#standing(look));
  }

  async #validateOnce(): Promise<LicenseState> {
    const changes = this.#changes;
    const look = await this.#look();
    const { fingerprint, record } = look;
    if (record.key === undefined) return this.#publish(this.#standing(look));
    const verdict = this.#trusted(await this.#service.ask('validate', { key: record.key, fingerprint }), look);
    // An activation or deactivation has overtaken the request.
    if (this.#changes !== changes) return this.check();
    return this.#conclude(verdict, look);
  }

  /** Keeps what the service said of the key that is held. */
  #conclude(verdict: TrustedVerdict | Fault, look: Look): LicenseState {
    const { record, now, time } = look;
    if (verdict.kind === 'token') {
      this.#change(verdict.record);
      return this.#publish(licensed('network', verdict.claims));
    }
    if (verdict.kind === 'refused') {
      this.#change({ key: record.key, seen: time, refused: verdict.status });
      return this.#publish(refusal(verdict.status, record.key));
    }
    this.#noRefreshBefore = now + REFRESH_PAUSE_MS;
    return this.#publish(this.#standing(look, verdict));
  }

  /** Holds the cached token, or another one, against key, clock and device, without a network. */
  async #look(other?: string): Promise<Look> {
    const record = await this.#cache.load();
    const fingerprint = await this.fingerprint();
    const token = other ?? record.token;
    const now = this.#now();
    const time = Math.max(now, record.seen ?? now);
    const base = { record, fingerprint, now, time };
    if (token === undefined) return { ...base, problem: 'no_token' };
    // A clock that stands before a moment that has passed says nothing about expiry.
    if (now < time - CLOCK_SKEW_MS) return { ...base, problem: 'clock_rolled_back' };
    return { ...base, ...this.#verify(token, fingerprint, () => time) };
  }

  #verify(token: string, fingerprint: string, timeOf: (claims: TokenClaims) => number): Verification {
    return verifyWith(this.#keys, token, { ...this.#options, fingerprint }, timeOf);
  }

  /** Verifies the token of an answer, so that whoever answers in the service's place can't grant a license. */
  #trusted(verdict: Verdict | Fault, { fingerprint, now, time }: Look): TrustedVerdict | Fault {
    if (verdict.kind !== 'token') return verdict;
    const { token, key } = verdict;
    // A token that was issued just now confirms the clock, whatever was seen before. A clock that is behind is proved
    // wrong by it. A clock that is ahead may be right, and the answer an old one.
    let seen = now;
    const { claims, problem } = this.#verify(token, fingerprint, ({ iat }) => {
      const issued = iat * 1000;
      if (Math.abs(now - issued) > CLOCK_SKEW_MS) seen = Math.max(time, issued);
      return seen;
    });
    return problem === undefined ? { kind: 'token', claims, record: { key, token, seen } } : { kind: 'untrusted', message: `token not accepted: ${problem}` };
  }

  /** What the cache is worth when the service has given no verdict now. */
  #standing({ record, problem, claims, time }: Look, fault?: Fault): LicenseState {
    if (problem === undefined) return licensed('cache', claims, fault);
    if (record.refused !== undefined) return refusal(record.refused, record.key);
    if (problem === 'expired') {
      const end = licenseEnd(claims)?.getTime() ?? Infinity;
      const graceEnd = Math.min(tokenEnd(claims) + this.#graceMs, end);
      if (time >= end) return { status: 'expired' };
      if (time < graceEnd) return licensed('grace', claims, fault, graceEnd);
    }
    if (problem === 'no_token' && record.key === undefined) return { status: 'unbound' };
    return { status: 'offline_without_token', reason: problem, fault };
  }

  #keepTime({ record, time }: Look): void {
    if (record.token !== undefined && time - (record.seen ?? 0) >= SEEN_PRECISION_MS) this.#cache.save({ ...record, seen: time });
  }

  #isRefreshDue({ record, claims, now }: Look): boolean {
    if (record.key === undefined || !claims || now < this.#noRefreshBefore) return false;
    return now >= (claims.iat * 1000 + tokenEnd(claims)) / 2;
  }

  /** Keeps a new record. Answers to what was asked before come too late from here on. */
  #change(record: CacheRecord): void {
    this.#changes += 1;
    this.#checking.forget();
    this.#validating.forget();
    this.#cache.save(record);
  }

  #publish<State extends LicenseState>(state: State): State {
    if (JSON.stringify(state) === JSON.stringify(this.#current)) return state;
    this.#current = state;
    for (const listener of this.#listeners) {
      try {
        listener(state);
      } catch (error) {
        this.#warn('A listener failed', error);
      }
    }
    return state;
  }
}
