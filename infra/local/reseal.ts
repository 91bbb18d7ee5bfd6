import * as z from 'zod/mini';
import { fail } from '../../lambdas/contract/errors';
import { newestKeyOnly, withNewKey } from '../../lambdas/domain/seal';
import type { App } from '../../lambdas/runtime/app';
import { newKeyProblem, reseal } from '../../lambdas/use-cases/reseal';
import { adminRoute } from './admin-route';
import type { LocalRoute } from './http';
import type { LocalSecrets } from './secrets';

/** The path with which `npm run reseal` reseals the table of a local run. */
export const RESEAL_PATH = '/_local/reseal';

const KEY_BYTES = 32;
const rings = ['encryptionKey', 'signingKey'] as const;
const steps = z.object({ new_keys: z.boolean(), drop_old_keys: z.boolean(), force: z.boolean() });

/** @param newApp returns an app that has not read any secret yet */
export const route = (secrets: LocalSecrets, newApp: () => App, adminToken: string): LocalRoute =>
  adminRoute(adminToken, async ({ method }, body) => {
    if (method !== 'POST') return undefined;
    const { data } = steps.safeParse(body);
    if (!data) return fail('invalid_request', 'new_keys, drop_old_keys and force must be true or false');
    const change = (to: (ring: string) => string): void => rings.forEach((name) => secrets.put(name, to(secrets.value(name))));
    const app = newApp();
    if (data.new_keys) {
      change((ring) => withNewKey(ring, app.random(KEY_BYTES)));
      return {};
    }
    const problems = rings.map((name) => newKeyProblem(name, secrets.value(name), secrets.changedAt(name), Date.now()));
    const problem = problems.find((one) => one !== undefined);
    if (data.drop_old_keys && !data.force && problem !== undefined) return fail('invalid_request', problem);
    const resealed = await reseal(app);
    if (data.drop_old_keys) change(newestKeyOnly);
    return resealed;
  });
