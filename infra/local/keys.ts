import * as z from 'zod/mini';
import { fail, isFailure } from '../../lambdas/contract/errors';
import type { App } from '../../lambdas/runtime/app';
import { exportSigningKeys, importSigningKeys } from '../../lambdas/use-cases/key-transfer';
import { adminRoute } from './admin-route';
import type { LocalRoute } from './http';

/** The path with which `keys export` and `keys import` move the signing keys of a local run. */
export const KEYS_PATH = '/_local/keys';

const transfer = z.object({
  product: z.int(),
  passphrase: z.string(),
  /** The key file to import; undefined for an export. */
  file: z.optional(z.string()),
  api_key: z.optional(z.string()),
});

/** @param newApp returns an app that has not read any secret yet */
export const route = (newApp: () => App, adminToken: string): LocalRoute =>
  adminRoute(adminToken, async ({ method }, body) => {
    if (method !== 'POST') return undefined;
    const { data } = transfer.safeParse(body);
    if (!data) return fail('invalid_request', 'product must be an id, and passphrase, file and api_key must be texts');
    const { product, passphrase, file, api_key: apiKey } = data;
    const result =
      file === undefined
        ? await exportSigningKeys(newApp(), product, passphrase)
        : await importSigningKeys(newApp(), product, { file, passphrase, apiKey });
    // The status 404 tells the commands that this is not a local run.
    return isFailure(result) ? fail('invalid_request', result.detail) : result;
  });
