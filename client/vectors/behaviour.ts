import { LicenseClient, type Fetch, type LicenseStorage } from '../src';

/**
 * Behaviour vectors: a device with something stored, a clock and a script of responses; and what the client then
 * results in, stores and requests. Language-neutral JSON, by which clients in other languages are held to the same behaviour.
 */

/** JSON as it is written into the vectors. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What every client of the cases is made with, unless a case overrides it. */
export interface Settings {
  readonly base_url: string;
  readonly product_id: number;
  readonly api_key: string;
  readonly public_key: string;
  readonly audience: string;
  readonly grace_days: number;
  readonly allow_unbound_tokens: boolean;
  /** The release of the app; absent if the app doesn't name its release. */
  readonly release?: { readonly version?: string; readonly released_at?: string };
}

/** A response to one attempt of a request; `unreachable`: none comes, at once. */
export type ScriptedResponse =
  | 'unreachable'
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      /** A text is sent as it is. */
      readonly body: Json;
      /** Another process writes this record while the request is under way. */
      readonly meanwhile?: Json;
    };

export interface GivenStep {
  /** Starts the app anew on what is stored: a new client. The first step always does. */
  readonly restart?: true;
  /** The clock, in seconds since 1970. */
  readonly now: number;
  /** What the fingerprint function gives from now on: null, there is none; `fails`: it fails. */
  readonly fingerprint?: string | null;
  /** What of the storage fails from now on. */
  readonly storage?: 'works' | 'unreadable' | 'unwritable';
  readonly call: 'check' | 'validate' | 'activate' | 'trial' | 'deactivate' | 'forget' | 'import_token' | 'offline_request' | 'close' | 'has' | 'fingerprint' | 'covers' | 'devices' | 'free' | 'latest';
  readonly arguments?: { readonly [name: string]: Json };
  readonly responses?: readonly ScriptedResponse[];
}

export interface GivenCase {
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** What is stored before: the record, the text in its place, or the random id. */
  readonly stored?: { readonly record?: Json; readonly device?: string };
  readonly steps: readonly GivenStep[];
}

export interface Step extends GivenStep {
  /** What the call gives. */
  readonly result: Json;
  /** The client's state when the background has come to rest; null: none yet. */
  readonly state: Json;
  readonly requests: readonly Json[];
  /** What is stored then; null: nothing. `<random id>` stands for 64 hex digits that were made. */
  readonly stored: { readonly record: Json; readonly device: Json };
  /** In how many seconds the client checks again automatically; null: not at all. */
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

const RANDOM_ID = /^[0-9a-f]{64}$/;

/** A result as JSON: names in snake case, times as RFC 3339, and of a fault no text for people. */
function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object') return value as Json;
  const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && name !== 'message');
  return Object.fromEntries(entries.map(([name, inner]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toJson(inner)]));
}

/** The storage of one case, with its faults. */
function scriptedStorage(name: string, { record, device }: NonNullable<GivenCase['stored']>) {
  const items = new Map<string, string>();
  if (record !== undefined) items.set(name, typeof record === 'string' ? record : JSON.stringify(record));
  if (device !== undefined) items.set(`${name}.device`, device);
  const given = new Set(items.values());
  let fault: GivenStep['storage'] = 'works';
  const failing = <Value>(what: GivenStep['storage'], task: () => Value): Value => {
    if (fault === what) throw new Error(`the storage is ${what}`);
    return task();
  };
  const storage: LicenseStorage = {
    getItem: (item) => failing('unreadable', () => items.get(item)),
    setItem: (item, value) => failing('unwritable', () => void items.set(item, value)),
    removeItem: (item) => failing('unwritable', () => void items.delete(item)),
  };
  return {
    storage,
    fail: (what: GivenStep['storage']): void => {
      fault = what;
    },
    replaceRecord: (value: Json): void => void items.set(name, JSON.stringify(value)),
    stored(): Step['stored'] {
      const text = items.get(name);
      const id = items.get(`${name}.device`);
      const parse = (): Json => {
        try {
          return JSON.parse(text ?? 'null') as Json;
        } catch {
          return text ?? null;
        }
      };
      return { record: parse(), device: id === undefined ? null : given.has(id) || !RANDOM_ID.test(id) ? id : '<random id>' };
    },
    /** The random id, if one was made here. */
    madeId(): string | undefined {
      const id = items.get(`${name}.device`);
      return id !== undefined && !given.has(id) ? id : undefined;
    },
  };
}

