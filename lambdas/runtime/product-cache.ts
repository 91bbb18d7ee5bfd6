import { openSecret, type Product } from '../domain/product';
import { tokenSigner, type TokenSigner } from '../domain/offline-token';
import type { Secrets } from './secrets';

/** How long a product is used without being read again, in ms. */
const TTL_MS = 60_000;
const MAX_PRODUCTS = 1000;

interface Entry {
  readonly product: Product;
  readonly readAt: number;
  signer?: Promise<TokenSigner>;
}

/** The products that a function has met lately, each with its signing key as a ready key object. */
export class ProductCache {
  private readonly entries = new Map<number, Entry>();

  constructor(
    private readonly secrets: Secrets,
    private readonly clock: () => number,
  ) {}

  /** The product, if it was read within the last minute. */
  get(id: number): Product | undefined {
    const entry = this.entries.get(id);
    return entry && this.clock() - entry.readAt < TTL_MS ? entry.product : undefined;
  }

  /** Keeps a product that was just read. A signing key never changes, so its key object is kept with it. */
  put(product: Product): void {
    const signer = this.entries.get(product.id)?.signer;
    this.entries.delete(product.id);
    this.entries.set(product.id, { product, readAt: this.clock(), ...(signer && { signer }) });
    if (this.entries.size > MAX_PRODUCTS) {
      const [oldest] = this.entries.keys();
      if (oldest !== undefined) this.entries.delete(oldest);
    }
  }

  /** The signer of a product's offline tokens. */
  signer(product: Product): Promise<TokenSigner> {
    if (!this.entries.has(product.id)) this.put(product);
    const entry = this.entries.get(product.id);
    const made = entry?.signer ?? this.makeSigner(product);
    if (entry) entry.signer = made;
    return made;
  }

  private async makeSigner(product: Product): Promise<TokenSigner> {
    try {
      return tokenSigner(openSecret(await this.secrets.sealingKey(), product, 'seed'), product.public_key);
    } catch (error) {
      this.entries.delete(product.id);
      throw error;
    }
  }
}
