import { LicenseClient, type Fetch, type LicenseStorage } from '../src';

/**
 * Behaviour vectors. The input of each case is a device's stored data, a clock and the service's responses. The expected output is what the
 * client returns, stores and requests. The vectors are JSON, so that clients in all languages are tested for the same behaviour.
 */

/** Any value that a vector file can contain. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The options of the client in every case, unless the case overrides them. */
export interface Settings {
  readonly base_url: string;
  readonly product_id: number;
  readonly api_key: string;
  readonly public_key: string;
  readonly audience: string;
  readonly grace_days: number;
  readonly allow_unbound_tokens: boolean;
  /** What `consume` does with an amount if the service can't be reached; absent for the default, `refuse`. */
  readonly offline?: 'queue';
  /** The release of the app; absent if the app doesn't name its release. */
  readonly release?: { readonly version?: string; readonly released_at?: string };
}

/** The response to one attempt of a request. `unreachable`: the attempt fails immediately without a response. */
export type ScriptedResponse =
  | 'unreachable'
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      /** The response body. A string is sent unchanged, any other value as JSON. */
      readonly body: Json;
      /** The clock from this response on, in seconds since 1970: it was set, or the device was in standby, during the request. */
      readonly clock?: number;
      /** The record that another process stores while the request is in progress. */
      readonly meanwhile?: Json;
      /**
       * The record that another process stores between the client's assessment of this response and the client's next change of the record:
       * at the moment when the client takes the record's lock.
       */
      readonly between?: Json;
      /** The storage fails like this from this response until the end of the step, as if the process had ended now. */
      readonly storage?: 'unwritable';
    };

export interface GivenStep {
  /** Restarts the app: a new client reads the stored data. The first step always starts a new client. */
  readonly restart?: true;
  /** The clock, in seconds since 1970. */
  readonly now: number;
  /** The result of the fingerprint function from this step on. null: the machine has no fingerprint. `fails`: the function throws. */
  readonly fingerprint?: string | null;
  /** Which operations of the storage fail in this step. Without this field the storage works. */
  readonly storage?: 'works' | 'unreadable' | 'unwritable';
  /** How many attempts to store a text fail in this step, before the others succeed. */
  readonly failing_renames?: number;
  /** The client that makes the call: a text that names one of several clients with the same storage, clock and network. Default: `first`. */
  readonly client?: string;
  readonly call:
    | 'check'
    | 'validate'
    | 'activate'
    | 'trial'
    | 'deactivate'
    | 'forget'
    | 'import_token'
    | 'offline_request'
    | 'close'
    | 'has'
    | 'fingerprint'
    | 'covers'
    | 'devices'
    | 'free'
    | 'latest'
    | 'activate_in_browser'
    | 'limit'
    | 'consume'
    | 'meters'
    | 'pending';
  readonly arguments?: { readonly [name: string]: Json };
  readonly responses?: readonly ScriptedResponse[];
  /**
   * The responses to the requests of `activate_in_browser` for the decision. While responses are left, a timer of the client is the pause
   * before the next of these requests: the clock advances by the pause, and the timer ends at once.
   */
  readonly polls?: readonly ScriptedResponse[];
}

/** What a call of `activate_in_browser` did: the code and the address that it passed to the app, and its pauses in seconds. */
export interface SignIn {
  readonly code: string | null;
  readonly url: string | null;
  readonly pauses: readonly number[];
}

export interface GivenCase {
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /**
   * The stored data before the first step. `record` is the client's record, or a text that is stored in its place. `device` is the random
   * device id. `queue` is the queue of amounts.
   */
  readonly stored?: { readonly record?: Json; readonly device?: string; readonly queue?: Json };
  readonly steps: readonly GivenStep[];
}

export interface Step extends GivenStep {
  /** The result of the call. */
  readonly result: Json;
  /** The client's state when all background requests have ended; null if the client has no state yet. */
  readonly state: Json;
  /** Only for `activate_in_browser`. */
  readonly sign_in?: SignIn;
  readonly requests: readonly Json[];
  /**
   * The stored data after the step; null if nothing is stored, and without `queue` if there is no queue. `<random id>` replaces a new random
   * id of 64 hex digits.
   */
  readonly stored: { readonly record: Json; readonly device: Json; readonly queue?: Json };
  /** Seconds until the client checks the license again automatically; null if the client schedules no check. */
  readonly wakes_after: number | null;
}

export interface Case extends GivenCase {
  readonly steps: readonly Step[];
}

export interface BehaviourVectors {
  readonly about: string;
  readonly settings: Settings;
  readonly cases: readonly Case[];
}

const RANDOM_ID = /\b[0-9a-f]{64}\b/g;

