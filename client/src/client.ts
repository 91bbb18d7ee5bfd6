import {
  assess,
  expectationOf,
  licensedState,
  mayStillCount,
  offlineState,
  refreshTime,
  stateFromCache,
  type Assessment,
  type Rules,
} from './assessment';
import { isDeviceId, openCache, type CacheRecord, type LicenseCache, type Warn } from './cache';
import { createDeviceFinder, type Device, type FingerprintSource } from './device';
import { invalidInput } from './input';
import { verifyKeys, type PublicKey } from './keys';
import { writeOfflineRequest } from './offline-request';
import { isLicenseStatus, refusalState, type RefusalName } from './refusals';
import { createService, type DeviceLabels, type Fetch, type Reply, type Service } from './service';
import type { Deactivation, Fault, Forgotten, InvalidInput, InvalidToken, Licensed, LicenseState, Seats } from './state';
import { memoryStorage, type LicenseStorage } from './storage';
import { CLOCK_SKEW_MS, TOKEN_ISSUER, verifyWith, type TokenClaims } from './token';
import { verifyVerdict } from './verdict';

export interface LicenseClientOptions {
  /** The service's address, such as `https://licenses.example.com`. */
  readonly baseUrl: string;
  /** The product's `id`. */
  readonly productId: number;
  /** The product's `api_key`; it ships with the app (docs/spec/service.md, Authentication). */
  readonly apiKey: string;
  /** The product's `public_key` (PEM), its JWK set, or several of them: every key given is trusted. */
  readonly publicKey: PublicKey;
  /** The product's slug: tokens of another audience are refused. Without it the key alone stands for the product. */
  readonly audience?: string;
  /**
   * This device's fingerprint, or what finds it: `fingerprint` of the entry point `/node`. Without it, or if this
   * machine has none, a random id stands in, made once and kept in `storage`.
   */
  readonly fingerprint?: FingerprintSource;
  /** Default: memory, so nothing survives the process. */
  readonly storage?: LicenseStorage;
  /**
   * Name under which `storage` holds the cache: 1 to 100 letters, digits, `.`, `_` and `-`. The default is made of
   * `productId` and `baseUrl`; give a name to keep the licenses when the address changes.
   */
  readonly storageName?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** The clock, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
  /** Days for which an expired token still counts while the service can't be asked; never past the license's own end. Default: 0. */
  readonly graceDays?: number;
  /**
   * Maximum for each of at most two attempts of a request, and of every access to the storage, in milliseconds. Twice as long for the
   * fingerprint. Default: 5,000.
   */
  readonly timeoutMs?: number;
  /** Between the two attempts, in milliseconds; chance adds up to half of it. Default: 500. */
  readonly retryDelayMs?: number;
  /** Accepts tokens that the operator minted for no device: they work on every machine that they are copied to. Default: no. */
  readonly allowUnboundTokens?: boolean;
  /** Called with faults that change no result (a cache that can't be written, a listener that throws). Default: `console.warn`. */
  readonly onWarning?: Warn;
  /** Runs a task once after some milliseconds and gives what cancels that. Default: `setTimeout`, without keeping a process alive. */
  readonly schedule?: Schedule;
}

export type Schedule = (task: () => void, ms: number) => () => void;

const DAY_MS = 86_400_000;
/** Time between two attempts to ask in the background, after one that failed. */
const RETRY_PAUSE_MS = 300_000;
/** Longest sleep of the background: clocks are set, and machines sleep. */
const MAX_SLEEP_MS = 3_600_000;
const MIN_SLEEP_MS = 1000;
/** The latest time seen is stored to this precision, which spares most starts a write. */
const SEEN_PRECISION_MS = 60_000;
/** Keys whose seats are still to be freed; more are forgotten. */
const MAX_RELEASES = 10;

/** A reply whose signature, if it needs one, was verified. */
type TrustedReply =
  | { readonly kind: 'granted'; readonly record: CacheRecord; readonly claims: TokenClaims }
  | { readonly kind: 'refused'; readonly name: RefusalName; readonly seen: number; readonly isSigned: boolean };

