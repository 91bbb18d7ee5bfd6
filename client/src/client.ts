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
import {
  isDeviceId,
  isSameActivation,
  isSameKey,
  openCache,
  withRelease,
  type CacheRecord,
  type LicenseCache,
  type Make,
  type Warn,
} from './cache';
import { coversRelease, type Release } from './coverage';
import { randomId, type Ed25519 } from './ed25519';
import { createDeviceFinder, type Device, type FingerprintSource } from './device';
import { filledText, invalidInput, invalidUse, isVersion, shownLabel } from './input';
import { verifyKeys, type PublicKey } from './keys';
import { writeOfflineRequest } from './offline-request';
import { MAX_AGE_MS, openQueue, type Entry, type Queue } from './queue';
import { isSignable, refusalState, type RefusalName } from './refusals';
import {
  createService,
  type ActivationRequest,
  type Decision,
  type DeviceLabels,
  type Fetch,
  type Freed,
  type Reply,
  type SeatFields,
  type Service,
} from './service';
import type {
  Consumption,
  Deactivation,
  DeviceList,
  Fault,
  Forgotten,
  InvalidInput,
  InvalidToken,
  Latest,
  Licensed,
  LicenseState,
  Meter,
  MeterList,
  NotCovered,
  Pending,
  UsageRefusal,
} from './state';
import { isCount, isFunction, isText, isTimestamp, matching, misfit, optional, shaped, type Rule } from './shape';
import { memoryStorage, type LicenseStorage } from './storage';
import { CLOCK_BEHIND_MS, CLOCK_SKEW_MS, TOKEN_ISSUER, verifyWith, type TokenClaims } from './token';
import { verifyVerdict } from './verdict';

export interface LicenseClientOptions {
  /** The service's URL, such as `https://licenses.example.com`. */
  readonly baseUrl: string;
  /** The product's `id`. */
  readonly productId: number;
  /** The product's `api_key`; it ships with the app (docs/spec/service.md, Authentication). */
  readonly apiKey: string;
  /** The product's `public_key` (PEM), its JWK set, or a list of PEMs and JWK sets. Every given key is trusted. */
  readonly publicKey: PublicKey;
  /** For platforms without Ed25519 (React Native, browsers before 2025): the implementation of the entry point `/fallback`. */
  readonly ed25519?: Ed25519;
  /** The product's slug: tokens for another audience are refused. Without a slug, only the signing key identifies the product. */
  readonly audience?: string;
  /**
   * This device's fingerprint, or a function that finds it, such as `fingerprint` of the entry point `/node`. Without this option, or on a
   * machine without a fingerprint, the client creates a random id once and keeps the id in `storage`.
   */
  readonly fingerprint?: FingerprintSource;
  /** Default: memory, so the license is lost when the process ends. */
  readonly storage?: LicenseStorage;
  /**
   * Name under which `storage` keeps the cache: 1 to 100 letters, digits, `.`, `_` and `-`. The default consists of `productId` and
   * `baseUrl`; set a name to keep the licenses when the service's URL changes.
   */
  readonly storageName?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** The clock, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Number of days for which an expired token is still accepted while the service can't be asked. The grace period ends no later than the
   * license. Default: 0.
   */
  readonly graceDays?: number;
  /**
   * Maximum time for each attempt of a request (there are at most two), and for each access to the storage, in milliseconds. The
   * fingerprint may take twice as long. Default: 5,000.
   */
  readonly timeoutMs?: number;
  /** Pause between the two attempts of a request, in milliseconds; a random time of up to half of the pause is added. Default: 500. */
  readonly retryDelayMs?: number;
  /** Accepts tokens that the operator issued without a device: they work on every machine to which they are copied. Default: no. */
  readonly allowUnboundTokens?: boolean;
  /**
   * This build of the app. `activate` refuses a license that doesn't cover this build. {@link LicenseClient.covers} without an argument
   * checks this build. Activations and validations contain its version, so that the operator sees which versions are in use.
   */
  readonly release?: Release;
  /**
   * What {@link LicenseClient.consume} does with an amount if the service can't be reached. `refuse`: the call fails. `queue`: the amount is
   * stored and sent later. Default: `refuse`.
   */
  readonly offline?: 'refuse' | 'queue';
  /** Called with faults that change no result, such as a cache that can't be written or a listener that throws. Default: `console.warn`. */
  readonly onWarning?: Warn;
  /**
   * Runs a task once after some milliseconds and returns a function that cancels it. Default: `setTimeout`, with a timer that doesn't keep
   * the process alive.
   */
  readonly schedule?: Schedule;
}

/** The arguments of {@link LicenseClient.activateInBrowser}. */
export interface BrowserActivation extends DeviceLabels {
  /** Opens an address in the user's browser. */
  readonly open: (url: string) => unknown;
  /** Shows the code until the call ends. The user compares it with the code in the browser. */
  readonly onCode: (code: string) => unknown;
  /** Ends the call, for example when the user closes the dialog. */
  readonly signal?: AbortSignal;
}

export type Schedule = (task: () => void, ms: number) => () => void;

const DAY_MS = 86_400_000;
/** Pause between a failed background request and the next one. */
const RETRY_PAUSE_MS = 300_000;
/**
 * Maximum sleep of the background timer. A longer sleep could end too late, because during the sleep the clock may be changed, or the
 * device may go to standby.
 */
const MAX_SLEEP_MS = 3_600_000;
const MIN_SLEEP_MS = 1000;
/** After this time, in seconds, a request that waits for an approval has ended in any case. */
const REQUEST_LIFETIME = 600;
/** Minimum pause between two questions for the decision, in seconds. */
const MIN_POLL_PAUSE = 1;
/** By how many seconds each fault lengthens the pause between two questions for the decision (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;
/** Pause between attempts to store a record that could not be stored. */
const STORE_PAUSE_MS = 10_000;
/** The latest time seen is stored with this precision, so that most starts of the app write nothing to the storage. */
const SEEN_PRECISION_MS = 60_000;

/** A reply of the service. If the reply needs a signature, the signature was verified. */
type TrustedReply =
  | { readonly kind: 'granted'; readonly record: CacheRecord & { readonly key: string }; readonly claims: TokenClaims }
  | { readonly kind: 'refused'; readonly name: RefusalName; readonly seen: number; readonly isSigned: boolean };

