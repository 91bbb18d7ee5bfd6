import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import type { SecretName } from '../../lambdas/contract/access';
import type { FetchSecret } from '../../lambdas/runtime/secrets';
import { readStored, writeDurably } from './data-dir';

/** The local run's secrets: one file that only its owner may read. A value is generated when it is first needed. */
export interface LocalSecrets {
  readonly fetch: FetchSecret;
  value(name: SecretName): string;
  /** Whether a value exists already, so that `value` does not generate it. */
  has(name: SecretName): boolean;
  /** When a value was last changed, in epoch ms. */
  changedAt(name: SecretName): number;
  /** Stores a new value. Values from the settings cannot be replaced. */
  put(name: SecretName, value: string): void;
}

/** Number of characters of a generated value, as in a deployment (infra/secrets.ts). */
const LENGTH = 48;

const generate = (): string =>
  randomBytes(2 * LENGTH)
    .toString('base64')
    .replace(/\W/g, '')
    .slice(0, LENGTH);

/** Earlier versions stored each value under the logical id of its resource in the template, such as `SecretsAdminToken5812E3BC`. */
const nameOf = (stored: string): string =>
  stored.replace(/^(?:Secrets)?([A-Z])(\w+)[0-9A-F]{8}$/, (_, first: string, rest: string) => first.toLowerCase() + rest);

/**
 * Opens the secrets.
 *
 * @param file the file that stores them; undefined keeps them in memory
 * @param given values from the settings; they are not stored
 */
export function open(file: string | undefined, given: Readonly<Partial<Record<SecretName, string | undefined>>>): LocalSecrets {
  const stored = readStored(file, z.record(z.string(), z.string())) ?? {};
  const kept = new Map(Object.entries(stored).map(([id, value]) => [nameOf(id), value]));
  // The file contains no times. It is never older than the values in it.
  const openedAt = file !== undefined && existsSync(file) ? statSync(file).mtimeMs : Date.now();
  const changes = new Map<SecretName, number>();
  const put = (name: SecretName, value: string): void => {
    if (file !== undefined) writeDurably(file, JSON.stringify({ ...Object.fromEntries(kept), [name]: value }, null, 2));
    kept.set(name, value);
    changes.set(name, Date.now());
  };
  const value = (name: SecretName): string => {
    const found = given[name] ?? kept.get(name);
    if (found !== undefined) return found;
    put(name, generate());
    return value(name);
  };
  const has = (name: SecretName): boolean => given[name] !== undefined || kept.has(name);
  return { fetch: (name) => Promise.resolve(value(name)), value, has, put, changedAt: (name) => changes.get(name) ?? openedAt };
}