/** Converts a result to JSON: names in snake case, times as RFC 3339 text, without messages and without empty `limits`. */
function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object') return value as Json;
  const isEmptyLimits = (name: string, inner: unknown): boolean => name === 'limits' && Object.keys(inner as object).length === 0;
  const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && name !== 'message' && !isEmptyLimits(name, inner));
  return Object.fromEntries(
    entries.map(([name, inner]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toJson(inner)]),
  );
}

/** The storage of one case. It fails when the case requires a fault. */
function scriptedStorage(name: string, { record, device, queue }: NonNullable<GivenCase['stored']>) {
  const items = new Map<string, string>();
  if (record !== undefined) items.set(name, typeof record === 'string' ? record : JSON.stringify(record));
  if (device !== undefined) items.set(`${name}.device`, device);
  if (queue !== undefined) items.set(`${name}.queue`, typeof queue === 'string' ? queue : JSON.stringify(queue));
  let fault: GivenStep['storage'] = 'works';
  let failingRenames = 0;
  let between: Json | undefined;
  const replaceRecord = (value: Json): void => void items.set(name, JSON.stringify(value));
  const { lock } = lockedMemory();
  const failing = <Value>(what: GivenStep['storage'], task: () => Value): Value => {
    if (fault === what) throw new Error(`the storage is ${what}`);
    return task();
  };
  const storage: LicenseStorage = {
    getItem: (item) => failing('unreadable', () => items.get(item)),
    setItem: (item, value) =>
      failing('unwritable', () => {
        if (failingRenames > 0) {
          failingRenames -= 1;
          throw new Error('the file is in use');
        }
        items.set(item, value);
      }),
    lock: (item, task) =>
      lock(item, () => {
        if (item === name && between !== undefined) replaceRecord(between);
        if (item === name) between = undefined;
        return task();
      }),
    removeItem: (item) => failing('unwritable', () => void items.delete(item)),
  };
  return {
    storage,
    fail: ({ storage: what, failing_renames: renames = 0 }: Pick<GivenStep, 'storage' | 'failing_renames'>): void => {
      fault = what;
      failingRenames = renames;
    },
    replaceRecord,
    replaceAtNextLock: (value: Json | undefined): void => {
      between = value;
    },
    stored(): Step['stored'] {
      const parse = (item: string): Json => {
        const text = items.get(item);
        try {
          return JSON.parse(text ?? 'null') as Json;
        } catch {
          return text ?? null;
        }
      };
      const stored = { record: parse(name), device: items.get(`${name}.device`) ?? null };
      return items.has(`${name}.queue`) ? { ...stored, queue: parse(`${name}.queue`) } : stored;
    },
  };
}

/** Locks in memory. */
function lockedMemory(): Pick<Required<LicenseStorage>, 'lock'> {
  const last = new Map<string, Promise<unknown>>();
  return {
    lock(name, task) {
      const run = (last.get(name) ?? Promise.resolve()).then(task);
      last.set(
        name,
        run.catch(() => undefined),
      );
      return run;
    },
  };
}

/** The name under which a client with these settings stores its record (docs/client.md, "What is stored"). */
const storageName = ({ base_url: baseUrl, product_id: id }: Settings): string =>
  `license-key-service.${id}.${baseUrl.replace(/^https?:\/\//, '').replace(/[^a-z0-9.-]+/g, '_')}`;