/**
 * Runs a task, but never twice at the same time. A call during a run gets the result of that run. After `forget`, the next call starts a
 * new run.
 */
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
  // In Node, an active timer would prevent a command-line tool from ending.
  (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
};

/** A timer for a call in progress, which keeps a command-line tool alive. */
const startActiveTimer: Schedule = (task, ms) => {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
};

function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end -= 1;
  return url.slice(0, end);
}

/**
 * The part of a storage name that differs between environments of a service, such as test and production: the service's URL without its
 * scheme, in lower case, with `_` for characters that file names can't contain.
 */
const nameOfAddress = (baseUrl: string): string =>
  baseUrl
    .replace(/^https?:\/\//i, '')
    .replace(/[^A-Za-z0-9.-]+/g, '_')
    .toLowerCase();

const between =
  (minimum: number, maximum: number): Rule =>
  (value) =>
    Number.isFinite(value) && Number(value) >= minimum && Number(value) <= maximum;

const isReleaseDate: Rule = (value) => isTimestamp(value instanceof Date && Number.isFinite(value.getTime()) ? value.toISOString() : value);

const optionRules: { readonly [Option in Exclude<keyof LicenseClientOptions, 'publicKey' | 'allowUnboundTokens'>]-?: Rule } = {
  baseUrl: matching(/^https?:\/\/[^\s/?#@][^\s?#@]*$/i),
  productId: (value) => isCount(value) && value > 0,
  apiKey: matching(/^[\x21-\x7e]+$/),
  ed25519: optional(isFunction),
  audience: optional(matching(/\S/)),
  fingerprint: optional((value) => isFunction(value) || (isText(value) && isDeviceId(value.trim()))),
  storage: optional((value) => isFunction((value as LicenseStorage | null)?.getItem) && isFunction((value as LicenseStorage).setItem)),
  storageName: optional(matching(/^[\w.-]{1,100}$/)),
  fetch: (value) => isFunction(value ?? globalThis.fetch),
  now: optional(isFunction),
  graceDays: optional(between(0, 36_500)),
  timeoutMs: optional(between(1, 600_000)),
  retryDelayMs: optional(between(0, 600_000)),
  offline: optional(matching(/^(refuse|queue)$/)),
  onWarning: optional(isFunction),
  schedule: optional(isFunction),
  release: optional(shaped({ version: isVersion, releasedAt: optional(isReleaseDate) })),
};

/**
 * A client for the license of this device. Create one client per product and process.
 *
 * Most apps need only `activate()`, and `check()` at the start. After `check()`, {@link state} is kept up to date, and tokens and leases
 * are renewed in the background. No method throws because of the network, the storage, a token or a user's input; only the constructor
 * throws, for invalid options.
 */
export class LicenseClient {
  readonly #options: LicenseClientOptions;
  readonly #rules: Rules;
  readonly #service: Service;
  readonly #cache: LicenseCache;
  readonly #queue: Queue;
  readonly #now: () => number;
  readonly #warn: Warn;
  readonly #findDevice: (record: CacheRecord) => Promise<Device>;
  readonly #startTimer: Schedule;

  readonly #checking = shared(() => this.#checkOnce());
  readonly #validating = shared(() => this.#validateOnce());
  readonly #releasing = shared(() => this.#releaseOldSeats());
  readonly #sending = shared(() => this.#sendAmounts());
  #background: Promise<unknown> = Promise.resolve();
  /** The earliest time at which the next background request may be sent, in epoch milliseconds. */
  #askAgainAt = 0;
  /** When the current token is due to be refreshed, in epoch milliseconds; Infinity if there is none to refresh. */
  #refreshAt = Infinity;
  /** Whether this process knows of stored amounts that could not be sent. */
  #isWaitingToSend = false;
  #stopTimer: () => void = () => undefined;
  #isClosed = false;
  /** Each of these functions ends a pause of {@link activateInBrowser}. */
  readonly #pauses = new Set<() => void>();

  #current: LicenseState | undefined;
  /** {@link state} before the release of the app is compared with what the license covers. */
  #found: LicenseState | undefined;
  readonly #listeners = new Set<(state: LicenseState) => void>();

  /** @throws TypeError for invalid options */
  constructor(options: LicenseClientOptions) {
    const wrong = misfit(options, optionRules);
    if (wrong) throw new TypeError(`${wrong} is not valid`);
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
      keys: verifyKeys(options.publicKey, options.ed25519),
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
        // The warning listener itself failed, and there is nobody else to warn.
      }
    };
    this.#startTimer = options.schedule ?? startTimer;
    this.#service = createService({ baseUrl, productId, apiKey, fetch: (url, init) => fetch(url, init), timeoutMs, retryDelayMs });
    const { storageName = `${TOKEN_ISSUER}.${productId}.${nameOfAddress(baseUrl)}` } = options;
    this.#cache = openCache(storage, storageName, timeoutMs, retryDelayMs / 2, this.#warn);
    this.#queue = openQueue(this.#cache);
    this.#findDevice = createDeviceFinder(options.fingerprint, this.#cache, 2 * timeoutMs, this.#warn);
  }

  /** The latest license state; undefined before the first result. The object stays the same until the state changes. */
  get state(): LicenseState | undefined {
    return this.#current;
  }

  /** Calls `listener` whenever {@link state} changes. @returns a function that unsubscribes */
  readonly subscribe = (listener: (state: LicenseState) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether the app may be used now and the license includes a feature, according to {@link state}. Works offline. */
  readonly has = (feature: string): boolean => this.#current?.status === 'licensed' && this.#current.features.includes(feature);

  /**
   * A limit of the license, according to {@link state}. Works offline.
   *
   * @returns undefined if the license has no such limit, or the app may not be used now
   */
  readonly limit = (name: string): number | undefined => {
    const limits = this.#current?.status === 'licensed' ? this.#current.limits : {};
    return Object.prototype.hasOwnProperty.call(limits, name) ? limits[name] : undefined;
  };

  /**
   * Whether the app may be used now and the license covers a release, according to {@link state}. Works offline, and doesn't depend on the
   * clock.
   *
   * @param release default: the option `release`
   */
  readonly covers = (release: Release = this.#options.release ?? {}): boolean => {
    const state = this.#current;
    return !!state && 'updates' in state && !!state.updates && coversRelease(state.updates, release);
  };

  /** This device's fingerprint in the canonical form that the service stores; undefined if it can't be found now. */
  async fingerprint(): Promise<string | undefined> {
    return (await this.#identify())[1].id;
  }

  /**
   * Checks whether the app may be used on this device. A valid cached token is accepted without the network, and is refreshed in
   * the background after half of its lifetime. Otherwise the service is asked once (docs/spec/activation.md, Validate). Simultaneous
   * calls share one result.
   */
  check(): Promise<LicenseState> {
    return this.#checking.run();
  }

  /**
   * Asks the service now. If the service gives no decision, the result comes from the cache. If this result is `licensed` or
   * `offline_without_token`, its `fault` says why there is no decision.
   */
  validate(): Promise<LicenseState> {
    return this.#validating.run();
  }

  /**
   * Takes a seat for this device and caches its token. If the service refuses the key, the license of an earlier key stays active. If the
   * service accepts the key, the new license replaces the earlier one, and the seat of the earlier key is freed. Repeating a call is
   * harmless.
   *
   * @param key as the user typed it
   * @param options labels that the operator sees. `replace`: the `ref` of a device ({@link devices}) whose seat is freed for this device if
   * the license is full
   */
  async activate(key: string, options: DeviceLabels & { readonly replace?: string } = {}): Promise<LicenseState | InvalidInput> {
    return invalidInput({ ...options, key }) ?? this.#activate(key.trim(), options ?? {});
  }

  #activate(key: string, { name, platform, replace }: DeviceLabels & { readonly replace?: string } = {}): Promise<LicenseState> {
    return this.#takeSeat('activate', {
      key,
      name: filledText(name),
      platform: filledText(platform),
      replace: filledText(replace),
      release: this.#releaseFields(),
    });
  }

  /** The version of the app, as requests name it. */
  #version(): string | undefined {
    return filledText(this.#options.release?.version);
  }

  /** The release of the app, as requests name it. */
  #releaseFields(): object | undefined {
    const { releasedAt } = this.#options.release ?? {};
    const version = this.#version();
    const released = releasedAt instanceof Date ? releasedAt.toISOString() : releasedAt;
    return version === undefined && released === undefined ? undefined : { version, released_at: released };
  }

  /**
   * Activates this device without a typed key: the user signs in to the vendor's portal in the browser, compares the code, and chooses a
   * license. The call waits for the decision, at most ten minutes. It resolves with a state as {@link activate} does, or with `denied` or
   * `request_expired`. After `close` or `signal`, the fault is `closed`. A new call ends the request of an earlier one. Characters that
   * change the direction of text are removed from the labels, which are cut to 200 characters.
   */
  async activateInBrowser({ open, onCode, name, platform, signal }: BrowserActivation): Promise<LicenseState | InvalidInput> {
    const labels = { name: shownLabel(name), platform: shownLabel(platform) };
    const invalid = invalidInput(labels);
    if (invalid) return invalid;
    const before = await this.#assess();
    const { device } = before;
    if (device.fault) return this.#conclude(device.fault, before);
    const asked = await this.#service.requestActivation({
      fingerprint: device.id,
      name: filledText(labels.name),
      platform: filledText(labels.platform),
      release: this.#releaseFields(),
    });
    if (!isFault(asked)) {
      this.#tell(() => onCode(asked.userCode));
      this.#tell(() => open(asked.url));
    }
    const decision = isFault(asked) ? asked : await this.#decision(asked, device.id, signal);
    return this.#cache.exclusively('seat', async () => {
      const assessment = await this.#assess();
      if (isFault(decision)) {
        const state = offlineState(assessment, decision);
        return decision.kind === 'closed' ? state : this.#publishUnlessLicensed(state, assessment);
      }
      if (decision.kind === 'denied') return this.#publishUnlessLicensed({ status: 'denied' }, assessment);
      if (decision.kind === 'expired') return this.#publishUnlessLicensed({ status: 'request_expired' }, assessment);
      // If no token tells the license of the held key, the key may be one of the same license. Freeing its seat would free the new one.
      const replaced = assessment.claims && assessment.record.key;
      return this.#concludeSeat(decision, { ...assessment, device }, { before: assessment.record, replaced, change: this.#changeKey });
    });
  }

  /** Calls a function of the app, and passes its fault to `onWarning`. */
  #tell(call: () => unknown): void {
    const run = async (): Promise<unknown> => call();
    run().catch((error: unknown) => this.#warn('The sign-in could not be shown', error));
  }

  /**
   * Asks for the decision about a request until there is one, or until the pauses have lasted as long as the request. The pauses are
   * counted, because the clock may be set meanwhile.
   */
  async #decision(
    { request, interval: first }: ActivationRequest,
    fingerprint: string,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Decision, { kind: 'pending' }> | Fault> {
    let [interval, slower, retryAfter, left] = [first, 0, 0, REQUEST_LIFETIME];
    while (left > 0) {
      const pause = Math.min(Math.max(interval + slower, retryAfter, MIN_POLL_PAUSE), left);
      if (!(await this.#pause(pause * 1000, signal)))
        return { kind: 'closed', message: 'the client was closed, or the app has ended the call' };
      left -= pause;
      const decision = await this.#service.poll(request, fingerprint, signal);
      if (!isFault(decision)) {
        if (decision.kind !== 'pending') return decision;
        ({ interval } = decision);
        retryAfter = 0;
        continue;
      }
      if (decision.kind === 'rejected') return decision;
      slower += SLOW_DOWN_SECONDS;
      retryAfter = decision.retryAfter ?? 0;
    }
    return { kind: 'expired' };
  }

  /** Waits some milliseconds. @returns false if `close` or `signal` has ended the wait */
  #pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#isClosed || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isOver: boolean): void => {
        stop();
        this.#pauses.delete(cancel);
        signal?.removeEventListener('abort', cancel);
        resolve(isOver);
      };
      const cancel = (): void => end(false);
      const stop = (this.#options.schedule ?? startActiveTimer)(() => end(true), ms);
      this.#pauses.add(cancel);
      signal?.addEventListener('abort', cancel);
    });
  }

  /**
   * The devices that have seats of a license; the device that was activated last comes first. If the vendor doesn't let apps see the list,
   * the result has the fault `rejected`.
   *
   * @param key default: the key of the current activation
   */
  async devices(key?: string): Promise<DeviceList | InvalidInput> {
    const invalid = invalidInput(key === undefined ? {} : { key });
    if (invalid) return invalid;
    const [record, device] = await this.#identify();
    if (device.fault) return failed(device.fault);
    const asked = key?.trim() ?? record.key;
    const devices = asked ? await this.#service.devices(asked, device.id) : [];
    return isFault(devices) ? failed(devices) : { status: 'devices', devices };
  }

  /**
   * The newest release that the license covers, with its files and the headers that a download needs. The request contains the current key,
   * or the token if there is no key. Without key and token, the result contains a release only if the product's downloads are public.
   *
   * @param options `platform` and `arch`: where the app runs. A file for the platform `any` or the architecture `universal` fits every
   * device. Without `platform`, files for every platform fit, and without `arch`, files for every architecture. `channel`: default
   * `stable`. `version`: only a release that is newer than this version is an update; default: the version of the option `release`
   */
  async latest(
    options: { readonly platform?: string; readonly arch?: string; readonly channel?: string; readonly version?: string } = {},
  ): Promise<Latest> {
    const [platform, arch, channel, version] = [options.platform, options.arch, options.channel, options.version].map(filledText);
    const [record, { fault }] = await this.#identify();
    return fault?.kind === 'storage'
      ? failed(fault)
      : this.#service.latest(record, { platform, arch, channel, version: version ?? this.#version() });
  }

  /**
   * Consumes an amount of a meter of the license. The service counts it, and counts every `id` once. A refusal doesn't change the license
   * state. With the option `offline: 'queue'`, the amount is stored before it is sent, and it is sent later if the service can't be reached
   * now. Amounts are sent one at a time, in the order of the calls.
   *
   * @param amount from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back
   * @param options.id 8 to 64 characters, for example the id of the order or document that is counted. To repeat a call, repeat its `id`.
   * Default: a random id
   */
  async consume(
    meter: string,
    amount: number,
    { id = newId() }: { readonly id?: string | undefined } = {},
  ): Promise<Consumption | InvalidInput> {
    const invalid = invalidUse({ meter, amount, id });
    if (invalid) return invalid;
    const { record, device, claims, time } = await this.#assess();
    const { key } = record;
    if (device.fault?.kind === 'storage') return { ...failed(device.fault), id };
    if (!key) return noKey;
    const entry = { id, meter: meter.trim(), amount, at: Math.floor(time), key, license: claims?.sub };
    return this.#options.offline === 'queue' ? this.#consumeInTurn(entry) : consumption(entry, await this.#send(entry));
  }

  /** The license's meters, as the service has counted them. */
  async meters(): Promise<MeterList> {
    const [{ key }, { id, fault }] = await this.#identify();
    if (fault) return failed(fault);
    if (!key) return noKey;
    const meters = await this.#service.meters(key, id);
    if ('status' in meters) return meters;
    return isFault(meters) ? failed(meters) : { status: 'meters', meters };
  }

  /** Amounts that wait until they can be sent, and amounts that were dropped. Sends no request. */
  async pending(): Promise<Pending> {
    const report = await this.#queue.report();
    return report ? { status: 'pending', ...report } : failed(notRead);
  }

  /**
   * Frees the seat of another device. To free the seat of this device, use {@link deactivate}, which also forgets the key.
   *
   * @param ref the device's `ref` in the result of {@link devices}
   * @param key default: the key of the current activation
   */
  async free(ref: string, key?: string): Promise<Deactivation | InvalidInput> {
    const invalid = invalidInput({ ref, ...(key !== undefined && { key }) });
    if (invalid) return invalid;
    return this.#cache.exclusively('seat', async () => {
      const [record, device] = await this.#identify();
      if (device.fault) return failed(device.fault);
      const { freed, fault } = await this.#freeSeat(key?.trim() ?? record.key, { device: ref.trim() });
      return fault ? failed(fault) : { status: 'deactivated', freed };
    });
  }

  /**
   * Starts the product's trial, which needs no key, or continues the trial on a device that had it before. On a licensed device nothing
   * changes, and no request is sent. If the device has a key, the key is validated and never replaced.
   *
   * @param labels that the operator sees; `customerEmail` is stored with the trial
   */
  async trial(labels: DeviceLabels & { readonly customerEmail?: string } = {}): Promise<LicenseState | InvalidInput> {
    const { name, platform, customerEmail } = labels ?? {};
    const invalid = invalidInput({ name, platform, customerEmail });
    if (invalid) return invalid;
    const assessment = await this.#assess();
    if (!assessment.problem) return this.#publish(stateFromCache(assessment, this.#rules));
    if (assessment.record.key) return this.validate();
    return this.#takeSeat('trial', {
      name: filledText(name),
      platform: filledText(platform),
      customer_email: filledText(customerEmail),
    });
  }

  /**
   * Frees this device's seat and forgets its key and token. Needs the network only if a key is stored; a license from {@link importToken}
   * may have no key. If another key is activated during the call, that activation stays.
   */
  async deactivate(): Promise<Deactivation> {
    await this.#sendBeforeFreeing();
    return this.#cache.exclusively('seat', async () => {
      const { record, device, time } = await this.#assess();
      const { freed, fault } = await this.#freeOwnSeat(record, device);
      if (fault) return failed(fault);
      if (await this.#changeKey(record, (current) => emptied(current, time))) this.#publish({ status: 'unbound' });
      else await this.#overtaken();
      return { status: 'deactivated', freed };
    });
  }

  /** For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data. */
  async forget(): Promise<Forgotten> {
    await this.#sendBeforeFreeing();
    return this.#cache.exclusively('seat', async () => {
      let record: CacheRecord;
      let seat: Freed;
      // If another process has activated a key in the meantime, the next round frees the seat of that key and deletes its data as well.
      do {
        const [held, device] = await this.#identify();
        record = held;
        seat = await this.#freeOwnSeat(held, device);
        this.#invalidate();
      } while (!(await this.#cache.clear(record)));
      this.#isWaitingToSend = false;
      this.#publish({ status: 'unbound' });
      const { freed, fault } = seat;
      return { status: 'forgotten', freed, ...(fault && { fault }) };
    });
  }

  /**
   * Creates a request for a device that has no network (docs/client.md, "Machines that are never online"). The request is one line of ASCII
   * with key, fingerprint and labels. The user gives this line to the operator, as text, file or QR code. The operator responds with a
   * token for {@link importToken}.
   */
  async offlineRequest(
    key: string,
    labels: DeviceLabels = {},
  ): Promise<{ readonly status: 'request'; readonly text: string } | InvalidInput | { readonly status: 'failed'; readonly fault: Fault }> {
    const invalid = invalidInput({ ...labels, key });
    if (invalid) return invalid;
    const [, { id, fault }] = await this.#identify();
    if (fault) return failed(fault);
    const { name, platform } = labels ?? {};
    return {
      status: 'request',
      text: writeOfflineRequest({
        product: this.#options.productId,
        key: key.trim(),
        fingerprint: id,
        name: filledText(name),
        platform: filledText(platform),
      }),
    };
  }

  /**
   * Licenses a device that is never online. The token is the operator's response to an {@link offlineRequest}, or a token that is bound to
   * no device (needs `allowUnboundTokens`). An accepted token replaces the cached data.
   */
  async importToken(token: string): Promise<Licensed | NotCovered | InvalidToken> {
    const text = String(token).replace(/\s/g, '');
    for (;;) {
      const { record, now, time: seen, claims: held } = await this.#assess();
      const { device, time, problem, claims } = await this.#assess(text, ({ iat }) => importTime(iat * 1000, now, seen, held));
      if (problem || !claims) return { status: 'invalid_token', problem: problem ?? 'malformed' };
      const isOfHeldLicense = held?.sub === claims.sub;
      const imported = await this.#changeActivation(record, (current) =>
        withRelease(
          {
            ...emptied(current, time),
            token: text,
            key: isOfHeldLicense ? current.key : undefined,
            device: device.kind,
          },
          current.key,
        ),
      );
      if (imported) return this.#publish(licensedState('cache', claims, imported), claims, imported);
    }
  }

  /** Resolves when no background request is in progress and the cache is written. */
  async idle(): Promise<void> {
    let background: Promise<unknown>;
    do await (background = this.#background);
    while (background !== this.#background);
    await this.#cache.settle();
  }

  /**
   * Stops requests, timers and notifications, so that the process can end at once. The cache is still written.
   *
   * @param options.release for floating licenses: before the client is closed, this device's seat is freed. The key stays stored: at the
   * next start the state is `unbound`, and the app can activate the state's `key` again. Without a network the seat is freed when its lease
   * ends
   */
  async close({ release = false }: { readonly release?: boolean } = {}): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    for (const cancel of this.#pauses) cancel();
    if (release) await this.#release();
    this.#service.close();
    this.#cache.close();
    this.#listeners.clear();
    await this.idle();
  }

  async #release(): Promise<void> {
    await this.#sendBeforeFreeing();
    return this.#cache.exclusively('seat', async () => {
      const { record, device, time } = await this.#assess();
      const { key } = record;
      if (!key || !record.token || (await this.#freeOwnSeat(record, device)).fault) return;
      const kept = await this.#changeKey(record, (current) => ({
        ...emptied(current, time),
        key,
        refused: 'unbound',
        device: current.device,
      }));
      if (kept) this.#publish(refusalState('unbound', kept));
    });
  }

  /** Frees this device's seat; without a key there is no seat to free. */
  #freeOwnSeat({ key }: CacheRecord, { id, fault }: Device): Promise<Freed> | Freed {
    return fault && (key || fault.kind === 'storage') ? { freed: false, fault } : this.#freeSeat(key, { fingerprint: id });
  }

  #freeSeat(key: string | undefined, device: Parameters<Service['free']>[1]): Promise<Freed> | Freed {
    return key ? this.#service.free(key, device) : { freed: false };
  }

  /**
   * Runs after the seat of a key was freed. If another process has activated the same key in the meantime, that process needs the seat, so
   * the key is activated again.
   */
  async #keepSeat(freed: string | undefined): Promise<void> {
    const [{ key, token }] = await this.#identify();
    if (key && token && isSameKey(key, freed)) this.#inBackground(this.#activate(key));
  }

  async #checkOnce(): Promise<LicenseState> {
    const assessment = await this.#assess();
    const { record, problem, claims, now } = assessment;
    if (now >= this.#askAgainAt) {
      this.#sendInBackground();
      if (record.release) this.#inBackground(this.#releasing.run());
    }
    if (!problem && claims && record.key && now >= Math.max(refreshTime(claims), this.#askAgainAt)) this.#inBackground(this.validate());
    const state = problem || !claims ? await this.validate() : this.#publish(stateFromCache(assessment, this.#rules), claims, record);
    this.#keepTime(assessment);
    return state;
  }

  async #validateOnce(): Promise<LicenseState> {
    const before = await this.#assess();
    const { record, device } = before;
    if (device.fault || !record.key) return this.#conclude(device.fault, before);
    const reply = await this.#service.ask('validate', { key: record.key, fingerprint: device.id, version: this.#version() }, record.token);
    const assessment = await this.#assess();
    if (!isSameActivation(assessment.record, record)) return this.#overtaken();
    return this.#conclude(await this.#verifyReply(reply, assessment, true), assessment);
  }

  /**
   * Checks the license again, because another call or another process has changed the activation during a request. The reply to that
   * request no longer applies.
   */
  #overtaken(): Promise<LicenseState> {
    this.#invalidate();
    return this.check();
  }

  #takeSeat(operation: 'activate' | 'trial', fields: SeatFields): Promise<LicenseState> {
    return this.#cache.exclusively('seat', async () => {
      const before = await this.#assess();
      const { device } = before;
      if (device.fault) return this.#conclude(device.fault, before);
      const { key } = fields;
      if (!key && before.record.key) return this.#overtaken();
      const reply = await this.#service.ask(operation, { ...fields, fingerprint: device.id });
      const isFull = reply.kind === 'refused' && reply.name === 'no_seats' && key;
      // The refusal doesn't contain the numbers of seats, but the response to a validation contains them. The service stores no version of
      // a device without a seat, so this request contains none.
      const counted = isFull ? await this.#service.ask('validate', { key, fingerprint: device.id }) : undefined;
      const seats = counted?.kind === 'unbound' ? counted.seats : undefined;
      return this.#concludeSeat(
        reply,
        { ...(await this.#assess()), device },
        { key, before: before.record, replaced: before.record.key, change: key ? this.#changeKey : this.#changeActivation, seats },
      );
    });
  }

  /**
   * Stores the license if a reply grants one to this device.
   *
   * @param asked.key the key that was sent, if there was one
   * @param asked.before the record on which the request was based
   * @param asked.replaced the key whose seat is freed, unless it has the same seat
   * @param asked.seats the numbers of seats, if they are known
   */
  async #concludeSeat(
    reply: Reply | Fault,
    assessment: Assessment,
    {
      key,
      before,
      replaced: earlier,
      change,
      seats,
    }: {
      readonly key?: string | undefined;
      readonly before: CacheRecord;
      readonly replaced: string | undefined;
      readonly change: (expected: CacheRecord, make: Make) => Promise<CacheRecord | undefined>;
      readonly seats?: CacheRecord['seats'];
    },
  ): Promise<LicenseState> {
    const { record } = assessment;
    const isHeld = isSameKey(record.key, key);
    const verified = await this.#verifyReply(reply, assessment, isHeld);
    if (verified.kind === 'granted') {
      const { record: granted, claims } = verified;
      const replaced = isOfLicense(assessment, claims) ? undefined : earlier;
      const kept = await change(before, (current) => withRelease(grantedRecord(granted, current), replaced));
      if (kept) return this.#concludeGrant(kept, claims);
      // The reply comes too late, because another process has activated a key during the request.
      if (!isOfLicense(await this.#assess(), claims)) await this.#change((current) => withRelease(current, granted.key));
      this.#inBackground(this.#releasing.run());
      return this.#overtaken();
    }
    if (verified.kind !== 'refused') {
      // If another key can't be activated, the current license stays, and the result says that the other key was not activated.
      return isHeld ? this.#conclude(verified, assessment) : this.#publishUnlessLicensed(offlineState(assessment, verified), assessment);
    }
    const takesLicense = isHeld && (verified.isSigned || isSignable(verified.name) || !this.#isProtected(assessment));
    if (takesLicense) return this.#conclude(verified, { ...assessment, record: { ...record, seats: seats ?? record.seats } });
    return this.#publishUnlessLicensed(refusalState(verified.name, { seats }), assessment);
  }

  /** Stores the service's decision about the current key. */
  async #conclude(reply: TrustedReply | Fault | undefined, assessment: Assessment): Promise<LicenseState> {
    const { record, now } = assessment;
    if (reply?.kind === 'granted') {
      const kept = await this.#changeActivation(record, (current) => grantedRecord(reply.record, current));
      return kept ? this.#concludeGrant(kept, reply.claims) : this.#overtaken();
    }
    if (reply?.kind === 'refused') {
      const { seats } = record;
      const kept = await this.#changeActivation(record, (current) => {
        const { key, type_name, device } = current;
        return {
          ...emptied(current, reply.seen),
          refused: reply.name,
          key,
          type_name,
          device,
          seats,
          verdicts: reply.isSigned || current.verdicts,
        };
      });
      return kept ? this.#publish(refusalState(reply.name, kept)) : this.#overtaken();
    }
    if (reply) this.#askAgainAt = now + Math.max(RETRY_PAUSE_MS, (reply.retryAfter ?? 0) * 1000);
    return this.#publish(stateFromCache(assessment, this.#rules, reply), assessment.claims, record);
  }

  /** The state after a grant was stored. */
  #concludeGrant(kept: CacheRecord, claims: TokenClaims): LicenseState {
    // Ends the pause between background requests. If the pause began while the clock was ahead, it could otherwise last for days
    // after the clock is corrected.
    this.#askAgainAt = 0;
    this.#sendInBackground();
    if (kept.release) this.#inBackground(this.#releasing.run());
    return this.#publish(licensedState('network', claims, kept), claims, kept);
  }

  /** Sends an amount with the key of its license. */
  async #send({ id, meter, amount, license, key: earlier }: Entry): Promise<Meter | UsageRefusal | Fault> {
    const { record, device, claims } = await this.#assess();
    if (device.fault) return device.fault;
    const key = (license !== undefined && license === claims?.sub && record.key) || earlier;
    return this.#service.consume({ key, fingerprint: device.id, meter, amount, id });
  }

  /** Stores an amount and sends it, unless older amounts wait. */
  async #consumeInTurn(entry: Entry): Promise<Consumption> {
    const { id } = entry;
    const queued = { status: 'queued', id } as const;
    const place = await this.#queue.add(entry);
    if (place === 'full') return refusedUse('queue_full', 'too many amounts are waiting');
    if (place === 'mismatch') return refusedUse('idempotency_mismatch', 'another meter or amount is waiting with this id');
    if (place === 'behind' && this.#isWaitingToSend) {
      if (this.#now() >= this.#askAgainAt) this.#sendInBackground();
      return queued;
    }
    return this.#cache.exclusively('sending', async () => {
      const isStored = place !== 'not_stored';
      const [oldest = entry] = (await this.#queue.entries()) ?? [];
      if (isStored && oldest.id !== id) {
        this.#isWaitingToSend = true;
        this.#sendInBackground();
        return queued;
      }
      const reply = await this.#send(entry);
      if (!isFault(reply) || reply.kind === 'rejected') await this.#queue.settle(entry);
      else if (!isStored) return { ...failed({ kind: 'storage', message: 'the amount was neither sent nor stored' }), id };
      else {
        this.#waitToSend(reply);
        return queued;
      }
      return consumption(entry, reply);
    });
  }

  /** Sends the stored amounts, the oldest first, until the service can't be reached. */
  #sendAmounts(): Promise<void> {
    return this.#cache.exclusively('sending', async () => {
      for (;;) {
        const [entry] = (await this.#queue.entries()) ?? [];
        if (this.#isWaitingToSend && !entry) this.#wakeToSend(false);
        if (!entry) return;
        this.#isWaitingToSend = true;
        const reply = await this.#sendStored(entry);
        if (isFault(reply)) return this.#waitToSend(reply);
        await this.#queue.settle(entry, 'status' in reply ? reply.reason : undefined);
      }
    });
  }

  /**
   * Sends a stored amount, unless it is too old. This device's clock may be wrong, so before an amount is dropped, the service is asked for
   * the time, which is in its token.
   */
  async #sendStored(entry: Entry): Promise<Meter | UsageRefusal | Fault> {
    const { record, device, time } = await this.#assess();
    if (device.fault) return device.fault;
    // The clock was ahead when the amount was consumed. Its age counts from now.
    if (entry.at > time) await this.#queue.correctTime(entry, time);
    if (time - entry.at >= MAX_AGE_MS) {
      const fields = { key: record.key ?? entry.key, fingerprint: device.id, version: this.#version() };
      const reply = await this.#service.ask('validate', fields, record.token);
      if (isFault(reply)) return reply;
      if (reply.kind === 'granted') {
        const timeOf = ({ iat }: TokenClaims): number => iat * 1000;
        const { claims } = await verifyWith(this.#rules.keys, reply.grant.token, expectationOf(this.#rules, device.id), timeOf);
        if (!claims) return untrusted('token not accepted');
        if (timeOf(claims) - entry.at >= MAX_AGE_MS) return refusedUse('too_old', 'it waited for 29 days');
      }
    }
    return this.#send(entry);
  }

  #waitToSend({ retryAfter = 0 }: Fault): void {
    this.#askAgainAt = Math.max(this.#askAgainAt, this.#now() + Math.max(RETRY_PAUSE_MS, retryAfter * 1000));
    this.#wakeToSend(true);
  }

  #wakeToSend(isWaiting: boolean): void {
    this.#isWaitingToSend = isWaiting;
    this.#sleep();
  }

  #sendInBackground(): void {
    if (this.#options.offline === 'queue') this.#inBackground(this.#sending.run());
  }

  /** After its seat is freed, this device can't consume, so the stored amounts are sent before. */
  async #sendBeforeFreeing(): Promise<void> {
    if (this.#options.offline === 'queue') await this.#sending.run();
  }

  /**
   * Frees the seats of replaced keys, but never the seat of the current key. A key that the service doesn't know is dropped; a key whose
   * seat can't be freed now stays in the record's list `release`. No seat is freed while the storage may still contain the replaced key,
   * because the app would start with this key after a crash.
   */
  #releaseOldSeats(): Promise<void> {
    return this.#cache.exclusively('seat', async () => {
      for (const key of (await this.#identify())[0].release ?? []) {
        const [{ key: held, release = [] }, device] = await this.#identify();
        if (device.fault || !release.includes(key) || !this.#cache.isStored()) continue;
        const reply = isSameKey(held, key) ? undefined : await this.#service.free(key, { fingerprint: device.id });
        if (reply?.fault && !reply.isUnknownKey) {
          this.#askAgainAt = Math.max(this.#askAgainAt, this.#now() + RETRY_PAUSE_MS);
          continue;
        }
        await this.#cache.change(({ release: keys = [], ...rest }) => {
          const left = keys.filter((other) => other !== key);
          return { ...rest, release: left.length > 0 ? left : undefined };
        });
        if (reply) await this.#keepSeat(key);
      }
    });
  }

  /**
   * Reads the record and finds this device. The result contains a fault instead of the device's id if this process has never read the
   * record, or if this device can't be identified.
   */
  async #identify(): Promise<readonly [CacheRecord, Device]> {
    const record = await this.#cache.load();
    return record ? [record, await this.#findDevice(record)] : [{}, { fault: notRead }];
  }

  /** Assesses the cached token, or the token `other`, with the current record, device and clock. Sends no request. */
  async #assess(other?: string, timeOf?: (claims: TokenClaims) => number): Promise<Assessment> {
    const [record, device] = await this.#identify();
    return assess(this.#rules, record, device, this.#now(), other, timeOf);
  }

  /** Whether the client knows that this service signs its refusals. */
  #signs({ record, claims }: Assessment): boolean {
    return record.verdicts === true || claims?.verdicts === true;
  }

  /**
   * Whether a refusal must pass the checks of `#verifyReply` before it may end the current license. This is the case if the service signs
   * its refusals, or if the license may still be valid.
   */
  #isProtected(assessment: Assessment): boolean {
    return this.#signs(assessment) || mayStillCount(assessment, this.#rules);
  }

  /**
   * Verifies the content of a reply. Only a token grants a license. If the service is known to sign its refusals, only a signed refusal
   * ends the license. While the current token may still be accepted, a reply that says that the key is unknown never ends the license.
   */
  async #verifyReply(reply: Reply | Fault, assessment: Assessment, isAboutHeldKey: boolean): Promise<TrustedReply | Fault> {
    const { record, device, now, time, claims: held } = assessment;
    if (isFault(reply)) return reply;
    if (reply.kind === 'granted') {
      const { grant } = reply;
      let seen = now;
      const { claims, problem } = await verifyWith(
        this.#rules.keys,
        grant.token,
        expectationOf(this.#rules, device.id ?? ''),
        ({ iat }) => (seen = latestTime(iat, now, time)),
      );
      if (problem === 'expired') return { kind: 'clock', message: 'the clock is ahead: the new token has already expired' };
      if (problem || !claims) return untrusted(`token not accepted: ${problem}`);
      return { kind: 'granted', claims, record: { ...grant, seen, device: device.kind } };
    }
    const { kind, verdict } = reply;
    const name = kind === 'unbound' ? kind : reply.name;
    const unsigned = { kind: 'refused', name, seen: time, isSigned: false } as const;
    const isProtected = isAboutHeldKey && this.#isProtected(assessment);
    if (verdict !== null && (isSignable(name) || name === 'unknown_key')) {
      const verified = await verifyVerdict(this.#rules.keys, verdict, {
        audience: this.#rules.audience ?? held?.aud,
        licenseId: isAboutHeldKey ? held?.sub : undefined,
        fingerprint: device.id ?? '',
        tokenIssuedAt: isAboutHeldKey ? held?.iat : undefined,
      });
      if (!verified.problem) {
        const proved = verified.status === 'unknown' ? 'unknown_key' : verified.status;
        return { kind: 'refused', name: proved, seen: latestTime(verified.issuedAt, now, time), isSigned: true };
      }
      return isProtected ? untrusted(`verdict not accepted: ${verified.problem}`) : unsigned;
    }
    if (!isProtected) return unsigned;
    if (name === 'unknown_key') return untrusted('the service does not know the key');
    if (!isSignable(name)) return unsigned;
    if (this.#signs(assessment)) return untrusted('the refusal is not signed');
    if (kind === 'unbound' && (reply.licenseId !== held?.sub || !isSameKey(record.key, reply.key)))
      return untrusted('the response is about another license');
    return unsigned;
  }

  /** Stores the latest time that is known to have passed, at most once a minute. */
  #keepTime({ record, time }: Assessment): void {
    if (!record.token || time - (record.seen ?? 0) < SEEN_PRECISION_MS) return;
    void this.#cache.change((current) =>
      isSameActivation(current, record) ? { ...current, seen: Math.max(time, current.seen ?? 0) } : undefined,
    );
  }

  /** Changes the record. Later calls of `check` and `validate` don't share a run that started before the change. */
  #change(make: Make): Promise<CacheRecord | undefined> {
    this.#invalidate();
    return this.#cache.change(make);
  }

  /** Changes the record if it still has the expected key and token. */
  readonly #changeActivation = (expected: CacheRecord, make: Make): Promise<CacheRecord | undefined> =>
    this.#change((current) => (isSameActivation(current, expected) ? make(current) : undefined));

  /**
   * Changes the record if it still has the expected key. This is the comparison for calls that have the lock for seats: meanwhile only a
   * refresh can have stored another token, and that token is about the same seat.
   */
  readonly #changeKey = (expected: CacheRecord, make: Make): Promise<CacheRecord | undefined> =>
    this.#change((current) => (current.key === expected.key ? make(current) : undefined));

  #invalidate(): void {
    this.#checking.forget();
    this.#validating.forget();
  }

  #inBackground(task: Promise<unknown>): void {
    this.#background = Promise.all([this.#background, task]);
  }

  /**
   * Publishes a state, unless the cached token licenses this device: a licensed device keeps its state if another key can't be activated.
   */
  #publishUnlessLicensed(state: LicenseState, assessment: Assessment): LicenseState {
    return stateFromCache(assessment, this.#rules).status === 'licensed' ? state : this.#publish(state);
  }

  /**
   * @param claims the claims of the current token
   * @param record the record that contains this token. Without claims, or without a key in the record, the token is not refreshed
   */
  #publish<State extends LicenseState>(current: State, claims?: TokenClaims, record?: CacheRecord): State | NotCovered {
    const found: State =
      current.status === 'licensed' && !current.fault && !this.#cache.isStored() ? { ...current, fault: notStored } : current;
    this.#refreshAt = claims && record?.key ? refreshTime(claims) : Infinity;
    this.#found = found;
    this.#sleep();
    // If the license doesn't cover this release, its token is still refreshed, because the operator may extend the license, or the user may
    // install an older release.
    const state =
      found.status === 'licensed' && !coversRelease(found.updates, this.#options.release ?? {})
        ? ({ status: 'not_covered', updates: found.updates } as const)
        : found;
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
   * Schedules the next check for the time at which the state may change: when the token ends, when the token is due to be refreshed, when
   * the pause after a failed request ends, or when a record that could not be stored is to be stored again.
   */
  #sleep(): void {
    this.#stopTimer();
    const now = this.#now();
    const state = this.#found;
    let wakeAt = Infinity;
    if (state?.status === 'licensed') {
      const isGrace = state.source === 'grace';
      const end = state.offlineUntil.getTime() + (isGrace ? 0 : CLOCK_SKEW_MS);
      wakeAt = Math.min(end, Math.max(isGrace ? 0 : this.#refreshAt, this.#askAgainAt));
    } else if (state?.status === 'offline_without_token' && state.fault && this.#askAgainAt > now) {
      wakeAt = this.#askAgainAt;
    }
    if (this.#isWaitingToSend) wakeAt = Math.min(wakeAt, this.#askAgainAt);
    if (!this.#cache.isStored()) wakeAt = Math.min(wakeAt, now + STORE_PAUSE_MS);
    if (this.#isClosed || wakeAt === Infinity) return;
    this.#stopTimer = this.#startTimer(
      () => this.#inBackground(this.check()),
      Math.min(Math.max(wakeAt - now, MIN_SLEEP_MS), MAX_SLEEP_MS),
    );
  }
}

const isFault = (reply: object): reply is Fault => 'message' in reply && 'kind' in reply;

const failed = <Cause>(fault: Cause): { readonly status: 'failed'; readonly fault: Cause } => ({ status: 'failed', fault });

const refusedUse = (reason: string, message: string): UsageRefusal => ({ status: 'refused', reason, message });

/** A random id; the empty text, which is no valid id, if the runtime has no random numbers. */
function newId(): string {
  try {
    return randomId();
  } catch {
    return '';
  }
}

const noKey = refusedUse('no_key', 'this device has no key');

/** The result of a call that consumed an amount, after the reply to its request. */
const consumption = ({ id }: Entry, reply: Meter | UsageRefusal | Fault): Consumption =>
  'status' in reply ? reply : isFault(reply) ? { ...failed(reply), id } : { status: 'consumed', meter: reply };

const untrusted = (message: string): Fault => ({ kind: 'untrusted', message });

const notRead: Fault = { kind: 'storage', message: 'the license cache was not read' };

const notStored: Fault = { kind: 'storage', message: 'the license was not stored' };

/** Whether the held token is of the same license as a new token. If so, its key has the same seat, even if the key is written differently. */
const isOfLicense = ({ claims }: Assessment, { sub }: TokenClaims): boolean => claims?.sub === sub;

/** The record with a new grant. Its other fields are those of the current record. */
const grantedRecord = (granted: CacheRecord, { verdicts, release }: CacheRecord): CacheRecord =>
  withRelease({ ...granted, verdicts, release }, undefined);

/** The fields that stay in a record after the license is removed. They do not grant a license and do not contain its key. */
const emptied = ({ device, verdicts, release }: CacheRecord, seen: number): CacheRecord => ({
  seen,
  device: device === 'machine' ? device : undefined,
  verdicts,
  release,
});

/**
 * The new latest time that is known to have passed, after a signed token or verdict with the time of issue `iat` (in seconds) has arrived.
 * If the clock and `iat` differ by at most the clock tolerance, the clock is right: the result is `now`, even if the previous latest time
 * (`time`) is later. Otherwise the result is the later of `time` and `iat`: a clock behind `iat` is wrong, but a clock ahead of `iat` may
 * be right, because the response may be old.
 */
const latestTime = (iat: number, now: number, time: number): number =>
  Math.abs(now - iat * 1000) > CLOCK_SKEW_MS ? Math.max(time, iat * 1000) : now;

/**
 * Returns the time at which an imported token is verified; this time is then stored as the latest time seen. `iat` is when the imported
 * token was issued (epoch ms). Normally the result is `iat` or the latest time `seen`, whichever is later. There are two exceptions. If the
 * imported token is newer than the current one (`held`), `now` replaces `seen`, because `seen` may come from a clock that was ahead. If
 * `iat` is more than a day later than `now`, `iat` is ignored.
 */
function importTime(iat: number, now: number, seen: number, held: TokenClaims | undefined): number {
  const base = held && iat > held.iat * 1000 ? now : seen;
  return iat - now > CLOCK_BEHIND_MS ? base : Math.max(base, iat);
}
