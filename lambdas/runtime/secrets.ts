import type { SecretName } from '../contract/access';
import { hashSecret, matchesHash } from '../domain/credentials';
import { KeyRing, NONCE_BYTES, purposes, UnknownSealingKey, type Purpose, type RingName } from '../domain/seal';
import { log } from './observability/log';

/** Fetches the current value of a secret. */
export type FetchSecret = (name: SecretName) => Promise<string>;

/** Time, in ms, for which a value is used before it is read again, so that a rotated secret is replaced soon. */
const TTL_MS = 300_000;
/**
 * Minimum time, in ms, before a secret is read again. It applies after a failed read, and if the cached value did not match what a caller
 * presented.
 */
const RECHECK_MS = 5000;
/** If a secret cannot be read, its cached value is used until the value has this age, in ms. */
const MAX_AGE_MS = 3_600_000;

/** A cached secret. A new value replaces the cached value. If reading fails, the cached value stays. */
class CachedSecret<Value> {
  private known: { readonly value: Value; readonly readAt: number } | undefined;
  private failedAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<Value> | undefined;

  constructor(
    private readonly name: SecretName,
    private readonly read: () => Promise<Value>,
    private readonly clock: () => number,
  ) {}

  /** The value, read at most `maxAge` ms ago. If the secret cannot be read now, the result is a cached value that is up to an hour old. */
  async get(maxAge: number): Promise<Value> {
    const { known } = this;
    const now = this.clock();
    if (known && now - known.readAt < maxAge) return known.value;
    const usable = known && now - known.readAt < MAX_AGE_MS;
    if (usable && now - this.failedAt < RECHECK_MS) return known.value;
    try {
      return await (this.reading ??= this.readAgain());
    } catch (error) {
      if (!usable) throw error;
      log.warn('SECRET_NOT_READ', { secret: this.name }, error);
      return known.value;
    }
  }

  private async readAgain(): Promise<Value> {
    try {
      const value = await this.read();
      this.known = { value, readAt: this.clock() };
      return value;
    } catch (error) {
      this.failedAt = this.clock();
      throw error;
    } finally {
      this.reading = undefined;
    }
  }
}

/** The deployment's secrets. A secret is fetched when it is first needed and cached in the function. */
export class Secrets {
  private readonly adminToken: CachedSecret<Buffer>;
  private readonly originSecret: CachedSecret<Buffer>;
  private readonly hashKey: CachedSecret<string>;
  private readonly rings: Readonly<Record<RingName, CachedSecret<KeyRing>>>;

  constructor(
    private readonly fetch: FetchSecret,
    clock: () => number,
    private readonly random: (bytes: number) => Uint8Array,
  ) {
    const ring = (name: RingName): CachedSecret<KeyRing> =>
      new CachedSecret(name, () => fetch(name).then((secret) => new KeyRing(secret)), clock);
    this.adminToken = new CachedSecret('adminToken', () => fetch('adminToken').then(hashSecret), clock);
    this.originSecret = new CachedSecret('originSecret', () => fetch('originSecret').then(hashSecret), clock);
    this.hashKey = new CachedSecret('portalKey', () => fetch('portalKey'), clock);
    this.rings = { signingKey: ring('signingKey'), encryptionKey: ring('encryptionKey') };
  }

  /** Returns a function that seals (encrypts) values for the given purposes, with the newest key for each purpose. */
  async sealer<const P extends Purpose>(
    ...wanted: readonly P[]
  ): Promise<(purpose: P, plain: Uint8Array | string, boundTo: string) => string> {
    const rings = new Map(
      await Promise.all(wanted.map(async (purpose) => [purpose, await this.rings[purposes[purpose]].get(TTL_MS)] as const)),
    );
    return (purpose, plain, boundTo) => {
      const ring = rings.get(purpose);
      if (!ring) throw new Error(`There is no key for ${purpose}`);
      return ring.seal(purpose, plain, boundTo, this.random(NONCE_BYTES));
    };
  }

  /**
   * Opens (decrypts) a sealed value. If the value was sealed with an unknown key, that key may be new, so the secret with the keys is read
   * again.
   */
  async open(purpose: Purpose, sealed: string, boundTo: string): Promise<Buffer> {
    const ring = this.rings[purposes[purpose]];
    try {
      return (await ring.get(TTL_MS)).open(purpose, sealed, boundTo);
    } catch (error) {
      if (!(error instanceof UnknownSealingKey)) throw error;
      return (await ring.get(RECHECK_MS)).open(purpose, sealed, boundTo);
    }
  }

  /** Whether a value was sealed with the newest key. */
  async isNewest(purpose: Purpose, sealed: string): Promise<boolean> {
    return (await this.rings[purposes[purpose]].get(TTL_MS)).isNewest(sealed);
  }

  /** The SMTP server's URL with its credentials. The secret is read for every mail, so that a new URL is used at once. */
  smtpUrl(): Promise<string> {
    return this.fetch('smtpUrl');
  }

  /** The key for the hashes of the portal's sign-in codes, and for the refs of devices. A new key invalidates all earlier codes and refs. */
  portalKey(): Promise<string> {
    return this.hashKey.get(TTL_MS);
  }

  /** Whether a text is the current admin token. If it does not match, the secret is read again, at most once every few seconds. */
  async isAdminToken(presented: string): Promise<boolean> {
    if (matchesHash(presented, await this.adminToken.get(TTL_MS))) return true;
    return matchesHash(presented, await this.adminToken.get(RECHECK_MS));
  }

  /** Whether a text is the secret that the distribution sends. */
  async isOriginSecret(presented: string): Promise<boolean> {
    return matchesHash(presented, await this.originSecret.get(TTL_MS));
  }
}