/** Runs a case with the client, and returns the case with the results of its steps. */
export async function runCase(defaults: Settings, given: GivenCase): Promise<Case> {
  const settings = { ...defaults, ...given.settings };
  const { storage, fail, replaceRecord, replaceAtNextLock, stored } = scriptedStorage(storageName(settings), given.stored ?? {});
  const isGiven = (id: string): boolean => JSON.stringify([given.stored, given.steps, given.settings]).includes(id);
  let now = 0;
  let fingerprint: string | null = null;
  let responses: ScriptedResponse[] = [];
  let polls: ScriptedResponse[] = [];
  let requests: Json[] = [];
  let shown: { code: string | null; url: string | null; pauses: number[] } = { code: null, url: null, pauses: [] };
  const wakesAfter = new Map<string, number | null>();

  const fetch: Fetch = async (address, { method, headers, body }) => {
    const url = new URL(address);
    const fields: Json = body === undefined ? { query: Object.fromEntries(url.searchParams) } : { body: JSON.parse(body) as Json };
    const license = Object.fromEntries(
      Object.entries(headers).filter(([header]) => header.startsWith('x-license-') || header === 'x-svc-token'),
    );
    requests.push({ method, path: url.pathname, ...(method === 'GET' && { headers: license }), ...(fields as object) });
    const response = (url.pathname.endsWith('/poll') ? polls : responses).shift();
    if (response === undefined) throw new Error(`${given.name}: no response is scripted for ${method} ${url.pathname}`);
    if (response === 'unreachable') throw new TypeError('unreachable');
    now = response.clock ?? now;
    if (response.meanwhile !== undefined) replaceRecord(response.meanwhile);
    replaceAtNextLock(response.between);
    if (response.storage) fail(response);
    const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
    // `Headers` would remove white space at the ends of a value.
    const values = new Map(Object.entries(response.headers ?? {}).map(([header, value]) => [header.toLowerCase(), value]));
    return { status: response.status, headers: { get: (header) => values.get(header.toLowerCase()) ?? null }, text: async () => text };
  };
  const start = (name: string): LicenseClient =>
    new LicenseClient({
      baseUrl: settings.base_url,
      productId: settings.product_id,
      apiKey: settings.api_key,
      publicKey: settings.public_key,
      audience: settings.audience,
      graceDays: settings.grace_days,
      allowUnboundTokens: settings.allow_unbound_tokens,
      ...(settings.offline && { offline: settings.offline }),
      ...(settings.release && { release: { version: settings.release.version, releasedAt: settings.release.released_at } }),
      storage,
      fetch,
      now: () => now * 1000,
      retryDelayMs: 0,
      fingerprint: () => {
        if (fingerprint === 'fails') throw new Error('access denied');
        return fingerprint ?? undefined;
      },
      onWarning: () => undefined,
      schedule: (task, ms) => {
        if (polls.length > 0) {
          shown.pauses.push(ms / 1000);
          now += ms / 1000;
          queueMicrotask(task);
          return () => undefined;
        }
        wakesAfter.set(name, ms / 1000);
        return () => wakesAfter.set(name, null);
      },
    });

  const clients = new Map([['first', start('first')]]);
  const call = (client: LicenseClient, name: GivenStep['call'], fields: { readonly [name: string]: Json } = {}): unknown => {
    const {
      key,
      token,
      feature,
      limit,
      meter,
      id,
      release,
      name: label,
      platform,
      customer_email: customerEmail,
      replace,
      ref,
      version,
      released_at: releasedAt,
    } = fields as { readonly [name: string]: string };
    const labels = { ...(label !== undefined && { name: label }), ...(platform !== undefined && { platform }) };
    switch (name) {
      case 'activate':
        return client.activate(key ?? '', { ...labels, ...(replace !== undefined && { replace }) });
      case 'activate_in_browser':
        return client.activateInBrowser({
          ...labels,
          open: (url) => void (shown.url = url),
          onCode: (code) => void (shown.code = code),
        });
      case 'devices':
        return client.devices(key);
      case 'free':
        return client.free(ref ?? '', key);
      case 'latest':
        return client.latest(fields);
      case 'covers':
        return version === undefined && releasedAt === undefined ? client.covers() : client.covers({ version, releasedAt });
      case 'offline_request':
        return client.offlineRequest(key ?? '', labels);
      case 'trial':
        return client.trial({ ...labels, ...(customerEmail !== undefined && { customerEmail }) });
      case 'import_token':
        return client.importToken(token ?? '');
      case 'has':
        return client.has(feature ?? '');
      case 'limit':
        return client.limit(limit ?? '');
      case 'consume':
        return client.consume(meter ?? '', fields['amount'] as number, { id });
      case 'close':
        return client.close({ release: Boolean(release) });
      case 'check':
      case 'validate':
      case 'deactivate':
      case 'forget':
      case 'fingerprint':
      case 'meters':
      case 'pending':
        return client[name]();
    }
  };

  const steps: Step[] = [];
  for (const step of given.steps) {
    now = step.now;
    if (step.fingerprint !== undefined) fingerprint = step.fingerprint;
    fail(step);
    responses = [...(step.responses ?? [])];
    polls = [...(step.polls ?? [])];
    shown = { code: null, url: null, pauses: [] };
    requests = [];
    const { client: name = 'first' } = step;
    const client = (!step.restart && clients.get(name)) || start(name);
    clients.set(name, client);
    const result = toJson(await call(client, step.call, step.arguments));
    await client.idle();
    replaceAtNextLock(undefined);
    const left = responses.length + polls.length;
    if (left > 0) throw new Error(`${given.name}: ${left} responses were not asked for`);
    const signIn = step.call === 'activate_in_browser' && { sign_in: shown };
    const seen = { result, ...signIn, state: toJson(client.state), requests, stored: stored(), wakes_after: wakesAfter.get(name) ?? null };
    const text = JSON.stringify(seen).replace(RANDOM_ID, (id) => (isGiven(id) ? id : '<random id>'));
    steps.push({ ...step, ...(JSON.parse(text) as typeof seen) });
  }
  return { ...given, steps };
}
