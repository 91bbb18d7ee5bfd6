import { tokenSigner, type TokenSigner } from '../domain/offline-token';
import { currentKey, type Product } from '../domain/product';
import { seedPlace, type SigningKey, type SigningSeeds } from '../domain/signing-key';
import type { Secrets } from './secrets';

/** Time, in ms, for which a cached product is used before it is read again. */
const TTL_MS = 60_000;
const MAX_PRODUCTS = 1000;

interface Entry {
  readonly product: Product;
  /** The sealed seeds of the signing keys. Undefined if they were not read: functions that sign nothing have no permission to read them. */
  readonly seeds: SigningSeeds | undefined;
  readonly readAt: number;
  /** The key objects of the signing keys by `kid`. They can be cached, because a key pair never changes. */
  readonly signers: Map<string, Promise<TokenSigner>>;
}

/** A product in this function's cache. */
export interface KnownProduct {
  readonly product: Product;
  /** False if the product was read more than a minute ago. Such a product must be read again before it is used. */
  readonly isFresh: boolean;
  readonly hasSeeds: boolean;
}

/** Whether the seed of the product's current signing key was read. */
const holdsSeed = ({ product, seeds }: Pick<Entry, 'product' | 'seeds'>): boolean =>
  seeds !== undefined && currentKey(product).kid in seeds;

/** The products that a function has recently used, with key objects of their signing keys. */
export class ProductCache {
  private readonly entries = new Map<number, Entry>();

  constructor(
    private readonly secrets: Secrets,
    private readonly clock: () => number,
  ) {}

  /** The product as it was last read; undefined if it is not cached. */
  get(id: number): KnownProduct | undefined {
    const entry = this.entries.get(id);
    return entry && { product: entry.product, isFresh: this.clock() - entry.readAt < TTL_MS, hasSeeds: holdsSeed(entry) };
  }

  /**
   * Caches a product that was just read, and its signing seeds if they were read too. Seeds that are already in the cache stay there: a
   * concurrent request may have read them, and may be about to sign with them.
   */
  put(product: Product, read?: SigningSeeds): KnownProduct {
    const before = this.entries.get(product.id);
    const seeds = before?.seeds && read ? { ...before.seeds, ...read } : (read ?? before?.seeds);
    const readAt = before?.product === product ? before.readAt : this.clock();
    this.entries.delete(product.id);
    this.entries.set(product.id, { product, seeds, readAt, signers: before?.signers ?? new Map<string, Promise<TokenSigner>>() });
    if (this.entries.size > MAX_PRODUCTS) {
      const [oldest] = this.entries.keys();
      if (oldest !== undefined) this.entries.delete(oldest);
    }
    return { product, isFresh: true, hasSeeds: holdsSeed({ product, seeds }) };
  }

  /** Returns a signer that uses the product's current signing key. The product and its seeds must be in the cache. */
  signer(product: Product): Promise<TokenSigner> {
    const entry = this.entries.get(product.id);
    const key = currentKey(product);
    const made = entry?.signers.get(key.kid) ?? this.makeSigner(product, key, entry?.seeds ?? {});
    entry?.signers.set(key.kid, made);
    return made;
  }

  private async makeSigner({ id }: Product, { kid, public_key }: SigningKey, seeds: SigningSeeds): Promise<TokenSigner> {
    try {
      const seed = seeds[kid];
      if (seed === undefined) throw new Error(`Product ${id} has no seed for its signing key ${kid}`);
      return tokenSigner(await this.secrets.open('signing_seed', seed, seedPlace(id, kid)), public_key);
    } catch (error) {
      this.entries.delete(id);
      throw error;
    }
  }
}