/** The storage's name of a case's settings: docs/client.md, "What is stored". */
const storageName = ({ base_url: baseUrl, product_id: id }: Settings): string => `license-key-service.${id}.${baseUrl.replace(/^https?:\/\//, '').replace(/[^a-z0-9.-]+/g, '_')}`;

/** Runs a case with the client and completes its steps by what was seen. */
export async function runCase(defaults: Settings, given: GivenCase): Promise<Case> {
  const settings = { ...defaults, ...given.settings };
  const { storage, fail, replaceRecord, stored, madeId } = scriptedStorage(storageName(settings), given.stored ?? {});
  let now = 0;
  let fingerprint: string | null = null;
  let responses: ScriptedResponse[] = [];
  let requests: Json[] = [];
  let wakesAfter: number | null = null;

  const fetch: Fetch = async (address, { method, headers, body }) => {
    const url = new URL(address);
    const fields: Json = body === undefined ? { query: Object.fromEntries(url.searchParams) } : { body: JSON.parse(body) as Json };
    const license = Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('x-license-')));
    requests.push({ method, path: url.pathname, ...(url.pathname.endsWith('/latest') && { headers: license }), ...(fields as object) });
    const response = responses.shift();
    if (response === undefined) throw new Error(`${given.name}: no response is scripted for ${method} ${url.pathname}`);
    if (response === 'unreachable') throw new TypeError('unreachable');
    if (response.meanwhile !== undefined) replaceRecord(response.meanwhile);
    const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
    return { status: response.status, headers: new Headers(response.headers), text: async () => text };
  };
  const start = (): LicenseClient =>
    new LicenseClient({
      baseUrl: settings.base_url,
      productId: settings.product_id,
      apiKey: settings.api_key,
      publicKey: settings.public_key,
      audience: settings.audience,
      graceDays: settings.grace_days,
      allowUnboundTokens: settings.allow_unbound_tokens,
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
      schedule: (_task, ms) => {
        wakesAfter = ms / 1000;
        return () => {
          wakesAfter = null;
        };
      },
    });

  let client = start();
  const call = (name: GivenStep['call'], fields: { readonly [name: string]: Json } = {}): unknown => {
    const { key, token, feature, release, name: label, platform, customer_email: customerEmail, replace, ref, version, released_at: releasedAt } = fields as { readonly [name: string]: string };
    const labels = { ...(label !== undefined && { name: label }), ...(platform !== undefined && { platform }) };
    switch (name) {
      case 'activate':
        return client.activate(key ?? '', { ...labels, ...(replace !== undefined && { replace }) });
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
      case 'close':
        return client.close({ release: Boolean(release) });
      case 'check':
      case 'validate':
      case 'deactivate':
      case 'forget':
      case 'fingerprint':
        return client[name]();
    }
  };

  const steps: Step[] = [];
  for (const step of given.steps) {
    now = step.now;
    if (step.fingerprint !== undefined) fingerprint = step.fingerprint;
    fail(step.storage);
    responses = [...(step.responses ?? [])];
    requests = [];
    if (step.restart) client = start();
    const result = toJson(await call(step.call, step.arguments));
    await client.idle();
    if (responses.length > 0) throw new Error(`${given.name}: ${responses.length} responses were not asked for`);
    const seen = { result, state: toJson(client.state), requests, stored: stored(), wakes_after: wakesAfter };
    const id = madeId();
    steps.push({ ...step, ...(id === undefined ? seen : (JSON.parse(JSON.stringify(seen).replaceAll(id, '<random id>')) as typeof seen)) });
  }
  return { ...given, steps };
}