/** Runs a task once at a time: callers meanwhile share the run, unless the task was asked to forget it. */
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

const startTimer: Schedule = (task, ms) => {
  const timer: unknown = setTimeout(task, ms);
  // In Node a timer would keep a command-line tool from ending.
  (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
};

/**
 * Keys as a person may type them: only letters and digits count; in keys of our shape `O` is `0`, `I` and `L` are `1`
 * (docs/spec/licenses.md, License keys).
 */
function isSameKey(held: string, typed: string): boolean {
  const plain = (key: string): string => key.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  const mapped = (key: string): string => plain(key).replace(/O/g, '0').replace(/[IL]/g, '1');
  const isOurShape = /^[0-9A-Z]{25}$/.test(plain(held));
  return isOurShape ? mapped(held) === mapped(typed) : plain(held) === plain(typed);
}

function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end -= 1;
  return url.slice(0, end);
}

/**
 * The part of a storage name that distinguishes two environments: the address without its scheme, in lower case, with `_` for what file
 * names can't hold.
 */
const nameOfAddress = (baseUrl: string): string =>
  baseUrl
    .replace(/^https?:\/\//i, '')
    .replace(/[^A-Za-z0-9.-]+/g, '_')
    .toLowerCase();

/** @throws TypeError for options that can't work */
function checkOptions(options: LicenseClientOptions): void {
  const isFunction = (value: unknown): boolean => typeof value === 'function';
  const matches =
    (pattern: RegExp) =>
    (value: unknown): boolean =>
      typeof value === 'string' && pattern.test(value);
  const isBetween =
    (minimum: number, maximum: number) =>
    (value: unknown): boolean =>
      Number.isFinite(value) && Number(value) >= minimum && Number(value) <= maximum;
  const orAbsent =
    (rule: (value: unknown) => boolean) =>
    (value: unknown): boolean =>
      value === undefined || rule(value);
  const rules: {
    readonly [Option in Exclude<keyof LicenseClientOptions, 'publicKey' | 'allowUnboundTokens'>]-?: (value: unknown) => boolean;
  } = {
    baseUrl: matches(/^https?:\/\/[^\s/?#@][^\s?#@]*$/i),
    productId: (value) => Number.isSafeInteger(value) && Number(value) > 0,
    apiKey: matches(/^[\x21-\x7e]+$/),
    audience: orAbsent(matches(/\S/)),
    fingerprint: orAbsent((value) => isFunction(value) || (typeof value === 'string' && isDeviceId(value.trim()))),
    storage: orAbsent((value) => isFunction((value as LicenseStorage | null)?.getItem) && isFunction((value as LicenseStorage).setItem)),
    storageName: orAbsent(matches(/^[\w.-]{1,100}$/)),
    fetch: (value) => isFunction(value ?? globalThis.fetch),
    now: orAbsent(isFunction),
    graceDays: orAbsent(isBetween(0, 36_500)),
    timeoutMs: orAbsent(isBetween(1, 600_000)),
    retryDelayMs: orAbsent(isBetween(0, 600_000)),
    onWarning: orAbsent(isFunction),
    schedule: orAbsent(isFunction),
  };
  for (const [option, isGood] of Object.entries(rules)) {
    if (!isGood(options[option as keyof typeof rules])) throw new TypeError(`${option} is not valid`);
  }
}

/**
 * The license of this device: one client per product and process.
 *
 * `check()` at the app's start is all that most apps need besides `activate()`: from then on {@link state} follows the
 * time, and tokens and leases are renewed in the background.
 * No method throws for what a network, a storage, a token or a user's input may contain; only a mistake in the
 * configuration does.
 */
export class LicenseClient {
  readonly #options: LicenseClientOptions;
  readonly #rules: Rules;
  readonly #service: Service;
  readonly #cache: LicenseCache;
  readonly #now: () => number;
  readonly #warn: Warn;
  readonly #findDevice: (record: CacheRecord) => Promise<Device>;
  readonly #startTimer: Schedule;

  readonly #checking = shared(() => this.#checkOnce());
  readonly #validating = shared(() => this.#validateOnce());
  readonly #releasing = shared(() => this.#releaseOldSeats());
  /** Counts changes of the record; a reply to a request from before one is about the past. */
  #changes = 0;
  #background: Promise<unknown> = Promise.resolve();
  /** When the background may ask again, in epoch milliseconds. */
  #askAgainAt = 0;
  /** When the token that is held is due to be refreshed, in epoch milliseconds; Infinity if it can't be. */
  #refreshAt = Infinity;
  #stopTimer: () => void = () => undefined;
  #isClosed = false;

  #current: LicenseState | undefined;
  readonly #listeners = new Set<(state: LicenseState) => void>();

  /** @throws TypeError for options that can't work */
  constructor(options: LicenseClientOptions) {
    checkOptions(options);
    const {
      productId,
      apiKey,
      graceDays = 0,
      timeoutMs = 5000,
      retryDelayMs = 500,
      storage = memoryStorage(),
      fetch = globalThis.fetch,
    } = options;
    const baseUrl = withoutTrailingSlashes(options.baseUrl);
    this.#options = options;
    this.#rules = {
      keys: verifyKeys(options.publicKey),
      audience: options.audience,
      allowUnboundTokens: options.allowUnboundTokens,
      graceMs: graceDays * DAY_MS,
    };
    this.#now = options.now ?? Date.now;
    const { onWarning = (message, cause) => console.warn(message, cause) } = options;
    this.#warn = (message, cause) => {
      try {
        onWarning(message, cause);
      } catch {
        // The listener itself has a fault; there is nobody left to warn.
      }
    };
    this.#startTimer = options.schedule ?? startTimer;
    this.#service = createService({ baseUrl, productId, apiKey, fetch: (url, init) => fetch(url, init), timeoutMs, retryDelayMs });
    const { storageName = `${TOKEN_ISSUER}.${productId}.${nameOfAddress(baseUrl)}` } = options;
    this.#cache = openCache(storage, storageName, timeoutMs, this.#warn);
    this.#findDevice = createDeviceFinder(options.fingerprint, this.#cache, 2 * timeoutMs, this.#warn);
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

  /** Whether use is granted now and a feature was bought, by {@link state}: works offline too. */
  readonly has = (feature: string): boolean => this.#current?.status === 'licensed' && this.#current.features.includes(feature);

  /** This device as the service knows it, in the form in which fingerprints are compared; undefined if it can't be found now. */
  async fingerprint(): Promise<string | undefined> {
    return (await this.#findDevice(await this.#cache.load())).id;
  }

  /**
   * May this app be used here? A cached token that verifies is accepted without the network, and refreshed in the
   * background once half of its life is over. Otherwise the service is asked, once (docs/spec/activation.md, Validate).
   * Calls at the same time share one result.
   */
  check(): Promise<LicenseState> {
    return this.#checking.run();
  }

  /** Asks the service now. If it gives no verdict, the result is what the cache is worth, with the `fault`. */
  validate(): Promise<LicenseState> {
    return this.#validating.run();
  }

  /**
   * Takes a seat for this device and caches its token. A key that is refused leaves the license of another key as
   * it is; one that is accepted replaces it, and the seat of the old key is freed. Repeating it is harmless.
   *
   * @param key as the user typed it
   * @param labels shown to the operator
   */
  async activate(key: string, labels: DeviceLabels = {}): Promise<LicenseState | InvalidInput> {
    const { name, platform } = labels ?? {};
    const invalid = invalidInput({ key, name, platform });
    return invalid ?? this.#takeSeat('activate', { key: key.trim(), name, platform });
  }

  /**
   * Starts the trial that the product offers without a key, or continues it on a device that had it before. A device
   * that is licensed already stays as it is, and nobody is asked.
   *
   * @param labels shown to the operator; `customerEmail` is kept with the trial
   */
  async trial(labels: DeviceLabels & { readonly customerEmail?: string } = {}): Promise<LicenseState | InvalidInput> {
    const { name, platform, customerEmail } = labels ?? {};
    const invalid = invalidInput({ name, platform, customerEmail });
    if (invalid) return invalid;
    const assessment = await this.#assess();
    if (assessment.problem === undefined) return this.#publish(stateFromCache(assessment, this.#rules));
    return this.#takeSeat('trial', { name, platform, customer_email: customerEmail });
  }

  /** Frees this device's seat and forgets its key and token. Needs the network, unless the license came by `importToken`. */
  async deactivate(): Promise<Deactivation> {
    const { record, time } = await this.#assess();
    const freed = await this.#freeSeat(record);
    if (typeof freed !== 'boolean') return { status: 'failed', fault: freed };
    await this.#change(emptied(record, time));
    this.#publish({ status: 'unbound' });
    return { status: 'deactivated', freed };
  }

  /** For uninstallers: frees this device's seat if the service can be reached, and deletes everything that is stored. */
  async forget(): Promise<Forgotten> {
    const freed = await this.#freeSeat(await this.#cache.load());
    this.#invalidate();
    await this.#cache.clear();
    this.#publish({ status: 'unbound' });
    return typeof freed === 'boolean' ? { status: 'forgotten', freed } : { status: 'forgotten', freed: false, fault: freed };
  }

  /**
   * What a machine that is never online sends to the operator, as text, file or QR code: one line of ASCII with key,
   * fingerprint and labels (docs/client.md, "Machines that are never online"). The operator's token goes to {@link importToken}.
   */
  async offlineRequest(
    key: string,
    labels: DeviceLabels = {},
  ): Promise<{ readonly status: 'request'; readonly text: string } | InvalidInput | { readonly status: 'failed'; readonly fault: Fault }> {
    const { name, platform } = labels ?? {};
    const invalid = invalidInput({ key, name, platform });
    if (invalid) return invalid;
    const device = await this.#findDevice(await this.#cache.load());
    if (device.fault) return { status: 'failed', fault: device.fault };
    const request = {
      product: this.#options.productId,
      key: key.trim(),
      fingerprint: device.id,
      ...(name !== undefined && { name }),
      ...(platform !== undefined && { platform }),
    };
    return { status: 'request', text: writeOfflineRequest(request) };
  }

  /**
   * Licenses a machine that is never online with a token that came by other means: the operator's response to an
   * {@link offlineRequest}, or one that was minted for no device (needs `allowUnboundTokens`). It takes the place of
   * what was cached, unless it is not accepted.
   */
  async importToken(token: string): Promise<Licensed | InvalidToken> {
    const text = String(token).replace(/\s/g, '');
    const { record, device, time, problem, claims } = await this.#assess(text);
    if (problem !== undefined || !claims) return { status: 'invalid_token', problem: problem ?? 'malformed' };
    const isOfHeldLicense = (await this.#assess()).claims?.sub === claims.sub;
    const imported = withRelease(
      {
        ...emptied(record, time),
        token: text,
        ...(isOfHeldLicense && record.key !== undefined && { key: record.key }),
        ...(device.kind && { device: device.kind }),
      },
      record.key,
    );
    await this.#change(imported);
    return this.#publish(licensedState('cache', claims, imported), claims, imported);
  }

  /** Resolves when the background has come to rest: no request under way, the cache written. */
  async idle(): Promise<void> {
    let background: Promise<unknown>;
    do await (background = this.#background);
    while (background !== this.#background);
    await this.#cache.settle();
  }

  /**
   * Ends requests under way, timers and notifications, so that a process may end at once. What is cached is still written.
   *
   * @param options.release frees this device's seat first and keeps the key: for floating licenses. The next start is
   * `unbound` with the `key` to activate again. Without a network the seat is free when its lease has ended.
   */
  async close({ release = false }: { readonly release?: boolean } = {}): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    if (release) await this.#release();
    this.#service.close();
    this.#listeners.clear();
    await this.idle();
  }

  async #release(): Promise<void> {
    const { record, time } = await this.#assess();
    const freed = record.token === undefined ? false : await this.#freeSeat(record);
    if (typeof freed !== 'boolean' || record.key === undefined || record.token === undefined) return;
    await this.#change({ ...emptied(record, time), key: record.key, refused: 'unbound', ...(record.device && { device: record.device }) });
    this.#publish(refusalState('unbound', record));
  }

  /** @returns whether a seat was freed, or why that is unknown */
  async #freeSeat(record: CacheRecord): Promise<boolean | Fault> {
    if (record.key === undefined) return false;
    const device = await this.#findDevice(record);
    if (device.fault) return device.fault;
    const reply = await this.#service.free(record.key, device.id);
    return reply.kind === 'done' ? reply.freed : reply;
  }

  async #checkOnce(): Promise<LicenseState> {
    const assessment = await this.#assess();
    await this.#keepTime(assessment);
    const { record, problem, claims, now } = assessment;
    if (record.release && now >= this.#askAgainAt) this.#inBackground(this.#releasing.run());
    if (problem !== undefined || !claims) return this.validate();
    if (record.key !== undefined && now >= Math.max(refreshTime(claims), this.#askAgainAt)) this.#inBackground(this.validate());
    return this.#publish(stateFromCache(assessment, this.#rules), claims, record);
  }

  async #validateOnce(): Promise<LicenseState> {
    const changes = this.#changes;
    const { record, device } = await this.#assess();
    if (device.fault || record.key === undefined) return this.#conclude(device.fault, await this.#assess());
    const reply = await this.#service.ask('validate', { key: record.key, fingerprint: device.id });
    const assessment = await this.#assess();
    const isHeldStill = assessment.record.key === record.key && assessment.record.token === record.token;
    if (this.#changes !== changes || !isHeldStill) {
      // Another call or another process has overtaken this request: the reply is about what is no longer held.
      this.#invalidate();
      return this.check();
    }
    return this.#conclude(await this.#verifyReply(reply, assessment, true), assessment);
  }

  async #takeSeat(
    operation: 'activate' | 'trial',
    fields: DeviceLabels & { readonly key?: string; readonly customer_email?: string },
  ): Promise<LicenseState> {
    const { device, record: before } = await this.#assess();
    if (device.fault) return this.#conclude(device.fault, await this.#assess());
    const { key } = fields;
    const reply = await this.#service.ask(operation, { ...fields, fingerprint: device.id });
    const seats =
      reply.kind === 'refused' && reply.name === 'no_seats' && key !== undefined ? await this.#seatsOf(key, device.id) : undefined;
    const assessment = await this.#assess();
    const { record } = assessment;
    const isHeld = key !== undefined && record.key !== undefined && isSameKey(record.key, key);
    const verified = await this.#verifyReply(reply, { ...assessment, device }, isHeld);
    if (verified.kind === 'granted')
      return this.#conclude({ ...verified, record: withRelease(verified.record, record.key ?? before.key) }, assessment);
    if (verified.kind !== 'refused') {
      // What is held is still held; the result says that the other key was not activated.
      return isHeld ? this.#conclude(verified, assessment) : this.#publishUnlessLicensed(offlineState(assessment, verified), assessment);
    }
    const takesLicense = isHeld && (isLicenseStatus(verified.name) || !mayStillCount(assessment, this.#rules));
    if (takesLicense) return this.#conclude(verified, { ...assessment, record: { ...record, ...(seats && { seats }) } });
    return this.#publishUnlessLicensed(refusalState(verified.name, { seats }), assessment);
  }

  /** The numbers behind `no_seats`, which an error's body doesn't have. */
  async #seatsOf(key: string, fingerprint: string): Promise<Seats | undefined> {
    const reply = await this.#service.ask('validate', { key, fingerprint });
    return reply.kind === 'unbound' ? reply.seats : undefined;
  }

  /** Keeps what the service said about the key that is held. */
  async #conclude(reply: TrustedReply | Fault | undefined, assessment: Assessment): Promise<LicenseState> {
    const { record, now } = assessment;
    if (reply?.kind === 'granted') {
      await this.#change(reply.record);
      if (reply.record.release) this.#inBackground(this.#releasing.run());
      return this.#publish(licensedState('network', reply.claims, reply.record), reply.claims, reply.record);
    }
    if (reply?.kind === 'refused') {
      const { key, type_name, device, seats } = record;
      const kept: CacheRecord = {
        ...emptied(record, reply.seen),
        refused: reply.name,
        ...(key !== undefined && { key }),
        ...(type_name !== undefined && { type_name }),
        ...(device && { device }),
        ...(seats && { seats }),
        ...(reply.isSigned && { verdicts: true }),
      };
      await this.#change(kept);
      return this.#publish(refusalState(reply.name, kept));
    }
    if (reply) this.#askAgainAt = now + Math.max(RETRY_PAUSE_MS, (reply.retryAfter ?? 0) * 1000);
    return this.#publish(stateFromCache(assessment, this.#rules, reply), assessment.claims, record);
  }

  /**
   * Frees the seats of keys that were replaced. One that the service refuses to free is given up; one that it can't be asked about stays.
   */
  async #releaseOldSeats(): Promise<void> {
    const { record, device, now } = await this.#assess();
    if (device.id === undefined) return;
    const settled = new Set<string>();
    for (const key of record.release ?? []) {
      const reply = await this.#service.free(key, device.id);
      if (reply.kind === 'done' || reply.kind === 'rejected') settled.add(key);
      else this.#askAgainAt = Math.max(this.#askAgainAt, now + RETRY_PAUSE_MS);
    }
    if (settled.size === 0) return;
    const { release = [], ...rest } = await this.#cache.load();
    const left = release.filter((key) => !settled.has(key));
    await this.#cache.save({ ...rest, ...(left.length > 0 && { release: left }) });
  }

  /** Assesses the cached token, or another one, by key, clock and device, without a network. */
  async #assess(other?: string): Promise<Assessment> {
    const record = await this.#cache.load();
    return assess(this.#rules, record, await this.#findDevice(record), this.#now(), other);
  }

  /**
   * Verifies what a reply claims. Only a token grants a license. While one is held that may still count, only what the
   * service has proved takes it away: a verdict, once the service is known to sign them; and never that it doesn't know the key.
   */
  async #verifyReply(reply: Reply | Fault, assessment: Assessment, isAboutHeldKey: boolean): Promise<TrustedReply | Fault> {
    const { record, device, now, time, claims: held } = assessment;
    const isProtected = isAboutHeldKey && mayStillCount(assessment, this.#rules);
    if (isFault(reply)) return reply;
    switch (reply.kind) {
      case 'granted': {
        const { token, key, terms } = reply;
        let seen = now;
        const { claims, problem } = await verifyWith(
          this.#rules.keys,
          token,
          expectationOf(this.#rules, device.id ?? ''),
          ({ iat }) => (seen = latestTime(iat, now, time)),
        );
        if (problem !== undefined || !claims) return untrusted(`token not accepted: ${String(problem)}`);
        const { release, verdicts } = record;
        return {
          kind: 'granted',
          claims,
          record: {
            key,
            token,
            seen,
            ...(device.kind && { device: device.kind }),
            ...(terms.typeName !== undefined && { type_name: terms.typeName }),
            ...(terms.seats && { seats: terms.seats }),
            ...(terms.leaseExpiresAt !== undefined && { lease_expires_at: terms.leaseExpiresAt }),
            ...(verdicts && { verdicts }),
            ...(release && { release }),
          },
        };
      }
      case 'unbound':
        if (isProtected && held && (reply.licenseId !== held.sub || !isSameKey(record.key ?? '', reply.key)))
          return untrusted('the response is about another license');
        return { kind: 'refused', name: 'unbound', seen: time, isSigned: false };
      case 'refused': {
        const { name, verdict } = reply;
        const unsigned = { kind: 'refused', name, seen: time, isSigned: false } as const;
        if (!isProtected || !held) return unsigned;
        if (name === 'unknown_key') return untrusted('the service does not know a key that it has licensed');
        if (!isLicenseStatus(name)) return unsigned;
        if (verdict === null) return record.verdicts ? untrusted('the refusal is not signed') : unsigned;
        const expected = {
          audience: this.#rules.audience ?? held.aud,
          licenseId: held.sub,
          fingerprint: device.id ?? '',
          tokenIssuedAt: held.iat,
        };
        const verified = await verifyVerdict(this.#rules.keys, verdict, expected);
        if (verified.problem !== undefined) return untrusted(`verdict not accepted: ${verified.problem}`);
        return { kind: 'refused', name: verified.status, seen: latestTime(verified.issuedAt, now, time), isSigned: true };
      }
    }
  }

  /** Stores that time has passed, at most once a minute. */
  async #keepTime({ record, time }: Assessment): Promise<void> {
    if (record.token === undefined || time - (record.seen ?? 0) < SEEN_PRECISION_MS) return;
    // Read again: another process may have replaced the record while this one was assessed.
    const current = await this.#cache.load();
    if (current.token === record.token && current.key === record.key)
      void this.#cache.save({ ...current, seen: Math.max(time, current.seen ?? 0) });
  }

  /** Keeps a new record. Replies to earlier requests come too late from here on. */
  async #change(record: CacheRecord): Promise<void> {
    this.#invalidate();
    await this.#cache.save(record);
  }

  #invalidate(): void {
    this.#changes += 1;
    this.#checking.forget();
    this.#validating.forget();
  }

  #inBackground(task: Promise<unknown>): void {
    this.#background = Promise.all([this.#background, task]);
  }

  /** The state of a device that is licensed stays as it is when another key is refused. */
  #publishUnlessLicensed(state: LicenseState, assessment: Assessment): LicenseState {
    return stateFromCache(assessment, this.#rules).status === 'licensed' ? state : this.#publish(state);
  }

  /** @param claims of the token that is held, and its record: when to refresh it */
  #publish<State extends LicenseState>(state: State, claims?: TokenClaims, record?: CacheRecord): State {
    this.#refreshAt = claims && record?.key !== undefined ? refreshTime(claims) : Infinity;
    this.#sleep(state);
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

  /**
   * Checks again automatically when the state may change: at the token's end, when it is due to be refreshed, or when a fault may be over.
   */
  #sleep(state: LicenseState): void {
    this.#stopTimer();
    const now = this.#now();
    let wakeAt = Infinity;
    if (state.status === 'licensed') {
      const end = state.offlineUntil.getTime() + (state.source === 'grace' ? 0 : CLOCK_SKEW_MS);
      wakeAt = Math.min(end, Math.max(this.#refreshAt, this.#askAgainAt));
      if (state.source === 'grace') wakeAt = Math.min(end, this.#askAgainAt);
    } else if (state.status === 'offline_without_token' && state.fault && this.#askAgainAt > now) {
      wakeAt = this.#askAgainAt;
    }
    if (this.#isClosed || wakeAt === Infinity) return;
    this.#stopTimer = this.#startTimer(
      () => this.#inBackground(this.check()),
      Math.min(Math.max(wakeAt - now, MIN_SLEEP_MS), MAX_SLEEP_MS),
    );
  }
}

const isFault = (reply: Reply | Fault): reply is Fault => 'message' in reply;

const untrusted = (message: string): Fault => ({ kind: 'untrusted', message });

/** What stays in a record when the license goes: nothing that grants or names one. */
const emptied = ({ device, verdicts, release }: CacheRecord, seen: number): CacheRecord => ({
  seen,
  ...(device === 'machine' && { device }),
  ...(verdicts && { verdicts }),
  ...(release && { release }),
});

/** Notes the key that a new one has replaced, so that its seat is freed. */
function withRelease(record: CacheRecord, replaced: string | undefined): CacheRecord {
  const { release: earlier = [], ...rest } = record;
  const keys = [...earlier, ...(replaced === undefined ? [] : [replaced])].filter(
    (key, place, all) => (record.key === undefined || !isSameKey(record.key, key)) && all.indexOf(key) === place,
  );
  return { ...rest, ...(keys.length > 0 && { release: keys.slice(-MAX_RELEASES) }) };
}

/**
 * The time, when a signature from `iat` (in seconds) has just arrived. One that was made just now confirms the clock,
 * regardless of what was seen before. A clock that is behind is proved wrong by it. A clock that is ahead may be right, and the response an
 * old one.
 */
const latestTime = (iat: number, now: number, time: number): number =>
  Math.abs(now - iat * 1000) > CLOCK_SKEW_MS ? Math.max(time, iat * 1000) : now;
