import type { SecretName } from '../contract/access';
import { hashSecret, matchesHash } from '../domain/credentials';
import { sealingKey } from '../domain/seal';

/** Fetches the current value of a secret. */
export type FetchSecret = (name: SecretName) => Promise<string>;

/** How long the admin token is trusted before it is read again, so that a rotated one dies soon. */
const TOKEN_TTL_MS = 300_000;
/** How soon a token that doesn't match may make us look for a rotation. */
const RECHECK_MS = 10_000;

/** The deployment's secrets, fetched when first needed and kept in the function. */
export class Secrets {
  private encryptionKey: Promise<Buffer> | undefined;
  private adminToken: { readonly hash: Promise<Buffer>; readonly at: number } | undefined;

  constructor(
    private readonly fetch: FetchSecret,
    private readonly clock: () => number,
  ) {}

  /** The key that seals what is secret in the table. */
  sealingKey(): Promise<Buffer> {
    this.encryptionKey ??= this.fetch('encryptionKey').then(sealingKey, (error: unknown) => {
      this.encryptionKey = undefined;
      throw error;
    });
    return this.encryptionKey;
  }

  /** The SMTP server's URL with its credentials; read for every mail, so that a new one counts at once. */
  smtpUrl(): Promise<string> {
    return this.fetch('smtpUrl');
  }

  /** True where this is the admin token now. */
  async isAdminToken(presented: string): Promise<boolean> {
    if (matchesHash(presented, await this.adminTokenHash(TOKEN_TTL_MS))) return true;
    return matchesHash(presented, await this.adminTokenHash(RECHECK_MS));
  }

  private adminTokenHash(maxAge: number): Promise<Buffer> {
    const now = this.clock();
    if (!this.adminToken || now - this.adminToken.at >= maxAge) {
      const hash = this.fetch('adminToken').then(hashSecret, (error: unknown) => {
        this.adminToken = undefined;
        throw error;
      });
      this.adminToken = { hash, at: now };
    }
    return this.adminToken.hash;
  }
}
